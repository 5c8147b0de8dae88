/** `covey --attach URL "prompt"` prints what a run on this machine would. */
import { expect, test } from 'vitest'
import { attach } from '../../src/cli/attach.ts'
import { toRunFlags } from '../../src/cli/run/flags.ts'
import type { StartRun } from '../../src/session/run.ts'
import { endOf, playing, turn } from '../session/support.ts'
import { openSessionServer } from '../server/session-server.ts'
import { tempFolder } from '../server/support.ts'
import { cuttingProxy } from './cutting-proxy.ts'

async function runAttach(url: string, token: string, options: Record<string, unknown> = {}) {
  let out = ''
  let err = ''
  const context = {
    args: [],
    options,
    io: {
      out: (text: string) => void (out += text),
      err: (text: string) => void (err += text),
      stdin: process.stdin,
      piped: async () => undefined,
      isTty: false,
    },
    env: { COVEY_TOKEN: token },
    cwd: await tempFolder(),
    signal: new AbortController().signal,
  }
  const code = await attach(context, { url, prompt: 'What is it?', flags: toRunFlags(context) })
  return { code, out, err }
}

test('the answer is printed, and a session made for it is released', async () => {
  const startRun = playing(
    { type: 'text-delta', text: 'It is 42.' },
    ...turn(1, { role: 'assistant', text: 'It is 42.', calls: [] }),
  )
  const open = await openSessionServer({ startRun })

  const first = await runAttach(open.url, open.token)
  const [info] = await open.service.list()
  const second = await runAttach(open.url, open.token, { resumeId: info?.id, json: true })

  expect(first).toEqual({ code: 0, out: 'It is 42.\n', err: '' })
  expect(info).toMatchObject({ title: 'What is it?', isOpen: false, messages: 2 })
  expect(second.out.split('\n').at(-2)).toContain('"type":"run-end"')
  expect(open.service.holds(info!.id)).toBe(true)
})

test('the user sees that the connection broke, and when it is back', async () => {
  const open = await openSessionServer()
  const proxy = await cuttingProxy(open.port, (connection) => (connection < 2 ? 1500 : undefined))

  const { code, err } = await runAttach(proxy.url, open.token)

  expect(proxy.cuts()).toBeGreaterThan(0)
  expect(code).toBe(0)
  expect(err).toMatch(/^covey: .* Trying again in 0\.25 s \(1 of 7\)\.\n/)
  expect(err).toContain('covey: connected again.\n')
})

test('what would need a question is refused, without a user', async () => {
  const startRun: StartRun = async function* ({ runId, askPermission, askQuestion }, signal) {
    const call = { id: 'c1', name: 'write_file', input: '{}' }
    const { allow } = await askPermission({ call, access: [], why: 'It writes.' }, signal)
    const text = await askQuestion({ question: 'Really?' }, signal)
    const said = `${allow}: ${text}`
    yield { type: 'text-delta', text: said }
    yield* turn(1, { role: 'assistant', text: said, calls: [] })
    return endOf(runId)
  }
  const open = await openSessionServer({ startRun })

  const { code, out } = await runAttach(open.url, open.token)

  expect([code, out]).toEqual([0, 'false: No user is available to answer.\n'])
})

test.each([
  ['localhost:17615', {}, 'is not a URL'],
  ['http://127.0.0.1:1', { resume: true }, '--resume-id ID'],
])('%s %j is wrong usage', async (url, options, message) => {
  await expect(runAttach(url, 'x', options)).rejects.toMatchObject({
    code: 'config-invalid',
    message: expect.stringContaining(message),
  })
})
