/**
 * Who is there: each machine that answers writes its card and its report, signed, into a bucket whose entries grow
 * old; a machine that stops writing is gone, and so is one that signed a goodbye. A deletion proves nothing: any
 * client may have done it. The age of an entry is measured by when it arrived here, so that clocks need not agree.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { KeyObject } from 'node:crypto'
import type { KV, KvWatchEntry } from '@nats-io/kv'
import type { Logger } from '../../lib/log.ts'
import { errorMessage } from '../../protocol/error.ts'
import type { MachineReport, MachineState } from '../machine.ts'
import type { Card } from './card.ts'
import { entryKey, type Instance, newInstance, readEntry, writeEntry } from './entry.ts'
import { createKnown, type Node } from './known.ts'
import type { NameBook } from './name-book.ts'
import { WIRE_VERSION } from '../wire.ts'

export type Registry = {
  /** Those that are trusted, here or gone. */
  nodes(): readonly Node[]
  stateOf(id: string): MachineState
  /** Why no answer can come from it any more; nothing as long as the broker itself is away. */
  whyLost(id: string): string | undefined
  /** What time it is at the broker, in milliseconds: the one clock that everybody can see. */
  brokerTime(): number
  /** After a pause of the connection that began then, restart every silence timer. */
  forgive(since: number): void
  /** The bucket was made anew. */
  renew(): void
  /** What a person should know: another machine has this one's key, or this one cannot show itself. */
  problem(): string | undefined
  close(): Promise<void>
}

export type RegistryParts = {
  readonly bucket: KV
  /** Its name; what is signed for one registry is nothing in another. */
  readonly bucketName: string
  readonly own: { readonly id: string; readonly card: Card; readonly identity: KeyObject }
  readonly pins: NameBook
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
  const { own, pins } = parts
  const instance = newInstance()
  const known = createKnown({ ...parts, instance, names: pins })
  const entry = createEntry(parts, instance)
  /** From a clock that is never set here to the one of the broker; a clock that is set would make jobs look late. */
  let offsetMs = Date.now() - performance.now()
  const take = async ({ key, operation, value, created }: KvWatchEntry) => {
    const read = operation === 'PUT' ? readEntry(key, value, parts.bucketName) : undefined
    if (!read) return
    // Only a fresh write counts, not a replay.
    if (read.instance === instance.id && entry.isLast(read.sequence))
      offsetMs = created.getTime() - performance.now()
    await known.add(read)
  }
  const announcing = createAnnouncing(parts, async () => {
    await known.judge()
    await entry.write()
  })

  await announcing.tick()
  const watching = await watch(parts, take)
  const timer = setInterval(announcing.announce, parts.refreshMs)
  const stateAt = (id: string) =>
    stateOf(id === own.id ? undefined : known.find(id), {
      ...parts,
      roundTripMs: announcing.roundTripMs(),
      connected: parts.isConnected(),
    })
  return {
    nodes: known.trusted,
    stateOf: stateAt,
    whyLost(id) {
      const state = stateAt(id)
      return state.state === 'gone' && parts.isConnected() ? state.why : undefined
    },
    brokerTime: () => performance.now() + offsetMs,
    forgive: known.forgive,
    renew() {
      watching.again()
      announcing.announce()
    },
    problem: () => announcing.problem() ?? known.twin(),
    async close() {
      clearInterval(timer)
      watching.stop()
      await entry.remove()
    },
  }
}

/** Speaking to the broker again and again. A time that fails is no matter: the next one comes soon. */
function createAnnouncing({ roundTrip, isConnected, log }: RegistryParts, speak: () => Promise<void>) {
  let roundTripMs = 0
  let trouble: string | undefined
  const tick = async () => {
    await speak()
    trouble = undefined
    // From here to the broker and on to the other, and back.
    roundTripMs = Math.round(2 * (await roundTrip()))
  }
  return {
    tick,
    announce: () =>
      void tick().catch((error: unknown) => {
        trouble = errorMessage(error)
        log.debug(`not announced: ${trouble}`)
      }),
    roundTripMs: () => roundTripMs,
    problem: () =>
      trouble !== undefined && isConnected()
        ? `This machine cannot show itself to others on the NATS server: ${trouble}; see the server's log and limits.`
        : undefined,
  }
}

/** What this machine says about itself, where it answers. Each start of the program has an entry of its own. */
function createEntry({ bucket, bucketName, own, report, isConnected }: RegistryParts, instance: Instance) {
  const key = entryKey(own.id, instance)
  let isRemoved = false
  let sequence = 0
  const text = (facts: { readonly report: MachineReport; readonly left?: boolean }) =>
    writeEntry(own, { instance, sequence: ++sequence, ...facts }, bucketName)
  return {
    isLast: (number: number) => number === sequence,
    async write() {
      // One that is late would say that this machine is here when it has left.
      if (!report || isRemoved) return
      await bucket.put(key, text({ report: report() }))
    },
    async remove() {
      isRemoved = true
      if (report && isConnected())
        await bucket.put(key, text({ report: report(), left: true })).catch(() => undefined)
    },
  }
}

/** Returns once what was there at the start has been taken, and goes on until it is stopped. */
async function watch(
  { bucket, refreshMs, log }: RegistryParts,
  take: (entry: KvWatchEntry) => Promise<void>,
): Promise<{ stop(): void; again(): void }> {
  let entries = await bucket.watch()
  const { values } = await bucket.status()
  const life = new AbortController()
  let isAgain = false
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
      if (!isAgain) await delay(refreshMs, undefined, { signal: life.signal }).catch(() => undefined)
      if (life.signal.aborted) return
      isAgain = false
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
    again() {
      isAgain = true
      entries.stop()
    },
    stop() {
      life.abort()
      entries.stop()
    },
  }
}

const FIRST_MS = 2_000
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
  return { state: 'here', report: node.report, roundTripMs, heardMs: Math.round(silent) }
}
