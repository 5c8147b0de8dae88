import { expect, test } from 'vitest'
import type { LoopEvent } from '../../src/engine/parts.ts'
import { createChannel } from '../../src/lib/channel.ts'
import { AppError } from '../../src/protocol/error.ts'
import type { RunEvent, SessionEvent } from '../../src/protocol/event.ts'
import type { Message } from '../../src/protocol/message.ts'
import type { RunInput, StartRun } from '../../src/session/run.ts'
import {
  answering,
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
  untilEnd,
} from './support.ts'

const types = (events: readonly SessionEvent[]) => events.map(({ type }) => type)
const assistant = (text: string, ...calls: ReturnType<typeof call>[]): Message => ({
  role: 'assistant',
  text,
  calls,
})
const result = (callId: string, text = 'hello'): Message => ({ role: 'tool', callId, text, ok: true })

/** Holds every run until it is let go; then it answers. `entered` waits for the next run to begin. */
function gate() {
  const runs = createChannel<{ readonly input: RunInput; go(): void }>()
  const entries = runs[Symbol.asyncIterator]()
  const startRun: StartRun = async function* (input, signal) {
    await new Promise<void>((go) => {
      signal.addEventListener('abort', () => go())
      runs.push({ input, go })
    })
    signal.throwIfAborted()
    return yield* answering('Done.')(input, signal)
  }
  const entered = async () => (await entries.next()).value!
  return { startRun, entered }
}

async function newSession(parts: Parameters<typeof runSession>[1] = {}) {
  return runSession(await testStore(await newFolder()).create(start), parts)
}

test('a prompt is composed, run and told from start to end', async () => {
  const reply = assistant('It says hello.')
  const session = await newSession({
    startRun: playing(...turn(1, assistant('', call('c1')), result('c1')), ...turn(2, reply)),
    compose: async (prompt) => ({ message: { role: 'user', text: `[today] ${prompt}` } }),
  })

  const events = await promptToEnd(session, 'What does it say?')

  expect(types(events)).toEqual(['run-start', 'turn-start', 'turn-end', 'turn-start', 'turn-end', 'run-end'])
  expect(events.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6])
  expect(events[0]).toMatchObject({ type: 'run-start', prompt: 'What does it say?' })
  expect(await session.history()).toEqual([
    { role: 'user', text: '[today] What does it say?' },
    assistant('', call('c1')),
    result('c1'),
    reply,
  ])
  await session.close()
})

test('the run is handed the conversation that ends with its own message', async () => {
  const { startRun, entered } = gate()
  const session = await newSession({ startRun })

  const { runId } = await session.prompt('one', { maxTurns: 3 })
  const { input } = await entered()

  expect(input).toMatchObject({
    runId,
    sessionId: session.id,
    history: [{ role: 'user', text: 'one' }],
    system: 'You are covey.',
    prompt: 'one',
    options: { maxTurns: 3 },
  })
  await session.close()
})

test('a prompt that names a remote text becomes that text, or ends with the reason', async () => {
  const asked: string[] = []
  const expand = (words: string) => ({
    prompt: words,
    limits: {},
    load: async () => {
      if (words === '/shop:gone') throw new AppError('tool-failed', 'the MCP server shop cannot be used')
      return 'Order one pear.'
    },
  })
  const session = await newSession({
    expand,
    startRun: async function* (input, signal) {
      asked.push(input.prompt)
      return yield* answering('Done.')(input, signal)
    },
  })

  const good = await promptToEnd(session, '/shop:order')
  const bad = await promptToEnd(session, '/shop:gone')
  const history = await session.history()
  await session.close()

  expect(asked).toEqual(['Order one pear.'])
  expect(history.map(({ text }) => text)).toEqual(['Order one pear.', 'Done.'])
  expect(good[0]).toMatchObject({ type: 'run-start', prompt: '/shop:order' })
  expect(bad.at(-1)).toMatchObject({ reason: 'error', report: 'the MCP server shop cannot be used' })
})

test('several user messages join as they are, the last one composed, with its images', async () => {
  const image = { mediaType: 'image/png', base64: 'AA==' }
  const session = await newSession({
    compose: async (prompt) => ({ message: { role: 'user', text: `[now] ${prompt}` } }),
  })
  const events = session.events({ signal: new AbortController().signal })

  const { runId } = await session.prompt([
    { role: 'user', text: 'A log.' },
    { role: 'user', text: 'What is this?', images: [image] },
  ])
  await untilEnd(events, runId)

  expect((await session.history()).slice(0, 2)).toEqual([
    { role: 'user', text: 'A log.' },
    { role: 'user', text: '[now] What is this?', images: [image] },
  ])
  await session.close()
})

test('prompts wait for the run before them and keep their order', async () => {
  const { startRun, entered } = gate()
  const session = await newSession({ startRun })
  const events = session.events({ signal: new AbortController().signal })

  const [, second] = await Promise.all([session.prompt('one'), session.prompt('two')])
  const first = await entered()
  expect(await session.history()).toEqual([{ role: 'user', text: 'one' }])
  first.go()
  const next = await entered()
  next.go()
  await untilEnd(events, second!.runId)

  expect((await session.history()).map(({ text }) => text)).toEqual(['one', 'Done.', 'two', 'Done.'])
  await session.close()
})

test('cancel ends the run, drops the waiting prompts and leaves the session usable', async () => {
  const { startRun, entered } = gate()
  const session = await newSession({ startRun })
  const events = session.events({ signal: new AbortController().signal })
  const first = await session.prompt('one')
  const second = await session.prompt('two')
  await entered()

  await session.cancel()
  const third = await session.prompt('three')
  const run = await entered()
  run.go()

  const ends = (await untilEnd(events, third.runId)).filter((event) => event.type === 'run-end')
  expect(ends).toMatchObject([
    { runId: second.runId, reason: 'cancelled' },
    { runId: first.runId, reason: 'cancelled' },
    { runId: third.runId, reason: 'answered' },
  ])
  await session.close()
})

test('a call that a cancelled run left open is closed as interrupted', async () => {
  const entered = createChannel<void>()
  const startRun: StartRun = async function* (_input, signal) {
    yield { type: 'message', message: assistant('', call('c1'), call('c2')) }
    yield { type: 'message', message: result('c1') }
    entered.push()
    await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    return endOf('never')
  }
  const session = await newSession({ startRun })
  const { runId } = await session.prompt('go')
  await entered[Symbol.asyncIterator]().next()

  await session.cancel()

  expect((await session.history()).slice(2)).toEqual([
    result('c1'),
    {
      role: 'tool',
      callId: 'c2',
      text: expect.stringMatching(/^interrupted/),
      ok: false,
      code: 'interrupted',
    },
  ])
  expect((await closeAndRead(session)).at(-1)).toMatchObject({ type: 'run-end', runId, reason: 'cancelled' })
})

test('a run that throws ends with an error event and the reason', async () => {
  const startRun: StartRun = async function* () {
    yield { type: 'turn-start', turn: 1 }
    throw new AppError('model-unavailable', 'Nothing answers at localhost; start the server.')
  }
  const session = await newSession({ startRun })

  const events = await promptToEnd(session, 'go')

  expect(events.slice(2)).toMatchObject([
    { type: 'error', code: 'model-unavailable', message: 'Nothing answers at localhost; start the server.' },
    { type: 'run-end', reason: 'error', turns: 1, report: 'Nothing answers at localhost; start the server.' },
  ])
  expect(await promptToEnd(session, 'again')).toHaveLength(4)
  await session.close()
})

test('a message that breaks the rules of a conversation ends the run, not the session', async () => {
  const session = await newSession({ startRun: playing({ type: 'message', message: result('unknown') }) })

  const events = await promptToEnd(session, 'go')

  expect(events.at(-2)).toMatchObject({ type: 'error', code: 'request-invalid' })
  expect(await session.history()).toEqual([{ role: 'user', text: 'go' }])
  await session.close()
})

test('what the loop leaves running is aborted when a message cannot be kept', async () => {
  let wasAborted = false
  const startRun: StartRun = async function* (input, signal) {
    signal.addEventListener('abort', () => (wasAborted = true))
    yield { type: 'message', message: result('unknown') }
    return endOf(input.runId)
  }
  const session = await newSession({ startRun })

  await promptToEnd(session, 'go')

  expect(wasAborted).toBe(true)
  await session.close()
})

test('exec output goes to the buffer, and a failed request gives it back', async () => {
  const calls: string[] = []
  const execOutput = {
    add: (text: string) => void calls.push(`add ${text}`),
    reset: () => void calls.push('reset'),
    giveBack: () => void calls.push('give back'),
  }
  const fails: StartRun = async function* () {
    throw new AppError('model-unavailable', 'no server')
  }
  const session = await newSession({ execOutput, startRun: fails })

  await session.command('exec-output', 'a.txt')
  await promptToEnd(session, 'go')
  await session.command('reset-exec-output')

  expect(calls).toEqual(['add a.txt', 'give back', 'reset'])
  await session.close()
})

test('compact waits for the run, replaces the conversation and survives a resume', async () => {
  const store = testStore(await newFolder())
  const digest: Message = { role: 'user', text: 'Digest.', origin: 'digest' }
  const event = { type: 'compaction', stage: 'digest', before: 900, after: 100, window: 4096 } as const
  const session = await runSession(await store.create(start), {
    compact: async (history) => ({ messages: [digest, ...history.slice(-1)], event }),
  })
  await session.prompt('one')

  await session.command('compact')

  const compacted = [digest, assistant('Done.')]
  expect(await session.history()).toEqual(compacted)
  expect((await closeAndRead(session)).at(-1)).toMatchObject(event)
  expect((await store.read(session.id)).messages).toEqual(compacted)
})

test('a compaction inside a run replaces the conversation', async () => {
  const digest: Message = { role: 'user', text: 'Digest.', origin: 'digest' }
  const session = await newSession({
    startRun: playing({ type: 'history', messages: [digest] }, ...turn(1, assistant('Done.'))),
  })

  await promptToEnd(session, 'go')

  expect(await session.history()).toEqual([digest, assistant('Done.')])
  await session.close()
})

test('an empty prompt is refused before anything is kept', async () => {
  const session = await newSession()

  await expect(session.prompt(' \n')).rejects.toThrow('The prompt is empty')
  await expect(session.prompt([])).rejects.toThrow('The prompt is empty')

  expect(await closeAndRead(session)).toEqual([])
})

test('a closed session takes no prompts', async () => {
  const session = await newSession()

  await session.close()
  await session.close()

  await expect(session.prompt('go')).rejects.toThrow('is closed')
})

test('a prompt that is being kept while the session closes is not accepted', async () => {
  const session = await newSession()

  const [accepted] = await Promise.allSettled([session.prompt('go'), session.close()])

  expect(accepted).toMatchObject({ status: 'rejected', reason: { code: 'request-invalid' } })
})

test('closing twice waits for the same end, and frees the session even where something cannot be ended', async () => {
  const folder = await newFolder()
  const store = testStore(folder)
  const session = await runSession(await store.create(start), {
    onClose: () => Promise.reject(new Error('a server that does not end')),
  })
  await promptToEnd(session, 'go')

  const ends = await Promise.allSettled([session.close(), session.close()])

  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  const resumed = await store.open(session.id, start)
  await resumed.close()
})

test('cancel reaches a prompt that waits to be composed', async () => {
  const composing = createChannel<string>()
  const session = await newSession({
    compose: (prompt, _run, signal) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
        composing.push(prompt)
      }),
  })
  const { runId } = await session.prompt('go')
  await composing[Symbol.asyncIterator]().next()

  await session.cancel()

  expect(await closeAndRead(session)).toMatchObject([
    { type: 'run-start' },
    { type: 'run-end', runId, reason: 'cancelled' },
  ])
})

const asking: StartRun = async function* (input, signal) {
  const answer = await input.askPermission(
    { call: call('c1', 'run_command'), access: [{ kind: 'run', target: 'rm a' }], why: 'it deletes' },
    signal,
  )
  const name = await input.askQuestion({ question: 'Which?', options: ['a', 'b'] }, signal).catch(String)
  return yield* answering(`${JSON.stringify(answer)} ${name}`)(input, signal)
}

test('permissions and questions wait for the first answer', async () => {
  const session = await newSession({ startRun: asking })
  const events = session.events({ signal: new AbortController().signal })
  const { runId } = await session.prompt('go')

  const seen: SessionEvent[] = []
  for await (const event of events) {
    seen.push(event)
    if (event.type === 'permission-ask') {
      await expect(session.answer(event.askId, { text: 'b' })).rejects.toThrow('cannot be answered with that')
      await session.answer(event.askId, { allow: true, remember: true })
      await expect(session.answer(event.askId, { allow: false })).rejects.toThrow('Nothing waits for')
    }
    if (event.type === 'question-ask') await session.answer(event.askId, { text: 'b' })
    if (event.type === 'run-end' && event.runId === runId) break
  }

  expect((await session.history()).at(-1)?.text).toBe('{"allow":true,"remember":true} b')
  expect(types(seen).slice(1, 5)).toEqual([
    'permission-ask',
    'permission-answer',
    'question-ask',
    'question-answer',
  ])
  await session.close()
})

test('with no one to ask the answer is no, with the reason', async () => {
  const session = await newSession({ startRun: asking, denial: 'No one to ask; use --permission.' })

  await promptToEnd(session, 'go')

  expect((await session.history()).at(-1)?.text).toBe(
    '{"allow":false,"reason":"it deletes. No one to ask; use --permission."} AppError: No one to ask; use --permission.',
  )
  await session.close()
})

test('a question ends with its run', async () => {
  const session = await newSession({ startRun: asking })
  const events = session.events({ signal: new AbortController().signal })
  await session.prompt('go')
  let askId = ''
  for await (const event of events) {
    if (event.type !== 'permission-ask') continue
    askId = event.askId
    break
  }

  await session.cancel()

  await expect(session.answer(askId, { allow: true })).rejects.toThrow('Nothing waits for')
  await session.close()
})

test('what happens beside the loop is published in order, and nothing after its end', async () => {
  let publish: (event: RunEvent) => void = () => {}
  const session = await newSession({
    startRun: async function* (input, signal) {
      publish = (event) => input.publish(event)
      publish({ type: 'tool-output', callId: 'c1', text: 'live' })
      return yield* answering('Done.')(input, signal)
    },
  })

  const events = await promptToEnd(session, 'go')
  publish({ type: 'warning', message: 'too late' })

  expect(types(events)).toEqual(['run-start', 'tool-output', 'turn-start', 'turn-end', 'run-end'])
  expect(types(await closeAndRead(session))).not.toContain('warning')
})

test('kept events come back after `after`, turn-ends whole, passing pieces left out', async () => {
  const events: LoopEvent[] = [
    { type: 'routing', arm: 'nano', why: 'small', window: 4096 },
    { type: 'text-delta', text: 'Do' },
    { type: 'text-delta', text: 'ne.' },
    ...turn(1, assistant('', call('c1')), result('c1')),
    ...turn(2, assistant('Done.')),
  ]
  const store = testStore(await newFolder())
  const session = await runSession(await store.create(start), { startRun: playing(...events) })
  const live = await promptToEnd(session, 'go')
  await session.close()

  const resumed = await runSession(await store.open(session.id, start))

  const kept = live.filter(({ type }) => type !== 'text-delta')
  expect(await closeAndRead(resumed)).toEqual(kept)
  const again = await runSession(await store.open(session.id, start))
  expect(await closeAndRead(again, 5)).toEqual(kept.filter(({ id }) => id > 5))
})

test('in memory the same conversation leaves nothing on disk', async () => {
  const store = testStore()
  const session = await runSession(await store.create(start))

  const live = await promptToEnd(session, 'go')

  expect(await closeAndRead(session)).toEqual(live)
  const resumed = await runSession(await store.open(session.id, start))
  expect(await resumed.history()).toEqual([{ role: 'user', text: 'go' }, assistant('Done.')])
  await resumed.close()
})
