/**
 * One paired machine, as this one knows it: where it may be, when it was last heard, what it said about itself. It is
 * asked again and again; who has not been heard for long enough is gone until it answers. Time is measured here and
 * only here, by a clock that is never set.
 */
import type { TLSSocket } from 'node:tls'
import { clip } from '../lib/text.ts'
import { AppError, errorMessage } from '../protocol/error.ts'
import { type AddressSource, createAddresses, type KnownAddresses } from './lan/addresses.ts'
import { askJson, dialFirst, type Dialling } from './dial.ts'
import type { Identity } from './identity.ts'
import type { Machine, MachineReport, MachineState } from './machine.ts'
import { reportReply, versionIn } from './messages.ts'
import { createPeerModel } from './peer-model.ts'
import type { LanTiming } from './timing.ts'
import { WIRE_VERSION } from './wire.ts'

export type MemberParts = {
  readonly identity: Identity
  readonly id: string
  readonly name: string
  readonly addresses: KnownAddresses
  readonly timing: LanTiming
  /** Where this machine listens, for the other one to know. */
  port(): number | undefined
  /** It showed its key at this address. */
  onMet(address: string): void
  /** Aborts when this machine stops looking. */
  readonly signal: AbortSignal
}

export type Member = Machine & {
  /** It may be there: it was before, it says so itself, or anybody announces it. */
  hint(address: string, from: AddressSource): void
  /** Whether it answered. */
  look(): Promise<boolean>
}

export function createMember(parts: MemberParts): Member {
  const { id, name, timing } = parts
  const open = createDialer(parts)
  let heard: Heard | undefined
  let trouble = 'it was not reached yet'
  /** Whether it was asked in vain since it was heard: while this program was suspended, it was not asked. */
  let isSilent = false
  let looking: Promise<boolean> | undefined

  const look = async (): Promise<boolean> => {
    try {
      heard = await askReport(parts, open.connect)
      isSilent = false
      return true
    } catch (error) {
      trouble = errorMessage(error)
      isSilent = true
      // It answered, and will not do: that is no silence that may pass.
      if (error instanceof AppError && error.code === 'permission-denied') heard = undefined
      return false
    }
  }
  return {
    id,
    name,
    via: 'lan',
    hint: open.hint,
    look() {
      looking ??= look().finally(() => (looking = undefined))
      return looking
    },
    state(): MachineState {
      if (!heard) return { state: 'gone', why: trouble }
      const silentMs = performance.now() - heard.at
      if (silentMs <= timing.goneMs || !isSilent) {
        return { state: 'here', report: heard.report, roundTripMs: heard.roundTripMs }
      }
      return { state: 'gone', why: `not heard for ${Math.round(silentMs / 1000)} s: ${trouble}` }
    },
    model: (model) => createPeerModel({ peer: name, model, stallMs: timing.stallMs, open: open.connect }),
  }
}

type Heard = { readonly at: number; readonly report: MachineReport; readonly roundTripMs: number }

type Dialer = { connect(signal: AbortSignal): Promise<TLSSocket>; hint: Member['hint'] }

function createDialer({ identity, id, timing, onMet, addresses: known }: MemberParts): Dialer {
  const dialling = { identity, expected: id, timeoutMs: timing.dialMs }
  const addresses = createAddresses(known)
  return {
    async connect(signal) {
      const { socket, address } = await reach(addresses.inOrder(), dialling, signal)
      addresses.met(address)
      onMet(address)
      return socket
    },
    hint: addresses.add,
  }
}

async function askReport(
  { port: ownPort, signal, timing }: MemberParts,
  connect: Dialer['connect'],
): Promise<Heard> {
  const started = performance.now()
  const socket = await connect(signal)
  const port = ownPort()
  const body = { version: WIRE_VERSION, ...(port !== undefined && { port }) }
  const report = toReport(await askJson(socket, { path: '/report', body }, timing.answerMs))
  const at = performance.now()
  return { at, report, roundTripMs: Math.round(at - started) }
}

/** One group after the other, all addresses of a group at once. */
async function reach(
  groups: readonly (readonly string[])[],
  dialling: Omit<Dialling, 'address'>,
  signal: AbortSignal,
): ReturnType<typeof dialFirst> {
  if (groups.length === 0) throw nowhere('no address of it is known; start it, or give --peer HOST:PORT')
  const failures: unknown[] = []
  for (const group of groups) {
    try {
      return await dialFirst(group, dialling, signal)
    } catch (error) {
      failures.push(error)
      if (signal.aborted) break
    }
  }
  throw nowhere(clip(failures.map(errorMessage).join('; '), MAX_WHY))
}

const MAX_WHY = 1_000

const nowhere = (why: string): AppError => new AppError('model-unavailable', why)

function toReport({ status, body }: { readonly status: number; readonly body: unknown }): MachineReport {
  const version = versionIn(body)
  if (version !== undefined && version !== WIRE_VERSION) {
    throw new AppError('permission-denied', `it speaks version ${version}, this machine ${WIRE_VERSION}`)
  }
  if (status === 403) {
    throw new AppError('permission-denied', 'it no longer knows this machine; pair them again')
  }
  const read = reportReply.safeParse(body)
  if (read.success) return read.data.report
  throw new AppError('permission-denied', 'it sent an invalid status report; update covey there and here')
}
