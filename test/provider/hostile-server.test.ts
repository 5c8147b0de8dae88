/** Servers that lie, and what they must not bring about: a call that was cut, a key on the screen, work without end. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createReplyReader } from '../../src/dialect/read/reply.ts'
import type { ModelEvent } from '../../src/protocol/model.ts'
import { capabilitiesOf, createArmModels } from '../../src/provider/arm-models.ts'
import { withoutJsonBreaks } from '../../src/provider/control-text.ts'
import { secretsOf, toAppError, type Endpoint } from '../../src/provider/errors.ts'
import { createLlamaCppEncoder, type PromptSegment } from '../../src/provider/raw/prompt.ts'
import { readReplyParts } from '../../src/provider/reply.ts'
import type { ServerClient } from '../../src/provider/server-client.ts'
import { createSlotBook } from '../../src/provider/slot-book.ts'
import { finishPart, type ReplyPart } from '../../src/provider/sdk/stream-parts.ts'
import { ask, askInVain, modelAt, readFileSchema, request, serve } from './ask.ts'
import { settingsFor } from './probing.ts'

const endpoint: Endpoint = {
  arm: 'arm',
  url: 'http://127.0.0.1:8080/v1',
  local: true,
  secrets: ['topsecret'],
}

const inText = {
  readReply: (tools: Parameters<typeof createReplyReader>[0]['tools']) => createReplyReader({ tools }),
}
const asking = request({ tools: [readFileSchema] })

test('a call that only the output limit ended is not told as one', async () => {
  const text = 'Action: read_file\nAction Input: /home/ann/pro'
  const server = await serve([
    { text, finish: 'length' },
    { text, finish: 'stop' },
  ])
  const model = modelAt(server.url, inText)

  const cut = await ask(model, asking)
  const whole = await ask(model, asking)

  const isCall = ({ type }: ModelEvent): boolean => type === 'tool-call' || type === 'bad-call'
  expect(cut.filter(isCall)).toEqual([
    { type: 'bad-call', name: 'read_file', reason: expect.stringContaining('cut off') },
  ])
  expect(whole.filter(isCall)).toMatchObject([{ type: 'tool-call', call: { name: 'read_file' } }])
})

test('a call in a fence of a longer answer is shown where the server was seen to hand over calls', async () => {
  const fenced = '```json\n{"name": "read_file", "arguments": {"path": "a.txt"}}\n```'
  const text = `I will read the file now.\n\n${fenced}\n`
  const server = await serve(Array.from({ length: 3 }, () => ({ text })))
  const settings = settingsFor(server.url)
  const armWith = (from: string) => {
    const findings = { nativeTools: { value: true, from } }
    const capabilities = capabilitiesOf(settings, { findings, warnings: [] })
    return createArmModels(settings, capabilities, { prefillSpeed: () => undefined })
  }

  const seen = await ask((await armWith('a call that was asked for')).native, asking)
  const asText = await ask((await armWith('a call that was asked for')).text, asking)
  const promised = await ask((await armWith('POST /api/show')).native, asking)

  const callsOf = (events: readonly ModelEvent[]) => events.filter(({ type }) => type === 'tool-call').length
  expect([seen, asText, promised].map(callsOf)).toEqual([0, 1, 1])
})

test('a command that the output limit cut is not proposed', async () => {
  const server = await serve([{ text: 'CMD: rm -rf /home/ann/pro', finish: 'length' }])

  const events = await ask(modelAt(server.url, inText), asking)

  expect(events.filter(({ type }) => type === 'proposal')).toEqual([])
})

test.each([
  { prompt: -5, completion: 3 },
  { prompt: 1.5, completion: 3 },
  { prompt: 1e300, completion: 3 },
])('a count that is none is not passed on: %j', async (usage) => {
  const server = await serve([{ text: 'ok', usage }])

  const events = await ask(modelAt(server.url))

  expect(events.filter(({ type }) => type === 'usage')).toEqual([])
})

test('more tokens from the cache than there were is no count either', async () => {
  const server = await serve([{ text: 'ok', usage: { prompt: 10, completion: 1, cached: 900 } }])

  const events = await ask(modelAt(server.url))

  expect(events).toContainEqual({ type: 'usage', usage: { prompt: 10, completion: 1 } })
})

async function* told(...parts: readonly ReplyPart[]): AsyncGenerator<ReplyPart> {
  yield* parts
}

async function read(stream: AsyncIterable<ReplyPart>): Promise<ModelEvent[]> {
  const events: ModelEvent[] = []
  for await (const event of readReplyParts(stream, { endpoint, takenIds: [] })) events.push(event)
  return events
}

test.each(['text-delta', 'reasoning-delta', 'tool-input-delta'] as const)(
  'a reply whose %s never ends is given up',
  async (type) => {
    const delta = 'x'.repeat(1024 * 1024)
    async function* endless(): AsyncGenerator<ReplyPart> {
      for (;;) yield { type, id: '0', delta }
    }

    await expect(read(endless())).rejects.toThrow('longer than any reply')
  },
)

test('thousands of calls with one id, and ids that are no words, all get one of their own', async () => {
  const call = (toolCallId: string): ReplyPart => ({
    type: 'tool-call',
    toolCallId,
    toolName: 'read_file',
    input: '{}',
  })
  const same = Array.from({ length: 30_000 }, () => call('same'))

  const events = await read(
    told(...same, call('\u001b[31mred'), call('x'.repeat(5_000)), finishPart('stop', {})),
  )

  const ids = events.flatMap((event) => (event.type === 'tool-call' ? [event.call.id] : []))
  expect(new Set(ids).size).toBe(30_002)
  expect(ids.slice(-2)).toEqual(['call', 'call-2'])
})

test('a hundred thousand log probabilities at once are read', async () => {
  const tokens = Array.from({ length: 300_000 }, () => ({ token: 'a', logprob: 0, top: [] }))

  const events = await read(told({ type: 'logprobs', tokens }, finishPart('stop', {})))

  expect(events.at(-1)).toEqual({ type: 'finish', reason: 'stop' })
})

test('arguments nested without end are no call', async () => {
  const input = `{"path": ${'['.repeat(50_000)}${']'.repeat(50_000)}}`
  const call: ReplyPart = { type: 'tool-call', toolCallId: 'a', toolName: 'read_file', input }

  const events = await read(told(call, finishPart('tool_calls', {})))

  expect(events).toEqual([
    { type: 'bad-call', name: 'read_file', reason: expect.stringContaining('nested too deeply') },
    { type: 'finish', reason: 'tool-calls' },
  ])
})

const errorWith = (body: unknown, secrets = endpoint.secrets): string =>
  toAppError(body, { ...endpoint, secrets }).message

test.each([290, 295, 299])('a key is not told even where the message is cut in it, at %d', (before) => {
  const message = errorWith({ error: { message: `${'x'.repeat(before)}topsecret` } })

  expect(message).not.toContain('tops')
})

test.each(['right-key\n', 'right-🔑'])(
  'a key that cannot be sent is named as the trouble: %j',
  async (apiKey) => {
    const server = await serve([{ text: 'ok' }])

    const failure = await askInVain(modelAt(server.url, { apiKey }))

    expect(failure).toMatchObject({
      code: 'credential',
      message:
        'test-arm: the key or a header holds a character that cannot be sent, such as a line break. Copy the key again, without the line break.',
    })
  },
)

test('the key in a header is known without the word in front of it', () => {
  const secrets = secretsOf({ headers: { authorization: 'Bearer abcdef123456', 'x-flag': 'true' } })

  expect(errorWith({ error: { message: 'abcdef123456 is not known, true' } }, secrets)).toContain(
    '[key] is not known, true',
  )
})

test('what a server says cannot steer the terminal', () => {
  const message = errorWith({ error: { message: 'bad \u001b]0;owned\u0007\u001b[2Jrequest' } })

  expect(message).toContain(String.raw`bad \x1b]0;owned\x07\x1b[2Jrequest`)
})

test.each([
  ['nested without end', JSON.parse(`${'{"error":'.repeat(50_000)}"x"${'}'.repeat(50_000)}`)],
  [
    'made of objects that are no text',
    { error: { type: { toString: 1 }, code: { valueOf: 1 }, message: 'x' } },
  ],
])('an error %s is an error like any other', (_what, body) => {
  expect(toAppError(body, endpoint).name).toBe('AppError')
})

test('an error that repeats the beginning of a known one is judged at once', () => {
  const text = 'tokens to keep '.repeat(200_000)

  expect(toAppError({ error: { message: text, code: 400 } }, endpoint).code).toBe('request-invalid')
})

test('a media type may be written in capitals', async () => {
  const server = await serve([
    { status: 200, body: '<!doctype html>', headers: { 'content-type': 'Text/HTML; charset=UTF-8' } },
  ])

  const failure = await askInVain(modelAt(server.url))

  expect(failure.message).toContain('answered with HTML')
})

async function listen(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

test('Ollama is left when it has said all, even if that was the first piece and it goes on', async () => {
  let gone: Promise<unknown> = Promise.resolve()
  const url = await listen((_request, response) => {
    gone = once(response, 'close')
    response.write(`${JSON.stringify({ message: { content: 'ok' }, done: true })}\n`)
  })

  const events = await ask(modelAt(url, { numCtx: 4096 }))
  await gone

  expect(events).toEqual([
    { type: 'text-delta', text: 'ok' },
    { type: 'finish', reason: 'stop' },
  ])
})

test.each([[[1, 2]], ['"a"'], [7]])('arguments that are no object stay what they are: %j', async (given) => {
  const call = { function: { name: 'read_file', arguments: given } }
  const url = await listen((_request, response) => {
    response.end(`${JSON.stringify({ message: { tool_calls: [call] }, done: true })}\n`)
  })

  const events = await ask(modelAt(url, { numCtx: 4096 }), asking)

  expect(events[0]).toMatchObject({
    call: { input: typeof given === 'string' ? given : JSON.stringify(given) },
  })
})

test('a server that counts a thousand million slots gets one of the first', () => {
  const slots = createSlotBook(1_000_000_000)

  expect([slots.take('a'), slots.take('b')]).toEqual([0, 1])
})

const plain = (text: string): PromptSegment => ({ text, control: false })

test('a file full of control tokens is not a flood of questions', async () => {
  let open = 0
  let most = 0
  let asked = 0
  const client = {
    async post() {
      asked++
      most = Math.max(most, ++open)
      await new Promise((resolve) => setImmediate(resolve))
      open--
      return { tokens: [asked] }
    },
  } as unknown as ServerClient
  const encode = createLlamaCppEncoder(client)
  const names = Array.from({ length: 300 }, (_, index) => plain(`<|x${index % 100}|>`))

  const prompt = await encode(names, new AbortController().signal)

  expect(prompt).toHaveLength(600)
  expect(asked).toBe(200)
  expect(most).toBeLessThanOrEqual(16)
})

test('a request that is cancelled takes no other with it', async () => {
  const client = {
    async post(_path: string, _body: object, signal: AbortSignal) {
      await new Promise((resolve) => setTimeout(resolve, 20))
      signal.throwIfAborted()
      return { tokens: [1] }
    },
  } as unknown as ServerClient
  const encode = createLlamaCppEncoder(client)
  const cancel = new AbortController()

  const first = encode([plain('<|im_end|>')], cancel.signal)
  const second = encode([plain('<|im_end|>')], new AbortController().signal)
  cancel.abort()

  await expect(first).rejects.toThrow('aborted')
  await expect(second).resolves.toEqual([1, 1])
})

test.each([
  ['{"a":"<\\u2060|im_end|>"}', '{"a":"<|im_end|>"}'],
  ['{"a":"<\u2060|im_end|>"}', '{"a":"<|im_end|>"}'],
  // Source code that speaks of the character.
  ['{"a":"const JOINER = \'\\\\u2060\'"}', '{"a":"const JOINER = \'\\\\u2060\'"}'],
  ['{"a":"\\\\\\u2060"}', '{"a":"\\\\"}'],
])('breaks are taken out of JSON, text about them is not: %s', (given, wanted) => {
  expect(withoutJsonBreaks(given)).toBe(wanted)
})
