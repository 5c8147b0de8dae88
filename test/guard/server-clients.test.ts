/** A client whose token may start work, and must not allow what the work does, however it asks. */
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import type { StartRun } from '../../src/session/run.ts'
import { openSessionServer } from '../server/session-server.ts'
import { endOf } from '../session/support.ts'
import { until } from '../support/wait.ts'

/** Sends bytes as they are; what a client of HTTP would put right stays wrong. */
const raw = (port: number, text: string): Promise<string> =>
  new Promise((resolve) => {
    let heard = ''
    const socket = connect(port, '127.0.0.1', () => socket.end(text))
    socket.on('data', (data) => (heard += data.toString()))
    socket.on('error', () => resolve(heard))
    socket.on('close', () => resolve(heard))
  })

test('a token that may only start work allows nothing by any spelling of the request', async () => {
  const asked: string[] = []
  const answers: boolean[] = []
  const asking: StartRun = async function* ({ runId, askPermission }, signal) {
    const call = { id: 'c1', name: 'write_file', input: '{}' }
    asked.push(runId)
    const { allow } = await askPermission(
      { call, access: [{ kind: 'write', target: 'a.txt' }], why: 'It writes.' },
      signal,
    )
    answers.push(allow)
    return endOf(runId)
  }
  const open = await openSessionServer({ startRun: asking })
  const worker = await open.addToken('worker', ['chat', 'tools'])
  const approver = await open.addToken('approver', ['approve'])
  const created = await open.ask({ method: 'POST', path: '/v1/sessions', body: '' })
  const { id } = created.json() as { id: string }
  await open.ask({ method: 'POST', path: `/v1/sessions/${id}/prompt`, body: '{"prompt":"Write."}' })
  await until(() => asked.length > 0)
  const events = await fetch(`${open.url}/v1/sessions/${id}/events?after=0`, {
    headers: { authorization: `Bearer ${worker}` },
  })
  let told = ''
  for await (const bytes of events.body ?? []) {
    told += Buffer.from(bytes).toString()
    if (told.includes('permission-ask')) break
  }
  const askId = /"askId":"([^"]+)"/.exec(told)?.[1] ?? ''
  const body = JSON.stringify({ askId, answer: { allow: true } })
  const port = Number(new URL(open.url).port)
  const send = (line: string, headers: readonly string[] = [], text = body): Promise<string> =>
    raw(
      port,
      [
        `${line} HTTP/1.1`,
        'Host: 127.0.0.1',
        'Connection: close',
        'Content-Type: application/json',
        `Content-Length: ${Buffer.byteLength(text)}`,
        ...(headers.some((each) => /^authorization/i.test(each)) ? [] : [`Authorization: Bearer ${worker}`]),
        ...headers,
        '',
        text,
      ].join('\r\n'),
    )
  const path = `/v1/sessions/${id}/answer`

  const replies = [
    await send(`POST ${path}`),
    await send(`POST ${path}/`),
    await send(`POST /${path}`),
    await send(`POST /V1/SESSIONS/${id}/ANSWER`),
    await send(`POST /v1/sessions/${id}%2Fanswer`),
    await send(`POST /v1/sessions/x/../${id}/answer`),
    await send(`POST /v1/sessions/${id}/%61nswer`),
    await send(`PUT ${path}`),
    await send(`GET ${path}`, ['X-HTTP-Method-Override: POST', 'X-HTTP-Method: POST']),
    await send(`POST /v1/sessions/${id}/prompt`, [`X-Original-URL: ${path}`, `X-Rewrite-URL: ${path}`]),
    await send(`POST ${path}?token=${worker}&scope=approve`, ['X-Covey-Scope: approve']),
    await send(`POST ${path}`, [`Authorization: Bearer ${worker}, Bearer ${approver}x`]),
    await send(`POST ${path}`, [`X-Api-Key: ${worker}`, 'X-Forwarded-For: 127.0.0.1']),
    await send(`POST /v1/sessions/${id}/command`, [], `{"name":"answer","argument":${JSON.stringify(body)}}`),
    await send(
      `POST /v1/sessions/${id}/prompt`,
      [],
      `{"prompt":"x","options":{"allow":true,"answer":${body}}}`,
    ),
  ]

  expect(replies.filter((reply) => /"ok":true/.test(reply))).toEqual([])
  expect(answers).toEqual([])
  const allowed = await send(`POST ${path}`, [`Authorization: Bearer ${approver}`])
  await until(() => answers.length > 0)
  expect([allowed.includes('"ok":true'), answers]).toEqual([true, [true]])
})
