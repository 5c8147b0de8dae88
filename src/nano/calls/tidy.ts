/**
 * A call as it should be made in this project: what the model wrote, with what only the files can tell. Reads, never writes.
 */
import type { Decision } from '../decide.ts'
import type { ListedLine } from '../weights/format.ts'
import { firstOfEach } from '../steps/each.ts'
import { like, makeUnique } from '../project/listed-lines.ts'
import { nameOf, wordsIn } from '../request/naming.ts'
import { inFileThatHasIt } from '../checks/old-text.ts'
import { atPathNow } from '../project/path-now.ts'
import { type ProjectFiles, withoutNeedlessAppend } from '../project/sources.ts'
import { recentPaths } from '../project/recent.ts'
import type { NanoCall, NanoStep } from '../steps/run.ts'
import { scopeThatHasIt } from '../project/search-scope.ts'
import { sameEdit, wantsTheSame } from '../steps/same-edit.ts'
import { ofSetting } from './setting.ts'
import { fromTail } from '../project/tail.ts'
import { inFolderSaid, withTarget } from './targets.ts'
import { isActing } from '../weights/tools.ts'
import { wholeLine } from './whole-line.ts'
import { stopWords } from '../request/words.ts'

type Place = {
  readonly request: string
  /** The part of it that this is about. */
  readonly clause: string
  /** Those nano was shown. */
  readonly lines: readonly ListedLine[]
  readonly paths: readonly string[]
  /** All of the project. */
  readonly project: readonly string[]
  readonly steps: readonly NanoStep[]
  readonly files: ProjectFiles
}

type Called = Extract<Decision, { readonly kind: 'call' | 'guess' }>

export async function tidy(decision: Decision, place: Place): Promise<Decision> {
  if (decision.kind !== 'call' && decision.kind !== 'guess') return decision
  const { request, clause, lines, paths, project, steps, files } = place
  const recent = recentPaths(steps)
  const first = await firstOfEach(decision.call, clause, files)
  if (first) return oneOfMany(decision, await withTarget(first, files, request))
  const again = await repeatedIn(decision.call, { clause, steps, files })
  if (again) return { ...decision, call: again }
  const now = await atPathNow(decision.call, { clause, paths, steps, files })
  const placed = inFolderSaid(now, clause, paths)
  const spelled = withEnding(
    ofFileType(withSpelledPattern(asTextSearch(placed), clause), clause, project),
    paths,
  )
  const named = await folderOf(inSingular(inCaseOf(ofAName(spelled, clause, paths), paths), paths), {
    clause,
    recent,
    files,
  })
  const found = await fromTail(await scopeThatHasIt(named, clause, files), clause, files)
  const appended = await withoutNeedlessAppend(found, files)
  const unique = await makeUnique(await inFileThatHasIt(appended, paths, files), lines, files)
  const removed = await wholeLine(unique, clause, files)
  const valued = await ofSetting(await inLettersOfFile(removed, request, files), request, files)
  const call = await withTarget(valued, files, request)
  const replacing = await asReplacement(call, files)
  if (!replacing && isActing(call.name) && spelled.input['path'] !== decision.call.input['path'])
    return elsewhere(decision, call)
  if (!replacing)
    return (await isInSeveralPlaces(decision.call, files))
      ? inOnePlace(decision, call)
      : { ...decision, call }
  const why = 'The built-in model guessed this: it replaces what is there'
  return { why, ...decision, isLikely: false, isBacked: false, kind: 'guess', call: replacing }
}

/** Not where the model said. */
function elsewhere(decision: Called, call: NanoCall): Decision {
  const why = 'The built-in model guessed this: the request does not spell out the path'
  return { why, ...decision, isLikely: false, kind: 'guess', call }
}

/** The text that is replaced occurs there more than once, and all of it may be meant. */
async function isInSeveralPlaces({ name, input }: NanoCall, files: ProjectFiles): Promise<boolean> {
  const { path, old, all } = input
  if (
    name !== 'edit_file' ||
    all === true ||
    typeof path !== 'string' ||
    typeof old !== 'string' ||
    old === ''
  )
    return false
  const text = await files.read(path).catch(() => '')
  return text.indexOf(old) !== text.lastIndexOf(old)
}

function inOnePlace(decision: Called, call: NanoCall): Decision {
  const why = 'The built-in model guessed this: the text occurs more than once'
  return { why, ...decision, isLikely: false, isBacked: false, kind: 'guess', call }
}

/** A text that is replaced and occurs more than once, where nothing says which is meant: all of them, or the edit fails. */
export async function inAllPlaces(decision: Decision, files: ProjectFiles): Promise<Decision> {
  if (decision.kind !== 'call' && decision.kind !== 'guess') return decision
  const { call } = decision
  if (call.input['new'] === '' || !(await isInSeveralPlaces(call, files))) return decision
  return inOnePlace(decision, { ...call, input: { ...call.input, all: true } })
}

/** Which of them are meant was counted, not said. */
function oneOfMany(decision: Called, call: NanoCall): Decision {
  if (!isActing(call.name)) return { kind: 'call', call }
  const why = 'The built-in model guessed this: it is one of several that seem to be meant'
  return { why, isLikely: false, ...decision, kind: 'guess', call }
}

/** "And the same in b.env": the change of a file that was not meant to be another one. */
async function repeatedIn(
  { name, input }: NanoCall,
  { clause, steps, files }: Pick<Place, 'clause' | 'steps' | 'files'>,
): Promise<NanoCall | undefined> {
  const { path } = input
  const isMeant = name === 'edit_file' && typeof path === 'string' && wantsTheSame(clause)
  return isMeant ? sameEdit(path, steps, files) : undefined
}

/** `notes/todo` where there is a notes/todo.md, `ideas.txt` where there is a docs/ideas.txt: what is there is meant. */
function withEnding(call: NanoCall, paths: readonly string[]): NanoCall {
  const { path } = call.input
  if (typeof path !== 'string' || !OF_EXISTING.has(call.name) || paths.includes(path)) return call
  const bare = path.replace(/[.,;:!?]+$/, '')
  if (bare === '') return call
  const found = paths.filter(
    (one) => one.startsWith(`${bare}.`) || one.replace(/\/$/, '') === bare || one.endsWith(`/${bare}`),
  )
  const isNew = call.name === 'write_file' && call.input['append'] !== true
  return found.length === 1 && !isNew ? { ...call, input: { ...call.input, path: found[0] } } : call
}

const OF_EXISTING: ReadonlySet<string> = new Set(
  'read_file edit_file write_file list_files delete_file'.split(' '),
)

/** "And show me that folder": the one the last step was in. A file cannot be listed, either. */
async function folderOf(
  call: NanoCall,
  { clause, recent, files }: Pick<Place, 'clause' | 'files'> & { readonly recent: readonly string[] },
): Promise<NanoCall> {
  const { path } = call.input
  if (!['list_files', 'read_file'].includes(call.name) || typeof path !== 'string') return call
  const kind = (await files.info(path).catch(() => undefined))?.kind
  if (call.name === 'read_file') return kind === 'folder' ? { name: 'list_files', input: { path } } : call
  const said = THAT_FOLDER.test(clause) ? recent[0] : undefined
  const isFile = kind === 'file'
  const meant = said ?? (isFile ? path : undefined)
  return meant === undefined ? call : { ...call, input: { path: parentOf(meant) } }
}

const THAT_FOLDER = /\b(?:that|its|the same) (?:folder|directory|dir)\b/i

/** A folder is its own. */
const parentOf = (path: string): string =>
  path.endsWith('/') ? path.slice(0, -1) : path.slice(0, Math.max(0, path.lastIndexOf('/'))) || '.'

/** "Any besides checkout? find *.rules.yml": a pattern that is spelled is the one to look for. */
function withSpelledPattern(call: NanoCall, clause: string): NanoCall {
  const [spelled, ...others] = clause.match(/(?<![^\s"'`(])[\w./-]*\*[\w./*-]*/g) ?? []
  if (call.name !== 'find_files' || spelled === undefined || others.length > 0) return call
  return { ...call, input: { pattern: spelled.includes('/') ? spelled : `**/${spelled}` } }
}

/** `E-17`, `get_lr`, `fmt()`: one name as a program has it is looked for letter by letter. */
function asTextSearch(call: NanoCall): NanoCall {
  const { query, path } = call.input
  const isName = typeof query === 'string' && /^[^\s*]*(?:[\d_.():/-]|[a-z][A-Z])[^\s*]*$/.test(query)
  if (call.name !== 'search_code' || !isName) return call
  return { name: 'search_text', input: { pattern: query, ...(typeof path === 'string' && { path }) } }
}

/** "All j2 templates", "every file which ends with Test.java": files that end so. */
function ofFileType(call: NanoCall, clause: string, paths: readonly string[]): NanoCall {
  if (call.name !== 'find_files') return call
  const bare = String(call.input['pattern']).replace(/^\*\*\//, '')
  const isEnding = (ending: string): boolean => paths.some((path) => path.endsWith(ending))
  const isName = paths.some((path) => nameOf(path) === bare.toLowerCase())
  if (/^[\w-]+\.\w+$/.test(bare) && !isName && isEnding(bare))
    return { ...call, input: { pattern: `**/*${bare}` } }
  const types = new Set(wordsIn(clause).filter((word) => isEnding(`.${word}`) && isType(word, clause)))
  const [type, ...others] = types
  const isOpen = /^\*?[\w-]+\*?$/.test(bare) && others.length === 0
  return type !== undefined && isOpen ? { ...call, input: { pattern: `**/*.${type}` } } : call
}

/** "The jsonl files", "all j2 templates", ".yml": not "a java class". */
const isType = (type: string, clause: string): boolean =>
  !stopWords.has(type) &&
  new RegExp(
    String.raw`\.${type}\b|\b(?:all|any|every|each|which|the|what)\s+(?:\w+\s+)?${type}s?(?:\s+\w+s)?\b`,
    'i',
  ).test(clause)

/** "Find the Davis invoice": where no file is called invoice and one is called davis, that is the word to look for. */
function ofAName(call: NanoCall, clause: string, paths: readonly string[]): NanoCall {
  const word =
    call.name === 'find_files' ? /^\*\*\/\*(\w+)\*$/.exec(String(call.input['pattern']))?.[1] : undefined
  const names = paths.filter((path) => !path.endsWith('/')).map(nameOf)
  const has = (part: string): boolean => names.some((name) => name.includes(part))
  if (word === undefined || has(word.toLowerCase().replace(/s$/, ''))) return call
  const said = wordsIn(clause).filter((one) => one.length > 3 && !stopWords.has(one) && has(one))
  const [only, ...others] = new Set(said)
  return only === undefined || others.length > 0 ? call : { ...call, input: { pattern: `**/*${only}*` } }
}

/** `**\/*TREES*` where the file is called trees.csv. */
function inCaseOf(call: NanoCall, paths: readonly string[]): NanoCall {
  const word =
    call.name === 'find_files' ? /^\*\*\/\*?([^*/]+)\*?$/.exec(String(call.input['pattern']))?.[1] : undefined
  if (word === undefined || paths.some((path) => path.includes(word))) return call
  const path = paths.find((one) => one.toLowerCase().includes(word.toLowerCase())) ?? ''
  const at = path.toLowerCase().indexOf(word.toLowerCase())
  return at < 0
    ? call
    : {
        ...call,
        input: { pattern: String(call.input['pattern']).replace(word, path.slice(at, at + word.length)) },
      }
}

/** `**\/*charters*` where files are called charter: the plural belongs to the sentence. */
function inSingular(call: NanoCall, paths: readonly string[]): NanoCall {
  const word =
    call.name === 'find_files' ? /^\*\*\/\*(\w{3,})s\*$/.exec(String(call.input['pattern']))?.[1] : undefined
  const has = (part: string): boolean => paths.some((path) => path.toLowerCase().includes(part.toLowerCase()))
  return word === undefined || has(`${word}s`) || !has(word)
    ? call
    : { ...call, input: { pattern: `**/*${word}*` } }
}

/** A file that is there is replaced by an edit of all of it: the question then shows what goes and what comes. */
async function asReplacement({ name, input }: NanoCall, files: ProjectFiles): Promise<NanoCall | undefined> {
  const { path, content, append } = input
  if (name !== 'write_file' || append === true || typeof path !== 'string' || typeof content !== 'string')
    return
  const info = await files.info(path).catch(() => undefined)
  if (info?.kind !== 'file') return undefined
  const old = (await files.read(path).catch(() => '')).trimEnd()
  if (old === '') return { name, input: { path, content, overwrite: true } }
  return { name: 'edit_file', input: { path, old, new: content.trimEnd() } }
}

const EVERYWHERE = /\b(?:every|everywhere|all|each|throughout|wherever|always|anywhere)\b/i

/** `chairlady` where the file has `Chairlady`; everywhere where that was said and it is there more than once. */
async function inLettersOfFile(call: NanoCall, request: string, files: ProjectFiles): Promise<NanoCall> {
  const { path, old, new: replacement, all } = call.input
  if (call.name !== 'edit_file' || typeof path !== 'string' || typeof old !== 'string' || old === '')
    return call
  if (typeof replacement !== 'string') return call
  const text = await files.read(path).catch(() => '')
  const at = text.toLowerCase().indexOf(old.toLowerCase())
  const found = text.includes(old) || at < 0 ? old : text.slice(at, at + old.length)
  const isMany = text.indexOf(found) !== text.lastIndexOf(found)
  const isAll = all === true || (isMany && EVERYWHERE.test(request))
  const input = { ...call.input, old: found, new: like(found, old, replacement) }
  return { ...call, input: isAll ? { ...input, all: true } : input }
}
