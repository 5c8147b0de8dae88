/**
 * Signs that an argument of a call that acts was cut short or taken from the wrong place, however sure the model was. Each
 * is a rule of its own; one is enough not to act. Pure.
 */
import type { NanoCall } from '../steps/run.ts'
import { isSameRoot, wordsIn } from '../request/naming.ts'
import { placesOf, strip, wordsOf } from '../request/spans.ts'
import { gitCommands, stopWords } from '../request/words.ts'

type Rule = (call: NanoCall, request: string) => boolean

export const isDoubtful: Rule = (call, request) =>
  !gitCommands.includes(textOf(call)) && rules.some((rule) => rule(call, request))

/** What is run or written; the old and new text of an edit is found again in the file, or the edit fails. */
const textOf = ({ input }: NanoCall): string =>
  [input['command'], input['content'], input['code']].find((value) => typeof value === 'string') ?? ''

const PAIRS: readonly (readonly [string, string])[] = [
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
]

/** `print(sum(x)`, where the request has one more bracket to give. */
const openBracket: Rule = (call, request) => {
  const text = textOf(call)
  return PAIRS.some(([open, close]) => {
    const missing = text.split(open).length - text.split(close).length
    return missing > 0 && request.split(close).length > text.split(close).length
  })
}

/** Who names the program spells what it is to do: `npm audit fix` is not another script of npm. */
const otherCommand: Rule = ({ input }, request) => {
  const { command } = input
  if (typeof command !== 'string') return false
  const [program = '', verb = ''] = command.split(' ')
  const isNamed = request.split(/\s+/).some((word) => strip(word, QUOTES) === program)
  return isNamed && !request.includes(`${program} ${verb}`.trim())
}

const QUOTES = '"\'`“”‘’.,;:!?()'

/** A command begins with something that could be a program. */
const noProgram: Rule = ({ input }) =>
  typeof input['command'] === 'string' && !/^(?:\w+=\S* )*[\w./~$-]+(?:\s|$|[;&|>])/.test(input['command'])

/** The request goes on, with a word that joins nothing: `key performance` of `key performance indicator`. */
const hangingWord: Rule = (call, request) => {
  const text = textOf(call)
  const rests = placesOf(text, request).map((at) => request.slice(at + text.length))
  return rests.length > 0 && rests.every(goesOn)
}

export function goesOn(rest: string): boolean {
  const [, next] = /^[^\S\n]+(\S+)/.exec(rest) ?? []
  if (next === undefined) return false
  const word = strip(next.toLowerCase(), QUOTES)
  // A picture may belong to the text or to the mood.
  if (!/[\p{L}\p{N}]/u.test(word)) return /^(?:\.+|\p{Extended_Pictographic}.*)$/u.test(next)
  return !stopWords.has(word) && !JOINING.has(word)
}

/** Besides the words that are too common to name anything. */
const JOINING = new Set(
  (
    'asap asynchronously because belongs comes down evaluate evaluates first goes instead kthx must n ok okay once onto or ' +
    'plz quick quickly real really right separately should since somehow ta thank thanks thats thx tnx together ty ' +
    'underneath until using via while within gives outputs prints reports returns says shows tells'
  ).split(' '),
)

/** `fix: rename a.ts to b.ts` is the title of a commit as often as an order, `Action item (Sofia): …` the line of a list. */
const underTitle: Rule = (_, request) =>
  /^\W*(?:action items?|to-?dos?|tasks?|tickets?|backlog|agenda|minutes|changelog|release notes?)\b[^:\n]{0,60}:\s/i.test(
    request,
  ) ||
  /^\s*(?:fix|feat|chore|docs|refactor|test|build|ci|style|perf|revert|wip)(?:\([^)\n]*\))?!?:\s/.test(
    request,
  )

/** "The test target should run pytest -q": something else is to run it. */
const runByOther: Rule = ({ input: { command } }, request) =>
  typeof command === 'string' && placesOf(command, request).some((at) => OTHERS.test(request.slice(0, at)))

const OTHERS =
  /(?<!\b(?:you|u|we|i) )\b(?:should|must|shall|ought to|needs? to|has to|is to|are to|does|do|will)\s+(?:now |only |also |just |always |rather )?(?:run|call|execute|start|use|do)\s+["'`]?$/i

/** A change into the same, or of a folder: it would only fail. */
const noChange: Rule = ({ name, input }) => {
  const { path, old, new: replacement } = input
  const isFolder =
    typeof path === 'string' && path.endsWith('/') && ['edit_file', 'write_file'].includes(name)
  return (typeof old === 'string' && old === replacement) || isFolder
}

/** "field_2024, no sorry, field_2025": which of both is meant is asked. */
const corrected: Rule = (_, request) =>
  /\b(?:no,? sorry|sorry,? (?:no|i mean)|i mean|scratch that|no wait|wait,? no|or rather|correction|on second thought|actually,? no|make that|not that)\b/i.test(
    request,
  )

/** A copy or move whose target is said before what is moved took the wrong words: `rename a.txt to something sensible`. */
const targetFirst: Rule = ({ name, input }, request) => {
  const { from, to } = input
  if (!['copy_file', 'move_file'].includes(name) || typeof from !== 'string' || typeof to !== 'string')
    return false
  const file = from.replace(/\/+$/, '').split('/').at(-1) ?? ''
  const said = request.toLowerCase()
  return (
    said.includes(to.toLowerCase()) && said.lastIndexOf(to.toLowerCase()) < said.indexOf(file.toLowerCase())
  )
}

/** "Append what Kim said to notes.txt" describes a text; one that is spelled is quoted or follows a colon. */
const describedText: Rule = ({ input }, request) => {
  const { content } = input
  if (typeof content !== 'string' || !DESCRIBES.test(content)) return false
  const before = request.slice(0, Math.max(0, request.indexOf(content))).trimEnd()
  return !/[:"'“‘`«]$/.test(before)
}

const DESCRIBES =
  /^(?:what|whatever|everything|anything|something|whoever|how|why|where|who|(?:the|a|an|my|our|his|her|their|some|another) (?:\w+ ){0,2}(?:text|words|lines?|quotes?|results?|outputs?|list|names?|summary|answers?|messages?|contents?|notes?|poem|haiku|joke|paragraph|sentence|function|comment|description|explanation))\b/i

/** "Check which node version is installed": words of the sentence, no command. */
const wordsAsCommand: Rule = ({ input }, request) => {
  const { command } = input
  if (typeof command !== 'string') return false
  const befores = placesOf(command, request).map((at) => request.slice(0, at))
  return (
    befores.length > 0 &&
    befores.every((before) => /\b(?:which|what|whose|a|an|my|our|your|this|that|of|about)\s+$/i.test(before))
  )
}

const MANY = /\b(two|three|four|five|six|[2-9])\s+(?:\w+\s+)?(?:lines|rows|items|entries|points|bullets)\b/i
const COUNTS: Readonly<Record<string, number>> = { two: 2, three: 3, four: 4, five: 5, six: 6 }

/** "With two lines: a and b" is more than one line. */
const fewerLines: Rule = ({ input }, request) => {
  const said = MANY.exec(request)?.[1]?.toLowerCase()
  const { content } = input
  if (said === undefined || typeof content !== 'string') return false
  return content.split('\n').length < (COUNTS[said] ?? Number(said))
}

/** A text of several lines whose last one goes on in the request: `- Leaves of Grass` of `- Leaves of Grass, Walt Whitman`. */
const cutLine: Rule = ({ input }, request) => {
  const { content } = input
  if (typeof content !== 'string' || !content.includes('\n')) return false
  const rests = placesOf(content, request).map(
    (at) => request.slice(at + content.length).split('\n')[0] ?? '',
  )
  return rests.length > 0 && rests.every((rest) => /[\p{L}\p{N}]/u.test(rest))
}

/** "Add it under assets, below stops.txt": the name of a file is no line of it. */
const nameAsText: Rule = ({ name, input: { path, content } }) =>
  name === 'write_file' &&
  typeof path === 'string' &&
  typeof content === 'string' &&
  path.endsWith(content.trim()) &&
  content.trim() !== ''

/** "A.txt with 'x' and b.txt with 'y'": which text goes where is asked. */
const otherText: Rule = ({ name, input: { path, content } }, request) => {
  if (name !== 'write_file' || typeof path !== 'string' || typeof content !== 'string') return false
  const named = request.match(FILE_WITH) ?? []
  const own = path.slice(path.lastIndexOf('/') + 1)
  return named.length > 1 && named.some((one) => !one.includes(own))
}

const FILE_WITH = /[\w./-]+\.\w{1,5}["'`”’]?,? (?:with|saying|containing|that says|reading|for)\b/gi

const NUMBER_WORD =
  /^(?:zero|one|two|three|four|five|six|seven|eight|nine|ten)(?:[ .-](?:zero|one|two|three|four|five|six|seven|eight|nine|ten))+$/i

/** `zero.eight.four` was dictated. */
const dictatedNumber: Rule = ({ input }) => typeof input['new'] === 'string' && NUMBER_WORD.test(input['new'])

/** "Move both invoices", "set it in all env files": one call does one of them. */
const oneOfSeveral: Rule = ({ name, input }, request) =>
  name !== 'run_command' && input['all'] !== true && SEVERAL.test(request) && input['content'] === undefined

const SEVERAL =
  /\b(?:both|all(?: of)?(?: the| my| our)?|each(?: of)?(?: the)?|every|everything)\s+(?:\w+\s+)?(?:\w+s|invoices|files|ones|in|that)\b/i

/** "Rename archive to old": where it goes is said behind a word that says so. */
const unsaidTarget: Rule = ({ name, input }, request) => {
  const { to } = input
  if (!['copy_file', 'move_file'].includes(name) || typeof to !== 'string' || THERE.test(request))
    return false
  const last = to.replace(/\/+$/, '').split('/').at(-1) ?? ''
  const said = request.toLowerCase()
  const befores = placesOf(last.toLowerCase(), said).map((at) => said.slice(0, at))
  return befores.length > 0 && !befores.some((before) => TARGET.test(before))
}

const THERE = /\b(?:there|in it|into it|to it|inside it|in them)\b/i

const TARGET =
  /(?:\b(?:to|into|in|inside|under|as|called|named|name|onto|at|with|be|is|it)|->|=>|→|[:="'“‘`/])\s*(?:(?:the|a|an|my|our|new|folder|directory|dir|file|subfolder|called|named|name)\s+){0,4}["'“‘`]?(?:[\w.-]+\/)*$/

/** "A file tmp.txt in notes": the folder is said behind the name, and is not in the path. */
const folderBehindName: Rule = ({ name, input }, request) => {
  const { path } = input
  if (!['write_file', 'make_folder'].includes(name) || typeof path !== 'string' || path.includes('/'))
    return false
  const rests = placesOf(path, request).map((at) => request.slice(at + path.length))
  return rests.length > 0 && rests.every((rest) => BEHIND.test(rest))
}

const BEHIND =
  /^["'”’`]?\s+(?:in|into|under|inside|within)\s+(?!(?:this|here|it|which|the (?:root|main|top|project|current)|my (?:root|project)|a|an|one|order)\b)(?:the\s+|my\s+|our\s+)?[\w.-]/i

const PROGRAMS =
  /^(?:npm|npx|pnpm|yarn|bun|node|deno|git|make|python3?|pip3?|uv|cargo|go|docker|kubectl|terraform|bash|sh|pytest|ruby|php|java|mvn|gradle|dotnet)$/
const BEFORE_PROGRAMS =
  /^(?:sudo|time|env|nohup|nice|exec|xargs|watch|which|man|cd|ls|cat|rm|find|grep|whereis|type|timeout)$|=/

/** `lance npm run build`: the word before the program is one of the sentence. */
const wordBeforeProgram: Rule = ({ input }) => {
  const [first = '', second = ''] = typeof input['command'] === 'string' ? input['command'].split(/\s+/) : []
  return PROGRAMS.test(second) && !PROGRAMS.test(first) && !BEFORE_PROGRAMS.test(first)
}

/** A number that becomes a word: "make the port a bit higher". */
const wordForNumber: Rule = ({ name, input }) => {
  const { old, new: replacement } = input
  if (name !== 'edit_file' || typeof old !== 'string' || typeof replacement !== 'string') return false
  const [from, to] = [wordsOf(old), wordsOf(replacement)]
  const at = from.findIndex((word, index) => word !== to[index])
  return (
    from.length === to.length &&
    /^[\d.,]+$/.test(from[at] ?? '') &&
    /^[a-z]{3,}$/i.test(to[at] ?? '') &&
    !VALUES.test(to[at] ?? '')
  )
}

const VALUES = /^(?:none|null|nil|off|auto|unlimited|infinity|true|false|yes|max|min|default)$/i

/** `npm install express: last resort only`: what stands behind the colon speaks of the command. */
const notedCommand: Rule = ({ input }, request) => {
  const { command } = input
  return (
    typeof command === 'string' &&
    placesOf(command, request).some((at) => /^["'`]?\s*:\s+\S/.test(request.slice(at + command.length)))
  )
}

const rules: readonly Rule[] = [
  notedCommand,
  runByOther,
  wordBeforeProgram,
  wordForNumber,
  folderBehindName,
  wordsAsCommand,
  fewerLines,
  nameAsText,
  otherText,
  cutLine,
  dictatedNumber,
  oneOfSeveral,
  unsaidTarget,
  describedText,
  targetFirst,
  corrected,
  openBracket,
  otherCommand,
  noProgram,
  hangingWord,
  noChange,
  underTitle,
]

/** "Install a new kitchen" is not about the script `install`: it speaks of something else, too. */
export const hasOtherSubject: Rule = ({ name, input }, clause) => {
  const { command } = input
  if (name !== 'run_command' || typeof command !== 'string' || clause.includes(command)) return false
  const parts = wordsIn(command)
  const isKnown = (word: string): boolean =>
    word.length < 3 ||
    stopWords.has(word) ||
    OF_SCRIPTS.has(word) ||
    parts.some((part) => isSameRoot(word, part))
  return !wordsIn(clause).every(isKnown)
}

const OF_SCRIPTS = new Set(
  (
    'test tests testing suite suites script scripts program project app application code everything whole full complete command task target ' +
    'build rebuild run rerun start execute launch kick fire again once more quickly quick first then next after afterwards please kindly can could ' +
    'you via using through npm make dependencies deps packages package unit all the server dev locally local now thanks thank hey okay'
  ).split(' '),
)
