/**
 * A file that a request names and that is not there: "delete newsletter.html", "open level07" beside level01 to level06. Then nothing is
 * done, and that is said; another file is not taken instead. Pure.
 */
import type { PathProject } from '../paths/project.ts'
import { missingName } from './missing-name.ts'
import { isSameRoot, nameOf, stands, wordsIn } from '../request/naming.ts'
import { dateOf, type DateSaid, datesSaid } from '../paths/dates.ts'
import type { NanoCall } from '../steps/run.ts'
import { scriptFiles } from './scripts.ts'
import { runners } from '../request/words.ts'

const FILE = /(?<![\w@:/.-])[\w-][\w./-]*\.[a-z]\w{0,5}\b(?![/(@])|\b[A-Z][a-z]+file\b/g
const NUMBERED = /(?<![\w./-])[a-z][a-z_-]{2,}\d+(?![\w.-])/gi

/** The name that is not there; nothing where the call is about a file of the project, or one it makes. */
export function missingFile(
  call: NanoCall,
  request: string,
  {
    files,
    texts,
    knows,
  }: Pick<PathProject, 'files' | 'texts'> & { readonly knows?: (word: string) => boolean },
): string | undefined {
  const target = targetOf(call)
  if (files.length > 0 && call.name === 'run_command') {
    const script = missingScript(call, request, { files, texts })
    if (script !== undefined) return script
  }
  if (target === undefined || files.length === 0) return undefined
  const isThere = (name: string): boolean => files.some((path) => isCalled(path, name))
  if (stands(request, target) && !isThere(target) && !isFolder(target, files)) return target
  const spoken = withoutTexts(call, request)
  // `payout.zero` is no file where a line has it.
  const isText = (name: string): boolean => [...texts.values()].some((text) => stands(text, name))
  const spelled = (spoken.match(FILE) ?? []).filter(
    (name) => isThere(name) || (!isText(name) && !NO_FILE.test(name) && !isNewName(name, spoken)),
  )
  const named = [...spelled, ...numberedLike(spoken, files)]
  const [first] = named
  if (first !== undefined && named.every((name) => !isThere(name)) && !isNamedIn(target, spoken)) return first
  const isLook = call.name !== 'edit_file' && call.name !== 'run_command'
  if (!isLook || named.length > 0) return undefined
  const project = { files, texts, ...(knows && { knows }) }
  return missingDay(target, spoken, project) ?? missingName(target, spoken, project)
}

/** Abbreviations, and addresses of other machines. */
const NO_FILE = /^(?:i\.e|e\.g|a\.k\.a|www\..*|.*\.(?:local|internal|lan))$/i

const NAMES_ANEW =
  /\b(?:cop(?:y|ies)|duplicate|renam\w*|mov(?:e|ed)|name[ds]?|call(?:ed)?|save[ds]?|filed|file (?:it|them|this|that)|exist|writ(?:e|ten)|becomes?)\b/i

/** "Show me the draft, then copy it to b.txt": what a later step makes. */
const isNewName = (name: string, spoken: string): boolean => {
  const before = spoken.slice(0, spoken.indexOf(name))
  return (
    /\b(?:to|as|into|named?|called|becomes?|be|it|write|file|folder)\W*$/i.test(before) &&
    NAMES_ANEW.test(before)
  )
}

type Project = Pick<PathProject, 'files' | 'texts'>

const RUNS =
  /\b(?:run|start|execute|launch|kick off|fire up)\s+(?:the|our|my|your)\s+(?<name>[a-z][\w-]{3,})\s+(?:script|job|task|target|recipe)\b/i
const NO_NAMES = new Set(
  'same other whole entire little small shell bash python make node usual right new first last next'.split(
    ' ',
  ),
)

/** Their tasks are not read. */
const OTHER_TASKS =
  /(?:^|\/)(?:rakefile|taskfile\.ya?ml|build\.gradle(?:\.kts)?|build\.xml|tasks\.py|noxfile\.py)$/i

/** "Run the seed script" where nothing that can be run is called so or speaks of it. */
function missingScript({ input }: NanoCall, request: string, { files, texts }: Project): string | undefined {
  const name = RUNS.exec(request)?.groups?.['name']?.toLowerCase()
  const command = String(input['command'])
  if (name === undefined || NO_NAMES.has(name) || stands(request, command)) return undefined
  if (wordsIn(command).some((word) => isSameRoot(word, name)) || files.some((path) => OTHER_TASKS.test(path)))
    return undefined
  const isScript = (path: string): boolean =>
    scriptFiles.some((file) => file === path) || runners.has(path.split('.').at(-1) ?? '')
  const known = files.filter(isScript).flatMap((path) => wordsIn(`${path} ${texts.get(path) ?? ''}`))
  const parts = wordsIn(name)
  return parts.some((part) => known.some((word) => isSameRoot(word, part))) ? undefined : `${name} script`
}

/** "The Monday rota", "the log of 27 September", where its neighbours carry days of their own: none of them is meant. */
function missingDay(target: string, spoken: string, { files, texts }: Project): string | undefined {
  const folder = target.slice(0, target.lastIndexOf('/') + 1)
  const beside = files.filter((path) => path.startsWith(folder) && !path.slice(folder.length).includes('/'))
  if (BESIDE.test(spoken)) return undefined
  const text = texts.get(target) ?? ''
  const { dates } = datesSaid(spoken)
  const [said] = dates
  const isDated = beside.filter((path) => Object.keys(dateOf(path)).length > 0).length > 1
  if (said && dates.length === 1 && isDated && isOther(dateOf(target), said)) {
    const isKnown =
      files.some((path) => isLike(dateOf(path), said)) ||
      datesSaid(text).dates.some((date) => isLike(date, said))
    return isKnown ? undefined : `file of ${shownDate(said)}`
  }
  const [day, ...others] = new Set(spoken.toLowerCase().match(WEEKDAY))
  const own = nameOf(target).match(WEEKDAY)
  const isElsewhere = day !== undefined && [...files, text].some((one) => one.toLowerCase().includes(day))
  return day !== undefined && others.length === 0 && own && !isElsewhere ? `file of ${day}` : undefined
}

/** The day is that of something else: "I need it for Friday", "by the 30th". */
const BESIDE =
  /\b(?:latest|newest|oldest)\b|\b(?:on|by|till|until|before|after|since|due|(?:it|this|that|them|me|us|ready|one|needed|need|want|file|here) for)\s+(?:the\s+|this\s+|next\s+)?(?:\d|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*\s+\d)/i

const WEEKDAY = /(?:mon|tues|wednes|thurs|fri|satur|sun)day/gi

const PARTS = ['day', 'month', 'year'] as const

const isOther = (one: DateSaid, other: DateSaid): boolean =>
  PARTS.some((part) => one[part] !== undefined && other[part] !== undefined && one[part] !== other[part])

const isLike = (one: DateSaid, said: DateSaid): boolean =>
  PARTS.some((part) => said[part] !== undefined && one[part] === said[part]) && !isOther(one, said)

const shownDate = ({ day, month, year }: DateSaid): string =>
  [year, month, day].flatMap((part) => (part === undefined ? [] : [String(part).padStart(2, '0')])).join('-')

/** Tools for which the file must be there, with the parameter that names it. */
const NEEDS: Readonly<Record<string, string>> = {
  read_file: 'path',
  data_view: 'path',
  delete_file: 'path',
  edit_file: 'path',
}

function targetOf({ name, input }: NanoCall): string | undefined {
  const value = name === 'run_command' ? scriptOf(String(input['command'])) : input[NEEDS[name] ?? '']
  return typeof value === 'string' ? value.replace(/^\.\//, '') : undefined
}

/** `bash x.sh`: of other commands nothing is known. */
const scriptOf = (command: string): string | undefined => {
  const [, file] = /^(?:\w+ )?(?:\.\/)?([\w./-]+\.(\w+))(?:\s|$)/.exec(command) ?? []
  return file !== undefined && runners.has(file.split('.').at(-1) ?? '') ? file : undefined
}

const isCalled = (path: string, name: string): boolean => {
  const [one, other] = [path.toLowerCase(), name.toLowerCase().replace(/^\.\//, '')]
  return one === other || one.endsWith(`/${other}`)
}

const isFolder = (path: string, files: readonly string[]): boolean =>
  files.some((file) => file.toLowerCase().startsWith(`${path.toLowerCase().replace(/\/+$/, '')}/`))

/** `level07` where there are a `level06` and a `level08`. */
function numberedLike(request: string, files: readonly string[]): string[] {
  const stems = files.map((path) => nameOf(path).replace(/\.\w+$/, ''))
  return (request.match(NUMBERED) ?? []).filter((word) => {
    const letters = word.toLowerCase().replace(/\d+$/, '')
    const alike = stems.filter((stem) => new RegExp(String.raw`(?:^|[^a-z])${letters}\d`).test(stem))
    const [number = ''] = /\d+$/.exec(word) ?? []
    const has = (stem: string): boolean =>
      stem.includes(word.toLowerCase()) || (stem.startsWith(letters) && stem.split(/\D+/).includes(number))
    return alike.length > 1 && !alike.some(has)
  })
}

const isNamedIn = (path: string, request: string): boolean =>
  [path, nameOf(path), nameOf(path).replace(/\.\w+$/, '')].some((name) =>
    stands(request.toLowerCase(), name.toLowerCase()),
  )

/** Names within what is written or replaced mean no file. */
const withoutTexts = ({ input }: NanoCall, request: string): string =>
  ['old', 'new', 'content', 'pattern']
    .flatMap((key) => (typeof input[key] === 'string' && input[key] !== '' ? [input[key]] : []))
    .reduce((rest, text) => rest.replaceAll(alone(text), ' … '), request)
    .replaceAll(/"[^"\n]*"|“[^”\n]*”|`[^`\n]*`/g, ' … ')

/** `cart` in cart-empty.php is no text. */
const alone = (text: string): RegExp =>
  new RegExp(
    String.raw`(?<![\w./-])${text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}(?![\w/-]|\.\w)`,
    'g',
  )
