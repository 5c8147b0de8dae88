/**
 * One packet as a session: a prompt, the end of its run, and at the end of the budget one question about what comes next.
 * A session that was begun before is never prompted from the start again: its log says what was done.
 */
import { AppError } from '../protocol/error.ts'
import type { RunEnd, SessionEvent } from '../protocol/event.ts'
import type { Message } from '../protocol/message.ts'
import type { PromptOptions, SessionApi } from '../protocol/session-api.ts'
import type { PacketEnd } from './queue.ts'
import type { RunPacket } from './run-queue.ts'
import { defined } from '../lib/object.ts'

type PacketSession = SessionApi & { close(): Promise<void> }

/** `id`: go on with this one. */
export type OpenPacketSession = (id?: string) => Promise<PacketSession>

type Watch = {
  onEvent?(event: SessionEvent): void
  onSession?(id: string): void
}

export const sessionPackets =
  (open: OpenPacketSession, watch: Watch = {}): RunPacket =>
  async (packet, signal) => {
    const session = await openOrStart(open, packet.session)
    try {
      if (session.id !== packet.session) await packet.onSession(session.id)
      watch.onSession?.(session.id)
      const watched = watching(session, watch)
      const history = await session.history()
      const known = endedBefore(history)
      // What was answered is known, what the check says is not.
      const isUnchecked = known?.reason === 'answered' && packet.check !== undefined
      if (known && !isUnchecked) return known
      const { maxTurns, maxCalls, check, task } = packet
      const prompt = history.length === 0 ? packet.prompt : isUnchecked ? CHECK_AGAIN : packet.goOn
      const end = await runToEnd(watched, { prompt, task, maxTurns, maxCalls, ...defined({ check }) }, signal)
      return await toPacketEnd(watched, end, signal)
    } finally {
      await session.close()
    }
  }

type Watched = { readonly session: PacketSession; see(event: SessionEvent): void }

const watching = (session: PacketSession, { onEvent }: Watch): Watched => ({
  session,
  see: (event) => onEvent?.(event),
})

async function openOrStart(open: OpenPacketSession, id: string | undefined): Promise<PacketSession> {
  if (id === undefined) return open()
  try {
    return await open(id)
  } catch (error) {
    // Only the newest sessions are kept.
    if (error instanceof AppError && error.code === 'session-unknown') return open()
    throw error
  }
}

/** Killed after the last word and before anybody took note of it. */
function endedBefore(history: readonly Message[]): PacketEnd | undefined {
  const last = history.at(-1)
  if (last?.role !== 'assistant' || last.calls.length > 0) return undefined
  const asked = history.findLast(({ role }) => role === 'user')
  return { reason: asked?.text.includes(WHAT_NEXT) ? 'budget' : 'answered', text: last.text, changed: [] }
}

const CHECK_AGAIN =
  'You were interrupted before the check of this task was run. Say again in one line what is done; the check runs then.'

const WHAT_NEXT =
  'The budget of this part is used up. Say in one or two sentences what is done and what is next.'

type Bounded = { readonly prompt: string; readonly maxTurns: number; readonly maxCalls: number }

type Ended = RunEnd & { readonly problem?: string }

async function runToEnd(
  { session, see }: Watched,
  { prompt, maxTurns, maxCalls, ...options }: Bounded & PromptOptions,
  signal: AbortSignal,
): Promise<Ended> {
  const stopped = new AbortController()
  const cancel = () => void session.cancel().catch(() => undefined)
  signal.addEventListener('abort', cancel, { once: true })
  let calls = 0
  let problem: string | undefined
  try {
    const events = session.events({ signal: stopped.signal })[Symbol.asyncIterator]()
    const { runId } = await session.prompt(prompt, { ...options, maxTurns })
    if (signal.aborted) cancel()
    for (;;) {
      const { value: event, done } = await events.next()
      if (done) throw new Error('the session ended before the run did')
      see(event)
      if (event.type === 'error') problem = event.message
      if (event.type === 'tool-end' && ++calls === maxCalls) cancel()
      if (event.type !== 'run-end' || event.runId !== runId) continue
      const isSpent = event.reason === 'cancelled' && calls >= maxCalls && !signal.aborted
      return { ...event, ...(isSpent && { reason: 'budget' }), ...(problem !== undefined && { problem }) }
    }
  } finally {
    signal.removeEventListener('abort', cancel)
    stopped.abort()
  }
}

async function toPacketEnd(watched: Watched, end: Ended, signal: AbortSignal): Promise<PacketEnd> {
  const { session } = watched
  const { reason, changed, check } = end
  const checked = defined({ check })
  if (reason === 'cancelled') return { reason, text: '', changed }
  if (reason === 'error') return { reason, text: end.problem ?? end.report ?? 'the run failed', changed }
  if (reason === 'answered' || reason === 'check-failed')
    return { reason, text: lastWords(await session.history()), changed, ...checked }
  const bounded = { prompt: WHAT_NEXT, maxTurns: 1, maxCalls: Number.POSITIVE_INFINITY }
  const asked = await runToEnd(watched, { ...bounded, toolChoice: 'none' }, signal)
  if (asked.reason === 'cancelled') return { reason: 'cancelled', text: '', changed }
  const text = asked.reason === 'answered' ? lastWords(await session.history()) : (end.report ?? '')
  return { reason, text, changed }
}

function lastWords(history: readonly Message[]): string {
  const last = history.at(-1)
  return last?.role === 'assistant' ? last.text : ''
}
