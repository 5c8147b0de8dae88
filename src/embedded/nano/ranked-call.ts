/**
 * A call in the opinion of the rankings: each argument that names something there, a new place or a text to look for is compared with what
 * they find likeliest, and a whole call is made of that where nano chose another action or none. Nothing is read, nothing is done.
 */
import type { Action } from '../opinion/action.ts'
import { plainCommand } from '../opinion/command-ranking.ts'
import { typedCommand } from '../opinion/command-typed.ts'
import type { Likely, Opinions } from '../opinion/load.ts'
import type { PathProject } from '../opinion/path-project.ts'
import { type PathRole, ROOT } from '../opinion/path-signs.ts'
import type { TargetAction } from '../opinion/target-ranking.ts'
import { contentless } from './naming.ts'
import { quotesIn } from './next-append.ts'
import type { NanoCall } from './run.ts'

export type RankingPlace = {
  readonly request: string
  /** The part of it that is asked for. */
  readonly clause: string
  readonly project: PathProject
  /** Paths that earlier steps were about, the latest first. */
  readonly recent: readonly string[]
  readonly opinions: Opinions
}

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
  const isAppend =
    call.name === 'write_file' && call.input['append'] === true && isThere(call.input['path'], place)
  const role = isAppend ? 'append' : ROLES[call.name]
  const action = NEW_PLACES[call.name]
  const isCommand = call.name === 'run_command'
  if (role === undefined && action === undefined && !isCommand) return undefined
  const choices: Choice[] = []
  let input = call.input
  const choose = (key: string, likely: readonly Likely<string>[], own: string, most = SUREST): void => {
    const choice = chosen(likely, own, Math.min(sure, most))
    choices.push(choice)
    if (choice.isOther) input = { ...input, [key]: choice.value }
  }
  const command = textOf(input['command'])
  if (isCommand)
    choose(
      'command',
      commandsFor(place),
      command,
      place.request.includes(command) ? SUREST : SUREST_OF_SCRIPTS,
    )
  if (call.name === 'search_text') choose('pattern', textsFor(place), textOf(input['pattern']))
  if (role !== undefined) {
    const key = action === undefined ? 'path' : 'from'
    choose(key, pathsFor(role, contentless(call, place.clause), place), textOf(input[key]) || ROOT)
  }
  if (action !== undefined) {
    const key = action === 'mkdir' ? 'path' : 'to'
    const from = textOf(input['from'])
    const likely = targetsFor(action, from, place).filter(({ value }) => !isOfOther(value, from, place))
    choose(key, likely, textOf(input[key]))
  }
  const isOther = choices.some((choice) => choice.isOther)
  return {
    call: isOther ? withoutRoot({ ...call, input }) : call,
    share: choices.reduce((least, choice) => Math.min(least, choice.share), 1),
    isOther,
  }
}

/** Under the name of another file that is there: "move a.css and b.svg to junk" gives neither the other's name. */
const isOfOther = (to: string, from: string, { project, clause }: RankingPlace): boolean =>
  from !== '' &&
  baseOf(to) !== baseOf(from) &&
  project.files.some((path) => path !== from && baseOf(path) === baseOf(to) && clause.includes(baseOf(to)))

const baseOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** A name that is new is the one to be made. */
const isThere = (path: unknown, { project, recent }: RankingPlace): boolean =>
  typeof path === 'string' && [...project.files, ...recent].some((one) => isSame(one, path))

type Choice = { readonly value: string; readonly share: number; readonly isOther: boolean }

/** How likely something must be to be taken instead of nano's choice. */
const LEAST = 0.35
const FLOOR = 0.02
const SUREST = 0.97
/** Of a command that the request does not spell: it takes `lint:fix` for `lint` without a doubt. */
const SUREST_OF_SCRIPTS = 0.9

function chosen(likely: readonly Likely<string>[], own: string, sure: number): Choice {
  const mine = likely.find(({ value }) => isSame(value, own))?.share ?? 0
  const [best] = likely
  const odds = sure / (1 - sure)
  const isOther =
    best !== undefined &&
    !isSame(best.value, own) &&
    best.share >= LEAST &&
    best.share / (mine + FLOOR) > odds
  return isOther ? { ...best, isOther } : { value: own, share: mine, isOther }
}

const isSame = (one: string, other: string): boolean =>
  bare(one) === bare(other) || plainCommand(one) === plainCommand(other)
const bare = (path: string): string => path.toLowerCase().replace(/^\.\//, '').replace(/\/+$/, '') || ROOT
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** A search in the project's own folder has no scope. */
function withoutRoot(call: NanoCall): NanoCall {
  if (call.name !== 'search_text' || call.input['path'] !== ROOT) return call
  const { path: _, ...input } = call.input
  return { ...call, input }
}

/** Below this the part alone does not tell, and the whole request is read. */
const TELLING = 0.5

/** By the part that is asked for, or by the whole request where that tells more. */
function byClause<Value>(
  { request, clause, recent }: RankingPlace,
  rank: (words: string) => readonly Likely<Value>[],
  words = clause,
): readonly Likely<Value>[] {
  const likely = rank(words)
  if (request === clause || recent.length > 0 || (likely[0]?.share ?? 0) >= TELLING) return likely
  const whole = rank(request)
  return (whole[0]?.share ?? 0) > (likely[0]?.share ?? 0) ? whole : likely
}

const pathsFor = (role: PathRole, words: string, place: RankingPlace): readonly Likely<string>[] =>
  byClause(place, (clause) => place.opinions.paths({ ...place, clause, role }), words)

const targetsFor = (action: TargetAction, from: string, place: RankingPlace): readonly Likely<string>[] =>
  byClause(place, (clause) =>
    place.opinions.targets({ ...place, clause, action, ...(from !== '' && { from }) }),
  )

const textsFor = (place: RankingPlace): readonly Likely<string>[] =>
  byClause(place, (clause) => place.opinions.texts({ ...place, clause }))

function commandsFor(place: RankingPlace): readonly Likely<string>[] {
  const typed = typedCommand(place.clause)
  if (typed !== undefined) return [{ value: typed, share: TYPED }]
  return byClause(place, (clause) => place.opinions.commands({ ...place, clause }))
}

/** How likely a command is meant that is typed out. */
const TYPED = 0.98

/** How likely an argument must be to be shown without nano's word for it. */
const SHOWN = 0.3

/** A call of this action, made of what is likeliest; nothing where that is not clear, or the action needs what only nano can point at. */
export function composedCall(action: Action, place: RankingPlace): NanoCall | undefined {
  const first = (likely: readonly Likely<string>[]): string | undefined =>
    (likely[0]?.share ?? 0) >= SHOWN ? likely[0]?.value : undefined
  if (action === 'read' || action === 'list' || action === 'delete') {
    const path = first(pathsFor(action, place.clause, place))
    const name = { read: 'read_file', list: 'list_files', delete: 'delete_file' }[action]
    return path === undefined ? undefined : { name, input: { path } }
  }
  if (action === 'copy' || action === 'move') {
    const from = first(pathsFor(action, place.clause, place))
    const to = from === undefined ? undefined : first(targetsFor(action, from, place))
    return from === undefined || to === undefined
      ? undefined
      : { name: `${action}_file`, input: { from, to } }
  }
  if (action === 'mkdir') {
    const path = first(targetsFor(action, '', place))
    return path === undefined ? undefined : { name: 'make_folder', input: { path } }
  }
  if (action === 'append') {
    const [quote, ...others] = quotesIn(place.clause)
    const path = first(pathsFor(action, place.clause.replace(quote?.text ?? '', ' … '), place))
    return quote && others.length === 0 && path !== undefined
      ? { name: 'write_file', input: { path, content: quote.text, append: true } }
      : undefined
  }
  if (action === 'run') {
    const command = first(commandsFor(place))
    return command === undefined ? undefined : { name: 'run_command', input: { command } }
  }
  if (action !== 'search') return undefined
  const pattern = first(textsFor(place))
  const [scope] = pathsFor('scope', place.clause, place)
  return pattern === undefined
    ? undefined
    : withoutRoot({ name: 'search_text', input: { pattern, path: scope?.value ?? ROOT } })
}
