/** A prompt that arrives again with its key is not run again: nothing lost, nothing twice. */
import { expect, test } from 'vitest'
import { PastKeys, PromptKeys } from '../../src/session/prompt-keys.ts'
import type { StartRun } from '../../src/session/run.ts'
import { answering, closeAndRead, endOf, newFolder, runSession, start, testStore } from './support.ts'

const KEY = 'key-of-this-prompt'

function counting(): { readonly startRun: StartRun; count(): number } {
  let count = 0
  const play = answering('Done.')
  return {
    count: () => count,
    startRun: (run, signal) => {
      count++
      return play(run, signal)
    },
  }
}

const starts = (events: readonly { readonly type: string }[]) =>
  events.filter(({ type }) => type === 'run-start')

test('two arrivals at once and one later are one run', async () => {
  const runs = counting()
  const session = await runSession(await testStore().create(start), { startRun: runs.startRun })

  const [first, second] = await Promise.all([
    session.prompt('Do it.', { key: KEY }),
    session.prompt('Do it.', { key: KEY }),
  ])
  const third = await session.prompt('Do it.', { key: KEY })
  const other = await session.prompt('Do it.', { key: 'another-key' })
  const events = await closeAndRead(session)

  expect([second, third]).toEqual([
    { ...first, isRepeated: true },
    { ...first, isRepeated: true },
  ])
  expect(starts(events)).toMatchObject([
    { runId: first.runId, key: KEY },
    { runId: other.runId, key: 'another-key' },
  ])
})

test('a session that was resumed still has the keys, also of a run that was cut', async () => {
  const store = testStore(await newFolder())
  const stored = await store.create(start)
  const { id } = stored.replay.info
  const first = await runSession(stored)
  const before = await first.prompt('Do it.', { key: KEY })
  await closeAndRead(first)
  const cut = await store.open(id, start)
  const taken = { runId: 'run-cut', input: 'And this.', options: { key: 'key-of-the-cut' } }
  cut.log.append({ type: 'prompt', at: 1, ...taken })
  await cut.close()

  const runs = counting()
  const second = await runSession(await store.open(id, start), { startRun: runs.startRun })
  const again = await second.prompt('Do it.', { key: KEY })
  const cutAgain = await second.prompt('And this.', { key: 'key-of-the-cut' })
  const events = await closeAndRead(second)

  expect([again, cutAgain]).toEqual([
    { ...before, isRepeated: true },
    { runId: 'run-cut', isRepeated: true },
  ])
  expect(runs.count()).toBe(0)
  expect(events.slice(-2)).toMatchObject([
    { type: 'run-start', runId: 'run-cut', prompt: 'And this.', key: 'key-of-the-cut' },
    {
      type: 'run-end',
      runId: 'run-cut',
      reason: 'cancelled',
      report: expect.stringMatching(/process ended/),
    },
  ])
})

test('a key is for one text, and a refused prompt may be tried again under its key', async () => {
  const session = await runSession(await testStore().create(start))

  await expect(session.prompt(' ', { key: KEY })).rejects.toThrow(/prompt is empty/)
  const accepted = await session.prompt('Do it.', { key: KEY })

  await expect(session.prompt('Something else.', { key: KEY })).rejects.toMatchObject({
    code: 'request-invalid',
    details: { status: 409 },
  })
  expect(accepted).toEqual({ runId: expect.stringMatching(/^run-/) })
  await session.close()
})

test('the newest thousand keys are remembered', async () => {
  const past = new PastKeys()
  for (let index = 0; index < 5_000; index++) past.add(`key-${index}`, `run-${index}`, 'x')
  const keys = new PromptKeys(past.newest())
  const accept = async () => ({ runId: 'new' })

  expect(past.newest()).toHaveLength(1_000)
  expect(await keys.once('key-4999', 'x', accept)).toEqual({ runId: 'run-4999', isRepeated: true })
  expect(await keys.once('key-3999', 'x', accept)).toEqual({ runId: 'new' })
  // It made the oldest leave.
  expect(await keys.once('key-4000', 'x', accept)).toEqual({ runId: 'new' })
})

test('prompts that wait when the session closes stay in the conversation and are reported as not done', async () => {
  const store = testStore(await newFolder())
  const stored = await store.create(start)
  const working: StartRun = async function* ({ runId }, signal) {
    yield { type: 'turn-start', turn: 1 }
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
    return endOf(runId)
  }
  const session = await runSession(stored, { startRun: working })
  await session.prompt('First.')
  const second = await session.prompt('Second.')

  const events = await closeAndRead(session)
  const { messages, waiting } = await store.read(stored.replay.info.id)

  expect(events.slice(-2)).toMatchObject([
    { type: 'run-start', ...second, prompt: 'Second.' },
    { type: 'run-end', ...second, reason: 'cancelled' },
  ])
  expect(messages).toEqual([
    { role: 'user', text: 'First.' },
    { role: 'user', text: 'Second.' },
  ])
  expect(waiting).toEqual([])
})
