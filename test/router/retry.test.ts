import { expect, test } from 'vitest'
import { AppError } from '../../src/protocol/error.ts'
import type { Model } from '../../src/protocol/model.ts'
import { fails, says, scriptedModel } from '../../src/provider/scripted.ts'
import { withRetry, type RetryOptions } from '../../src/router/retry.ts'
import { ask, askInVain, joined, modelAt, readFileSchema, request, serve } from '../provider/ask.ts'

/** Time does not pass: what would have been slept is written down. */
function retrying(model: Model, options: Partial<RetryOptions> = {}) {
  const slept: number[] = []
  const patient = withRetry(model, {
    sleep: async (ms) => void slept.push(ms),
    random: () => 0,
    ...options,
  })
  return { model: patient, slept }
}

const busy = () => new AppError('rate-limited', 'slow down', { status: 429 })
const broken = (message = 'it broke') => new AppError('model-unavailable', message, { status: 500 })

test('429 and then success: the wait is reported, the answer follows', async () => {
  const server = await serve([
    { status: 429, body: { error: { message: 'slow down' } }, headers: { 'retry-after': '3' } },
    { text: 'Hello.' },
  ])
  const { model, slept } = retrying(modelAt(server.url))

  const events = await ask(model)

  expect(slept).toEqual([3000])
  expect(joined(events)).toEqual([
    {
      type: 'retry',
      attempt: 1,
      delayMs: 3000,
      why: `test-arm: ${server.url}/chat/completions answered 429: slow down. Wait a little, or use another model.`,
    },
    { type: 'text-delta', text: 'Hello.' },
    { type: 'finish', reason: 'stop' },
  ])
})

test('500 five times: four more tries, then the first error with what was tried', async () => {
  const server = await serve(
    [
      { status: 500, body: 'first' },
      { status: 500, body: 'later' },
    ],
    { repeatLast: true },
  )
  const { model, slept } = retrying(modelAt(server.url))

  const failure = await askInVain(model)

  expect(slept).toEqual([1000, 2000, 4000, 8000])
  expect(server.requests.length).toBe(5)
  expect(failure).toMatchObject({ code: 'model-unavailable', details: { status: 500 } })
  expect(failure.message).toMatch(/answered 500: first\..* Tried 5 times in 15 s\.$/)
})

test('a server that loads its model is waited for, as long as it takes, and it counts as no failure', async () => {
  const loading = { status: 503, body: { error: { code: 503, message: 'Loading model' } } }
  const server = await serve([...Array.from({ length: 12 }, () => loading), { text: 'Ready.' }])
  const { model, slept } = retrying(modelAt(server.url))

  const events = await ask(model)

  expect(slept).toEqual(Array.from({ length: 12 }, () => 2000))
  expect(events.filter(({ type }) => type === 'retry').length).toBe(12)
  expect(events).toContainEqual(says('Ready.'))
})

test('a server that never finishes loading is given up', async () => {
  const server = await serve([{ status: 503, body: { error: { message: 'Loading model' } } }], {
    repeatLast: true,
  })
  const { model, slept } = retrying(modelAt(server.url), { loadingMs: 10_000 })

  const failure = await askInVain(model)

  expect(slept.length).toBe(5)
  expect(failure).toMatchObject({ code: 'model-unavailable', details: { loading: true } })
  expect(failure.message).toContain('It is loading its model. Waited for 10 s.')
})

test('a stream cut in a call is asked for again, and what was shown is void', async () => {
  const call = { id: 'a', name: 'read_file', arguments: { path: 'a.txt' } }
  const server = await serve([
    { text: 'Reading the file now.', calls: [call], fault: 'reset' },
    { text: 'Reading.', calls: [call] },
  ])
  const { model } = retrying(modelAt(server.url))

  const events = await ask(model, request({ tools: [readFileSchema] }))

  expect(joined(events).map(({ type }) => type)).toEqual([
    'text-delta',
    'reply-restart',
    'retry',
    'text-delta',
    'tool-call',
    'finish',
  ])
})

test.each([
  ['a wrong key', { status: 401, body: { error: { message: 'no' } } }, 'credential'],
  ['a bad request', { status: 400, body: { error: { message: 'no' } } }, 'request-invalid'],
  ['413', { status: 413, body: 'too large' }, 'context-overflow'],
  [
    'a tool call the server could not parse',
    { status: 500, body: { error: { message: 'Failed to parse input at pos 3' } } },
    'model-unavailable',
  ],
  ['HTML', { status: 200, body: '<html>', headers: { 'content-type': 'text/html' } }, 'model-unavailable'],
] as const)('%s fails at once', async (_what, reply, code) => {
  const server = await serve([reply, { text: 'never asked' }])
  const { model, slept } = retrying(modelAt(server.url))

  const failure = await askInVain(model)

  expect(failure.code).toBe(code)
  expect(slept).toEqual([])
  expect(server.requests.length).toBe(1)
})

test('an error that asking again does not heal ends the tries', async () => {
  const { model, slept } = retrying(
    scriptedModel([fails(broken())], [fails(new AppError('credential', 'the key expired'))]),
  )

  const failure = await askInVain(model)

  expect(slept).toEqual([1000])
  expect(failure).toMatchObject({ code: 'credential', message: 'the key expired' })
})

test.each([
  [29_999, 29_999],
  [30_000, 1000],
])('a Retry-After of %i ms makes the first delay %i ms', async (retryAfterMs, delay) => {
  const later = new AppError('rate-limited', 'later', { status: 429, retryAfterMs })
  const { model, slept } = retrying(scriptedModel([fails(later)], [fails(later)], [says('ok')]))

  await ask(model)

  expect(slept).toEqual([delay, 2000])
})

test('delays are stretched by chance, up to a quarter', async () => {
  const { model, slept } = retrying(scriptedModel([fails(busy())], [fails(busy())], [says('ok')]), {
    random: () => 1,
  })

  await ask(model)

  expect(slept).toEqual([1250, 2500])
})

test('a cancel during the wait ends it at once', async () => {
  const cancel = new AbortController()
  const { model } = retrying(scriptedModel([fails(broken())], [says('never')]), {
    sleep: (_ms, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')))
        cancel.abort()
      }),
  })

  const events = await ask(model, request(), cancel.signal)

  expect(events).toEqual([{ type: 'retry', attempt: 1, delayMs: 1000, why: 'it broke' }])
})

test('the delays can be set', async () => {
  const { model, slept } = retrying(scriptedModel([fails(broken('one'))], [fails(broken('two'))]), {
    delays: [5],
  })

  const failure = await askInVain(model)

  expect(slept).toEqual([5])
  expect(failure.message).toBe('one Tried 2 times in 0 s.')
})

test('where another arm can be asked a failure is not waited out; a server that loads still is', async () => {
  const loading = new AppError('model-unavailable', 'loading', { status: 503, loading: true })
  const { model, slept } = retrying(scriptedModel([fails(loading)], [fails(busy())]), {
    hasOther: () => true,
  })

  const failure = await askInVain(model)

  expect(slept).toEqual([2000])
  expect(failure).toMatchObject({ code: 'rate-limited', message: 'slow down' })
})

test('a server that loads its model is shown as loading, not as failing', async () => {
  const loading = new AppError('model-unavailable', 'It is loading its model.', {
    status: 503,
    loading: true,
  })
  const { model } = retrying(scriptedModel([fails(loading)], [says('Hello.')]))

  const events = await ask(model)

  expect(events).toEqual([
    { type: 'retry', attempt: 1, delayMs: 2000, why: 'It is loading its model.' },
    { type: 'progress', stage: 'loading', total: 1 },
    { type: 'text-delta', text: 'Hello.' },
    { type: 'finish', reason: 'stop' },
  ])
})

test('a server that broke off and then refuses connections is being restarted, and is waited for', async () => {
  const refused = () => new AppError('model-unavailable', 'nothing listens', { connection: 'refused' })
  const gone = scriptedModel(
    [fails(new AppError('model-unavailable', 'it broke off'))],
    [fails(refused())],
    [says('Back.')],
  )
  const never = scriptedModel([fails(refused())], [fails(refused())], [says('Too late.')])
  const [restarted, absent] = [retrying(gone), retrying(never)]

  const events = await ask(restarted.model)
  const failure = await askInVain(absent.model)

  expect([restarted.slept, absent.slept]).toEqual([[1000, 2000], [1000]])
  expect(events.at(-1)).toEqual({ type: 'finish', reason: 'stop' })
  expect(failure.message).toContain('nothing listens')
})
