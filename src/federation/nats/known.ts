/**
 * The machines that were heard of in the registry, each with every start of its program that speaks. Two that speak at
 * the same time have one key between them: that is said, with both names. Names are claims: the first one a machine
 * gives stays its name here.
 */
import type { Logger } from '../../lib/log.ts'
import type { MachineReport } from '../machine.ts'
import type { Holder } from './card.ts'
import { shortId } from '../identity.ts'
import type { Entry } from './entry.ts'
import type { NameBook } from './name-book.ts'

export type Node = Holder & {
  readonly name: string
  readonly version: number
  readonly report: MachineReport
  readonly isTrusted: boolean
  /** By a clock that only counts, in milliseconds. */
  readonly heardAt: number
}

export type KnownParts = {
  readonly own: { readonly id: string }
  /** This start of the program. */
  readonly instance: { readonly id: string }
  readonly names: NameBook
  isTrusted(id: string): Promise<boolean>
  readonly goneMs: number
  readonly log: Logger
}

type Start = {
  readonly entry: Entry
  /** When it was heard of first, and last. */
  readonly since: number
  readonly heardAt: number
  /** How often it spoke: the last words of a program that ended are read once. */
  readonly times: number
}

type Known = { readonly id: string; readonly starts: Map<string, Start>; isTrusted: boolean; name: string }

const MAX_NODES = 1_000
const MAX_STARTS = 8

export function createKnown(parts: KnownParts) {
  const { own, isTrusted, goneMs, names, log } = parts
  const machines = new Map<string, Known>()
  const twins = createTwins(parts)
  const tell = createTeller(log)
  const admit = createAdmission(machines, parts)
  return {
    trusted: (): readonly Node[] =>
      [...machines.values()].flatMap((known) => {
        const node = known.isTrusted && known.id !== own.id ? toNode(known, goneMs) : undefined
        return node ? [node] : []
      }),
    find(id: string): Node | undefined {
      const known = machines.get(id)
      return known && toNode(known, goneMs)
    },
    async add(entry: Entry) {
      const { id } = entry.holder
      const { name: claimed } = entry.report
      const known = await admit(id, claimed)
      const last = known?.starts.get(entry.instance)
      if (!known || (last && last.entry.sequence >= entry.sequence)) return
      if (claimed !== known.name) {
        tell(
          `${id} ${claimed}`,
          `${known.name} (${shortId(id)}) now calls itself ${claimed}; here it is still called ${known.name}. ${names.howToChange}`,
        )
      }
      known.starts.delete(entry.instance)
      known.starts.set(entry.instance, toStart(entry, last))
      const [oldest] = known.starts.keys()
      if (known.starts.size > MAX_STARTS && oldest !== undefined) known.starts.delete(oldest)
      twins.look(id, speaking(known, goneMs))
    },
    /** Trust is given and taken while the program runs. */
    async judge() {
      for (const known of machines.values())
        known.isTrusted = known.id === own.id || (await isTrusted(known.id))
    },
    forgive: (since: number) => forgive(machines, goneMs, since),
    /** Which other machine has this one's key. */
    twin: twins.own,
  }
}

/** One that said goodbye was never heard. */
function toStart(entry: Entry, last: Start | undefined): Start {
  const now = performance.now()
  const since = last?.since ?? now
  return entry.left
    ? { entry, since, heardAt: -Infinity, times: 0 }
    : { entry, since, heardAt: now, times: (last?.times ?? 0) + 1 }
}

function forgive(machines: ReadonlyMap<string, Known>, goneMs: number, since: number): void {
  const heardAt = performance.now()
  for (const { starts } of machines.values()) {
    for (const [instance, start] of starts) {
      if (since - start.heardAt <= goneMs) starts.set(instance, { ...start, heardAt })
    }
  }
}

/** Lets a machine in that is trusted; the others are named once in the log. */
function createAdmission(machines: Map<string, Known>, { own, isTrusted, names, log }: KnownParts) {
  const tell = createTeller(log)
  return async (id: string, claimed: string): Promise<Known | undefined> => {
    const trust = id === own.id || (await isTrusted(id))
    if (!trust)
      tell(
        id,
        `${claimed} is on the NATS server but not trusted; if it is yours, add ${id} to federation.nats.trusted.`,
      )
    const known = machines.get(id)
    if (known) {
      known.isTrusted = trust
      return known
    }
    // Untrusted machines are not kept: their number is unbounded. One that is trusted later reports again soon.
    if (!trust || machines.size >= MAX_NODES) return undefined
    const made: Known = { id, starts: new Map(), isTrusted: trust, name: await names.pin(id, claimed) }
    machines.set(id, made)
    return made
  }
}

/** Each text once, and not without end. */
function createTeller(log: Logger) {
  const told = new Set<string>()
  return (about: string, text: string) => {
    if (told.has(about) || told.size >= MAX_NODES) return
    told.add(about)
    log.warn(text)
  }
}

/** The newest start that reports; else the one heard last. One that said goodbye does not count. */
function toNode({ starts, isTrusted, name }: Known, goneMs: number): Node | undefined {
  const there = [...starts.values()].filter(({ times }) => times > 0)
  const now = performance.now()
  const fresh = there.filter(({ heardAt }) => now - heardAt <= goneMs)
  const [best] =
    fresh.length > 0
      ? fresh.toSorted((a, b) => b.entry.startedAt - a.entry.startedAt)
      : there.toSorted((a, b) => b.heardAt - a.heardAt)
  if (!best) return undefined
  const { holder, version, report } = best.entry
  return { ...holder, name, version, report: { ...report, name }, isTrusted, heardAt: best.heardAt }
}

/** Those that speak in turn with another one: a program that was killed is silent once its next start speaks. */
const speaking = ({ starts }: Known, goneMs: number): readonly Start[] => {
  const oldest = performance.now() - goneMs
  const lately = [...starts.values()].filter(({ times, heardAt }) => times > 1 && heardAt >= oldest)
  return lately.filter((one) =>
    lately.some((other) => other !== one && one.heardAt > other.since && other.heardAt > one.since),
  )
}

function createTwins({ own, instance, log }: KnownParts) {
  const told = new Set<string>()
  let twin: string | undefined
  return {
    own: () => twin,
    look(id: string, starts: readonly Start[]) {
      if (id === own.id) twin = undefined
      if (starts.length < 2) return
      const both = starts
        .map(({ entry }) => `${entry.report.name} (instance ${entry.instance})`)
        .join(' and ')
      const which = id === own.id ? 'this machine' : shortId(id)
      const text =
        `Two machines use the key of ${which}: ${both}; on the one that got it by a copy, ` +
        'delete keys/peer in its data folder, start it again and pair it or trust its new id.'
      if (id === own.id && starts.some(({ entry }) => entry.instance === instance.id)) twin = text
      const about = starts
        .map(({ entry }) => entry.instance)
        .toSorted()
        .join(' ')
      if (told.has(about) || told.size >= MAX_NODES) return
      told.add(about)
      log.warn({ id }, text)
    },
  }
}
