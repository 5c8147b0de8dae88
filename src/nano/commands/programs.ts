/** Which words are programs, what each takes first, and how a typed command differs from English. Pure. */
import type { PathProject } from '../paths/project.ts'

const PROGRAMS = new Set(
  (
    'make npm npx node python python3 pip pip3 git sh bash zsh ls cat wc grep rg find du df head tail sort uniq diff cp mv rm mkdir touch ' +
    'echo date pwd whoami uname uptime free ps env which docker docker-compose kubectl helm terraform ansible ansible-playbook cargo go ' +
    'rustc gcc g++ cmake ctest pytest tox ruff black uv poetry ruby bundle rake rails mix php composer java javac mvn gradle dotnet ' +
    'yarn pnpm bun deno tsc vite jest vitest eslint prettier curl wget tar zip unzip chmod chown ssh scp rsync systemctl journalctl ' +
    'sqlite3 psql mysql latexmk pdflatex Rscript lua love perl julia sbatch squeue openocd awk sed xargs tree file stat ping dig wp just ' +
    'hugo jekyll nginx crontab sha256sum md5sum jq flutter dart swift xcodebuild fastlane adb gradlew ./gradlew mvnw ./mvnw sbt lein cabal ghc zig ' +
    'flake8 isort mypy pre-commit alembic uvicorn gunicorn django-admin gofmt golangci-lint clang clang-format meson bazel ' +
    'nx turbo lerna wrangler vercel netlify firebase aws gcloud az heroku flyctl gh glab pio idf.py pandoc exiftool ffmpeg ' +
    'hostname nvidia-smi xmllint luacheck shellcheck yamllint valgrind nvm pwsh powershell id lsblk lscpu lsof top htop vmstat nproc ' +
    'phpunit rspec rubocop bundler ansible-lint tflint kustomize prove xelatex pg_dump redis-cli mongosh traceroute nslookup ifconfig ip'
  ).split(' '),
)

export const isListed = (word: string): boolean => PROGRAMS.has(word)

export const isProgram = (word: string): boolean =>
  PROGRAMS.has(word) || SCRIPT.test(word) || /^\.\/\S|^(?:vendor\/)?bin\/\w/.test(word)

/** A file that runs. */
export const SCRIPT = /^[\w./-]+\.(?:sh|py|js|mjs|rb|pl|lua)$/

/** What these do is named by their first word. */
const VERBS: Readonly<Record<string, ReadonlySet<string>>> = Object.fromEntries(
  [
    'git add am apply bisect blame branch checkout cherry-pick clean clone commit config describe diff fetch gc grep init log merge mv pull push rebase reflog remote reset restore revert rev-parse rm shortlog show stash status submodule switch tag worktree',
    'npm audit bin cache ci dedupe exec fund i init install link list ls outdated pack prune publish rebuild run run-script start stop t test uninstall update version view',
    'yarn add audit build dev install lint list remove run start test upgrade why',
    'pnpm add audit build dev exec i install lint list remove run start test update',
    'bun add build dev install remove run start test',
    'docker attach build compose container cp exec images image info inspect kill load login logs network ps pull push restart rm rmi run save start stats stop system tag top version volume',
    'docker-compose build config down exec images kill logs ps pull push restart rm run start stop up',
    'kubectl api-resources apply config cordon create delete describe diff drain edit exec explain expose get kustomize label logs patch port-forward rollout scale top version',
    'helm create dependency diff get history install lint list package pull push repo rollback search show status template test uninstall upgrade',
    'terraform apply console destroy fmt force-unlock get graph import init output plan providers refresh show state taint test validate version workspace',
    'cargo add audit bench build check clean clippy deny doc outdated fetch fix fmt init install metadata new nextest publish remove run search test tree update vendor',
    'go build clean doc env fix fmt generate get install list mod run test tool version vet work',
    'composer audit check-platform-reqs diagnose dump-autoload exec install outdated remove require run run-script show update validate',
    'flutter analyze attach build channel clean config create devices doctor drive emulators install logs pub run test upgrade',
    'dart analyze compile create doc fix format pub run test',
    'pip check config download freeze install list show uninstall wheel',
    'pip3 check config download freeze install list show uninstall wheel',
    'poetry add build check install lock publish remove run shell show update',
    'uv add init lock pip remove run sync tool tree venv',
    'bundle add check clean config exec info init install list lock outdated update',
    'mix archive clean compile credo deps deps.get ecto.migrate ecto.reset ecto.setup format hex.outdated phx.server release run test',
    'rails console db:migrate db:rollback db:seed generate new routes runner server test',
    'dotnet add build clean format list new nuget pack publish restore run sln test tool watch',
    'mvn clean compile deploy install package site test validate verify',
    'gradle assemble build check clean run tasks test',
    'systemctl daemon-reload disable enable is-active list-timers list-units reload restart start status stop',
    'gh api auth browse issue pr release repo run workflow',
    'heroku config logs open ps releases restart run',
    'brew install list outdated upgrade update',
    'wp cache cli core db export import media option plugin post rewrite search-replace theme user',
    'php artisan',
    'nvm alias current install ls use',
    'pio check device run test upgrade',
    'latexmk thesis main',
    'hugo new server',
    'adb devices install logcat pull push reboot shell uninstall',
    'firebase deploy emulators login serve',
    'netlify build deploy dev status',
    'vercel build deploy dev ls',
    'alembic current downgrade heads history revision stamp upgrade',
    'fastlane beta release test lanes',
    'pre-commit autoupdate install run',
  ].map((line) => {
    const [program = '', ...verbs] = line.split(' ')
    return [program, new Set(verbs)]
  }),
)

/** Plain words behind these are files. */
const READERS = new Set(
  'wc cat du ls head tail sort uniq diff find stat file tree touch cut grep rg sed awk less more cp mv rm mkdir chmod chown tar zip unzip sha256sum md5sum jq df'.split(
    ' ',
  ),
)

/** Words that no command has behind its verb. */
const ENGLISH = new Set(
  (
    'a an the my our your it its is was were are to with and or in on for of that this what which who why how i you we they he she be by at from into ' +
    "not don't as if so me then but will would do does did done been being have has had can could should all any some every each both only also just " +
    'real really quick quickly please pls plz thanks thx again now here there first last one ones way see show tell after before because cause when where ' +
    'today yesterday tomorrow later soon everything something anything nothing over about than too well good bad works work fine okay ok maybe want need ' +
    'like im ill lets us them their his her these those still once until while said says broke fails failed than u ur w/ s n'
  ).split(' '),
)

/** Besides what is quoted. */
export const hasEnglish = (command: string): boolean =>
  command
    .replaceAll(QUOTED, '')
    .split(/\s+/)
    .slice(1)
    .some((word) => ENGLISH.has(word.toLowerCase()))

const QUOTED = /"[^"]*"|'[^']*'/g

const MOST_ARGUMENTS = 8

/** It could be typed as it stands: what is behind the program is what the program takes, and no word of a sentence. */
export function isTyped(command: string, project?: PathProject): boolean {
  const plain = command.replaceAll(QUOTED, '"quoted"')
  const parts = plain.split(/\s+(?:&&|\|\|?|;)\s+/)
  return parts.every((part) => isCall(part, project))
}

function isCall(part: string, project: PathProject | undefined): boolean {
  const words = part
    .replace(/\s+(?:>>?|<|2>)\s*\S+/g, '')
    .trim()
    .split(/\s+/)
  const assigned = words.findIndex((word) => !/^[A-Z_]+=\S+$/.test(word))
  const [program = '', ...args] = words.slice(Math.max(0, assigned))
  if (program === 'cd') return args.length === 1
  if (args.length > MOST_ARGUMENTS || !isProgram(program)) return false
  if (args.some((arg) => UNTYPED.test(arg) || ENGLISH.has(arg.toLowerCase()))) return false
  if (args.length === 0) return false
  const isTelling = !WORDS.has(program) || args.some((arg) => /^--?\w|[./]\w|^\.$|=/.test(arg))
  return isTelling && isTaken(program, args, project)
}

/** They are words of English, too. */
const WORDS = new Set(
  (
    'make which file find sort cat date free top env head tail cut test go just time watch type echo touch tree stat love uniq du df ' +
    'diff less more bundle composer rake rails helm dart swift mix wp julia perl prove id ip'
  ).split(' '),
)

/** Brackets and the signs of a sentence. */
const UNTYPED = /^(?:->|=>|→)$|[,;:?!`]$|\w\.$|^\(|\)$|^[-–—]$|[’“”]|\w'\w/

function isTaken(program: string, args: readonly string[], project: PathProject | undefined): boolean {
  const first = args.findIndex((arg) => !arg.startsWith('-'))
  const isPlain = (arg: string): boolean => /^[A-Za-z]+$/.test(arg)
  const [verb = ''] = args.slice(Math.max(0, first))
  const verbs = VERBS[program]
  if (program === 'find')
    return args.length > 1 && (/^(?:-|\.$|[\w.-]*\/)/.test(args[0] ?? '') || isThere(args[0] ?? '', project))
  if (program === 'cut') return args.some((arg) => arg.startsWith('-'))
  // "npm start server": the server is what is started.
  if (RUNNERS.has(program) && /^(?:start|test|run|run-script)$/.test(verb)) {
    const rest = args.slice(verb.startsWith('run') ? 2 : 1)
    return args[0] === verb && (rest.length === 0 || !isPlain(rest[0] ?? ''))
  }
  if (program === 'make' || program === 'just')
    return (
      args.some((arg) => arg.startsWith('-') || /^[A-Z_]+=/.test(arg)) &&
      !args.some((arg) => arg.includes('/') && !arg.includes('='))
    )
  if (verbs) {
    const words = args.filter((arg) => /^[a-z]+$/i.test(arg)).length
    return (args[0]?.startsWith('-') === true || verbs.has(verb) || verb.includes(':')) && words <= MOST_WORDS
  }
  // "Grep wake_lock" reads nothing: it is a search in other words.
  if (/^(?:grep|rg|ag)$/.test(program)) return args.some((arg) => /^-|\/|\.[a-z]/.test(arg))
  if (READERS.has(program))
    return (
      args.every(
        (arg, at) => !isPlain(arg) || args[at - 1]?.startsWith('-') === true || isThere(arg, project),
      ) && args.some((arg) => !isPlain(arg) || isThere(arg, project))
    )
  return !isPlain(args[0] ?? '') || (SCRIPT.test(program) && isThere(args[0] ?? '', project))
}

/** `git stash pop eat untracked files` goes on in English. */
const MOST_WORDS = 3

const RUNNERS = new Set(['npm', 'yarn', 'pnpm', 'bun'])

const isThere = (name: string, project: PathProject | undefined): boolean =>
  project !== undefined && (project.files.includes(name) || project.folders.includes(`${name}/`))
