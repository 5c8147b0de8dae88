import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LoopEvent } from '../../src/engine/parts.ts'
import type { RunEnd, SessionEvent } from '../../src/protocol/event.ts'
import type { Message } from '../../src/protocol/message.ts'
import type { SessionApi } from '../../src/protocol/session-api.ts'
import type { StartRun } from '../../src/session/run.ts'
import { createSession, type Session, type SessionParts } from '../../src/session/session.ts'
import { createSessionStore, type StoredSession } from '../../src/session/store.ts'

export const start = { cwd: '/project', system: 'You are covey.' }

export const newFolder = () => mkdtemp(join(tmpdir(), 'covey-session-'))

/** A store whose clock moves a second with every look at it. */
export function testStore(folder?: string, keep?: number) {
  let now = Date.UTC(2026, 10, 15, 4, 47)
  return createSessionStore({
    ...(folder !== undefined && { folder }),
    ...(keep !== undefined && { keep }),
    now: () => (now += 1000),
  })
}

export function runSession(stored: StoredSession, parts: Partial<SessionParts> = {}) {
  return createSession({
    stored,
    startRun: answering('Done.'),
    compose: async (prompt) => ({ message: { role: 'user', text: prompt } }),
    compact: async () => undefined,
    execOutput: { add: () => {}, reset: () => {}, giveBack: () => {} },
    list: async () => [],
    now: Date.now,
    ...parts,
  })
}

export const endOf = (runId: string, reason: RunEnd['reason'] = 'answered', turns = 1): RunEnd => ({
  type: 'run-end',
  runId,
  reason,
  turns,
  changed: [],
  attribution: { model: turns, repair: 0, detector: 0 },
})

/** A loop that yields what it is given, as the engine's does: its own start and end included. */
export const playing = (...events: readonly LoopEvent[]): StartRun =>
  async function* ({ runId, prompt }) {
    yield { type: 'run-start', runId, prompt }
    yield* events
    const end = endOf(runId)
    yield end
    return end
  }

export const answering = (text: string): StartRun =>
  playing(...turn(1, { role: 'assistant', text, calls: [] }))

/** The events of one turn of the loop. */
export function turn(number: number, ...messages: readonly Message[]): LoopEvent[] {
  const said = messages.map((message): LoopEvent => ({ type: 'message', message }))
  return [{ type: 'turn-start', turn: number }, ...said, { type: 'turn-end', turn: number, messages }]
}

export const call = (id: string, name = 'read_file') => ({ id, name, input: '{"path":"a.txt"}' })

/** Prompts, and reads the events up to the end of that run. */
export async function promptToEnd(session: SessionApi, prompt: string): Promise<SessionEvent[]> {
  const stopped = new AbortController()
  const events = session.events({ signal: stopped.signal })
  const { runId } = await session.prompt(prompt)
  return untilEnd(events, runId)
}

export async function untilEnd(events: AsyncIterable<SessionEvent>, runId: string): Promise<SessionEvent[]> {
  const seen: SessionEvent[] = []
  for await (const event of events) {
    seen.push(event)
    if (event.type === 'run-end' && event.runId === runId) break
  }
  return seen
}

/** Closes the session and gives all the events it kept. */
export async function closeAndRead(session: Session, after = 0): Promise<SessionEvent[]> {
  const events = session.events({ after, signal: new AbortController().signal })
  await session.close()
  return collect(events)
}

export async function collect<T>(values: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = []
  for await (const value of values) collected.push(value)
  return collected
}
