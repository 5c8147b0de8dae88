/** Programs that change things in some of their forms and only list in others, and git as it is used to look around. */
import { judgeGit } from './git.ts'
import type { Finding } from './programs.ts'
import type { Word } from './word.ts'

/** The form of these arguments lists, shows or checks. */
export function judgeListing(program: string, args: readonly string[]): boolean {
  if (args.length === 1 && /^--(?:version|help)$/.test(args[0] ?? '')) return ASKABLE.has(program)
  return listings[program]?.(args) ?? false
}

const set = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Answer about themselves and end. */
const ASKABLE = set(`
  npm npx pnpm yarn bun deno node python python3 pip pip3 poetry uv pdm pipenv conda gem bundle composer cargo go mvn gradle
  sbt dotnet swift mix make gmake ninja just task cmake meson ctest gcc g++ cc clang clang++ javac java rustc rustup pytest tox
  nox jest vitest mocha tsc eslint prettier biome oxlint ruff black isort mypy flake8 pylint rustfmt gofmt clang-format webpack
  vite rollup esbuild rspec rake phpunit playwright cypress gh docker podman kubectl helm terraform ruby perl php lua curl wget
  ssh rsync tar zip unzip gzip xz zstd cp mv rm mkdir touch chmod ln dd find xargs sqlite3 psql mysql ffmpeg`)

type Lists = (args: readonly string[]) => boolean

const first =
  (pattern: RegExp): Lists =>
  ([action = '']) =>
    pattern.test(action)

const having =
  (wanted: RegExp, never = /^$/): Lists =>
  (args) =>
    args.some((text) => wanted.test(text)) && !args.some((text) => never.test(text))

/** Two words: `config get`. */
const pair =
  (pattern: RegExp): Lists =>
  (args) =>
    pattern.test(
      args
        .filter((text) => !text.startsWith('-'))
        .slice(0, 2)
        .join(' '),
    )

const packed = having(/^(?:-\w*[clt]\w*|--(?:list|test|stdout|to-stdout))$/, /^-\w*o|^--output/)

const listings: Readonly<Record<string, Lists>> = {
  // Without a file of its own it only copies its input.
  tee: (args) => args.every((text) => /^-|^\/dev\/(?:null|stdout|stderr)$/.test(text)),
  mount: (args) => args.length === 0,
  crontab: (args) => args.join(' ') === '-l',
  tar: listsTar,
  unzip: having(/^-\w*[lZvptz]/, /^-\w*[do]/),
  gzip: packed,
  gunzip: packed,
  bzip2: packed,
  bunzip2: packed,
  xz: packed,
  unxz: packed,
  zstd: packed,
  '7z': first(/^[lt]$/),
  ar: first(/^-?[tp]v?$/),
  jar: first(/^-?t[vf]*$/),
  cpio: having(/^(?:-\w*t\w*|--list)$/, /^-\w*[iop](?!t)|^--(?:extract|create|pass)/),
  dpkg: first(/^(?:-[lLsSc]|--(?:list|listfiles|status|search|contents|get-selections))$/),
  apt: first(/^(?:list|show|policy|depends|rdepends)$/),
  rpm: first(/^-q\w*$/),
  pacman: first(/^-Q\w*$/),
  apk: first(/^info$/),
  npm: pair(/^(?:config get|config list|pkg get|root|prefix|bin|help)\b/),
  go: (args) =>
    first(/^(?:env|mod)$/)(args) &&
    (args[0] === 'env' ? !having(/^-[wu]$/)(args) : pair(/^mod (?:graph|why|verify)$/)(args)),
  cargo: first(/^(?:tree|metadata|--list|version|pkgid|locate-project)$/),
  rustup: pair(/^(?:show|which|toolchain list|target list|component list)/),
  pip: pair(/^(?:config list|config get|debug|help)/),
  pip3: pair(/^(?:config list|config get|debug|help)/),
  gem: first(/^(?:list|env|environment|which|contents)$/),
  bundle: first(/^(?:list|show|info|platform)$/),
  composer: first(/^(?:show|licenses|why)$/),
  poetry: first(/^(?:show|version|check)$/),
  uv: pair(/^(?:pip list|pip show|pip freeze|tree|python list)/),
  conda: pair(/^(?:list|info|env list)$/),
  dotnet: first(/^--(?:info|list-sdks|list-runtimes)$/),
  python: first(/^--version$/),
  python3: (args) => args[0] === '-m' && args[1] === 'json.tool' && args.length <= 3,
  node: first(/^(?:-c|--check)$/),
  php: (args) => first(/^-l$/)(args) || having(/^-[vim]$/)(args),
  openssl: (args) =>
    first(/^(?:x509|dgst|version|asn1parse|verify|crl|ciphers)$/)(args) &&
    !having(/^-(?:out|sign|req|CA|signkey)/)(args),
}

const TAR_REACHES =
  /^(?:-[IF]|--(?:to-c|use-c|checkpoint-a|rsh|rmt|info-s|new-v|extract|get|create|append|update|delete|concat|catenate|index-file))/

/** `tf`, `-tvf`, `--list`: the letters that say what to do hold a `t` and no other action. */
function listsTar(args: readonly string[]): boolean {
  const clusters = args.filter((text, index) => (index === 0 ? /^-?[a-zA-Z]+$/ : /^-[a-zA-Z]+$/).test(text))
  const letters = clusters.join('').replaceAll('-', '')
  const lists = letters.includes('t') || args.includes('--list')
  return lists && !/[cxruAIF]/.test(letters) && !args.some((text) => TAR_REACHES.test(text))
}

/** Unless it says `system` or opens a pipe or a file, what an awk program may turn out to do fails in the sandbox. */
export function judgeConfinedAwk(args: readonly string[]): boolean {
  let index = 0
  for (; /^-[Fv]/.test(args[index] ?? ''); index++) if (/^-[Fv]$/.test(args[index] ?? '')) index++
  const program = args[index] ?? '|'
  if (program.startsWith('-') || /system|getline|@|(?<!\|)\|(?!\|)/.test(program)) return false
  return !/\bprintf?\b[^;}\n]*>/.test(program)
}

/** In front of the subcommand: where and how, not what. */
const GLOBAL_FLAGS =
  /^(?:--no-pager|-P|-p|--paginate|--no-optional-locks|--literal-pathspecs|--bare|--git-dir=.*|--work-tree=.*|--no-replace-objects)$/
const GLOBAL_VALUES = /^(?:-C|--git-dir|--work-tree)$/
const SHOWING =
  /^(?:color\.\w+|core\.(?:quote[pP]ath|pager=(?:cat)?$)|log\.\w+|advice\.\w+|pager\.\w+=(?:false|0)|diff\.(?:renames|algorithm|colorMoved|noprefix)|safe\.directory)/

export function judgeConfinedGit(args: readonly Word[]): Finding {
  let index = 0
  for (; index < args.length; index++) {
    const text = args[index]?.text ?? ''
    if (GLOBAL_VALUES.test(text)) index++
    else if (text === '-c' && SHOWING.test(args[index + 1]?.text ?? '')) index++
    else if (!GLOBAL_FLAGS.test(text)) break
  }
  const rest = args.slice(index)
  const finding = judgeGit(rest)
  const [name = '', ...texts] = rest.map(({ text }) => text)
  const isLook = finding.kind === 'unknown' && LOOKS.has(name) && !texts.some((text) => RUNS.test(text))
  return isLook || judgeGitPair(name, texts) ? { kind: 'read-only', why: 'it only reads' } : finding
}

const LOOKS =
  set(`log diff show whatchanged shortlog rev-list diff-tree diff-index diff-files status blame annotate grep ls-files
  ls-tree cat-file rev-parse describe merge-base name-rev show-ref for-each-ref show-branch cherry count-objects check-ignore
  check-attr check-mailmap check-ref-format range-diff help var verify-commit verify-tag fsck diff-pairs`)

/** Options of those that write or run something, also cut short. */
const RUNS = /^(?:-O|--(?:out|ext|open|exec|upload|textc|lost))/

function judgeGitPair(name: string, args: readonly string[]): boolean {
  const [action = ''] = args
  if (name === 'submodule') return /^(?:status|summary)$/.test(action)
  if (name === 'bisect') return /^(?:log|view)$/.test(action)
  if (name === 'bundle') return /^(?:verify|list-heads)$/.test(action)
  if (name === 'reflog') return /^(?:show|list|exists|HEAD.*|-.*)$/.test(action)
  if (name === 'lfs') return /^(?:ls-files|status|env)$/.test(action)
  return name === 'apply' && /^--(?:check|stat|numstat|summary)$/.test(action)
}
