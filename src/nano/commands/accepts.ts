/**
 * What a script takes, read from its own text and from where the project shows a call of it: how many arguments, of which shape, which
 * flags. Nothing is run for it. Pure.
 */
import { escaped } from '../opinion/tokens.ts'
import type { PathProject } from '../paths/project.ts'

export type Accepts = {
  /** How many arguments it reads without a flag. */
  readonly most: number
  /** It has something to go by where none is given. */
  readonly isOptional: boolean
  /** The shapes of the arguments in each call that the project shows. */
  readonly shown: readonly string[]
  /** Whether each flag has a value behind it. */
  readonly flags: ReadonlyMap<string, boolean>
  /** What the first argument is called in the text. */
  readonly name: string
}

const kept = new WeakMap<PathProject, Map<string, Accepts>>()

export function acceptsOf(path: string, project: PathProject): Accepts {
  const known = kept.get(project) ?? new Map<string, Accepts>()
  kept.set(project, known)
  const found = known.get(path) ?? readAccepts(path, project)
  known.set(path, found)
  return found
}

const LONGEST = 20_000

function readAccepts(path: string, project: PathProject): Accepts {
  const text = (project.texts.get(path) ?? '').slice(0, LONGEST)
  // One that reads no arguments is shown with none: what stands behind it is prose.
  if (text !== '' && !TAKES.test(text)) return NOTHING
  const calls = shownCalls(path, project)
  const positions = Array.from(text.matchAll(POSITION), (found) => Number(found.slice(1).find(Boolean) ?? 1))
  const named = text.match(/add_argument\(\s*["'](?!-)|@click\.argument/g)?.length ?? 0
  const most = Math.max(0, named, ...positions, ...calls.map((call) => call.filter(isPlain).length))
  return {
    most: most === 0 && named === 0 && !FLAGS_ONLY.test(text) ? 1 : Math.min(3, most),
    isOptional: OPTIONAL.test(text),
    shown: [...new Set(calls.map((call) => call.map(shapeOfArgument).join(' ')))].slice(0, MOST_SHOWN),
    flags: flagsIn(text),
    name: nameIn(text),
  }
}

const NOTHING: Accepts = { most: 0, isOptional: false, shown: [], flags: new Map(), name: '' }
const FLAGS_ONLY = /add_argument|getopts|click\.option/

const MOST_SHOWN = 4
/** More are a sentence. */
const MOST_SHOWN_WORDS = 3

/** `month = sys.argv[1]`, `host="$1"`, `open(sys.argv[1])`, `add_argument("site")`. */
const nameIn = (text: string): string => (NAMED.exec(text)?.slice(1).find(Boolean) ?? '').toLowerCase()

const NAMED =
  /(\w+)\s*=\s*(?:\w+\()?(?:sys\.argv\[1\]|process\.argv\[2\]|arg\[1\]|ARGV\[0\]|["']?\$\{?1\b)|(\w+)\(\s*(?:sys\.argv\[1\]|process\.argv\[2\]|arg\[1\])|add_argument\(\s*["'](\w+)["']|(\w+)(?: -\w+)* ["']?\$1\b/

/** `sys.argv[2]`, `process.argv[3]` (the second), `"$1"`, `arg[1]` and `ARGV[0]` (the first). */
const POSITION = /(?<!process\.)\bargv\[(\d)\]|\$\{?([1-9])\b|(?<![a-z])arg\[(\d)\]/g
const TAKES =
  /\$\{?[1-9@*]|(?<![a-z])arg\[|\bargv\b|argparse|\busage\b|process\.argv|click\.|ARGV|commandArgs|@ARGV/i
const OPTIONAL =
  /len\((?:sys\.)?argv\)\s*(?:>|==|<)|\$\{[1-9]:?[-=]|argv\[\d\]\s*(?:\|\||\?\?)|nargs\s*=\s*["'][?*]|\bdefault\s*=|arg\[\d\]\s+or\b|argv\.length|\[\s+-[zn]\s+"?\$\{?[1-9]/

const isPlain = (argument: string): boolean => !argument.startsWith('-')

/** What stands behind its name where it is called: in pages, recipes, its own first lines. */
function shownCalls(path: string, { texts }: PathProject): string[][] {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const call = new RegExp(
    String.raw`(?:python3?|bash|sh|node|lua|perl|ruby|Rscript|php|usage:|[$@])\s*(?:\./)?[\w./-]*(?<![\w-])${escaped(name)}((?: [^\s\x60"'#;|&),:]+){1,4})`,
    'gi',
  )
  return Array.from(texts.values()).flatMap((text) =>
    text.includes(name)
      ? Array.from(text.matchAll(call), ([, rest = '']) => rest.trim().split(/\s+/))
          .map(untilSign)
          .filter((call) => call.length <= MOST_SHOWN_WORDS)
      : [],
  )
}

/** What is redirected is no argument; a sentence goes on in words. */
const untilSign = (words: readonly string[]): string[] => {
  const end = words.findIndex((word) => /^(?:>|<$|2>|and$|to$|then$|for$|is$|in$|the$)/.test(word))
  return words.slice(0, end < 0 ? words.length : end)
}

export function shapeOfArgument(argument: string): string {
  if (argument.startsWith('-')) return 'flag'
  if (/^(?:19|20)\d\d-\d\d$/.test(argument)) return 'month'
  if (/^\d+(?:\.\d+)?$/.test(argument)) return 'number'
  if (/^[<[{$(]|^[A-Z_]+$/.test(argument)) return /file|path|csv|log/i.test(argument) ? 'path' : 'some'
  if (/\/|\.\w{1,5}$/.test(argument)) return 'path'
  return /\d/.test(argument) ? 'code' : 'word'
}

/** `--month` with `type=int` or read with what follows it has a value, `action="store_true"` has none. */
function flagsIn(text: string): ReadonlyMap<string, boolean> {
  const found = new Map<string, boolean>()
  for (const { 0: flag, index } of text.matchAll(/(?<=["'\s|(;[])--[a-z][\w-]+/g)) {
    if (found.has(flag)) continue
    const rest = text.slice(index + flag.length, index + flag.length + FLAG_REST).split('\n', 1)[0] ?? ''
    const before = text.slice(Math.max(0, index - FLAG_REST), index)
    const isArgument = /add_argument\([^)]*$/.test(before)
    const isValued = isArgument
      ? !/store_true|store_false/.test(rest)
      : /^["']?\)?\s*\+\s*1|^[= ](?:<|\[?[A-Z]{2,})|^=/.test(rest)
    found.set(flag, isValued)
  }
  return new Map([...found].slice(0, MOST_FLAGS))
}

const FLAG_REST = 80
const MOST_FLAGS = 8
