/**
 * Which model answers: one arm chosen by a flag, a name or a file, or the router over all of them; `app/arms.ts` opens
 * one arm, `app/routing.ts` all of them.
 */
import { join } from 'node:path'
import { type ArmParts, type ArmWanted, openArm, type OpenedArm } from './arms.ts'
import { type ArmChoice, type ArmWish, chooseArm, routedArms } from '../config/choose-arm.ts'
import type { AppPaths } from '../config/paths.ts'
import { toServers } from '../config/router.ts'
import type { Config } from '../config/schema.ts'
import type { Flock } from './peers.ts'
import { defined } from '../lib/object.ts'
import type { Lease, Reserve } from '../protocol/arm.ts'
import { AppError } from '../protocol/error.ts'
import type { RunEnd } from '../protocol/event.ts'
import type { Model } from '../protocol/model.ts'
import type { Evidence } from '../protocol/routing.ts'
import type { AtStart } from '../protocol/start.ts'
import { findAgents } from '../provider/agents/model.ts'
import type { Arm } from '../router/arm.ts'
import { allServers, findServers } from '../router/discovery.ts'
import { reservePinned } from '../router/pinned.ts'

export type AnsweringParts = Omit<ArmParts, 'hasOther'> &
  Omit<ArmWish, 'model'> & {
    readonly model?: string | Model
    readonly env: NodeJS.ProcessEnv
    readonly paths: AppPaths
    readonly atStart?: AtStart
  }

export type Answering = {
  /** For the person: the arm, or that one is chosen for each run. */
  readonly name: string
  readonly reserve: Reserve
  /** The arm that would answer first, to measure by. */
  measure(): Lease
  /** Those that can be asked for by name, the usual one first. */
  arms(): readonly Arm[]
  /** What is known of an arm that was opened: whether it makes vectors, how much it does at a time. */
  facts(id: string): Pick<OpenedArm, 'embed' | 'fill' | 'slots' | 'ping'>
  /** Another arm of the configuration; it lives as long as the rest. */
  open(id: string): Promise<Arm>
  /** Opens an arm of the configuration, or a model of a server, that `arms` does not have yet; false for other names. */
  include(id: string): Promise<boolean>
  /** Other machines; absent where they are not asked. */
  readonly flock: Flock | undefined
  readonly classify?: OpenedArm['classify']
  readonly onRunEnd?: (end: RunEnd, evidence: Evidence | undefined) => void
  /** What became of a run later: its edits were kept, or undone. */
  readonly report?: (runId: string, evidence: Evidence) => void
  /** Whether another arm could go on where this one got stuck. */
  readonly hasOther?: (arm: string) => boolean
  /** What a person should know before anything happens. */
  readonly warnings: readonly string[]
  close(): Promise<void>
}

export async function openAnswering(config: Config, parts: AnsweringParts): Promise<Answering> {
  const flock = await flockOf(config, parts)
  try {
    return await openWith(config, { ...parts, flock })
  } catch (error) {
    await flock?.close()
    throw error
  }
}

/** What is to leave no trace stays on this machine. */
async function flockOf(
  config: Config,
  { incognito, paths, env }: AnsweringParts,
): Promise<Answering['flock']> {
  if (incognito || !config.federation.enabled) return undefined
  const { openFlock } = await import('./peers.ts')
  return openFlock(config, { ...paths, env })
}

type WithFlock = AnsweringParts & Pick<Answering, 'flock'>

async function openWith(config: Config, parts: WithFlock): Promise<Answering> {
  const opened: OpenedArm[] = []
  const open = async (wanted: ArmWanted, hasOther?: () => boolean): Promise<OpenedArm> => {
    const another = await openArm(wanted, {
      ...parts,
      ...(!parts.incognito && { probesFile: probesFileOf(parts.paths) }),
      enginesFolder: parts.paths.enginesFolder,
      ...defined({ hasOther }),
    })
    opened.push(another)
    return another
  }
  const opening: Opening = { config, parts, open }
  const choice = await chosen(opening)
  const answering = choice.kind === 'routed' ? await openRouted(opening) : await openOne(choice, opening)
  const { flock } = parts
  const included: Arm[] = []
  const arms = () => [...answering.arms(), ...included]
  return {
    ...answering,
    flock,
    arms,
    // Who chose a machine by name means that one.
    reserve: flock && choice.kind !== 'peer' ? flock.placed(answering.reserve) : answering.reserve,
    facts: (id) => opened.find(({ arm }) => arm.id === id) ?? {},
    async open(model) {
      const { arm } = await toWanted(requireOne(chooseArm(config, { model }, parts.env)), parts)
      return (await open(arm)).arm
    },
    async include(id) {
      if (arms().some((arm) => arm.id === id)) return true
      const wanted = await namedArm(id, config, parts)
      if (wanted) included.push((await open(wanted)).arm)
      return wanted !== undefined
    },
    async close() {
      await answering.close()
      await Promise.all([flock?.close(), ...opened.map((each) => each.close())])
    },
  }
}

async function namedArm(id: string, config: Config, parts: WithFlock): Promise<ArmWanted | undefined> {
  const { findOnServer } = await import('./named-models.ts')
  if (id.includes('/') && !Object.hasOwn(config.arms, id)) return findOnServer(id, config, parts)
  if (!Object.hasOwn(config.arms, id)) return undefined
  return (await toWanted(requireOne(chooseArm(config, { model: id }, parts.env)), parts)).arm
}

/** Before what is opened on the way is added. */
type Chosen = Omit<Answering, 'open' | 'include' | 'facts' | 'flock'>

type Opening = {
  readonly config: Config
  readonly parts: WithFlock
  open(wanted: ArmWanted, hasOther?: () => boolean): Promise<OpenedArm>
}

type Choice =
  | ArmChoice
  | { readonly kind: 'model'; readonly model: Model }
  | { readonly kind: 'peer'; readonly arm: Arm }
  | Extract<ArmWanted, { kind: 'agent' }>
type OneChoice = Exclude<Choice, { kind: 'routed' }>

/** With nothing said and nothing configured, a server on this machine or a peer is better than the built-in model. */
async function chosen({ config, parts }: Opening): Promise<Choice> {
  const { model, baseUrl, provider, apiKey, apiKeyEnv, window, auto, env } = parts
  if (typeof model === 'object') return { kind: 'model', model }
  if (model?.startsWith(AGENT)) return findAgent(model.slice(AGENT.length), parts)
  if (model?.startsWith(PEER)) return findPeer(model, parts)
  const asked = model ?? config.model
  if (asked?.includes('/') && baseUrl === undefined && provider === undefined && !auto) {
    const { findOnServer } = await import('./named-models.ts')
    const found = findOnServer(asked, config, parts)
    if (found) return found
  }
  const wish = defined({ model, baseUrl, provider, apiKey, apiKeyEnv, window, auto })
  const choice = chooseArm(config, wish, env)
  const isOpen = choice.kind === 'nano' && model === undefined && config.model === undefined
  if (!isOpen) return choice
  if (peersHere(parts).length > 0) return { kind: 'routed' }
  if (!config.router.discover || parts.probe === false) return choice
  const mayLeave = !config.offline && !parts.incognito
  const found = await findServers(allServers(toServers(config.router, mayLeave)))
  // Also where none of them may be used: the router says why, and has the built-in model.
  return found.length > 0 ? { kind: 'routed' } : choice
}

const peersHere = ({ flock }: WithFlock) => flock?.arms().filter(({ gone }) => gone === undefined) ?? []

const PEER = 'peer/'

async function findPeer(id: string, parts: WithFlock): Promise<Choice> {
  const find = () => peersHere(parts).find(({ arm }) => arm.id === id)
  // A slow machine that was named is worth more time than a start waits for all of them.
  if (!find()) await parts.flock?.firstLook
  const found = find()
  if (found) return { kind: 'peer', arm: found.arm }
  const there = peersHere(parts).map(({ arm }) => arm.id)
  const meant = parts.flock?.sharing(id) ?? []
  if (meant.length > 0) {
    const which = `${meant.slice(0, -1).join(', ')} or ${meant.at(-1)}`
    throw new AppError(
      'config-invalid',
      `${meant.length} machines have the name in ${id}; say which: ${which}.`,
    )
  }
  const hint =
    there.length > 0 ? `offered are ${there.join(', ')}.` : 'none is connected; `covey peers` lists them.'
  throw new AppError('config-invalid', `No other machine offers ${id} now; ${hint}`)
}

const AGENT = 'agent/'

async function findAgent(name: string, { env, cwd }: AnsweringParts): Promise<Choice> {
  const agents = await findAgents(env, cwd)
  const found = agents.find(({ agent }) => agent === name)
  if (found) return { kind: 'agent', found, env }
  const there = agents.map(({ agent }) => `${AGENT}${agent}`).join(', ') || 'none of those Covey knows'
  throw new AppError('config-invalid', `No agent "${name}" is on PATH; found there: ${there}.`)
}

const requireOne = (choice: ArmChoice): OwnChoice => {
  if (choice.kind !== 'routed') return choice
  throw new Error('an arm that is named is one arm')
}

async function openOne(choice: OneChoice, { parts, open }: Opening): Promise<Chosen> {
  if (choice.kind === 'peer') return onlyArm(choice.arm, 'chosen by name')
  const wanted = await toWanted(choice, parts)
  const { arm, why, warnings, classify } = await open(wanted.arm)
  return {
    ...onlyArm(arm, why),
    arms: () => [arm, ...peersHere(parts).map((peer) => peer.arm)],
    warnings: [...wanted.notes, ...warnings],
    // What nano would say first it would say again when it answers.
    ...(classify && choice.kind !== 'nano' && { classify }),
  }
}

const onlyArm = (arm: Arm, why: string): Chosen => ({
  name: arm.id,
  reserve: reservePinned(arm, why),
  measure: () => arm.lease('to measure'),
  arms: () => [arm],
  warnings: [],
  close: async () => {},
})

async function openRouted({ config, parts, open }: Opening): Promise<Chosen> {
  const { arms, problems } = routedArms(config, parts.env)
  const said = new Set(Object.values(problems))
  const { openFleet } = await import('./routing.ts')
  const fleet = await openFleet({
    config,
    arms,
    dataFolder: parts.paths.dataFolder,
    incognito: parts.incognito ?? false,
    agents: (await findAgents(parts.env, parts.cwd)).map((found) => ({
      kind: 'agent',
      found,
      env: parts.env,
    })),
    peers: () => parts.flock?.arms() ?? [],
    open,
    ...(parts.atStart?.confirm && { confirm: parts.atStart.confirm }),
    // The record may fail at every run; startup notices have been printed by then.
    warn: (text) => void (said.size < MOST_WARNINGS && said.add(text)),
  })
  const all = () => fleet.arms().map(({ arm }) => arm)
  const own = () => fleet.arms().flatMap(({ arm, tier }) => (tier === 'peer' ? [] : [arm]))
  return {
    name: `router over ${all().length} models`,
    reserve: fleet.router.reserve,
    measure: () => smallest(own()).lease('to measure'),
    arms: all,
    warnings: [...said],
    onRunEnd(end, evidence) {
      if (evidence) fleet.router.report(end.runId, evidence)
      fleet.router.runEnded(end)
    },
    report: fleet.router.report,
    hasOther: fleet.router.hasOther,
    close: fleet.close,
  }
}

const MOST_WARNINGS = 100

/** What fits the smallest window fits all of them. The built-in model reads little of what it is sent. */
function smallest(arms: readonly Arm[]): Arm {
  const [nano] = arms.slice(-1)
  const others = arms.length > 1 ? arms.slice(0, -1) : arms
  const windowOf = (arm: Arm) => arm.profile().capabilities.window
  const found = others.toSorted((a, b) => windowOf(a) - windowOf(b))[0] ?? nano
  if (!found) throw new Error('at least the built-in model is always available')
  return found
}

type Wanted = { readonly arm: ArmWanted; readonly notes: readonly string[] }

type OwnChoice = Exclude<OneChoice, { kind: 'peer' }>

async function toWanted(choice: OwnChoice, parts: AnsweringParts): Promise<Wanted> {
  const { findFile, isImported } = await import('./named-models.ts')
  if (choice.kind === 'named') return findFile(choice, parts)
  if (choice.kind === 'gguf' && (await isImported(choice.path, parts))) {
    return findFile({ wish: choice.path }, parts)
  }
  return { arm: choice, notes: [] }
}

/** What was learnt about servers by asking them. */
export const probesFileOf = ({ dataFolder }: AppPaths): string => join(dataFolder, 'probed.json')
