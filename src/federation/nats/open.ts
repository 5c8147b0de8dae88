/**
 * Other machines through a NATS server: for machines that cannot reach each other, because everybody only dials out.
 * The broker carries and keeps; it can read no prompt and no answer, and it makes no machine trusted.
 */
import { createPrivateKey } from 'node:crypto'
import type { NatsConnection } from '@nats-io/transport-node'
import type { Logger } from '../../lib/log.ts'
import { AppError, errorMessage } from '../../protocol/error.ts'
import type { Model } from '../../protocol/model.ts'
import type { Identity } from '../identity.ts'
import type { Machine, Offer, Transport } from '../machine.ts'
import { type AnswerParts, createAnswering } from './answer.ts'
import { createAsker, type Asker, type AskerParts, type Target } from './asker.ts'
import { MAX_INLINE, openBodies } from './bodies.ts'
import { createCard, sealKeyOf } from './card.ts'
import type { JobQueue } from '../../protocol/page.ts'
import { connectNats, natsError, type NatsServer, withoutPassword } from './connection.ts'
import { readQueue } from './queue.ts'
import { type Link, watchLink } from './link.ts'
import { lineOf, type NatsNames, natsNames, PREFIX_PATTERN } from './names.ts'
import { openRegistry, type Registry, type RegistryParts } from './registry.ts'
import { openStore } from './streams.ts'
import { startWorker, type WorkerParts } from './worker.ts'
import type { Node } from './known.ts'
import { createNameBook, type NameBook } from './name-book.ts'
import { natsTimingDefaults } from '../../protocol/peer-timing.ts'

export type NatsOptions = {
  readonly server: NatsServer
  /** The first word of every subject; machines with the same one find each other. */
  readonly prefix?: string
  /** `name` is for people; who the machine is says its identity, the same as on the local network. */
  readonly node: { readonly name: string; readonly identity: Pick<Identity, 'id' | 'key'> }
  /** Absent = this machine only asks. */
  readonly offer?: Offer
  /** Ids of the machines that may ask here and are asked. */
  readonly trusted?: readonly string[]
  /** Others that are trusted, such as those paired on the local network. */
  isTrusted?(id: string): boolean | Promise<boolean>
  /** Jobs answered at the same time. */
  readonly lanes?: number
  readonly intervals?: Partial<NatsIntervals>
  /** Bodies above this many bytes go through the object store. */
  readonly maxInline?: number
  /** What machines are called here; for as long as the program runs where there is none. */
  readonly names?: NameBook
  readonly log: Logger
}

export type NatsIntervals = {
  /** How often a machine says that it is there, and after how much silence it is gone. */
  readonly refreshMs: number
  readonly goneMs: number
  /** How long a machine may be silent about a job before another machine gets it. */
  readonly ackWaitMs: number
  /** How long an answer may take, and how long its first token. */
  readonly deadlineMs: number
  readonly firstTokenMs: number
  /** How often both sides of a request say that they are still there. */
  readonly beatMs: number
  /** After so much silence of the machine that asked, its answer is stopped. */
  readonly desertedMs: number
  /** How often a result is looked for where no live part announced it. */
  readonly lookMs: number
}

const USUAL: Omit<NatsIntervals, 'desertedMs'> = natsTimingDefaults

export type NatsTransport = Transport & {
  /** The first free machine with this model: for answers any machine may give. */
  anyone(model: string): Model
  /** What a person should know about this machine on the server. */
  problem(): string | undefined
  /** Jobs that wait there now. */
  queue(): Promise<JobQueue>
}

export async function openNats(options: NatsOptions): Promise<NatsTransport> {
  const { server, node, log } = options
  const names = natsNames(requirePrefix(options.prefix ?? 'covey'))
  const key = createPrivateKey(node.identity.key)
  const own = { id: node.identity.id, card: createCard(key), seal: sealKeyOf(key), identity: key }
  const connection = await connectNats(server, { inbox: names.inbox(own.id), name: node.name, log })
  const link = watchLink(connection, server.url)
  const undo: (() => unknown)[] = [link.close]
  const close = async () => {
    for (const step of undo.splice(0).reverse()) await step()
  }
  try {
    return { ...(await join({ connection, link, names, own }, options, undo)), close }
  } catch (error) {
    await close()
    throw natsError(error, server.url)
  }
}

type Base = {
  readonly connection: NatsConnection
  readonly link: Link
  readonly names: NatsNames
  readonly own: WorkParts['own'] & AskerParts['own'] & RegistryParts['own']
}

/** How to leave is added to `undo`, step by step. */
async function join(base: Base, options: NatsOptions, undo: (() => unknown)[]) {
  const { connection, link, names } = base
  const { node, offer, log } = options
  const intervals = toIntervals(options.intervals)
  const keepMs = Math.max(intervals.deadlineMs, HOUR)
  const store = await openStore(connection, names, {
    keepMs,
    goneMs: intervals.goneMs,
    resultMs: Math.max(2 * intervals.deadlineMs, QUARTER),
  })
  const maxPayload = connection.info?.max_payload ?? Infinity
  const bodies = openBodies(store.bodies, { maxInline: options.maxInline ?? MAX_INLINE, maxPayload })
  const times = { ...intervals, keepMs }
  const context = { ...base, ...times, persist: link.persist, store, bodies, url: options.server.url, log }
  const isTrusted = trustOf(options)
  const registry = await openRegistry({
    ...context,
    bucket: store.nodes,
    bucketName: names.nodes,
    pins: options.names ?? createNameBook(),
    ...(offer && { report: () => ({ ...offer.report(), name: node.name }) }),
    roundTrip: () => roundTrip(connection),
    isTrusted,
    isConnected: link.isUp,
  })
  undo.push(registry.close)
  const lanes = options.lanes ?? LANES
  const working =
    offer && (await work({ ...context, offer, isTrusted, registry, lanes, isConnected: link.isUp }))
  if (working) undo.push(working.stop)
  const asker = createAsker(context)
  undo.push(asker.close)
  link.onReturn((since) => {
    registry.forgive(since)
    working?.forgive()
    asker.lookAgain(since)
    // A broker that is still starting refuses; what is missing then, the next return or the next job tells.
    store.ensure().catch(() => undefined)
  })
  store.onRecreated(() => {
    log.warn('streams of the NATS server were gone; they are made again')
    registry.renew()
  })
  return {
    ...toTransport({ asker, registry, names }),
    problem: () => link.problem() ?? registry.problem(),
    queue: () => readQueue(store, names, knownOf(base, registry, options)),
  }
}

const knownOf = ({ own }: Base, registry: Registry, { server, node }: NatsOptions) => ({
  server: withoutPassword(server.url),
  machines: [{ id: own.id, name: node.name }, ...registry.nodes()],
  models: modelsOf(registry),
})

function modelsOf(registry: Registry): readonly string[] {
  const states = registry.nodes().map(({ id }) => registry.stateOf(id))
  return states.flatMap((state) => (state.state === 'here' ? state.report.models.map(({ id }) => id) : []))
}

/** A machine that reports less often than others expect would flap between here and gone. */
function toIntervals(given: Partial<NatsIntervals> = {}): NatsIntervals {
  const all = { desertedMs: 2 * (given.goneMs ?? USUAL.goneMs), ...USUAL, ...given }
  const { refreshMs, beatMs, goneMs } = all
  return { ...all, refreshMs: Math.min(refreshMs, goneMs / 3), beatMs: Math.min(beatMs, goneMs / 4) }
}

const HOUR = 3_600_000
const QUARTER = 900_000
const LANES = 4

function requirePrefix(prefix: string): string {
  if (PREFIX_PATTERN.test(prefix)) return prefix
  const message = `federation.nats.prefix "${prefix}" must be one word of letters, digits, - and _.`
  throw new AppError('config-invalid', message)
}

/** Sharing a broker grants no trust: with no list and no pairing every machine is refused. */
function trustOf({ trusted = [], isTrusted, log }: NatsOptions): (id: string) => Promise<boolean> {
  if (trusted.length === 0 && !isTrusted) {
    log.warn('federation.nats.trusted is empty: no machine is asked and every job is refused')
  }
  return async (id) => {
    if (trusted.includes(id)) return true
    try {
      return (await isTrusted?.(id)) ?? false
    } catch (error) {
      log.warn({ id }, `cannot check whether it is trusted: ${errorMessage(error)}`)
      return false
    }
  }
}

/** The library measures with a clock that may be set meanwhile. */
async function roundTrip(connection: NatsConnection): Promise<number> {
  const started = performance.now()
  await connection.rtt()
  return performance.now() - started
}

type WorkParts = Omit<AnswerParts & WorkerParts, 'brokerTime' | 'answer' | 'report' | 'id'> & {
  readonly registry: Registry
}

async function work({ registry, ...parts }: WorkParts) {
  const { offer, own } = parts
  const answering = createAnswering({ ...parts, brokerTime: registry.brokerTime })
  const worker = await startWorker({
    ...parts,
    id: own.id,
    report: () => offer.report(),
    answer: answering.answer,
  })
  return {
    forgive: answering.forgive,
    async stop() {
      worker.close()
      await answering.close()
    },
  }
}

type Parts = { readonly asker: Asker; readonly registry: Registry; readonly names: NatsNames }

const toTransport = (parts: Parts): Omit<NatsTransport, 'close' | 'problem' | 'queue'> => ({
  machines: () => parts.registry.nodes().map((node) => toMachine(node, parts)),
  anyone: (model) => toModel(model, parts, () => lineTo(model, parts)),
})

const toMachine = ({ id, name }: Node, parts: Parts): Machine => ({
  id,
  name,
  via: 'nats',
  state: () => parts.registry.stateOf(id),
  model: (model) => toModel(model, parts, () => addressTo({ id, name }, parts)),
})

/** `find` looks anew for each request who is there by then. */
const toModel = (model: string, { asker }: Parts, find: () => Target): Model => ({
  name: model,
  async *stream(request, signal) {
    yield* asker.ask(find(), { model, request }, signal)
  },
})

function addressTo({ id, name }: Pick<Node, 'id' | 'name'>, { registry, names }: Parts): Target {
  const state = registry.stateOf(id)
  const node = registry.nodes().find((other) => other.id === id)
  if (state.state === 'gone' || !node) {
    const why = state.state === 'gone' ? state.why : 'it is not trusted any more'
    throw new AppError('model-unavailable', `${name} is gone: ${why}.`)
  }
  return { name, subject: names.job(id), holders: [node], isLine: false, whyLost: () => registry.whyLost(id) }
}

function lineTo(model: string, { registry, names }: Parts): Target {
  const holders = registry.nodes().filter(({ id }) => {
    const state = registry.stateOf(id)
    return state.state === 'here' && state.report.models.some((other) => other.id === model)
  })
  if (holders.length === 0) {
    throw new AppError('model-unavailable', `no machine on the NATS server has ${model} right now.`)
  }
  return {
    name: `any machine with ${model}`,
    subject: names.queued(lineOf(model)),
    holders,
    isLine: true,
    whyLost() {
      const losses = holders.map(({ id }) => registry.whyLost(id))
      return losses.includes(undefined) ? undefined : losses[0]
    },
  }
}
