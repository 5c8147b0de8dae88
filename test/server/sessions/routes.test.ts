/** SessionApi over HTTP, with real sessions: the same events, and nothing lost after a reconnect. */
import { describe, expect, test } from 'vitest'
import { createParser } from 'eventsource-parser'
import { errorSchemas } from '../../../src/server/admin/openapi.ts'
import type { StartRun } from '../../../src/session/run.ts'
import { endOf, start, testStore } from '../../session/support.ts'
import { openSessionServer, pieces, type SessionServer, unending } from '../session-server.ts'
import { tempFolder } from '../support.ts'
import { until } from '../../support/wait.ts'

type Told = { readonly id?: string | undefined; readonly event?: string | undefined; readonly data: string }

const post = (open: SessionServer, path: string, body?: unknown) =>
  open.ask({ method: 'POST', path, body: body === undefined ? '' : JSON.stringify(body) })

async function create(open: SessionServer): Promise<string> {
  const reply = await post(open, '/v1/sessions')
  expect(reply.status).toBe(201)
  return (reply.json() as { id: string }).id
}

type Enough = (told: readonly Told[]) => boolean

const runEnded: Enough = (told) => told.some(({ data }) => data.includes('"run-end"'))

/** Connected when it returns; `told` reads until there is enough. */
async function connect(open: SessionServer, path: string, headers: Record<string, string> = {}) {
  const stop = new AbortController()
  const response = await fetch(`${open.url}${path}`, {
    headers: { 'x-api-key': open.token, ...headers },
    signal: stop.signal,
  })
  expect(response.status).toBe(200)
  return {
    async told(enough: Enough = runEnded): Promise<readonly Told[]> {
      const told: Told[] = []
      const parser = createParser({ onEvent: ({ id, event, data }) => void told.push({ id, event, data }) })
      for await (const bytes of response.body!) {
        parser.feed(Buffer.from(bytes).toString('utf8'))
        if (enough(told)) break
      }
      stop.abort()
      return told
    },
  }
}

const follow = async (open: SessionServer, path: string, headers?: Record<string, string>, enough?: Enough) =>
  (await connect(open, path, headers)).told(enough)

const real = (told: readonly Told[]) => told.filter(({ event }) => event === undefined)

describe('a session over HTTP', () => {
  test('is created, prompted, watched, read, listed and closed', async () => {
    const open = await openSessionServer()
    const id = await create(open)
    const watching = await connect(open, `/v1/sessions/${id}/events`)

    const prompted = await post(open, `/v1/sessions/${id}/prompt`, { prompt: 'Do it.' })
    const { runId } = prompted.json() as { runId: string }
    const events = (await watching.told())
      .slice(1)
      .map(({ data }) => JSON.parse(data) as { type: string; id: number })
    const history = await open.ask({ path: `/v1/sessions/${id}` })
    const list = await open.ask({ path: '/v1/sessions' })
    const closed = await open.ask({ method: 'DELETE', path: `/v1/sessions/${id}` })
    const again = await open.ask({ method: 'DELETE', path: `/v1/sessions/${id}` })

    expect(prompted.status).toBe(202)
    expect(events.at(0)).toMatchObject({ type: 'run-start', runId, prompt: 'Do it.' })
    expect(events.at(-1)).toMatchObject({ type: 'run-end', runId, reason: 'answered' })
    expect(events.map((event) => event.id)).toEqual(events.map((_, index) => index + 1))
    expect(history.json()).toEqual({
      id,
      messages: [
        { role: 'user', text: 'Do it.' },
        { role: 'assistant', text: 'All done.', calls: [] },
      ],
      last: events.at(-1)?.id,
    })
    expect(list.json()).toMatchObject({ object: 'list', data: [{ id, isOpen: true }] })
    expect([closed.status, again.status]).toEqual([200, 404])
  })

  test('a prompt that is sent again under its key is the same run, also for a server started anew', async () => {
    const folder = await tempFolder()
    const first = await openSessionServer({ folder })
    const id = await create(first)
    const path = `/v1/sessions/${id}/prompt`
    const body = { prompt: 'Do it.', options: { key: 'a-key-of-a-page' } }

    const sent = await Promise.all([post(first, path, body), post(first, path, body)])
    await follow(first, `/v1/sessions/${id}/events?after=0`)
    await first.server.close()
    const second = await openSessionServer({ folder })
    const later = await post(second, path, body)
    const other = await post(second, path, { ...body, prompt: 'Do something else.' })
    const malformed = await post(second, path, { ...body, options: { key: 'a b' } })
    const history = (await second.ask({ path: `/v1/sessions/${id}` })).json() as { messages: unknown[] }

    const replies = [...sent, later].map((reply) => reply.json() as { runId: string })
    expect(new Set(replies.map(({ runId }) => runId)).size).toBe(1)
    expect(later.json()).toEqual({ runId: replies[0]?.runId, isRepeated: true })
    expect([later.status, other.status, malformed.status]).toEqual([202, 409, 400])
    expect(history.messages).toHaveLength(2)
  })

  test('a repeated prompt does not keep a session from being released', async () => {
    const open = await openSessionServer({ service: { idleMs: 200, lookEveryMs: 5 } })
    const id = await create(open)
    const body = { prompt: 'Do it.', options: { key: 'a-key-of-a-page' } }
    await post(open, `/v1/sessions/${id}/prompt`, body)
    await post(open, `/v1/sessions/${id}/prompt`, body)

    await until(() => !open.service.holds(id))
  })

  test('every reply is what its route says it is', async () => {
    const open = await openSessionServer()
    const id = await create(open)
    await post(open, `/v1/sessions/${id}/prompt`, { prompt: 'Do it.' })
    const bodies: Record<string, unknown> = {
      '/v1/sessions/:id/prompt': { prompt: 'More.' },
      '/v1/sessions/:id/command': { name: 'compact' },
    }

    for (const route of open.server.routes.filter(({ reply, path }) => reply && !path.endsWith('answer'))) {
      const body = route.method === 'POST' ? { body: JSON.stringify(bodies[route.path] ?? {}) } : {}
      const reply = await open.ask({ method: route.method, path: route.path.replace(':id', id), ...body })

      expect([route.path, reply.status < 300]).toEqual([route.path, true])
      expect(route.reply!.parse(reply.json())).toEqual(reply.json())
    }
  })

  test.each([
    ['GET', '/v1/sessions/unknown', undefined, 404],
    ['GET', '/v1/sessions/..%2f..%2fetc', undefined, 404],
    ['GET', '/v1/sessions/..', undefined, 404],
    ['GET', `/v1/sessions/${'x'.repeat(200)}`, undefined, 404],
    ['GET', '/v1/sessions/unknown/events', undefined, 404],
    ['GET', '/v1/sessions/ID/events?after=-1', undefined, 400],
    ['GET', '/v1/sessions/ID/events?after=1e3', undefined, 400],
    ['POST', '/v1/sessions/ID/prompt', {}, 400],
    ['POST', '/v1/sessions/ID/prompt', { prompt: ' ' }, 400],
    ['POST', '/v1/sessions/ID/prompt', { prompt: [{ role: 'assistant', text: 'x' }] }, 400],
    ['POST', '/v1/sessions/ID/answer', { askId: 'a', answer: { allow: true } }, 400],
    ['POST', '/v1/sessions/ID/answer', { askId: 'a', answer: { allow: 'yes' } }, 400],
    ['POST', '/v1/sessions/ID/command', { name: 'rm -rf' }, 400],
  ] as const)('%s %s %j is refused', async (method, path, body, status) => {
    const open = await openSessionServer()
    const id = await create(open)

    const reply = await open.ask({
      method,
      path: path.replace('ID', id),
      ...(body && { body: JSON.stringify(body) }),
    })

    expect(reply.status).toBe(status)
    errorSchemas.openai.parse(reply.json())
  })

  test('a question is answered over HTTP, and the yes is in the audit before it counts', async () => {
    const asking: StartRun = async function* ({ runId, askPermission }, signal) {
      const callOf = { id: 'c1', name: 'write_file', input: '{}' }
      await askPermission(
        { call: callOf, access: [{ kind: 'write', target: 'a.txt' }], why: 'It writes.' },
        signal,
      )
      return endOf(runId)
    }
    const open = await openSessionServer({ startRun: asking })
    const id = await create(open)
    await post(open, `/v1/sessions/${id}/prompt`, { prompt: 'Write.' })
    const asked = await follow(open, `/v1/sessions/${id}/events?after=0`, {}, (told) =>
      told.some(({ data }) => data.includes('permission-ask')),
    )
    const { askId } = JSON.parse(real(asked).at(-1)!.data) as { askId: string }

    const answered = await post(open, `/v1/sessions/${id}/answer`, { askId, answer: { allow: true } })
    const events = await follow(open, `/v1/sessions/${id}/events?after=0`)

    const repeated = await post(open, `/v1/sessions/${id}/answer`, { askId, answer: { allow: true } })
    const other = await post(open, `/v1/sessions/${id}/answer`, { askId, answer: { allow: false } })

    expect(answered.json()).toEqual({ ok: true })
    expect([repeated.status, other.status]).toEqual([200, 400])
    expect(open.audit.slice(0, 1)).toEqual([
      {
        what: 'approved',
        client: 'tester',
        route: '/v1/sessions/:id/answer',
        why: `${askId} of session ${id}`,
      },
    ])
    expect(real(events).at(-1)?.data).toContain('"answered"')
  })

  test('a token that may only start work cannot allow what it does', async () => {
    const open = await openSessionServer()
    const id = await create(open)
    const worker = await open.addToken('worker', ['chat', 'tools'])
    const approver = await open.addToken('approver', ['approve'])
    const answerAs = (token: string) =>
      open.ask({
        method: 'POST',
        path: `/v1/sessions/${id}/answer`,
        headers: { authorization: `Bearer ${token}` },
        body: JSON.stringify({ askId: 'a', answer: { allow: true } }),
      })

    const own = await answerAs(worker)
    const other = await answerAs(approver)

    expect([own.status, own.text]).toEqual([403, expect.stringContaining('--scope approve')])
    // It passes the lock and finds that nothing was asked.
    expect([other.status, other.text]).toEqual([400, expect.not.stringContaining('scope')])
  })

  test('cancelling ends the run', async () => {
    const open = await openSessionServer({ startRun: unending([]) })
    const id = await create(open)
    await post(open, `/v1/sessions/${id}/prompt`, { prompt: 'Wait.' })

    const cancelled = await post(open, `/v1/sessions/${id}/cancel`)
    const events = await follow(open, `/v1/sessions/${id}/events?after=0`)

    expect(cancelled.status).toBe(200)
    expect(real(events).at(-1)?.data).toContain('"cancelled"')
  })
})

describe('a client that reconnects', () => {
  test('gets exactly what came after the last event they saw, pieces of text included', async () => {
    const open = await openSessionServer()
    const id = await create(open)
    await post(open, `/v1/sessions/${id}/prompt`, { prompt: 'Do it.' })
    const all = real(await follow(open, `/v1/sessions/${id}/events?after=0`))

    for (const [index, { id: last }] of all.slice(0, -1).entries()) {
      const rest = await follow(open, `/v1/sessions/${id}/events?after=0`, { 'last-event-id': String(last) })

      expect(real(rest)).toEqual(all.slice(index + 1))
    }

    expect(all).toHaveLength(all.at(-1)?.id === undefined ? 0 : Number(all.at(-1)!.id))
  })

  test('after a restart gets all that was kept', async () => {
    const folder = await tempFolder()
    const first = await openSessionServer({ folder })
    const id = await create(first)
    await post(first, `/v1/sessions/${id}/prompt`, { prompt: 'Do it.' })
    const all = real(await follow(first, `/v1/sessions/${id}/events?after=0`))
    await first.server.close()

    const second = await openSessionServer({ folder })
    const rest = await follow(second, `/v1/sessions/${id}/events`, { 'last-event-id': '2' })

    expect(real(rest)).toEqual(all.slice(2).filter(({ data }) => !data.includes('text-delta')))
  })

  test('after a restart gets what was kept, and the pieces of text of the run that goes on', async () => {
    const folder = await tempFolder()
    const first = await openSessionServer({ folder })
    const id = await create(first)
    await post(first, `/v1/sessions/${id}/prompt`, { prompt: 'Do it.' })
    const before = real(await follow(first, `/v1/sessions/${id}/events?after=0`))
    await first.server.close()
    const kept = before.filter(({ data }) => !data.includes('text-delta'))

    const second = await openSessionServer({ folder })
    const watching = await connect(second, `/v1/sessions/${id}/events`)
    await post(second, `/v1/sessions/${id}/prompt`, { prompt: 'Again.' })
    const live = real(await watching.told())
    const whole = await follow(second, `/v1/sessions/${id}/events?after=0`, {}, (told) =>
      told.some((one) => one.id === live.at(-1)?.id),
    )

    expect(live.some(({ data }) => data.includes('text-delta'))).toBe(true)
    expect(real(whole)).toEqual([...kept, ...live])
  })

  test('is served from the log when the last minutes are too long for memory', async () => {
    const long: StartRun = async function* ({ runId }) {
      for (let index = 0; index < 40; index++) {
        yield { type: 'warning', message: 'x'.repeat(50_000) }
        yield* pieces(2)
      }
      return endOf(runId)
    }
    const open = await openSessionServer({ startRun: long })
    const id = await create(open)
    await post(open, `/v1/sessions/${id}/prompt`, { prompt: 'Talk.' })

    const events = real(await follow(open, `/v1/sessions/${id}/events?after=0`))

    expect(events.filter(({ data }) => data.includes('"warning"'))).toHaveLength(40)
    expect(new Set(events.map((event) => event.id)).size).toBe(events.length)
  })

  test('hears that the session was closed', async () => {
    const open = await openSessionServer()
    const id = await create(open)
    const watching = await connect(open, `/v1/sessions/${id}/events`)

    await open.ask({ method: 'DELETE', path: `/v1/sessions/${id}` })

    const told = await watching.told((all) => all.at(-1)?.event === 'end')
    expect(told.map(({ event }) => event)).toEqual(['open', 'end'])
  })
})

describe('what the server holds open', () => {
  test('is released when unused', async () => {
    const open = await openSessionServer({ service: { idleMs: 200, lookEveryMs: 5 } })
    const id = await create(open)
    await post(open, `/v1/sessions/${id}/prompt`, { prompt: 'Do it.' })

    await until(() => !open.service.holds(id))
    const stored = await testStore(open.folder).open(id, start)
    await stored.close()

    expect(stored.replay.info.id).toBe(id)
  })

  test('is not released while it is watched', async () => {
    const open = await openSessionServer({ service: { idleMs: 200, lookEveryMs: 5 } })
    const id = await create(open)
    // Kept, so that it can be opened again where this machine took longer than the session may idle.
    await post(open, `/v1/sessions/${id}/prompt`, { prompt: 'Do it.' })
    const watching = await connect(open, `/v1/sessions/${id}/events`)
    const other = await create(open)

    await until(() => !open.service.holds(other))
    expect(open.service.holds(id)).toBe(true)
    await post(open, `/v1/sessions/${id}/prompt`, { prompt: 'Still there?' })

    // Of the first run it sees what was left when it connected.
    const told = await watching.told((all) => {
      const asked = all.findIndex((one) => one.data.includes('Still there?'))
      return asked >= 0 && all.slice(asked).some((one) => one.data.includes('"run-end"'))
    })
    expect(told.at(-1)?.data).toContain('"answered"')
  })

  test('is bounded: the idlest makes room, and without an idle one the next is refused', async () => {
    const open = await openSessionServer({ startRun: unending([]), service: { maxHeld: 2 } })
    const [first, second] = [await create(open), await create(open)]
    await post(open, `/v1/sessions/${second}/prompt`, { prompt: 'Work.' })

    const third = await create(open)
    await post(open, `/v1/sessions/${third}/prompt`, { prompt: 'Work.' })
    const fourth = await post(open, '/v1/sessions')

    expect([first, second, third].map((id) => open.service.holds(id))).toEqual([false, true, true])
    expect(fourth.status).toBe(429)
  })

  test('two who ask for one session at once get the same', async () => {
    const folder = await tempFolder()
    const first = await openSessionServer({ folder })
    const id = await create(first)
    await post(first, `/v1/sessions/${id}/prompt`, { prompt: 'Do it.' })
    await first.server.close()
    const open = await openSessionServer({ folder })

    const replies = await Promise.all(
      Array.from({ length: 5 }, () => post(open, `/v1/sessions/${id}/cancel`)),
    )

    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  })
})

describe('looking at a session', () => {
  async function closedSession(options: Parameters<typeof openSessionServer>[0] = {}) {
    const folder = await tempFolder()
    const first = await openSessionServer({ folder })
    const id = await create(first)
    await post(first, `/v1/sessions/${id}/prompt`, { prompt: 'Do it.' })
    await follow(first, `/v1/sessions/${id}/events?after=0`)
    await first.server.close()
    const open = await openSessionServer({ ...options, folder })
    return { open, id, folder, viewer: await open.addToken('viewer', ['read']) }
  }

  test('opens nothing, and goes on with what happens once another client opens it', async () => {
    const { open, id, viewer } = await closedSession()
    const headers = { 'x-api-key': viewer }
    const asViewer = { headers: { authorization: `Bearer ${viewer}` } }

    const watching = await connect(open, `/v1/sessions/${id}/events?after=0`, headers)
    const history = await open.ask({ path: `/v1/sessions/${id}`, ...asViewer })
    const unknown = await open.ask({ path: '/v1/sessions/unknown/events', ...asViewer })
    const isOpened = open.service.holds(id)
    await post(open, `/v1/sessions/${id}/prompt`, { prompt: 'Again.' })
    const told = await watching.told(
      (all) => real(all).filter(({ data }) => data.includes('run-end')).length === 2,
    )
    const whole = await follow(open, `/v1/sessions/${id}/events?after=0`, {}, (all) =>
      all.some((one) => one.id === told.at(-1)?.id),
    )

    expect(isOpened).toBe(false)
    expect(unknown.status).toBe(404)
    expect(history.json()).toMatchObject({ id, messages: [{ text: 'Do it.' }, { text: 'All done.' }] })
    expect(real(told)).toEqual(real(whole))
  })

  test('shows a run that was cut as the next opening will, with the same numbers', async () => {
    const { open, id, folder, viewer } = await closedSession()
    const stored = await testStore(folder).open(id, start)
    const at = stored.replay.lastEventId
    const options = {}
    stored.log.append({ type: 'prompt', at: 1, runId: 'run-a', input: 'Cut.', options })
    stored.log.append({
      type: 'event',
      at: 1,
      id: at + 1,
      event: { type: 'run-start', runId: 'run-a', prompt: 'Cut.' },
    })
    stored.log.append({ type: 'prompt', at: 1, runId: 'run-b', input: 'Waited.', options })
    await stored.close()
    const twoEnds: Enough = (all) =>
      real(all).filter(({ data }) => data.includes('process ended')).length === 2

    const looked = await follow(
      open,
      `/v1/sessions/${id}/events?after=${at}`,
      { 'x-api-key': viewer },
      twoEnds,
    )
    const isOpened = open.service.holds(id)
    const opened = await follow(open, `/v1/sessions/${id}/events?after=${at}`, {}, twoEnds)

    expect(isOpened).toBe(false)
    expect(real(looked).map(({ data }) => (JSON.parse(data) as { type: string }).type)).toEqual([
      'run-start',
      'run-end',
      'run-start',
      'run-end',
    ])
    expect(looked).toEqual(opened)
  })
})
