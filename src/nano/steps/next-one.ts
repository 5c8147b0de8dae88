/**
 * The next step where it follows from the last one: the same with another file that is named beside it, with the next of several, in
 * every file that has the text. Nano need not be asked for these. Reads the files.
 */
import { escaped } from '../opinion/tokens.ts'
import { nextOfEach } from './each.ts'
import { leftOut, sameWith } from './left-out.ts'
import { nextAppend, quotesIn } from './next-append.ts'
import { nameOf, stands } from '../request/naming.ts'
import { currentOf, type Progress } from './progress.ts'
import { fitOf, saidIn } from '../paths/fit.ts'
import type { ProjectFiles } from '../project/sources.ts'
import { recentPaths } from '../project/recent.ts'
import type { NanoCall, NanoRun } from './run.ts'
import { sameEdit, wantsTheSame } from './same-edit.ts'

type Place = { readonly progress: Progress; readonly run: NanoRun; readonly files: ProjectFiles }

/** Likely: counted, or the same change in a file right beside the other one; the rest is always asked for. */
export type Next = { readonly call: NanoCall; readonly isLikely: boolean }

export async function nextCall({ progress, run, files }: Place): Promise<Next | undefined> {
  const part = currentOf(progress)
  const steps = run.steps.slice(part.from)
  const last = steps.at(-1)
  if (!last) return undefined
  const folder = last.ok ? await nextFolder(last.call, part.clause, files) : undefined
  if (folder) return { call: folder, isLikely: false }
  const text = last.ok ? nextAppend(last.call, part.clause, progress.project.files) : undefined
  if (text) return { call: text, isLikely: false }
  const left = leftOut(part, steps)
  const isEdit = last.call.name === 'edit_file'
  const counted = isEdit
    ? left && (await sameEdit(left.path, steps, files))
    : await nextOfEach(steps, part.clause, files)
  if (counted) return { call: counted, isLikely: true }
  const told = left
    ? isOneText(last.call, part.clause)
      ? sameWith(left, last.call)
      : undefined
    : isEdit
      ? await nextEdit({ progress, run, files })
      : undefined
  return told && { call: told, isLikely: false }
}

/** Of several texts each belongs to a file of its own. */
const isOneText = ({ name }: NanoCall, clause: string): boolean =>
  name !== 'write_file' || quotesIn(clause).length < 2

/** "Folders lang/de and lang/es": the one that is spelled behind the one that was made. */
async function nextFolder(
  { name, input: { path } }: NanoCall,
  clause: string,
  files: ProjectFiles,
): Promise<NanoCall | undefined> {
  if (name !== 'make_folder' || typeof path !== 'string' || !SEVERAL_FOLDERS.test(clause)) return undefined
  const at = path.lastIndexOf('/') + 1
  const spelled = [path, path.slice(at)].find((one) => clause.includes(one))
  const rest = spelled === undefined ? '' : clause.slice(clause.indexOf(spelled) + spelled.length)
  const called = NEXT_FOLDER.exec(rest)?.groups?.['next']
  // "Under app: schemas, tasks".
  const next = called === undefined || spelled === path ? called : path.slice(0, at) + called
  if (next === undefined || (await files.info(next).catch(() => undefined)) !== undefined) return undefined
  return { name, input: { path: next } }
}

const SEVERAL_FOLDERS = /\b(?:folders|directories|dirs)\b/i
const NEXT_FOLDER =
  /^\/?["'`”’]?(?:\s*(?:,|\band\b|&|\bplus\b|\+))+\s+["'`“‘]?(?<next>[\w.-]+(?:\/[\w.-]+)*)\b/

/** "..., and the same in the 2024 ones": a part that only says where the last change is to be made once more. */
export async function sameAgain({ progress, run, files }: Place): Promise<NanoCall | undefined> {
  const { clause } = currentOf(progress)
  const last = run.steps.at(-1)
  const done = last?.call.input['path']
  const isAppend = last?.call.input['append'] === true
  if (!last?.ok || !(isAppend || last.call.name === 'edit_file') || !SAME.test(clause)) return undefined
  const said = saidIn(clause)
  const again = (path: string): NanoCall | Promise<NanoCall | undefined> =>
    isAppend ? { ...last.call, input: { ...last.call.input, path } } : sameEdit(path, run.steps, files)
  const fitting = progress.project.files
    .filter((path) => path !== done)
    .map((path) => ({ path, fit: fitOf(path, said).total }))
    .filter(({ fit }) => fit > 0)
    .toSorted((a, b) => b.fit - a.fit)
  const calls = await Promise.all(
    fitting.slice(0, MOST_TRIED).map(async ({ path, fit }) => ({ fit, call: await again(path) })),
  )
  // Of those in which the change can be made.
  const [best, second] = calls.filter(({ call }) => call !== undefined)
  return best !== undefined && best.fit > (second?.fit ?? 0) ? best.call : undefined
}

const MOST_TRIED = 6
const SAME =
  /^\W*(?:(?:and|also|then|please|do|make|just)\s+)*(?:(?:the |it'?s the )?same (?:change |thing |again )?(?:in|for|on|with|at|to|goes for)|ditto (?:in|for|on|with|at)|likewise (?:in|for|on))\b/i

/** "Find 48 kHz in the thesis and make it 44.1 kHz": what a search has found in one file is to be another text of that kind. */
export async function replaceFound({ progress, run, files }: Place): Promise<NanoCall | undefined> {
  const { clause } = currentOf(progress)
  const last = run.steps.at(-1)
  const { pattern } = last?.call.input ?? {}
  const { quoted, bare } = MAKE_IT.exec(clause)?.groups ?? {}
  const written = quoted ?? bare
  if (last?.call.name !== 'search_text' || typeof pattern !== 'string' || written === undefined)
    return undefined
  if (pattern === '' || (quoted === undefined && !isOfOneKind(pattern, written))) return undefined
  const [path, ...others] = recentPaths(run.steps.slice(-1)).filter((one) => /\.\w+$/.test(one))
  if (path === undefined || others.length > 0) return undefined
  const text = await files.read(path).catch(() => '')
  const found = new RegExp(escaped(pattern), 'iu').exec(text)
  if (!found) return undefined
  const [old] = found
  const isMany = text.split(old).length > 2
  return { name: 'edit_file', input: { path, old, new: written, ...(isMany && { all: true }) } }
}

const MAKE_IT =
  /^\W*(?:(?:and|then|please|also|now|just)\s+)*(?:make|change|turn|replace|correct|switch|swap)\s+(?:it|that|this|them|those)\s+(?:(?:to|into|with|by|say|read|be)\s+){0,2}(?:["“](?<quoted>[^"”\n]+)["”]|(?<bare>[^\n"“”,;]+?))[\s.!?]*$/i

/** Both have numbers, or both are in capitals. "Turn it off" is neither. */
const isOfOneKind = (one: string, other: string): boolean =>
  (/\d/.test(one) && /\d/.test(other)) || (isShouted(one) && isShouted(other))

const isShouted = (text: string): boolean => /\p{Lu}{2}/u.test(text) && text === text.toUpperCase()

/** "And the same in b.env", "in both", "in all files that have it". */
async function nextEdit({ progress, run, files }: Place): Promise<NanoCall | undefined> {
  const { clause, sources, from } = currentOf(progress)
  const steps = run.steps.slice(from)
  const done = new Set(steps.map(({ call }) => call.input['path']))
  const lines = new Set(sources.lines.map(({ path }) => path))
  const known = [...new Set([...lines, ...sources.paths, ...recentPaths(run.steps)])].filter(
    (path) => !done.has(path) && !path.endsWith('/'),
  )
  const named = wantsTheSame(clause) ? known.filter((path) => isSpelled(path, clause)) : []
  // What a search found, or lines that nano was shown: no other file was meant by "all".
  const found = recentPaths(run.steps.filter(({ call }) => call.name === 'search_text'))
  const all = IN_ALL.test(clause) ? known.filter((path) => found.includes(path) || lines.has(path)) : []
  const edits: NanoCall[] = []
  for (const path of named.length > 0 ? named : bestOf(all, clause)) {
    const call = await sameEdit(path, steps, files)
    if (call) edits.push(call)
  }
  const isTwo = /\bboth\b/i.test(clause)
  return named.length === 0 && isTwo && done.size + edits.length !== 2 ? undefined : edits[0]
}

/** Those that the words name best: "all three settings files" are no pages. */
function bestOf(paths: readonly string[], clause: string): string[] {
  const said = saidIn(clause)
  const fits = new Map(paths.map((path) => [path, fitOf(path, said).total]))
  const least = Math.max(...fits.values()) / 2
  return paths.filter((path) => (fits.get(path) ?? 0) >= least)
}

const isSpelled = (path: string, clause: string): boolean =>
  [path, nameOf(path)].some((name) => stands(clause.toLowerCase(), name.toLowerCase()))

const IN_ALL =
  /\b(?:both|all|every|each)(?: of)?(?: (?:the|these|those|my|our|them))?(?: [\w-]+){0,3}? (?:files?|sheets?|logs?|lists?|configs?|pages?|documents?|reports?|copies|scripts?)\b/i
