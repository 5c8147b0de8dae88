/** Every row of docs/exit-codes.md over HTTP, with the whole program behind it. */
import { describe, expect, test } from 'vitest'
import type { AppOptions } from '../../src/app/open.ts'
import type { ScriptedServerReply } from '../support/model-server.ts'
import { modelServer, post } from './ask-served.ts'

/** One request to `covey/agent`, whose model says these things, the last one for ever. */
async function askAgent(
  replies: readonly ScriptedServerReply[],
  prompt: string,
  options: Partial<AppOptions> = {},
) {
  const upstream = await modelServer(replies)
  return post(
    { baseUrl: upstream.url, model: 'small', window: 8192, probe: false, ...options },
    { model: 'covey/agent', messages: [{ role: 'user', content: prompt }] },
  )
}

const read = { calls: [{ name: 'read_file', arguments: { path: 'a.txt' } }] }
const write = { calls: [{ name: 'write_file', arguments: { path: 'b.txt', content: 'x\n' } }] }

describe('over HTTP', () => {
  test('0: answered', async () => {
    const { status, body } = await askAgent([read, { text: 'It says hello.' }], 'What does a.txt say?')

    expect([status, body.choices?.[0]?.finish_reason]).toEqual([200, 'stop'])
  })

  test('1: an error', async () => {
    const refused = { status: 401, body: { error: { message: 'no such key' } } }

    const { status, body } = await askAgent([refused], 'What does a.txt say?')

    expect(status).toBeGreaterThanOrEqual(400)
    expect(body.error?.message).toContain('no such key')
  })

  test('2: a request that is none', async () => {
    const upstream = await modelServer([{ text: 'Hello.' }])

    const { status, body } = await post(
      { baseUrl: upstream.url, model: 'small', window: 8192, probe: false },
      { model: 'covey/agent', messages: 'What does a.txt say?' },
    )

    expect([status, typeof body.error?.message]).toEqual([400, 'string'])
  })

  test.each([
    ['3: no answer', [{ text: '' }], {}, 'No answer'],
    ['3: stuck', [read], {}, 'Stopped'],
    [
      '4: denied',
      [write, { text: '' }],
      { permission: 'read-only' as const },
      'Not allowed: write_file b.txt',
    ],
  ])('%s', async (_row, replies, options, words) => {
    const { status, body } = await askAgent(replies, 'Write x to b.txt as a.txt says.', options)

    expect([status, body.error?.code]).toEqual([502, 'no_answer'])
    expect(body.error?.message).toContain(words)
  })

  test('3: stopped by a limit', async () => {
    const { status, body } = await askAgent([read], 'What does a.txt say?', {
      flags: { 'engine.max_turns': 1 },
    })

    expect([status, body.choices?.[0]?.finish_reason]).toEqual([200, 'length'])
  })
})
