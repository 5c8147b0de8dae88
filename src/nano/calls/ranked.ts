/**
 * A call in the opinion of the rankings: each argument that names something there, a new place or a text to look for is compared with what
 * they find likeliest. Nothing is read, nothing is done.
 */
import { plainCommand } from '../commands/ranking.ts'
import { isTyped } from '../commands/programs.ts'
import type { Likely } from '../opinion/load.ts'
import { type PathRole, ROOT } from '../paths/signs.ts'
import type { TargetAction } from '../paths/target-ranking.ts'
import { commandsFor, pathsFor, type RankingPlace, targetsFor, textsFor } from './likeliest.ts'
import { contentless, stands } from '../request/naming.ts'
import type { NanoCall } from '../steps/run.ts'

export type RankedCall = {
  readonly call: NanoCall
  /** How likely all its arguments are. */
  readonly share: number
  /** An argument is another than nano's. */
  readonly isOther: boolean
}

const ROLES: Readonly<Record<string, PathRole>> = {
  read_file: 'read',
  delete_file: 'delete',
  copy_file: 'copy',
  move_file: 'move',
  list_files: 'list',
  search_text: 'scope',
}

const NEW_PLACES: Readonly<Record<string, TargetAction>> = {
  copy_file: 'copy',
  move_file: 'move',
  make_folder: 'mkdir',
}

/** Nano's call with what is likelier; nothing for a call that no ranking knows. `sure`: how sure nano was of it. */
export function rankedCall(call: NanoCall, sure: number, place: RankingPlace): RankedCall | undefined {
  const moved = intoMade(call, place)
  if (moved) return moved
  const all = rankedArguments(call, place)
  if (all.length === 0) return inLikelyFolder(call, sure, place)
  const choices = all.map(({ key, likely, own, most = SUREST, least = LEAST }) => ({
    key,
    ...chosen(likely, own, { sure: Math.min(sure, most), least }),
  }))
  const others = choices.filter(({ isOther }) => isOther).map(({ key, value }) => [key, value] as const)
  const isOther = others.length > 0
  return {
    call: isOther ? withoutRoot({ ...call, input: { ...call.input, ...Object.fromEntries(others) } }) : call,
    share: Math.min(1, ...choices.map(({ share }) => share)),
    isOther,
  }
}

/** "Make a folder archive and move it in there": what an earlier step made is where it goes, not what goes there. */
function intoMade({ name, input }: NanoCall, place: RankingPlace): RankedCall | undefined {
  const role = name === 'copy_file' ? 'copy' : 'move'
  const own = textOf(input['from'])
  const { recent, project, request, opinions } = place
  const isThere = (path: string): boolean =>
    [...project.files, ...project.folders].some((one) => isSame(one, path))
  const made = recent.find((path) => !/\.\w+$/.test(path) && !isThere(path))
  if (NEW_PLACES[name] === undefined || name === 'make_folder' || made === undefined) return undefined
  if (!`${bare(own)}/`.startsWith(`${bare(made)}/`) && isThere(own)) return undefined
  const likely = opinions.paths({ ...place, clause: request, recent: [], role })
  const best = likely.find(({ value }) => isThere(value))
  if (!best || best.share < LEAST) return undefined
  const to = `${plain(made)}/${baseOf(plain(best.value))}`
  return { call: { name, input: { from: best.value, to } }, share: best.share, isOther: true }
}

/** How likely all arguments of a call are as they are; nothing for a call that no ranking knows. */
export function supportOf(call: NanoCall, place: RankingPlace): number | undefined {
  const shares = rankedArguments(call, place).map(({ likely, own }) => shareOf(likely, own))
  return shares.length === 0 ? undefined : Math.min(...shares)
}

type RankedArgument = {
  readonly key: string
  readonly likely: readonly Likely<string>[]
  /** What the call has. */
  readonly own: string
  /** How far nano is believed at most. */
  readonly most?: number
  /** How likely something else must be at least. */
  readonly least?: number
}

/** The arguments of a call that a ranking knows, each with what may be meant. */
function rankedArguments(call: NanoCall, place: RankingPlace): RankedArgument[] {
  const { name, input } = call
  // "TODO.md and put": no name of a new file.
  const isToThere = isThere(input['path'], place) || /\s/.test(textOf(input['path']))
  const isAppend = name === 'write_file' && input['append'] === true && isToThere
  const role = isAppend ? 'append' : ROLES[name]
  const action = NEW_PLACES[name]
  return [
    ...(name === 'run_command' ? [commandIn(textOf(input['command']), place)] : []),
    ...(name === 'search_text'
      ? [{ key: 'pattern', likely: textsFor(place), own: textOf(input['pattern']) }]
      : []),
    ...(role === undefined ? [] : [pathIn(role, call, place)]),
    ...(action !== undefined ? [targetIn(action, input, place)] : []),
  ]
}

/** "A page named faq.md among the drafts": nano gives a new file the name alone. */
function inLikelyFolder(call: NanoCall, sure: number, place: RankingPlace): RankedCall | undefined {
  const own = textOf(call.input['path'])
  const isNew = call.name === 'write_file' && own !== '' && !own.includes('/') && !isThere(own, place)
  if (!isNew) return undefined
  const likely = targetsFor('write', '', place).filter(({ value }) => baseOf(value) === baseOf(own))
  const { value: path, share, isOther } = chosen(likely, own, { sure: Math.min(sure, SUREST), least: LEAST })
  return isOther ? { call: { ...call, input: { ...call.input, path } }, share, isOther } : undefined
}

/** Nano is believed less of a path that is not there, and where another file is called by its full name. */
function pathIn(role: PathRole, call: NanoCall, place: RankingPlace): RankedArgument {
  const key = NEW_PLACES[call.name] === undefined ? 'path' : 'from'
  const own = textOf(call.input[key]) || ROOT
  const words = contentless(call, place.clause)
  const likely = spelledFirst(pathsFor(role, words, place), words, place)
  const [best] = likely
  if (!mayBeThere(own, place)) return { key, likely, own, most: SUREST_OF_NOTHING, least: LEAST_FOR_NOTHING }
  const isSpelled = (path: string): boolean => stands(words.toLowerCase(), baseOf(path).toLowerCase())
  const isOther = best !== undefined && /\.\w+$/.test(best.value) && isSpelled(best.value) && !isSpelled(own)
  return isOther
    ? { key, likely: likely.filter(({ value }) => !isSame(value, own)), own, most: SUREST_OF_UNSAID }
    : { key, likely, own }
}

/** What an earlier step was about comes first only where no other file is called by its name. */
function spelledFirst(
  likely: readonly Likely<string>[],
  words: string,
  { recent }: RankingPlace,
): readonly Likely<string>[] {
  const [best] = likely
  const isSpelled = ({ value }: Likely<string>): boolean =>
    /\.\w+$/.test(value) && stands(words.toLowerCase(), baseOf(value).toLowerCase())
  const [spelled, ...others] = likely.filter(isSpelled)
  if (!best || !spelled || others.length > 0 || spelled === best || !recent.includes(best.value))
    return likely
  return [
    { value: spelled.value, share: best.share },
    { value: best.value, share: spelled.share },
  ]
}

const commandIn = (own: string, place: RankingPlace): RankedArgument => ({
  key: 'command',
  likely: commandsFor(place),
  own,
  most: mostOf(own, place),
})

/** Nano is believed less of a command that the request does not spell, and of a sentence in its place. */
function mostOf(own: string, { request, project }: RankingPlace): number {
  if (!request.includes(own)) return SUREST_OF_SCRIPTS
  return own.includes(' ') && isTyped(own, project) ? SUREST : SUREST_OF_UNTYPED
}

function targetIn(action: TargetAction, input: NanoCall['input'], place: RankingPlace): RankedArgument {
  const key = action === 'mkdir' ? 'path' : 'to'
  const from = textOf(input['from'])
  const likely = targetsFor(action, from, place).filter(({ value }) => !isOfOther(value, from, place))
  return { key, likely, own: textOf(input[key]) }
}

/** Under the name of another file that is there: "move a.css and b.svg to junk" gives neither the other's name. */
const isOfOther = (to: string, from: string, { project, clause }: RankingPlace): boolean =>
  from !== '' &&
  baseOf(to) !== baseOf(from) &&
  !(to.includes('/') && clause.includes(to)) &&
  project.files.some((path) => path !== from && baseOf(path) === baseOf(to))

const baseOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** A name that is new is the one to be made. */
const isThere = (path: unknown, { project, recent }: RankingPlace): boolean =>
  typeof path === 'string' && [...project.files, ...recent].some((one) => isSame(one, path))

const mayBeThere = (path: string, { project, recent }: RankingPlace): boolean =>
  path === ROOT ||
  [...project.files, ...recent].some((one) => `${one}/`.startsWith(`${bare(path)}/`) || isSame(one, path))

type Choice = { readonly value: string; readonly share: number; readonly isOther: boolean }

/** How likely something must be to be taken instead of nano's choice. */
const LEAST = 0.35
const FLOOR = 0.02
const SUREST = 0.97
/** Of a command that the request does not spell: it takes `lint:fix` for `lint` without a doubt. */
const SUREST_OF_SCRIPTS = 0.9
const SUREST_OF_UNTYPED = 0.7
/** Of a command that another one says more of: nano hardly gives one something to work on. */
const SUREST_OF_SHORTER = 0.6
/** Of a path that is not there. */
const SUREST_OF_NOTHING = 0.3
const LEAST_FOR_NOTHING = 0.15
const SUREST_OF_UNSAID = 0.5

type Limits = { readonly sure: number; readonly least: number }

function chosen(likely: readonly Likely<string>[], own: string, { sure, least }: Limits): Choice {
  const mine = shareOf(likely, own)
  const [best] = likely
  const isLonger = best?.value.startsWith(`${own} `) === true
  const most = isLonger ? Math.min(sure, SUREST_OF_SHORTER) : sure
  const odds = most / (1 - most)
  const isOther =
    best !== undefined &&
    !isSame(best.value, own) &&
    best.share >= least &&
    best.share / (mine + FLOOR) > odds
  return isOther ? { ...best, isOther } : { value: own, share: mine, isOther }
}

const shareOf = (likely: readonly Likely<string>[], own: string): number =>
  likely.find(({ value }) => isSame(value, own))?.share ?? 0

const isSame = (one: string, other: string): boolean =>
  bare(one) === bare(other) || plainCommand(one) === plainCommand(other)
const bare = (path: string): string => path.toLowerCase().replace(/^\.\//, '').replace(/\/+$/, '') || ROOT
const plain = (path: string): string => path.replace(/\/+$/, '')
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** A search in the project's own folder has no scope. */
export function withoutRoot(call: NanoCall): NanoCall {
  if (call.name !== 'search_text' || call.input['path'] !== ROOT) return call
  const { path: _, ...input } = call.input
  return { ...call, input }
}
