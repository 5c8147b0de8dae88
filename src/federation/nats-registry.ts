/**
 * Who is there: each machine that answers writes its card and its report into a bucket whose entries grow old; whoever
 * stops writing is gone. An entry is only a claim; a machine counts once its card is signed and its id is trusted. The
 * age of an entry is measured by when it arrived here, so that clocks need not agree.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { KV, KvWatchEntry } from '@nats-io/kv'
import { z } from 'zod'
import type { Logger } from '../lib/log.ts'
import { errorMessage } from '../protocol/error.ts'
import { type MachineReport, machineReportSchema, type MachineState } from './machine.ts'
import { type Card, cardSchema, type Holder, readCard } from './nats-card.ts'
import { parseJson } from './nats-job.ts'
import { WIRE_VERSION } from './wire.ts'

const entrySchema = z.object({
  version: z.int(),
  card: cardSchema,
  report: machineReportSchema,
})

export type Node = Holder & {
  readonly name: string
  readonly version: number
  readonly report: MachineReport
  readonly isTrusted: boolean
  /** By a clock that only counts, in milliseconds. */
  readonly heardAt: number
}

export type Registry = {
  /** Those that are trusted, here or gone. */
  nodes(): readonly Node[]
  stateOf(id: string): MachineState
  /** Why no answer can come from it any more; nothing as long as the broker itself is away. */
  whyLost(id: string): string | undefined
  /** What time it is at the broker, in milliseconds: the one clock that everybody can see. */
  brokerTime(): number
  /** After a pause of the connection that began then, nobody who was here before is to blame for silence. */
  forgive(since: number): void
  close(): Promise<void>
}

export type RegistryParts = {
  readonly bucket: KV
  readonly own: { readonly id: string; readonly card: Card }
  /** Absent = this machine only asks. */
  report?(): MachineReport
  /** Of the connection to the broker, in milliseconds. */
  roundTrip(): Promise<number>
  /** Never fails. */
  isTrusted(id: string): Promise<boolean>
  isConnected(): boolean
  readonly refreshMs: number
  readonly goneMs: number
  readonly log: Logger
}

export async function openRegistry(parts: RegistryParts): Promise<Registry> {
  const { own, log } = parts
  const known = createKnown(parts)
  const entry = createEntry(parts)
  let roundTripMs = 0
  /** From a clock that is never set here to the one of the broker; a clock that is set would make jobs look late. */
  let offsetMs = Date.now() - performance.now()
  const take = async ({ key, operation, value, created }: KvWatchEntry) => {
    if (key === own.id) offsetMs = created.getTime() - performance.now()
    else if (operation === 'PUT') await known.add(key, value)
    else known.remove(key)
  }
  const tick = async () => {
    await known.judge()
    await entry.write()
    // From here to the broker and on to the other, and back.
    roundTripMs = Math.round(2 * (await parts.roundTrip()))
  }

  await tick()
  const watching = await watch(parts, take)
  const timer = setInterval(() => {
    // The next one comes soon, and by then the broker may be back.
    tick().catch((error: unknown) => log.debug(`not announced: ${errorMessage(error)}`))
  }, parts.refreshMs)
  const stateAt = (id: string) =>
    stateOf(known.find(id), { ...parts, roundTripMs, connected: parts.isConnected() })
  return {
    nodes: known.trusted,
    stateOf: stateAt,
    whyLost(id) {
      const state = stateAt(id)
      return state.state === 'gone' && parts.isConnected() ? state.why : undefined
    },
    brokerTime: () => performance.now() + offsetMs,
    forgive: known.forgive,
    async close() {
      clearInterval(timer)
      watching.stop()
      await entry.remove()
    },
  }
}

/** What this machine says about itself, where it answers. */
function createEntry({ bucket, own, report, isConnected }: RegistryParts) {
  let isRemoved = false
  return {
    async write() {
      // One that is late would say that this machine is here when it has left.
      if (!report || isRemoved) return
      const entry: z.input<typeof entrySchema> = { version: WIRE_VERSION, card: own.card, report: report() }
      await bucket.put(own.id, JSON.stringify(entry))
    },
    async remove() {
      isRemoved = true
      if (report && isConnected()) await bucket.delete(own.id).catch(() => undefined)
    },
  }
}

/** Returns once what was there at the start has been taken, and goes on until it is told to stop. */
async function watch(
  { bucket, refreshMs, log }: RegistryParts,
  take: (entry: KvWatchEntry) => Promise<void>,
): Promise<{ stop(): void }> {
  let entries = await bucket.watch()
  const { values } = await bucket.status()
  const life = new AbortController()
  let onFirst = () => {}
  const first = new Promise<void>((resolve) => (onFirst = resolve))
  const patience = setTimeout(onFirst, values === 0 ? 0 : FIRST_MS)
  const follow = async () => {
    for await (const entry of entries) {
      await take(entry)
      if (entry.delta === 0) onFirst()
    }
  }
  const tell = (error: unknown) => log.debug(`the registry cannot be watched: ${errorMessage(error)}`)
  void (async () => {
    await follow().catch(tell)
    // It ends by itself only where the broker lost the bucket.
    while (!life.signal.aborted) {
      await delay(refreshMs, undefined, { signal: life.signal }).catch(() => undefined)
      if (life.signal.aborted) return
      await bucket
        .watch()
        .then((again) => (entries = again))
        .then(follow)
        .catch(tell)
    }
  })()
  await first
  clearTimeout(patience)
  return {
    stop() {
      life.abort()
      entries.stop()
    },
  }
}

const FIRST_MS = 2_000
const MAX_NODES = 1_000

function createKnown({ isTrusted, goneMs, log }: RegistryParts) {
  const nodes = new Map<string, Node>()
  const told = new Set<string>()
  const tell = (id: string, name: string) => {
    if (told.has(id) || told.size >= MAX_NODES) return
    told.add(id)
    log.warn(
      `${name} is on the NATS server but not trusted; if it is yours, add ${id} to federation.nats.trusted.`,
    )
  }
  return {
    trusted: () => [...nodes.values()].filter((node) => node.isTrusted),
    find: (id: string) => nodes.get(id),
    async add(id: string, value: Uint8Array) {
      const entry = parseJson(entrySchema, value)
      const holder = entry && readCard(entry.card)
      // Whoever writes under another's id could not have signed its card.
      if (!entry || holder?.id !== id) return
      const { version, report } = entry
      const trust = await isTrusted(id)
      if (!trust) tell(id, report.name)
      // Strangers are not kept: they come in any number. Whoever is trusted later is heard again soon.
      if (!nodes.has(id) && (!trust || nodes.size >= MAX_NODES)) return
      const heardAt = performance.now()
      nodes.set(id, { ...holder, name: report.name, version, report, isTrusted: trust, heardAt })
    },
    remove: (id: string) => void nodes.delete(id),
    /** Trust is given and taken while the program runs. */
    async judge() {
      for (const node of nodes.values()) {
        const trust = await isTrusted(node.id)
        const now = nodes.get(node.id)
        if (now && now.isTrusted !== trust) nodes.set(node.id, { ...now, isTrusted: trust })
      }
    },
    forgive(since: number) {
      const heardAt = performance.now()
      for (const node of nodes.values()) {
        if (since - node.heardAt <= goneMs) nodes.set(node.id, { ...node, heardAt })
      }
    },
  }
}

type Moment = { readonly connected: boolean; readonly roundTripMs: number; readonly goneMs: number }

function stateOf(node: Node | undefined, { connected, roundTripMs, goneMs }: Moment): MachineState {
  const gone = (why: string): MachineState => ({ state: 'gone', why })
  if (!connected) return gone('the NATS server cannot be reached')
  if (!node) return gone('it has left')
  if (!node.isTrusted) return gone('it is not trusted any more')
  if (node.version !== WIRE_VERSION)
    return gone(`it speaks version ${node.version}, this machine ${WIRE_VERSION}`)
  const silent = performance.now() - node.heardAt
  if (silent > goneMs) return gone(`nothing was heard of it for ${Math.round(silent / 1000)} s`)
  return { state: 'here', report: node.report, roundTripMs }
}
