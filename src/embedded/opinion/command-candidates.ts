/**
 * What a clause may ask to run: commands it spells, scripts of the project, files that an interpreter runs, with what is said for them
 * behind, commands that the project's pages show, and facts of git and the machine. Pure.
 */
import { projectScripts, scriptFiles } from '../nano/scripts.ts'
import { boundaries } from '../nano/spans.ts'
import { runners } from '../nano/words.ts'
import { factsIn } from './command-facts.ts'
import { isMark, type PathProject } from './path-project.ts'
import { wordsIn } from './tokens.ts'

export type Command = {
  readonly command: string
  readonly source: 'said' | 'script' | 'file' | 'page' | 'fact'
  /** The words it is called by. */
  readonly label: readonly string[]
  /** The words that tell what it does. */
  readonly about: ReadonlySet<string>
  /** It begins with the name of a program. */
  readonly isKnown?: boolean
  /** Where the clause spells it. */
  readonly span?: { readonly start: number; readonly end: number }
  /** What follows the name of a file. */
  readonly argument?: 'path' | 'word' | 'quote'
  readonly takesArguments?: boolean
  readonly path?: string
}

export type CommandAsk = {
  readonly clause: string
  readonly project: PathProject
  /** Paths that earlier steps were about, the latest first. */
  readonly recent: readonly string[]
}

const MOST_WORDS = 24
const MOST_FILES = 80

export const commandsFor = (ask: CommandAsk): Command[] => [
  ...saidCommands(ask.clause),
  ...scriptsOf(ask.project),
  ...filesFor(ask),
  ...pageCommands(ask.project),
  ...factsIn(ask.clause).map(({ command, name }): Command => ({
    command,
    source: 'fact',
    label: [name],
    about: NONE,
  })),
]

const NONE: ReadonlySet<string> = new Set()

const PROGRAMS = new Set(
  (
    'make npm npx node python python3 pip pip3 git sh bash zsh ls cat wc grep rg find du df head tail sort uniq diff cp mv rm mkdir touch ' +
    'echo date pwd whoami uname uptime free ps env which docker docker-compose kubectl helm terraform ansible ansible-playbook cargo go ' +
    'rustc gcc g++ cmake ctest pytest tox ruff black uv poetry ruby bundle rake rails mix php composer java javac mvn gradle dotnet ' +
    'yarn pnpm bun deno tsc vite jest vitest eslint prettier curl wget tar zip unzip chmod chown ssh scp rsync systemctl journalctl ' +
    'sqlite3 psql mysql latexmk pdflatex Rscript lua love perl julia sbatch squeue openocd awk sed xargs tree file stat ping dig wp just ' +
    'hugo jekyll nginx crontab sha256sum md5sum jq flutter dart swift xcodebuild fastlane adb gradlew ./gradlew mvnw ./mvnw sbt lein cabal ghc zig ' +
    'flake8 isort mypy pre-commit alembic uvicorn gunicorn django-admin gofmt golangci-lint clang clang-format meson bazel ' +
    'nx turbo lerna wrangler vercel netlify firebase aws gcloud az heroku flyctl gh glab pio idf.py pandoc exiftool ffmpeg'
  ).split(' '),
)

export const isProgram = (word: string): boolean =>
  PROGRAMS.has(word) || /^[\w./-]+\.(?:sh|py|js|rb|pl)$|^\.\/\S|^bin\/\w/.test(word)

/** Behind such a word anything may be a program. */
const ORDERS = /\b(?:run|execute|exec|type|launch)\s+["'`]?$/i

/** From a word that is a program to every end behind it. */
function saidCommands(clause: string): Command[] {
  const { starts, ends } = boundaries(clause)
  const found: Command[] = []
  for (const start of starts) {
    const [first = ''] = /^[^\s,;:"'`)]+/.exec(clause.slice(start)) ?? []
    const isOrdered = ORDERS.test(clause.slice(0, start)) && /^[a-z][\w.-]*$/.test(first)
    if (!isOrdered && !isProgram(first) && !isProgram(first.toLowerCase())) continue
    for (const end of ends) {
      const text = clause.slice(start, end)
      if (end < start + first.length || PIPED.test(clause.slice(end))) continue
      if (text.includes('\n') || text.split(/\s+/).length > MOST_WORDS) break
      found.push({
        command: text,
        source: 'said',
        label: wordsIn(text),
        about: NONE,
        isKnown: isProgram(first),
        span: { start, end },
      })
    }
  }
  return found
}

/** The command goes on. */
const PIPED = /^\s*(?:\||>|<|2>|&&)/

/** Kept for each project, because every clause looks at them. */
const known = new WeakMap<PathProject, readonly Command[]>()

function scriptsOf(project: PathProject): readonly Command[] {
  const found = known.get(project) ?? readScripts(project)
  known.set(project, found)
  return found
}

function readScripts(project: PathProject): Command[] {
  const texts = Object.fromEntries(
    scriptFiles.flatMap((file) => {
      const text = project.texts.get(file)
      return text === undefined ? [] : [[file, text]]
    }),
  )
  const found = projectScripts(texts)
  const own = new Set(found.filter(({ command }) => !OF_TOOL.test(command)).map(({ label }) => label))
  const kept = found.filter(({ label, command }) => !OF_TOOL.test(command) || !own.has(label))
  return kept.map(({ label, command }) => ({
    command,
    source: 'script',
    label: wordsIn(label),
    about: new Set(wordsIn(bodyOf(label, command, project))),
  }))
}

/** What the tool does in every project, not what this one has written down. */
const OF_TOOL = /^(?:cargo|go) /

/** What a script does, as its file says it. */
function bodyOf(label: string, command: string, { texts }: PathProject): string {
  if (command.startsWith('npm')) {
    const body = new RegExp(String.raw`"${escaped(label)}"\s*:\s*"((?:[^"\\]|\\.)*)"`).exec(
      texts.get('package.json') ?? '',
    )
    return body?.[1] ?? ''
  }
  const recipe = new RegExp(
    String.raw`((?:^#.*\n)*)^${escaped(label)}\s*:(?!=).*\n?((?:\t.*\n?)*)`,
    'm',
  ).exec(texts.get('Makefile') ?? '')
  return recipe?.[0] ?? ''
}

/** As a regular expression that means this text. */
export const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)

const RUNNABLE = new RegExp(String.raw`\.(${[...runners.keys()].join('|')})$`)

/** Files that run, alone and with what may be said for them. */
function filesFor({ clause, project, recent }: CommandAsk): Command[] {
  const made = recent.filter((path) => !project.files.includes(path))
  const runnable = [...project.files, ...made].filter((path) => RUNNABLE.test(path)).slice(0, MOST_FILES)
  return runnable.flatMap((path) => {
    const text = project.texts.get(path) ?? ''
    const takesArguments = TAKES.test(text)
    const base = {
      source: 'file' as const,
      path,
      label: wordsIn(nameOf(path).replace(RUNNABLE, '')),
      about: new Set(wordsIn(headOf(text))),
      takesArguments,
    }
    const command = `${runners.get(RUNNABLE.exec(path)?.[1] ?? '') ?? 'bash'} ${path}`
    const isNamed = base.label.some((word) => clause.toLowerCase().includes(word.slice(0, 5)))
    const more = isNamed ? argumentsFor({ clause, project, recent }, path, text) : []
    return [
      { ...base, command },
      ...more.map(({ text: argument, kind }) => ({
        ...base,
        command: `${command} ${argument}`,
        argument: kind,
      })),
    ]
  })
}

const TAKES = /\$\{?[1@*]|\bargv\b|argparse|\busage\b|process\.argv|click\.|ARGV/i
const HEAD_LINES = 8
const headOf = (text: string): string => text.split('\n').slice(0, HEAD_LINES).join('\n')
const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

type Argument = { readonly text: string; readonly kind: NonNullable<Command['argument']> }

const MOST_ARGUMENTS = 6

/** Paths that are named or were just at hand, words the script knows, and what is quoted or called a title. */
function argumentsFor({ clause, project, recent }: CommandAsk, own: string, text: string): Argument[] {
  const words = Array.from(clause.matchAll(/[\p{L}\p{N}]+/gu), ({ 0: word, index: at }) => ({ word, at }))
    .filter(({ word, at }) => word.length > 2 || isMark(word, at))
    .map(({ word, at }) => ({ word: word.toLowerCase(), at }))
  const named = project.files
    .filter((path) => path !== own && clause.includes(path))
    .concat(
      project.files
        .filter((path) => path !== own)
        .map((path) => ({ path, pieces: project.mentionsOf(path, words).pieces.size }))
        .filter(({ pieces }) => pieces > 0)
        .toSorted((a, b) => b.pieces - a.pieces)
        .slice(0, 3)
        .map(({ path }) => path),
    )
  const paths = [...new Set([...named, ...recent.filter((path) => path !== own).slice(0, 1)])]
  const options = words
    .map(({ word }) => word)
    .filter(
      (word) =>
        !nameOf(own).includes(word) && new RegExp(String.raw`["'\s|(]${escaped(word)}["')|]`).test(text),
    )
  const [, title] =
    /\b(?:title|called|named|name|message)\s+(?:is\s+)?["“']?([^"”']+?)["”']?[.!]?$/i.exec(clause) ?? []
  return [
    ...paths.map((path): Argument => ({ text: path, kind: 'path' })),
    ...options.map((word): Argument => ({ text: word, kind: 'word' })),
    ...(title === undefined ? [] : [{ text: `"${title}"`, kind: 'quote' } satisfies Argument]),
  ].slice(0, MOST_ARGUMENTS)
}

const shown = new WeakMap<PathProject, readonly Command[]>()

/** Commands in the code of the project's pages: what is to be typed stands behind `$ `, in a fence or indented. */
function pageCommands(project: PathProject): readonly Command[] {
  const found = shown.get(project) ?? readPages(project)
  shown.set(project, found)
  return found
}

const MOST_PAGE_COMMANDS = 60

function readPages({ texts }: PathProject): Command[] {
  const pages = [...texts].filter(([path]) => /\.(?:md|txt|rst)$/.test(path))
  const commands = new Map<string, Command>()
  for (const line of pages.flatMap(([, text]) => withBefore(text.split('\n')))) {
    const command = commandIn(line.text)
    if (command !== undefined)
      commands.set(command, {
        command,
        source: 'page',
        label: wordsIn(command),
        about: new Set(wordsIn(`${line.before} ${line.text}`)),
      })
  }
  return [...commands.values()].slice(0, MOST_PAGE_COMMANDS)
}

/** Each line with the last one before it that says something. */
function withBefore(lines: readonly string[]): { readonly text: string; readonly before: string }[] {
  let before = ''
  return lines.map((text) => {
    const line = { text, before }
    if (text.trim() !== '' && !text.startsWith('```') && commandIn(text) === undefined) before = text
    return line
  })
}

const LONGEST_COMMAND = 90

function commandIn(line: string): string | undefined {
  const [, inline] = /`([^`]+)`/.exec(line) ?? []
  const isShown = inline !== undefined || /^(?:\s*\$ |\t| {2,}|[a-z./-]+ )/.test(line)
  const command = (inline ?? line)
    .trim()
    .replace(/^\$ /, '')
    .replace(/\s+#.*$|\s{2,}.*$/, '')
  const isCommand =
    PROGRAMS.has(command.split(/\s/)[0] ?? '') && command.includes(' ') && command.length < LONGEST_COMMAND
  return isShown && isCommand && !/[<>[\]{}]|\.\.\./.test(command) ? command : undefined
}
