/**
 * Signs that another of the things nano was shown is meant: a file that more of the words name, a script that is named, a setting that
 * stands nearer to the value, a copy to a folder the request does not name. Rules of contradiction.ts. Pure.
 */
import type { Rule } from '../weights/ban.ts'
import type { ListedLine } from '../weights/format.ts'
import { contentless, isNamed, nameOf, stands, wordsIn } from '../request/naming.ts'
import { isOneWord } from '../paths/fit.ts'
import type { NanoCall } from '../steps/run.ts'
import { placesOf } from '../request/spans.ts'
import { CHANGE_LINE } from '../weights/tools.ts'
import { stopWords } from '../request/words.ts'

const isTransfer = ({ name }: NanoCall): boolean => name === 'copy_file' || name === 'move_file'

/** Into itself, or to a folder that neither the words, nor the source, nor the steps before speak of. */
const otherTarget: Rule = (call, { clause, recent }) => {
  const { from, to } = call.input
  if (!isTransfer(call) || typeof from !== 'string' || typeof to !== 'string') return undefined
  if (from.endsWith('/') && to.startsWith(from)) return { kind: 'path', path: from }
  const folder = to.replace(/\/+$/, '').split('/').slice(0, -1)
  const isSaid = folder.every((part) => wordsIn(clause).join(' ').includes(wordsIn(part).join(' ')))
  const isKnown = isSaid || [from, ...recent].some((path) => path.startsWith(`${folder.join('/')}/`))
  return isKnown ? undefined : { kind: 'path', path: to }
}

/** A copy of a file onto itself: the name goes on, `pom.xml.bak`. One that is only about to be made cannot be copied. */
const ontoItself: Rule = (call, { clause, sources, recent }) => {
  const { from, to } = call.input
  if (!isTransfer(call) || typeof from !== 'string' || typeof to !== 'string') return undefined
  if (from.replace(/\/+$/, '') !== to.replace(/\/+$/, '')) return undefined
  const isThere = [...sources.paths, ...recent].includes(from)
  return stands(clause, from) || isThere
    ? { kind: 'path', path: from, as: isThere ? 'new' : 'old' }
    : undefined
}

/** "Search for x, then open that file": the only one the last step was about. */
const thatOne: Rule = ({ name, input }, { clause, last = [] }) => {
  const path = input['path'] ?? input['from']
  const told = last.filter((one) => /\.\w+$/.test(one))
  const [only] = told
  if (!OF_ONE_FILE.has(name) || typeof path !== 'string' || only === undefined || told.length > 1)
    return undefined
  return path !== only && THAT.test(clause) && !isNamed(path, clause) ? { kind: 'path', path } : undefined
}

const THAT =
  /\b(?:open|show|read|view|display|print|cat|copy|move|rename|delete|remove|see)\s+(?:me\s+)?(?:it|that (?:file|log|one|document|page|note)|this (?:file|one))\b/i

/** "By the name of notice.txt, now": a new name looks like one, or stands behind a word that says so. */
const noTarget: Rule = (call, { clause, sources, recent }) => {
  const { to } = call.input
  if (!isTransfer(call) || typeof to !== 'string' || /[./\\~\d_-]/.test(to)) return undefined
  const isThere = [...sources.paths, ...recent].some((path) => path.replace(/\/+$/, '') === to)
  const befores = placesOf(to, clause).map((at) => clause.slice(0, at))
  return isThere || befores.some((before) => NAMES.test(before)) ? undefined : { kind: 'path', path: to }
}

const NAMES =
  /(?:\b(?:to|into|in|inside|under|as|called|named|name|onto|be|of|folder|directory|dir)|->|=>|→|[:="'“‘`])\s*(?:(?:the|a|an|my|our|new)\s+)?["'“‘`]?$/i

const OF_ONE_FILE: ReadonlySet<string> = new Set(
  'read_file copy_file move_file delete_file data_view'.split(' '),
)

/** A file that is there is no name for a copy, unless it is spelled as one. */
const takenTarget: Rule = (call, { clause, sources }) => {
  const { to } = call.input
  if (!isTransfer(call) || typeof to !== 'string' || to.endsWith('/')) return undefined
  const said = clause.toLowerCase()
  const befores = [to.toLowerCase(), nameOf(to)].flatMap((name) =>
    placesOf(name, said).map((at) => said.slice(0, at)),
  )
  return sources.paths.includes(to) && !befores.some((before) => AS_TARGET.test(before))
    ? { kind: 'path', path: to, as: 'new' }
    : undefined
}

const AS_TARGET =
  /(?:\b(?:to|into|as|be|become|becomes|over|onto|with|called|named|it|name)|->|=>|→|[:=])\s*(?:(?:the|a|an|my|our|existing)\s+)?["'“‘`]?[\w./-]*$/

/** "Run the android suite": a script that is called so, where there is one. */
const otherScript: Rule = ({ name, input }, { clause, sources: { scripts } }) => {
  const { command } = input
  const said = wordsIn(clause).filter((word) => !stopWords.has(word) && !ANY_SCRIPT.has(word))
  const count = (label: string): number =>
    said.filter((word) => wordsIn(label).some((part) => isOneWord(word, part))).length
  const chosen = scripts.find((script) => script.command === command)
  if (name !== 'run_command' || typeof command !== 'string' || !chosen || clause.includes(command))
    return undefined
  const isWhole = ({ label, command: other }: typeof chosen): boolean =>
    said.some((word) => wordsIn(`${label} ${other}`).includes(word))
  const isOther =
    (count(`${chosen.label} ${command}`) === 0 && scripts.some(({ label }) => count(label) > 0)) ||
    // `make countdown` is there, so "the countdown" is not `make count`.
    (!isWhole(chosen) && scripts.some(isWhole))
  return isOther ? { kind: 'command', command } : undefined
}

/** Words of many scripts. */
const ANY_SCRIPT = new Set('run test tests npm make start script python bash'.split(' '))

/** "Failed should be 2 and Passed 7": of two lines the one whose name stands nearer before the value. */
const nearerSetting: Rule = ({ name, input }, { clause, sources: { lines } }) => {
  const line = name === CHANGE_LINE ? lines[Number(input['line']) - 1] : undefined
  const { new: value } = input
  if (!line || typeof value !== 'string' || value === '') return undefined
  const places = clause.split(value).length - 1
  if (places !== 1) return undefined
  const before = wordsIn(clause.slice(0, clause.indexOf(value))).filter(
    (word) => word.length > 2 && !stopWords.has(word),
  )
  const rivals = lines.filter(({ path }) => path === line.path)
  const nearest = before.findLast((word) => rivals.some((rival) => keyOf(rival).includes(word)))
  return nearest === undefined || wordsIn(line.text).includes(nearest)
    ? undefined
    : { kind: 'line', line: Number(input['line']) }
}

/** The name of a setting: what stands before its value. */
const keyOf = ({ text }: ListedLine): string[] => {
  const [, key] = /^\W*([\w .-]{1,40}?)["']?\s*[:=]\s*\S/.exec(text) ?? []
  return key === undefined ? [] : wordsIn(key)
}

/** "A file tmp-note.txt in notes": a name that is spelled and not there is the one to be made. */
const newFileSaid: Rule = (call, { clause, sources, recent }) => {
  const { path, append } = call.input
  const known = [...sources.paths, ...recent]
  if (call.name !== 'write_file' || append === true || typeof path !== 'string' || !known.includes(path))
    return undefined
  const isNew = (word: string): boolean =>
    FILE_NAME.test(word) && !known.some((other) => nameOf(other) === nameOf(word))
  return contentless(call, clause)
    .split(/[\s,;:"'`()]+/)
    .some(isNew)
    ? { kind: 'path', path }
    : undefined
}

const FILE_NAME = /^[\w./-]*\w\.[a-z]\w{0,4}$/i

/** "Show docs and docs/old": in the order in which they are spelled, without what was looked at already. */
const laterSpelled: Rule = ({ name, input }, { clause, sources, recent }) => {
  const { path } = input
  if (!['read_file', 'list_files'].includes(name) || typeof path !== 'string') return undefined
  const said = clause.toLowerCase()
  const bare = (one: string): string => one.toLowerCase().replace(/\/+$/, '')
  const spelled = sources.paths
    .filter(
      (one) => one.endsWith('/') === path.endsWith('/') && !recent.includes(one) && stands(said, bare(one)),
    )
    .toSorted((a, b) => placeOf(said, bare(a)) - placeOf(said, bare(b)))
  return spelled.includes(path) && spelled[0] !== path ? { kind: 'path', path } : undefined
}

/** Where it stands as a word of its own. */
const placeOf = (said: string, path: string): number =>
  placesOf(path, said).find((at) => stands(said.slice(0, at + path.length + 1), path)) ?? said.length

/** "Show the questions, then delete line 3": a later part is about what the earlier ones were about, unless it names another file. */
const lineElsewhere: Rule = ({ name, input }, { clause, sources: { lines }, recent }) => {
  const line = name === CHANGE_LINE ? lines[Number(input['line']) - 1] : undefined
  if (!line || recent.includes(line.path) || isPlainlyNamed(line.path, clause)) return undefined
  return lines.some(({ path }) => recent.includes(path))
    ? { kind: 'line', line: Number(input['line']) }
    : undefined
}

/** By a whole word: "its time" does not name timetable.txt. */
const isPlainlyNamed = (path: string, clause: string): boolean => {
  const words = new Set(wordsIn(clause).flatMap((word) => [word, word.replace(/s$/, ''), `${word}s`]))
  return wordsIn(path.replace(/\.\w+$/, '')).some((part) => part.length > 2 && words.has(part))
}

/** "Copy a to b, and in the copy ...": the copy, not what it was made from. */
const notTheCopy: Rule = ({ name, input }, { clause, sources: { lines }, recent, last = [] }) => {
  const [copy, original] = last
  if (!COPY.test(clause) || copy === undefined || original === undefined || recent[0] !== copy)
    return undefined
  const line = name === CHANGE_LINE ? lines[Number(input['line']) - 1] : undefined
  if (line) return line.path === copy ? undefined : { kind: 'line', line: Number(input['line']) }
  const { path } = input
  return name === 'edit_file' && path === original ? { kind: 'path', path } : undefined
}

const COPY = /\b(?:the|that|this|its|new) (?:copy|duplicate|new (?:one|file))\b/i

export const otherChoices: readonly Rule[] = [
  lineElsewhere,
  notTheCopy,
  laterSpelled,
  newFileSaid,
  otherTarget,
  takenTarget,
  ontoItself,
  noTarget,
  thatOne,
  otherScript,
  nearerSetting,
]
