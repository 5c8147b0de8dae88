/**
 * One packet as a session: a prompt, the end of its run, and at the end of the budget one question about what comes next.
 * A session that was begun before is never prompted from the start again: its log says what was done.
 */
import { AppError } from '../protocol/error.ts'
import type { RunEnd } from '../protocol/event.ts'
import type { Message } from '../protocol/message.ts'
import type { PromptOptions, SessionApi } from '../protocol/session-api.ts'
import type { PacketEnd } from './queue.ts'
import type { RunPacket } from './run-queue.ts'

type PacketSession = SessionApi & { close(): Promise<void> }

/** `id`: go on with this one. */
export type OpenPacketSession = (id?: string) => Promise<PacketSession>

export const sessionPackets =
  (open: OpenPacketSession): RunPacket =>
  async (packet, signal) => {
    const session = await openOrStart(open, packet.session)
    try {
      if (session.id !== packet.session) await packet.onSession(session.id)
      const history = await session.history()
      const known = endedBefore(history)
      if (known) return known
      const prompt = history.length === 0 ? packet.prompt : packet.goOn
      const end = await runToEnd(
        session,
        { prompt, maxTurns: packet.maxTurns, maxCalls: packet.maxCalls },
        signal,
      )
      return await toPacketEnd(session, end, signal)
    } finally {
      await session.close()
    }
  }

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

const WHAT_NEXT =
  'The budget of this part is used up. Say in one or two sentences what is done and what is next.'

type Bounded = { readonly prompt: string; readonly maxTurns: number; readonly maxCalls: number }

type Ended = RunEnd & { readonly problem?: string }

async function runToEnd(
  session: PacketSession,
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

async function toPacketEnd(session: PacketSession, end: Ended, signal: AbortSignal): Promise<PacketEnd> {
  const { reason, changed } = end
  if (reason === 'cancelled') return { reason, text: '', changed }
  if (reason === 'error') return { reason, text: end.problem ?? end.report ?? 'the run failed', changed }
  if (reason === 'answered') return { reason, text: lastWords(await session.history()), changed }
  const bounded = { prompt: WHAT_NEXT, maxTurns: 1, maxCalls: Number.POSITIVE_INFINITY }
  const asked = await runToEnd(session, { ...bounded, toolChoice: 'none' }, signal)
  if (asked.reason === 'cancelled') return { reason: 'cancelled', text: '', changed }
  const text = asked.reason === 'answered' ? lastWords(await session.history()) : (end.report ?? '')
  return { reason, text, changed }
}

function lastWords(history: readonly Message[]): string {
  const last = history.at(-1)
  return last?.role === 'assistant' ? last.text : ''
}
