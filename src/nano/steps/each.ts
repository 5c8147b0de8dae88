/**
 * One step for each of several files: "delete both invoices in old", "move all the csv files to archive". Nano names the folder, or the first
 * of them; which files are meant can be counted, so the program goes through them. Reads the folder.
 */
import { isSameRoot, nameOf, wordsIn } from '../request/naming.ts'
import type { ProjectFiles } from '../project/sources.ts'
import type { NanoCall, NanoStep } from './run.ts'
import { stopWords, typeWords } from '../request/words.ts'

/** The parameter of each such tool that says what is meant. */
const OBJECTS: Readonly<Record<string, string>> = {
  read_file: 'path',
  delete_file: 'path',
  move_file: 'from',
  copy_file: 'from',
}

const COUNTS: Readonly<Record<string, number>> = { both: 2, two: 2, three: 3, four: 4, five: 5, six: 6 }
const SEVERAL =
  /\b(?<count>both|(?:all |the |these |those )?(?:two|three|four|five|six|[2-9])|all|every|each)\b(?<rest>(?:\s+(?:of|the|my|our|these|those|them|three|two|four))*(?:\s+[\w'.-]+){0,4})/i
const OTHERS = /\b(?:except|but not|apart from|other than|without|not the)\b/i

/** The call for the first of them, where a folder was named instead. */
export async function firstOfEach(
  call: NanoCall,
  clause: string,
  files: ProjectFiles,
): Promise<NanoCall | undefined> {
  const key = OBJECTS[call.name]
  const path = key === undefined ? undefined : call.input[key]
  if (key === undefined || typeof path !== 'string') return undefined
  const folder = path.replace(/\/+$/, '')
  const isFolder = path.endsWith('/') || (await files.info(folder).catch(() => undefined))?.kind === 'folder'
  const [first] = isFolder ? await membersOf(folder, clause, files, []) : []
  return first === undefined ? undefined : inPlaceOf(call, key, first)
}

/** The call for the next of them, after a step for one. */
export async function nextOfEach(
  steps: readonly NanoStep[],
  clause: string,
  files: ProjectFiles,
): Promise<NanoCall | undefined> {
  const last = steps.at(-1)
  const key = last ? OBJECTS[last.call.name] : undefined
  const path = key === undefined ? undefined : last?.call.input[key]
  if (!last?.ok || key === undefined || typeof path !== 'string' || !path.includes('/')) return undefined
  const folder = path.slice(0, path.lastIndexOf('/'))
  const done = steps.flatMap(({ call, ok }) => {
    const object = call.input[key]
    return ok && call.name === last.call.name && typeof object === 'string' ? [object] : []
  })
  const next = (await membersOf(folder, clause, files, done)).find((one) => !done.includes(one))
  return next === undefined ? undefined : inPlaceOf(last.call, key, next)
}

/** The files of a folder that are meant; none where that is unclear. `done` may be gone already. */
async function membersOf(
  folder: string,
  clause: string,
  files: ProjectFiles,
  done: readonly string[],
): Promise<string[]> {
  const { count = '', rest = '' } = SEVERAL.exec(clause)?.groups ?? {}
  if (count === '' || OTHERS.test(clause) || /\b(?:folders?|director(?:y|ies)|dirs?)\b/i.test(rest)) return []
  const there = (await files.list(folder).catch(() => [])).filter((name) => !name.endsWith('/'))
  const all = [...new Set([...done, ...there.map((name) => `${folder}/${name}`)])]
  // "Cut 3" is a name, "3 files" is a count; "all noise" says nothing of files.
  const isAll = /^all$/i.test(count) && /\b(?:the|of|my|our|them|these|those)\b/i.test(rest)
  if (!isAll && !/^(?:both|every|each)$/i.test(count) && !/\w+s\b/.test(rest)) return []
  const fitting = ofKind(all, rest, folder)
  const wanted = COUNTS[count.toLowerCase().split(' ').at(-1) ?? ''] ?? (Number(count) || undefined)
  return fitting.length > 1 && (wanted === undefined || fitting.length === wanted) ? fitting : []
}

/** By the type that is said, then by a word of their names; all where the words name the folder or just files. */
function ofKind(paths: readonly string[], rest: string, folder: string): string[] {
  const types = wordsIn(rest).flatMap((word) => typeWords.get(word) ?? [])
  const typed = paths.filter((path) => types.some((type) => path.endsWith(`.${type}`)))
  if (typed.length > 0) return typed
  const said = wordsIn(rest).filter((word) => word.length > 2 && !stopWords.has(word) && !PLAIN.test(word))
  const telling = said.filter((word) => !wordsIn(nameOf(folder)).some((part) => isSameRoot(word, part)))
  const named = telling.filter((word) => paths.some((path) => has(path, word)))
  return named.length === 0 ? [...paths] : paths.filter((path) => named.every((word) => has(path, word)))
}

const PLAIN = /^(?:files?|ones?|documents?|things?|from|them|into|there|inside)$/

const has = (path: string, word: string): boolean =>
  wordsIn(nameOf(path)).some((part) => isSameRoot(word, part))

/** A target that is a name of its own would take all of them: the folder it is in. */
function inPlaceOf(call: NanoCall, key: string, path: string): NanoCall {
  const { to } = call.input
  const before = call.input[key]
  if (typeof to !== 'string' || typeof before !== 'string')
    return { ...call, input: { ...call.input, [key]: path } }
  const isOwnName = nameOf(to) === nameOf(before) && !to.endsWith('/')
  const folder = isOwnName ? to.slice(0, Math.max(0, to.lastIndexOf('/'))) : to.replace(/\/+$/, '')
  const name = path.slice(path.lastIndexOf('/') + 1)
  return { ...call, input: { from: path, to: folder === '' ? name : `${folder}/${name}` } }
}
