/**
 * What speaks of a file that an earlier step renamed, copied or deleted: "and fix the name in the readme", "throw it away and the line about
 * it too", "point the config at the copy". Nothing of that is spelled; it follows from the step. Reads the files.
 */
import type { Decision } from '../decide.ts'
import { mentionIn, renamedMention } from './mention-text.ts'
import { moodAgainst } from '../intent/mood.ts'
import { nameOf, stands } from '../request/naming.ts'
import { fitOf, saidIn } from '../paths/fit.ts'
import type { ProjectFiles } from '../project/sources.ts'
import type { NanoCall, NanoStep } from './run.ts'

type Place = {
  readonly request: string
  /** The part of it that this is about. */
  readonly clause: string
  readonly steps: readonly NanoStep[]
  /** How many of them were made before this clause. */
  readonly from: number
  /** All of the project. */
  readonly paths: readonly string[]
  readonly files: ProjectFiles
}

const RENAMED =
  /\b(?:mention|refer|reference|link|name|path|import|include|call|title|point|use|follow|find)(?:s|d|ed|es|ing)?\b/i
const MENDS =
  /\b(?:fix|correct|update|adjust|change|adapt|amend|edit|point|use|switch|set|replace|swap|mend|repair|follows?|also|too|likewise)\b/i
const TAKES =
  /\b(?:take|remove|delete|drop|kill|strike|cut|lose|clean|get rid|off|out|fix|update|correct|bin|scrap|also|too|as well|its?|with)\b/i
const DELETED =
  /\b(?:lines?|entr(?:y|ies)|rows?|items?|links?|bullets?|bits?|mentions?|mentioned|references?|refers?|target|imports?|section)\b|\b(?:fix|update|correct) (?:it|that)\b/i
const COPIED = /\b(?:point|use|switch|refer|change|let)\b.*\b(?:copy|new (?:one|file)|it|that)\b/i
/** Something is to be put there that the step before does not tell. */
const NEW_TEXT =
  /["“`]|(?:^|\s)'|\d|\b(?:to|into|as|with|by) (?!(?:it|that|this|them|match|fit|suit|reflect|point|follow|use|say|the (?:new|copy)|be)\b)\S/i

/** The edit that follows, where the decision is another one; always to be asked for. */
export async function inMention(decision: Decision, place: Place): Promise<Decision> {
  const { steps, from } = place
  if (steps.length > from || !isOpen(decision, steps.at(-1)?.call)) return decision
  const call = await mentionEdit(place)
  const why = 'The built-in model guessed this: it follows from the step before'
  return call ? { kind: 'guess', call, why, isLikely: false } : decision
}

/** What is no edit, or one of another text. */
function isOpen(decision: Decision, last: NanoCall | undefined): boolean {
  if (!last || decision.kind === 'doubt' || decision.kind === 'too-long') return false
  if (!('call' in decision) || decision.call.name !== 'edit_file') return true
  const { from, to } = last.input
  const name = nameOf(String(from ?? last.input['path']))
  const { old, new: written } = decision.call.input
  // The path is there with its folder, and only the new name was said.
  if (
    last.name === 'move_file' &&
    String(old).includes(String(from)) &&
    !String(written).includes(String(to))
  )
    return true
  const isWhole = written !== '' || String(old).endsWith('\n')
  return !String(old).toLowerCase().includes(name) || !isWhole
}

/** The next file that speaks of what was renamed, copied or deleted, as far as this clause asks for it. */
export async function mentionEdit(place: Place): Promise<NanoCall | undefined> {
  const { request, clause, steps, from } = place
  const at = steps.findLastIndex(({ call }) => TRANSFERS.has(call.name))
  const source = steps[at]
  const since = steps.slice(at + 1)
  if (!source?.ok || since.some(({ call, ok }) => !ok || call.name !== 'edit_file')) return undefined
  const words = at < from ? clause : behindStep(clause, source.call)
  if (words === undefined || !asksFor(words, source.call)) return undefined
  const done = since.map(({ call }) => String(call.input['path']))
  const call = await editFor(source.call, { ...place, words, done })
  return call && [request, clause].some((said) => moodAgainst(call, said) === undefined) ? call : undefined
}

const TRANSFERS: ReadonlySet<string> = new Set(['move_file', 'copy_file', 'delete_file'])

/** What a clause says besides the step itself: "the line about it in the readme" behind "delete deploy.md and". */
export function behindStep(clause: string, { input }: NanoCall): string | undefined {
  const spelled = [input['to'], input['from'], input['path']].filter((path) => typeof path === 'string')
  const ends = spelled.map((path) => {
    const at = clause.toLowerCase().indexOf(nameOf(path))
    return at < 0 ? 0 : at + nameOf(path).length
  })
  const rest = clause.slice(ends.find((end) => end > 0) ?? 0)
  return JOINED.exec(rest)?.groups?.['rest']
}

const JOINED = /(?:[,;.]|\band\b|\bwith\b|&|\+|\bplus\b|\sn\s)\s*(?<rest>.*)$/is

function asksFor(words: string, { name }: NanoCall): boolean {
  if (name === 'delete_file') return TAKES.test(words) && DELETED.test(words)
  if (name === 'copy_file') return COPIED.test(words)
  return (MENDS.test(words) || RENAMED.test(words)) && (RENAMED.test(words) || !NEW_TEXT.test(words))
}

type Meant = Place & { readonly words: string; readonly done: readonly string[] }

async function editFor({ name, input }: NanoCall, meant: Meant): Promise<NanoCall | undefined> {
  const { from, to, path } = input
  if (name === 'delete_file' && typeof path === 'string') return removal(path, meant)
  return typeof from === 'string' && typeof to === 'string' ? renaming(from, to, meant) : undefined
}

async function removal(path: string, meant: Meant): Promise<NanoCall | undefined> {
  const found = await fileThatSays(path, meant)
  const lines = found?.text.split('\n').filter((line) => line.includes(found.mention)) ?? []
  const old = `${lines[0] ?? ''}\n`
  return found && lines.length === 1 && found.text.split(old).length === 2
    ? { name: 'edit_file', input: { path: found.path, old, new: '' } }
    : undefined
}

/** By its path where the file says that, else by its name. */
async function renaming(from: string, to: string, meant: Meant): Promise<NanoCall | undefined> {
  const found = await fileThatSays(from, meant, to)
  if (!found) return undefined
  const old = found.mention
  const written = renamedMention(old, from, to.endsWith('/') ? to + baseOf(from) : to)
  if (written === undefined || old === written) return undefined
  const isMany = found.text.split(old).length > 2
  return { name: 'edit_file', input: { path: found.path, old, new: written, ...(isMany && { all: true }) } }
}

type Found = { readonly path: string; readonly text: string; readonly mention: string }

/** Of those that mention it the one that is named first; where none is named, the only one. */
async function fileThatSays(path: string, meant: Meant, target?: string): Promise<Found | undefined> {
  const { words, paths, files, done } = meant
  const said = saidIn(words)
  const others = paths.filter((one) => one !== path && one !== target)
  const found: Found[] = []
  for (const one of target === undefined ? others : [...others, target]) {
    const text = await files.read(one).catch(() => '')
    const mention = one === target ? undefined : mentionIn(text, path)
    if (mention !== undefined && !done.includes(one)) found.push({ path: one, text, mention })
  }
  const fits = new Map(others.map((one) => [one, fitOf(one, said).total]))
  const fitted = (one: string): number => fits.get(one) ?? 0
  const best = Math.max(0, ...found.map((one) => fitted(one.path)))
  if (best === 0 && (done.length > 0 || found.length > 1) && !EVERYWHERE.test(words)) return undefined
  // One was spelled: what only has a word of it is not meant.
  const isSpelled = (one: string): boolean => stands(words.toLowerCase(), nameOf(one))
  if (done.some(isSpelled) && !found.some((one) => isSpelled(one.path)) && !EVERYWHERE.test(words))
    return undefined
  if (others.some((one) => !done.includes(one) && fitted(one) > best)) return undefined
  const named = found.filter((one) => fitted(one.path) >= best * AS_WELL)
  const first = named.toSorted((a, b) => placeIn(words, a.path) - placeIn(words, b.path))[0]
  const isClear = named.length === 1 || best >= 1 || EVERYWHERE.test(words)
  return isClear ? first : undefined
}

/** How well another one must fit to be named, too. */
const AS_WELL = 0.7
const EVERYWHERE = /\b(?:everywhere|wherever|every|all|any)\b/i

/** Where a word of its name stands. */
function placeIn(words: string, path: string): number {
  const parts = nameOf(path).match(/[a-z\d]{3,}/g) ?? []
  const places = parts.map((part) => words.toLowerCase().indexOf(part)).filter((at) => at >= 0)
  return Math.min(words.length, ...places)
}

const baseOf = (path: string): string => path.replace(/\/+$/, '').split('/').at(-1) ?? ''
