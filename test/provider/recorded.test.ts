/** Answers recorded from real servers, with real weights: fixtures/ says which version. */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { capabilitiesOf } from '../../src/provider/arm-models.ts'
import { ask, askInVain, joined, modelAt, readFileSchema, request } from './ask.ts'
import { probe, settingsFor, valuesOf } from './probing.ts'

type Recording = {
  readonly answers: Readonly<Record<string, { readonly status: number; readonly body: string }>>
}

/** Every request gets what the real server answered to one of its kind. `instead` takes another recording for a path. */
async function replay(name: string, instead: Readonly<Record<string, string>> = {}) {
  const file = new URL(`fixtures/${name}.json`, import.meta.url)
  const { answers } = JSON.parse(await readFile(file, 'utf8')) as Recording
  const server = createServer(async (incoming, response) => {
    const [path = ''] = (incoming.url ?? '').split('?')
    const isWhole = /"stream":false/.test(await text(incoming))
    const key = `${incoming.method} ${path}${isWhole ? '#whole' : ''}`
    const { status, body } = answers[instead[key] ?? key] ?? { status: 404, body: '{"error":"not found"}' }
    const isLines = body.trim().includes('\n{')
    const type = /^(?:data:|$)/.test(body)
      ? 'text/event-stream'
      : `application/${isLines ? 'x-ndjson' : 'json'}`
    response.writeHead(status, { 'content-type': type }).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` }
}

test('what llama-server says of itself is read, and that its template takes no tools', async () => {
  const server = await replay('llama-server')

  const { findings } = await probe(server)

  const { template: _, digest: __, ...values } = valuesOf(findings)
  expect(values).toEqual({
    server: 'llama.cpp',
    version: 'b0-unknown',
    window: 8_192,
    largestWindow: 8_192,
    slots: 1,
    vision: false,
    bos: '<|im_start|>',
    eos: '<|im_end|>',
    embeddings: false,
    nativeTools: false,
    // The recording holds one conversation; the probe's three are others.
    rawPrompt: false,
    systemRole: true,
    strictRoles: false,
    toolRole: true,
  })
})

test('a stream of llama-server is read to its end', async () => {
  const server = await replay('llama-server')

  const events = joined(await ask(modelAt(server.url)))

  expect(events).toEqual([
    { type: 'text-delta', text: expect.stringMatching(/\w/) },
    { type: 'usage', usage: { prompt: 32, completion: 3, cached: expect.any(Number) } },
    { type: 'finish', reason: 'length' },
  ])
})

test('the overflow of llama-server names its window and what was sent', async () => {
  const path = 'POST /v1/chat/completions'
  const server = await replay('llama-server', { [path]: `${path}#overflow` })

  expect(await askInVain(modelAt(server.url))).toMatchObject({
    code: 'context-overflow',
    details: { status: 400, window: 8_192, promptTokens: 9_031 },
  })
})

test('what Ollama says of a model is read', async () => {
  const server = await replay('ollama')

  const report = await probe(server, 'metadata', { model: 'smollm2:135m' })

  const { digest: _, ...values } = valuesOf(report.findings)
  expect(values).toMatchObject({
    server: 'ollama',
    version: '0.32.0-snapshot',
    largestWindow: 8_192,
    vision: false,
    embeddings: false,
    nativeTools: false,
  })
  expect(capabilitiesOf(settingsFor(server.url, { model: 'smollm2:135m' }), report).tools).toBe('text')
})

test('Ollama refuses tools in words that lead to tools as text', async () => {
  const path = 'POST /api/chat'
  const server = await replay('ollama', { [path]: `${path}#tools` })
  const model = modelAt(server.url, { model: 'smollm2:135m', numCtx: 2_048 })

  expect(await askInVain(model, request({ tools: [readFileSchema] }))).toMatchObject({
    details: { unparsedCall: true },
  })
})

test('a stream of Ollama is read to its end', async () => {
  const server = await replay('ollama')

  const events = joined(await ask(modelAt(server.url, { model: 'smollm2:135m', numCtx: 2_048 })))

  expect(events).toEqual([
    { type: 'text-delta', text: expect.stringMatching(/\w/) },
    { type: 'usage', usage: { prompt: expect.any(Number), completion: 3 } },
    { type: 'finish', reason: 'length' },
  ])
})

const PYTHON = { isPythonServer: true }

test('llama-cpp-python is recognised by its page, with one slot and no native tools', async () => {
  const { findings } = await probe(await replay('llama-cpp-python'))

  const { digest: _, ...values } = valuesOf(findings)
  expect(values).toEqual({
    server: 'llama-cpp-python',
    version: '0.3.36',
    slots: 1,
    nativeTools: false,
    embeddings: false,
  })
})

test('a stream of llama-cpp-python is read to its end, and nothing is counted', async () => {
  const server = await replay('llama-cpp-python')

  const events = joined(await ask(modelAt(server.url, PYTHON)))

  expect(events).toEqual([
    { type: 'text-delta', text: expect.stringMatching(/\w/) },
    { type: 'finish', reason: 'length' },
  ])
})

test('the empty stream of llama-cpp-python is asked about, and is an overflow', async () => {
  const path = 'POST /v1/chat/completions'
  const server = await replay('llama-cpp-python', { [path]: `${path}#overflow` })

  expect(await askInVain(modelAt(server.url, PYTHON))).toMatchObject({
    code: 'context-overflow',
    details: { status: 400, window: 2_048, promptTokens: 3_032 },
  })
})

test('a reply that llama-cpp-python ends for another request is not taken for a whole one', async () => {
  const path = 'POST /v1/chat/completions'
  const server = await replay('llama-cpp-python', { [path]: `${path}#interrupted` })

  expect(await askInVain(modelAt(server.url, PYTHON))).toMatchObject({
    code: 'model-unavailable',
    message: expect.stringContaining('--interrupt_requests False'),
  })
})

test('a body that llama-cpp-python refuses with status 500 is not sent again', async () => {
  const path = 'POST /v1/chat/completions'
  const server = await replay('llama-cpp-python', { [path]: `${path}#json-schema` })

  expect(await askInVain(modelAt(server.url))).toMatchObject({ code: 'request-invalid' })
})
