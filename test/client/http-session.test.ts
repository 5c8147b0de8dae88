/** A session on a server, used like one in this process. */
import { describe, expect, test } from 'vitest'
import { promptAndWatch } from '../../src/cli/watch.ts'
import type { LineState } from '../../src/client/events.ts'
import { createHttpSession } from '../../src/client/http-session.ts'
import type { SessionEvent } from '../../src/protocol/event.ts'
import type { StartRun } from '../../src/session/run.ts'
import { endOf } from '../session/support.ts'
import { openSessionServer, pieces, unending } from '../server/session-server.ts'
import { openTestServer, tempFolder } from '../server/support.ts'
import { until } from '../support/wait.ts'
import { watchThroughCuts } from './reconnect.ts'
import { collectRun, quick } from './support.ts'

test('a session is released where its server is gone', async () => {
  const open = await openSessionServer()
  const session = await createHttpSession({ baseUrl: open.url, token: open.token })
  await open.server.close()

  await expect(session.close()).resolves.toBeUndefined()
})

test('a server that does not come back is given up after so many tries, each of them told', async () => {
  const open = await openSessionServer()
  const states: LineState[] = []
  const session = await createHttpSession({
    baseUrl: open.url,
    token: open.token,
    reconnect: { attempts: 4, delayMs: (attempt) => attempt + 1 },
    onLine: (state) => void states.push(state),
  })
  await open.server.close()

  const watching = collectRun(session.events({ signal: new AbortController().signal }), 'none')

  await expect(watching).rejects.toThrow(
    /cannot be reached .* Given up after 3 tries; what was said is kept there\.$/,
  )
  expect(
    states.map((state) => state.type === 'lost' && [state.attempt, state.attempts, state.delayMs]),
  ).toEqual([
    [1, 3, 1],
    [2, 3, 2],
    [3, 3, 3],
  ])
})

describe('a remote session', () => {
  test('is prompted and watched from the first event to the last', async () => {
    const open = await openSessionServer()
    const session = await createHttpSession({ baseUrl: `${open.url}/`, token: open.token })
    const shown: SessionEvent[] = []

    const end = await promptAndWatch({
      session,
      prompt: 'Do it.',
      show: (event) => void shown.push(event),
      signal: new AbortController().signal,
    })

    expect(end.reason).toBe('answered')
    expect(shown.map(({ id }) => id)).toEqual(shown.map((_, index) => index + 1))
    expect(await session.history()).toHaveLength(2)
    expect(await session.list()).toMatchObject([{ id: session.id, title: 'Do it.' }])
  })

  test('answers what it is asked, and is cancelled like any other', async () => {
    const asking: StartRun = async function* ({ runId, askQuestion }, signal) {
      const text = await askQuestion({ question: 'Which one?' }, signal)
      yield { type: 'warning', message: `It was ${text}.` }
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
      return endOf(runId)
    }
    const open = await openSessionServer({ startRun: asking })
    const session = await createHttpSession({ baseUrl: open.url, token: open.token })
    const cancelled = new AbortController()
    const warnings: string[] = []

    const end = await promptAndWatch({
      session,
      prompt: 'Ask me.',
      show: (event) => {
        if (event.type === 'question-ask') void session.answer(event.askId, { text: 'the left' })
        if (event.type === 'warning') {
          warnings.push(event.message)
          cancelled.abort()
        }
      },
      signal: cancelled.signal,
    })

    expect([end.reason, warnings]).toEqual(['cancelled', ['It was the left.']])
  })

  test('goes on with a session by its id, and gives it free', async () => {
    const open = await openSessionServer()
    const first = await createHttpSession({ baseUrl: open.url, token: open.token })
    await first.command('exec-output', '$ ls')
    await promptAndWatch({
      session: first,
      prompt: 'One.',
      show: () => {},
      signal: new AbortController().signal,
    })
    await first.close()

    const second = await createHttpSession({ baseUrl: open.url, token: open.token, id: first.id })
    const history = await second.history()
    await second.close()
    await second.close()

    expect(history).toMatchObject([{ text: 'One.' }, { role: 'assistant' }])
    expect(open.service.holds(first.id)).toBe(false)
  })

  test('says in words what is wrong: no server, no token, no such session', async () => {
    const open = await openSessionServer()
    const signal = new AbortController().signal

    const unreachable = createHttpSession({ baseUrl: 'http://127.0.0.1:9', token: 'x' })
    const unknown = createHttpSession({ baseUrl: open.url, token: 'covey_wrong' })
    const missing = await createHttpSession({ baseUrl: open.url, token: open.token, id: 'none' })

    await expect(unreachable).rejects.toMatchObject({
      code: 'model-unavailable',
      message: expect.stringContaining('start it with `covey serve`'),
    })
    await expect(unknown).rejects.toMatchObject({
      code: 'credential',
      message: expect.stringContaining('COVEY_TOKEN'),
    })
    await expect(missing.history()).rejects.toMatchObject({ code: 'session-unknown' })
    await expect(collectRun(missing.events({ signal }), 'none')).rejects.toMatchObject({
      code: 'session-unknown',
    })
  })

  test('never takes its token to another address', async () => {
    const seen: unknown[] = []
    const thief = await openTestServer([], { audit: (entry) => void seen.push(entry) })
    const { createServer } = await import('node:http')
    const redirecting = createServer((_, response) => response.writeHead(307, { location: thief.url }).end())
    await new Promise<void>((resolve) => redirecting.listen(0, '127.0.0.1', resolve))
    const address = redirecting.address() as { port: number }

    await expect(
      createHttpSession({ baseUrl: `http://127.0.0.1:${address.port}`, token: 'covey_secret' }),
    ).rejects.toThrow('cannot be reached')

    redirecting.close()
    expect(seen).toEqual([])
  })
})

describe('events', () => {
  test('come once and in order through a line that is cut', async () => {
    let cuts = 0
    for (let offset = 200; offset < 6_000; offset += 190) cuts += await watchThroughCuts(offset)

    expect(cuts).toBeGreaterThan(30)
  })

  test('go on when the server was away', async () => {
    const folder = await tempFolder()
    const first = await openSessionServer({ folder, startRun: unending(pieces(3)) })
    const session = await createHttpSession({ baseUrl: first.url, token: first.token, reconnect: quick })
    const stop = new AbortController()
    const events = session.events({ signal: stop.signal })
    const { runId } = await session.prompt('Do it.')

    await first.server.close()
    const second = await openSessionServer({ folder, server: { tokens: first.tokens }, port: first.port })
    const seen = await collectRun(events, runId)
    stop.abort()

    expect(second.port).toBe(first.port)
    expect(seen.at(0)).toMatchObject({ type: 'run-start', id: 1 })
    expect(seen.at(-1)).toMatchObject({ type: 'run-end', reason: 'cancelled' })
    expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length)
  })

  test('end when the reader stops', async () => {
    const open = await openSessionServer()
    const session = await createHttpSession({ baseUrl: open.url, token: open.token })
    const stop = new AbortController()
    const reading = collectRun(session.events({ signal: stop.signal }), 'never')

    stop.abort()

    expect(await reading).toEqual([])
  })

  test('end with the session', async () => {
    const open = await openSessionServer()
    const session = await createHttpSession({ baseUrl: open.url, token: open.token })
    await promptAndWatch({ session, prompt: 'One.', show: () => {}, signal: new AbortController().signal })
    const reading = collectRun(session.events({ after: 0, signal: new AbortController().signal }), 'never')
    await until(() => open.logged().includes('events'))

    await session.close()

    expect((await reading).at(-1)).toMatchObject({ type: 'run-end' })
  })
})
