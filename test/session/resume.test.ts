import { expect, test } from 'vitest'
import type { Message } from '../../src/protocol/message.ts'
import type { LogRecord } from '../../src/session/log.ts'
import type { StartRun } from '../../src/session/run.ts'
import type { StoredSession } from '../../src/session/store.ts'
import { AppError } from '../../src/protocol/error.ts'
import {
  call,
  closeAndRead,
  endOf,
  newFolder,
  playing,
  promptToEnd,
  runSession,
  start,
  testStore,
  turn,
} from './support.ts'

const interrupted = (callId: string): Message => ({
  role: 'tool',
  callId,
  text: expect.stringMatching(/^interrupted/) as unknown as string,
  ok: false,
  code: 'interrupted',
})

/** A session whose process died after these records. */
async function diedAfter(...records: readonly LogRecord[]) {
  const store = testStore(await newFolder())
  const stored = await store.create(start)
  for (const record of records) stored.log.append(record)
  await stored.close()
  return { store, id: stored.replay.info.id }
}

const prompt: LogRecord = { type: 'prompt', at: 1, runId: 'run-1', input: 'Read both.', options: {} }
const runStart: LogRecord = {
  type: 'event',
  at: 1,
  id: 1,
  event: { type: 'run-start', runId: 'run-1', prompt: 'Read both.' },
}
const composed: LogRecord = {
  type: 'composed',
  at: 1,
  runId: 'run-1',
  messages: [{ role: 'user', text: 'Read both.' }],
}
const reply: LogRecord = {
  type: 'message',
  at: 1,
  message: { role: 'assistant', text: '', calls: [call('c1'), call('c2')] },
}
const result: LogRecord = {
  type: 'message',
  at: 1,
  message: { role: 'tool', callId: 'c1', text: 'hello', ok: true },
}

/** Resuming alone must never start a run. */
const neverRuns: StartRun = () => {
  throw new Error('a run was started unasked')
}

test('calls that were running are closed as interrupted and never run again', async () => {
  const { store, id } = await diedAfter(prompt, runStart, composed, reply, result)

  const session = await runSession(await store.open(id, start), { startRun: neverRuns })

  const history = await session.history()
  expect(history.slice(2)).toEqual([expect.objectContaining({ callId: 'c1', ok: true }), interrupted('c2')])
  expect((await closeAndRead(session)).at(-1)).toMatchObject({
    type: 'run-end',
    runId: 'run-1',
    reason: 'cancelled',
    report: 'The process ended before this run did.',
  })
  expect((await store.read(id)).messages).toEqual(history)
})

test('settling happens once', async () => {
  const { store, id } = await diedAfter(prompt, runStart, composed, reply)

  await (await runSession(await store.open(id, start))).close()
  const first = await store.read(id)
  await (await runSession(await store.open(id, start))).close()

  expect(await store.read(id)).toEqual(first)
  expect(first).not.toHaveProperty('openRun')
})

test.each([
  ['that waited', [prompt]],
  ['whose run had only begun', [prompt, runStart]],
])('a prompt %s is kept in the conversation but not run', async (_which, records) => {
  const { store, id } = await diedAfter(...records)

  const session = await runSession(await store.open(id, start), { startRun: neverRuns })

  expect(await session.history()).toEqual([{ role: 'user', text: 'Read both.' }])
  expect((await closeAndRead(session)).filter(({ type }) => type === 'run-end')).toMatchObject([
    { runId: 'run-1', reason: 'cancelled' },
  ])
})

test('numbers that watchers may have seen before the crash are not used again', async () => {
  const { store, id } = await diedAfter(prompt, runStart, composed)

  const session = await runSession(await store.open(id, start))

  const events = await promptToEnd(session, 'And now?')
  expect(events[0]?.id).toBeGreaterThan(1_000_000)
  await session.close()
})

/** The disk of this session is full until the test frees it. */
function onFullDisk(stored: StoredSession) {
  const state = { isFull: false }
  const { log } = stored
  const full: StoredSession = {
    ...stored,
    log: {
      sync: () => log.sync(),
      read: () => log.read(),
      append(record) {
        if (state.isFull) throw new AppError('storage-failed', 'no space is left on the disk')
        log.append(record)
      },
    },
  }
  return { stored: full, state }
}

test('a prompt that cannot be kept is refused, and accepted when there is space again', async () => {
  const store = testStore(await newFolder())
  const { stored, state } = onFullDisk(await store.create(start))
  const session = await runSession(stored)

  state.isFull = true
  await expect(session.prompt('one')).rejects.toThrow('no space is left')
  state.isFull = false
  await promptToEnd(session, 'two')

  expect((await session.history()).map(({ text }) => text)).toEqual(['two', 'Done.'])
  await session.close()
})

test('a disk that fills up ends the run, informs watchers, and memory and log agree afterwards', async () => {
  const store = testStore(await newFolder())
  const { stored, state } = onFullDisk(await store.create(start))
  let wasAborted = false
  const fillsUp: StartRun = async function* ({ runId }, signal) {
    signal.addEventListener('abort', () => (wasAborted = true))
    yield { type: 'message', message: { role: 'assistant', text: '', calls: [call('c1')] } }
    state.isFull = true
    yield { type: 'message', message: { role: 'tool', callId: 'c1', text: 'lost', ok: true } }
    return endOf(runId)
  }
  const session = await runSession(stored, { startRun: fillsUp })

  const events = await promptToEnd(session, 'go')
  state.isFull = false

  expect(wasAborted).toBe(true)
  expect(events.slice(-2)).toMatchObject([
    { type: 'error', code: 'storage-failed', message: 'no space is left on the disk' },
    { type: 'run-end', reason: 'error', report: 'no space is left on the disk' },
  ])
  const history = await session.history()
  expect(history.at(-1)).toEqual(interrupted('c1'))
  await session.close()
  const resumed = await runSession(await store.open(session.id, start))
  expect(await resumed.history()).toEqual(history)
  await resumed.close()
})

test('an event beside the loop that cannot be kept ends the run as well', async () => {
  const store = testStore(await newFolder())
  const { stored, state } = onFullDisk(await store.create(start))
  const session = await runSession(stored, {
    startRun: async function* (input, signal) {
      state.isFull = true
      input.publish({ type: 'warning', message: 'cannot be kept' })
      state.isFull = false
      return yield* playing(...turn(1, { role: 'assistant', text: 'Done.', calls: [] }))(input, signal)
    },
  })

  const events = await promptToEnd(session, 'go')

  expect(events.at(-1)).toMatchObject({ reason: 'error', report: 'no space is left on the disk' })
  await session.close()
})
