/**
 * Whether a call goes against the very words it was made from, as far as rules can tell: another file than the one that is
 * spelled, another setting than the one that is named, a deletion that the request does not speak of. Such a choice is forbidden, and nano
 * is asked again. Pure.
 */
import type { Ban, Rule, Words } from '../weights/ban.ts'
import type { ListedLine } from '../weights/format.ts'
import { laterNamed } from '../steps/left-out.ts'
import type { NanoCall } from '../steps/run.ts'
import { isNumber } from '../weights/span-rules.ts'
import { isNamed, nameOf, stands, wordsIn } from '../request/naming.ts'
import { otherActs } from './other-act.ts'
import { otherChoices } from './other-choice.ts'
import { otherPaths } from './other-path.ts'
import { CHANGE_LINE } from '../weights/tools.ts'
import { stopWords } from '../request/words.ts'

/** All paths that nano was shown. */
export const pathsIn = ({ sources, recent }: Pick<Words, 'sources' | 'recent'>): string[] => [
  ...new Set([...sources.paths, ...sources.lines.map(({ path }) => path), ...recent]),
]

export function contradictionOf(call: NanoCall, words: Words): Ban | undefined {
  for (const rule of rules) {
    const ban = rule(call, words)
    if (ban) return ban
  }
  return undefined
}

/** "Change 46000 to 49500 in costs/budget.csv" is about that file, whatever else has a 46000 in it. */
const otherFile: Rule = (call, words) => {
  const spelled = spelledPaths(call, words)
  const line = lineOf(call, words.sources.lines)
  if (spelled.length === 0) return undefined
  if (line) return spelled.includes(line.path) ? undefined : lineBan(call)
  const path = existingPath(call)
  if (path === undefined || [path, call.input['to']].some((value) => isAmong(value, spelled)))
    return undefined
  return call.name !== 'edit_file' && isNamed(path, words.clause) ? undefined : { kind: 'path', path }
}

/** An edit of one that no word names, where words name another. */
const unnamedFile: Rule = (call, { clause, sources, recent }) => {
  const path = call.name === 'edit_file' ? existingPath(call) : undefined
  const isRecent = recent.some((one) => one === path || one.startsWith(`${path}.`))
  if (path === undefined || isRecent || POINTS.test(clause) || isNamed(path, clause)) return undefined
  const others = [...sources.paths, ...recent].filter((other) => other !== path)
  return others.some((other) => isNamed(other, clause)) ? { kind: 'path', path } : undefined
}

const POINTS =
  /\b(?:it|its|that|this|them|they|those|these|one|ones|original|there|same|copy|latter|former|first|last|second)\b/i

const OF_FILES = new Set(['read_file', 'edit_file', 'write_file'])

const folderAsFile: Rule = ({ name, input }) => {
  const { path } = input
  return OF_FILES.has(name) && typeof path === 'string' && path.endsWith('/')
    ? { kind: 'path', path }
    : undefined
}

/** "List the closed bugs", "move it to the closed bugs": the folder bugs/closed, not all of bugs. */
const deeperFolder: Rule = ({ name, input }, { clause, sources }) => {
  const path = name === 'list_files' ? input['path'] : input['to']
  if (!['list_files', 'copy_file', 'move_file'].includes(name) || typeof path !== 'string') return undefined
  const folder = `${path.replace(/\/+$/, '')}/`
  const from = typeof input['from'] === 'string' ? input['from'] : ''
  const isMeant = (other: string): boolean =>
    other !== folder &&
    other.startsWith(folder) &&
    other.endsWith('/') &&
    !`${from}/`.startsWith(other) &&
    isNamed(other, clause)
  const said = clause.toLowerCase()
  const bare = folder.slice(0, -1).toLowerCase()
  const isSpelled = said.includes(`${bare}/ `) || (bare.includes('/') && stands(said, bare))
  return sources.paths.includes(folder) && !isSpelled && sources.paths.some(isMeant)
    ? { kind: 'path', path }
    : undefined
}

/** `bugs/PT-48.md and`, `draft.md to`: a name with words of the sentence. One with spaces that is not there is not spelled either. */
const wordyPath: Rule = (call, { sources, recent, clause }) => {
  const old = existingPath(call)
  const known = pathsIn({ sources, recent })
  if (old !== undefined && /\s/.test(old) && call.name !== 'list_files' && !isAmong(old, known))
    return { kind: 'words' }
  const made = call.input['to'] ?? (call.name === 'make_folder' ? call.input['path'] : newFile(call))
  if (typeof made !== 'string' || !/\s/.test(made) || isAmong(made, known)) return undefined
  const isQuoted = /["'`“‘]/.test(clause[clause.indexOf(made) - 1] ?? '')
  return !isQuoted && (OF_SENTENCE.test(made) || /\.\w+[,;:]?\s/.test(made)) ? { kind: 'words' } : undefined
}

const OF_SENTENCE =
  /(?:^|\s)(?:and|then|to|as|please|pls|with|in|into|called|named|it|the|inside|but)(?:\s|$)/i

/** A word of the request that is no path: `change` in "open it, then change the price". */
const noFile: Rule = (call, { sources, recent, clause }) => {
  const path = existingPath(call) ?? newFile(call)
  if (path === undefined || call.name === 'list_files') return undefined
  const known = pathsIn({ sources, recent })
  if (isAmong(path, known)) return undefined
  if (/[,;:]\s|\s(?:and|then|to|with|in)\s/.test(path)) return { kind: 'words' }
  if (/[./\\~\d]|^[A-Z]{2,}|^Makefile|^Dockerfile/.test(path)) return undefined
  if (newFile(call) === undefined) return { kind: 'words' }
  const isCalled = new RegExp(String.raw`\b(?:called|named|name|file|as)\W+${escape(path)}\b`, 'i').test(
    clause,
  )
  return isCalled ? undefined : { kind: 'path', path }
}

/** The new text is already in the line, beside what it would replace. */
const alreadyThere: Rule = (call, { clause, sources }) => {
  const line = lineOf(call, sources.lines)
  const { old, new: replacement } = call.input
  if (!line || typeof old !== 'string' || typeof replacement !== 'string') return undefined
  if (old === replacement) return lineBan(call)
  if (replacement.length < 3 || (holds(old, replacement) && REMOVES.test(clause))) return undefined
  return stands(line.text.toLowerCase(), replacement.toLowerCase())
    ? { kind: 'text', text: replacement }
    : undefined
}

const REMOVES = /\b(?:remov\w*|delet\w*|drop\w*|without|only|just|short\w*|cut|strip\w*|take out|lose)\b/i

/** "Set mld to 70": a line that speaks of mld, where there is one. */
const otherSetting: Rule = (call, { clause, sources }) => {
  const line = lineOf(call, sources.lines)
  const { new: value } = call.input
  const at = typeof value === 'string' && value !== '' ? clause.lastIndexOf(value) : -1
  if (!line || at < 0) return undefined
  const subject = clause
    .slice(0, at)
    .split(/\s+/)
    .slice(-SUBJECT)
    .filter((word) => !/[./\\]\w/.test(word))
  const words = wordsIn(subject.join(' ')).filter((word) => word.length > 2 && !stopWords.has(word))
  const speaksOfIt = ({ text }: ListedLine): boolean => {
    const there = new Set(wordsIn(text))
    return words.some((word) => there.has(word))
  }
  return !speaksOfIt(line) && sources.lines.some(speaksOfIt) ? lineBan(call) : undefined
}

/** Of lines that speak of the same, one in a file that is named: "Failed should be 2 in the 4121 summary". */
const lineOfOtherFile: Rule = (call, { clause, sources }) => {
  const line = lineOf(call, sources.lines)
  const { old } = call.input
  if (!line || typeof old !== 'string' || countNamed(line.path, clause) > 0) return undefined
  const key = wordsIn(line.text.replace(old, ' ')).filter(
    (word) => word.length > 2 && wordsIn(clause).includes(word),
  )
  const rival = sources.lines.some(
    ({ path, text }) => countNamed(path, clause) > 0 && key.every((word) => wordsIn(text).includes(word)),
  )
  return rival ? lineBan(call) : undefined
}

const countNamed = (path: string, clause: string): number =>
  path.split('/').filter((part) => isNamed(part, clause)).length

/** How many words before the new value may say what it belongs to. */
const SUBJECT = 8

/** "Goes to 25": the new text is that number, where the line has one to change. */
const otherValue: Rule = (call, { clause, sources }) => {
  const line = lineOf(call, sources.lines)
  const { old, new: value } = call.input
  if (!line || typeof old !== 'string' || typeof value !== 'string' || value === '' || isNumber(value))
    return undefined
  const isNumberSaid = /\b(?:to|at|now|is|be)\s+[£$€¥]?\d[\d.,:]*(?:\s|[.,;!?]|$)/.test(clause)
  return isNumberSaid && !/\d/.test(value) && /\d/.test(line.text) ? { kind: 'text', text: value } : undefined
}

const rules: readonly Rule[] = [
  ...otherActs,
  otherFile,
  unnamedFile,
  ...otherPaths,
  folderAsFile,
  deeperFolder,
  wordyPath,
  noFile,
  otherSetting,
  lineOfOtherFile,
  alreadyThere,
  otherValue,
  ...otherChoices,
  laterNamed,
]

const EXISTING: Readonly<Record<string, string>> = {
  read_file: 'path',
  list_files: 'path',
  edit_file: 'path',
  delete_file: 'path',
  data_view: 'path',
  copy_file: 'from',
  move_file: 'from',
}

function existingPath({ name, input }: NanoCall): string | undefined {
  const key = name === 'write_file' && input['append'] === true ? 'path' : EXISTING[name]
  const value = key === undefined ? undefined : input[key]
  return typeof value === 'string' && value !== '.' ? value : undefined
}

const newFile = ({ name, input }: NanoCall): string | undefined =>
  name === 'write_file' && typeof input['path'] === 'string' ? input['path'] : undefined

const lineOf = ({ name, input }: NanoCall, lines: readonly ListedLine[]): ListedLine | undefined =>
  name === CHANGE_LINE ? lines[Number(input['line']) - 1] : undefined

const lineBan = ({ input }: NanoCall): Ban => ({ kind: 'line', line: Number(input['line']) })

/** The listed files that the clause spells with their ending, outside of what the call writes or looks for. */
function spelledPaths({ input }: NanoCall, { clause, sources }: Words): string[] {
  const said = TEXTS.flatMap((key) =>
    typeof input[key] === 'string' && input[key] !== '' ? [input[key]] : [],
  )
    .reduce((rest, text) => rest.replaceAll(text, ' … '), clause)
    .toLowerCase()
  const files = pathsIn({ sources, recent: [] }).filter((path) => /\.\w+$/.test(path))
  const whole = files.filter((path) => stands(said, path.toLowerCase()))
  const byName = files.filter(
    (path) =>
      stands(said, nameOf(path)) && !files.some((other) => other !== path && nameOf(other) === nameOf(path)),
  )
  return [...new Set([...whole, ...byName])]
}

const TEXTS = ['content', 'command', 'pattern', 'query', 'text']

const isAmong = (value: unknown, paths: readonly string[]): boolean =>
  typeof value === 'string' && paths.some((path) => trimmed(path) === trimmed(value))

const trimmed = (path: string): string => path.replace(/^\.\//, '').replace(/\/+$/, '').toLowerCase()

const holds = (text: string, part: string): boolean => text.toLowerCase().includes(part.toLowerCase())

const escape = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
