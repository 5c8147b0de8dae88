/**
 * One paired machine, as this one knows it: where it may be, when it was last heard, what it said about itself. It is
 * asked again and again; who has not been heard for long enough is gone until it answers. Time is measured here and only
 * here, by a clock that is never set.
 */
import type { TLSSocket } from 'node:tls'
import { AppError, errorMessage } from '../protocol/error.ts'
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
  readonly addresses: readonly string[]
  readonly timing: LanTiming
  /** Where this machine listens, for the other one to know. */
  port(): number | undefined
  /** It showed its key at this address. */
  onMet(address: string): void
  /** Aborts when this machine stops looking. */
  readonly signal: AbortSignal
}

export type Member = Machine & {
  /** Somebody says it is there. */
  hint(address: string): void
  /** Whether it answered. */
  look(): Promise<boolean>
}

const MAX_ADDRESSES = 16

export function createMember(parts: MemberParts): Member {
  const { id, name, timing } = parts
  const open = createWay(parts)
  let heard: Heard | undefined
  let trouble = 'it was not reached yet'
  let looking: Promise<boolean> | undefined

  const look = async (): Promise<boolean> => {
    try {
      heard = await askReport(parts, open.connect)
      return true
    } catch (error) {
      trouble = errorMessage(error)
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
      if (silentMs <= timing.goneMs) {
        return { state: 'here', report: heard.report, roundTripMs: heard.roundTripMs }
      }
      return { state: 'gone', why: `not heard for ${Math.round(silentMs / 1000)} s: ${trouble}` }
    },
    model: (model) => createPeerModel({ peer: name, model, stallMs: timing.stallMs, open: open.connect }),
  }
}

type Heard = { readonly at: number; readonly report: MachineReport; readonly roundTripMs: number }

type Way = { connect(signal: AbortSignal): Promise<TLSSocket>; hint(address: string): void }

/** Where it may be, the place where it answered last first. */
function createWay({ identity, id, timing, onMet, addresses: first }: MemberParts): Way {
  const dialling = { identity, expected: id, timeoutMs: timing.dialMs }
  let addresses = first
  return {
    async connect(signal) {
      const { socket, address } = await reach(addresses, dialling, signal)
      if (addresses[0] !== address) addresses = [address, ...addresses.filter((other) => other !== address)]
      onMet(address)
      return socket
    },
    hint(address) {
      if (!addresses.includes(address)) addresses = [address, ...addresses].slice(0, MAX_ADDRESSES)
    },
  }
}

async function askReport(
  { port: ownPort, signal, timing }: MemberParts,
  connect: Way['connect'],
): Promise<Heard> {
  const started = performance.now()
  const socket = await connect(signal)
  const port = ownPort()
  const body = { version: WIRE_VERSION, ...(port !== undefined && { port }) }
  const report = toReport(await askJson(socket, { path: '/report', body }, timing.answerMs))
  const at = performance.now()
  return { at, report, roundTripMs: Math.round(at - started) }
}

/** The one that answered last is asked alone; where it fails, all others at once. */
async function reach(
  [best, ...others]: readonly string[],
  dialling: Omit<Dialling, 'address'>,
  signal: AbortSignal,
): ReturnType<typeof dialFirst> {
  if (best === undefined) throw nowhere('no address of it is known; start it, or give --peer HOST:PORT')
  try {
    return await dialFirst([best], dialling, signal)
  } catch (error) {
    if (others.length === 0) throw error
    return await dialFirst(others, dialling, signal).catch((later: unknown) => {
      throw nowhere([error, later].map(errorMessage).join('; '))
    })
  }
}

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
  throw new AppError('permission-denied', 'what it says about itself is no report')
}
