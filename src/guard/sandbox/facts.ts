/**
 * What is known before the first command and outside the sandbox: where the project, its repository, the home folder,
 * the toolchains and the system lie. Real paths only; nothing a command does later changes them.
 */
import { existsSync, lstatSync, realpathSync } from 'node:fs'
import { delimiter, dirname, join, relative } from 'node:path'
import { isInside } from '../../lib/path.ts'
import { once } from '../../lib/once.ts'
import { findExposedSecrets } from './exposed-secrets.ts'
import { gatherGit, type GitFacts } from './git-facts.ts'
import { ownPackages } from './own-packages.ts'
import { gatherSystem, type Masked, type SystemFacts } from './system.ts'
import { type Bound, findToolchains, readSearchPath } from './toolchains.ts'

export type Facts = {
  /** Where commands start, and what they may change. */
  readonly project: string
  readonly home: string
  /** Ours, private: /tmp and the home folder in the sandbox, and the stand-ins for hidden files. */
  readonly folder: string
  readonly system: SystemFacts
  readonly git?: GitFacts
  /** Toolchains, packages and what the person's configuration names, read-only. */
  readonly readable: readonly Bound[]
  /** What the person's configuration names. */
  readonly writable: readonly string[]
  /** Not to be seen wherever something that holds it is bound: Covey's own files, credentials. */
  readonly hidden: readonly Masked[]
  /** Credentials among what is readable and writable, by their names inside. */
  exposed(): readonly Masked[]
  /** The search path, each folder by its real name. */
  readonly path: string
}

export type FactsOptions = {
  readonly project: string
  readonly home: string
  readonly folder: string
  readonly path: string
  readonly hidden: readonly string[]
  readonly readable: readonly string[]
  readonly writable: readonly string[]
  /** For others: nothing of the home folder, and nothing that was configured for the person's own commands. */
  readonly host: boolean
}

export function gatherFacts(options: FactsOptions): Facts {
  const { folder, host } = options
  const project = realpathSync(options.project)
  const home = real(options.home) ?? options.home
  const system = gatherSystem()
  const git = gatherGit(project, home)
  const isPresent = (path: string): boolean =>
    [...system.folders, project].some((present) => isInside(present, path))
  const search = readSearchPath(options.path, { home, isPresent })
  const programs = host ? search.bound.filter((path) => !isInside(home, path)) : search.bound
  const readable = [...programs, ...(host ? [] : [...parentPackages(project, home), ...options.readable])]
  const bound = [...readable, ...ownPackages()].flatMap((path) => asItIs(path))
  const shown = [...(host ? [] : findToolchains(home)), ...bound].filter(isMeaningful(project, home))
  const writable = host ? [] : options.writable.flatMap((path) => real(path) ?? [])
  const searched = sorted([...shown, ...writable.flatMap(asItIs)]).filter(
    ({ source }) => !system.folders.some((path) => isInside(path, source)) && !isInside(source, project),
  )
  return {
    project,
    home,
    folder,
    system,
    ...(git && { git: host ? { root: git.root } : git }),
    readable: sorted(shown),
    writable,
    // Looked for with the first command that is planned: a large home takes longer than the rest of a start.
    exposed: once(() => findExposedSecrets(searched)),
    hidden: [...options.hidden, ...CREDENTIALS.map((name) => join(home, name))].flatMap(toMasked),
    path: search.path,
  }
}

/** Programs, libraries and packages that commands use, by all their names. */
export const closedFolders = ({ system, readable, path }: Facts): readonly string[] => [
  ...system.folders,
  ...readable.flatMap(({ source, target }) => [source, target]),
  ...path.split(delimiter).filter((folder) => folder !== ''),
]

const asItIs = (path: string): readonly Bound[] => {
  const source = real(path)
  return source === undefined ? [] : [{ source, target: source }]
}

/** Inside the project they are there anyway; one that holds the project or the home folder would open far too much. */
const isMeaningful =
  (project: string, home: string) =>
  ({ source, target }: Bound): boolean =>
    !isInside(project, target) && !isInside(source, project) && !isInside(source, home)

/** What holds others comes first, or it would cover them; what another shows already is left out. */
function sorted(all: readonly Bound[]): readonly Bound[] {
  const seen = new Map(all.map((bound) => [bound.target, bound]))
  const unique = [...seen.values()].toSorted((a, b) => (a.target < b.target ? -1 : 1))
  return unique.filter(
    ({ source, target }) =>
      !unique.some(
        (other) =>
          other.target !== target &&
          isInside(other.target, target) &&
          join(other.source, relative(other.target, target)) === source,
      ),
  )
}

/** Node looks for packages in every folder above the project. */
function parentPackages(project: string, home: string): readonly string[] {
  const found: string[] = []
  for (let folder = dirname(project); folder !== dirname(folder); folder = dirname(folder)) {
    const packages = join(folder, 'node_modules')
    if (folder !== home && lstatSync(packages, { throwIfNoEntry: false })?.isDirectory()) found.push(packages)
  }
  return found
}

function real(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

function toMasked(path: string): readonly Masked[] {
  const place = real(path)
  if (place === undefined || !existsSync(place)) return []
  return [{ path: place, kind: lstatSync(place).isDirectory() ? 'folder' : 'file' }]
}

/** Counts where the project is the home folder itself, or the person opened a part of it. */
const CREDENTIALS =
  `.ssh .gnupg .aws .azure .gcloud .kube .password-store .docker .config/gh .config/gcloud .config/op .config/covey
  .config/rclone .config/age .config/sops .netrc .npmrc .pypirc .pgpass .my.cnf .git-credentials .config/git/credentials
  .vault-token .cargo/credentials .cargo/credentials.toml .gem/credentials .local/share/keyrings .local/share/covey
  .mozilla .config/google-chrome .config/chromium .config/BraveSoftware .config/microsoft-edge .thunderbird .ollama
  .claude .claude.json .codex .gemini .aider .continue .config/github-copilot .cache/huggingface/token .huggingface
  .bash_history .zsh_history .python_history .node_repl_history .psql_history .mysql_history .sqlite_history .lesshst
  .local/share/fish .config/fish/fish_variables .m2/settings.xml .gradle/gradle.properties .gnome2/keyrings
  .terraform.d .config/doctl .config/hub .fly .netlify .config/netlify .config/gcloud .config/heroku .minikube
  .putty .purple .config/Signal .local/share/TelegramDesktop snap`.split(/\s+/)
