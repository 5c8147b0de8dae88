import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { appendMessage } from '../../src/context/history.ts'
import type { SessionEvent } from '../../src/protocol/event.ts'
import type { Message } from '../../src/protocol/message.ts'
import { isKept } from '../../src/session/log.ts'
import { childProgram } from '../support/child.ts'
import { closeAndRead, newFolder, promptToEnd, runSession, start, testStore } from './support.ts'

type Acknowledged =
  | { readonly session: string; readonly event: SessionEvent }
  | { readonly session: string; readonly prompt: string; readonly runId: string }

/** How often, and when: after so many lines from outside, or at one exact write from inside (`12:half`). */
export type Kill = {
  readonly sessions: number
  readonly when: number | `${number}:${'before' | 'half' | 'after'}`
}

/** Starts the child, kills it, and checks that every session resumes with all that was acknowledged. */
export async function killAndResume({ sessions, when }: Kill): Promise<number> {
  const folder = await newFolder()
  const script = await childProgram(new URL('child.ts', import.meta.url))
  const child = spawn(process.execPath, [script, folder, String(sessions), String(when)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  child.stdout.once('data', () => child.kill('SIGKILL'))
  await once(child, 'close')
  expect(child.signalCode).toBe('SIGKILL')

  const lines = (await readFile(join(folder, 'acknowledged'), 'utf8')).split('\n').slice(0, -1)
  const acknowledged = lines.map((line) => JSON.parse(line) as Acknowledged)
  const ids = (await testStore(folder).list()).map(({ id }) => id)
  for (const id of ids) {
    await checkResume(
      folder,
      id,
      acknowledged.filter(({ session }) => session === id),
    )
  }
  await rm(folder, { recursive: true })
  return ids.length
}

async function checkResume(folder: string, id: string, acknowledged: readonly Acknowledged[]): Promise<void> {
  const store = testStore(folder, 1_000_000)
  const session = await runSession(await store.open(id, start))
  const history = await session.history()
  const kept = await closeAndRead(session)
  const again = await runSession(await store.open(id, start))
  await promptToEnd(again, 'After the kill.')
  await again.close()

  expectLegal(history)
  const byId = new Map(kept.map((event) => [event.id, event]))
  const told = acknowledged.flatMap((line) => ('event' in line && isKept(line.event) ? [line.event] : []))
  expect(told.map((event) => byId.get(event.id))).toEqual(told)
  const ended = new Set(kept.flatMap((event) => (event.type === 'run-end' ? [event.runId] : [])))
  for (const line of acknowledged) if ('runId' in line) expect(ended).toContain(line.runId)
  expectSaid(history, kept, acknowledged)
  expectInterrupted(history, kept)
}

/** Appending checks every rule: no call without exactly one result among them. */
function expectLegal(history: readonly Message[]): void {
  let legal: readonly Message[] = []
  for (const message of [...history, { role: 'user', text: 'next' } as const])
    legal = appendMessage(legal, message)
}

/** Prompts and whole turns since the last compaction are in the conversation. */
function expectSaid(
  history: readonly Message[],
  kept: readonly SessionEvent[],
  acknowledged: readonly Acknowledged[],
): void {
  const said = history.map((message) => JSON.stringify(message))
  const compactedAt = kept.findLast(({ type }) => type === 'compaction')?.id ?? 0
  const turns = kept.flatMap((event) =>
    event.type === 'turn-end' && event.id > compactedAt ? event.messages : [],
  )
  const prompts = acknowledged.flatMap((line) =>
    'prompt' in line ? [{ role: 'user', text: line.prompt }] : [],
  )
  // A prompt from before the compaction is part of the digest.
  const expected = compactedAt > 0 ? turns : [...prompts, ...turns]
  expect(said).toEqual(expect.arrayContaining(expected.map((message) => JSON.stringify(message))))
}

/** A call that had started and not ended was closed, not run again. */
function expectInterrupted(history: readonly Message[], kept: readonly SessionEvent[]): void {
  const ended = new Set(kept.flatMap((event) => (event.type === 'tool-end' ? [event.callId] : [])))
  const started = kept.flatMap((event) => (event.type === 'tool-start' ? [event.call.id] : []))
  const open = new Set(started.filter((callId) => !ended.has(callId)))
  for (const message of history) {
    if (message.role === 'tool' && open.has(message.callId)) expect(message.code).toBe('interrupted')
  }
}
