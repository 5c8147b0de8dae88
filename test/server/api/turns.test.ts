import { setTimeout as delay } from 'node:timers/promises'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import Anthropic from '@anthropic-ai/sdk'
import { streamText } from 'ai'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import type { Model } from '../../../src/protocol/model.ts'
import { ChatChunk } from '../../../src/server/openai/chat-reply.ts'
import { TextCompletion } from '../../../src/server/openai/completions.ts'
import { MessageEvent } from '../../../src/server/anthropic/reply.ts'
import { OllamaChatLine, OllamaGenerateLine } from '../../../src/server/ollama/routes.ts'
import { readEvents, startApi } from './host.ts'
import { until } from '../../support/wait.ts'

const hello = { messages: [{ role: 'user', content: 'Hello.' }] }

/** Says one word every few milliseconds, and notes when it is left alone. */
function slowModel(words: number): Model & { readonly log: string[] } {
  const log: string[] = []
  return {
    name: 'slow',
    log,
    async *stream({ messages }, signal) {
      const who = messages.at(-1)?.text ?? ''
      log.push(`start ${who}`)
      for (let word = 0; word < words && !signal.aborted; word++) {
        yield { type: 'text-delta', text: 'word ' }
        await delay(5, undefined, { signal }).catch(() => undefined)
      }
      log.push(`${signal.aborted ? 'left' : 'end'} ${who}`)
      if (!signal.aborted) yield { type: 'finish', reason: 'stop' }
    },
  }
}

/** Begins to speak and goes on when it is let: who is served now by `step`, all of them by `open`. */
function gatedModel(name: string) {
  const gates: (() => void)[] = []
  const order: string[] = []
  let isOpen = false
  const step = () => gates.shift()?.()
  const model: Model = {
    name,
    async *stream({ messages }) {
      yield { type: 'text-delta', text: 'word' }
      const gate = new Promise<void>((resolve) => gates.push(resolve))
      order.push(messages.at(-1)?.text ?? '')
      if (!isOpen) await gate
      yield { type: 'finish', reason: 'stop' }
    },
  }
  const open = () => {
    isOpen = true
    while (gates.length > 0) step()
  }
  return { ...model, order, step, open }
}

const ask = (who: string) => ({ messages: [{ role: 'user', content: who }], stream: true })

describe('turns at a slow model', () => {
  test('are fair between sixteen clients, however many requests one of them sends', async () => {
    const model = gatedModel('gated')
    const host = await startApi(model, { slots: 1 })
    const send = (client: string, who: string) => host.post('/v1/chat/completions', ask(who), { client })

    const greedy = await Promise.all(
      Array.from({ length: 16 }, (_, index) => send('greedy', `greedy ${index}`)),
    )
    const others = await Promise.all(
      Array.from({ length: 15 }, (_, index) => send(`c${index}`, `other ${index}`)),
    )
    model.open()
    await Promise.all([...greedy, ...others].map(readEvents))

    // One was being served, one had its turn; then everyone else comes before the same client again.
    expect(model.order.map((who) => who.split(' ')[0])).toEqual([
      'greedy',
      'greedy',
      ...others.map(() => 'other'),
      ...greedy.slice(2).map(() => 'greedy'),
    ])
  })

  test('are counted down to those who wait in a stream', async () => {
    const model = gatedModel('gated')
    const host = await startApi(model, { slots: 1 })

    const responses = await Promise.all(
      ['one', 'two', 'three'].map((who) => host.post('/v1/chat/completions', ask(who), { client: who })),
    )
    const reading = Promise.all(responses.map(readEvents))
    for (let served = 1; served <= 3; served++) {
      await until(() => model.order.length === served)
      model.step()
    }
    const streams = await reading

    const positions = streams.map((events) =>
      events
        .filter(({ data }) => data !== '[DONE]')
        .flatMap(({ data }) => ChatChunk.parse(JSON.parse(data)).covey?.queue?.position ?? []),
    )
    expect(positions.toSorted((a, b) => a.length - b.length)).toEqual([[], [1], [2, 1]])
    expect(streams.every((events) => events.at(-1)?.data === '[DONE]')).toBe(true)
  })

  test.each<[string, object, (events: readonly Told[]) => readonly unknown[]]>([
    [
      '/v1/completions',
      { prompt: 'x' },
      (events) => events.map(({ data }) => TextCompletion.parse(data).covey),
    ],
    ['/v1/responses', { input: 'x' }, (events) => events.map(({ data }) => data['covey'])],
    [
      '/v1/messages',
      { ...hello, max_tokens: 9 },
      (events) => events.map(({ data }) => (MessageEvent.parse(data) as { covey?: unknown }).covey),
    ],
    [
      '/api/chat',
      { model: 'slow', ...hello },
      (events) => events.map(({ data }) => OllamaChatLine.parse(data).covey),
    ],
    [
      '/api/generate',
      { model: 'slow', prompt: 'x' },
      (events) => events.map(({ data }) => OllamaGenerateLine.parse(data).covey),
    ],
  ])('are sent to clients that wait at %s', async (path, body, read) => {
    const model = gatedModel('slow')
    const host = await startApi(model, { slots: 1 })
    const ahead = await host.post('/v1/chat/completions', ask('ahead'), { client: 'a' })

    const response = await host.post(path, { ...body, stream: true }, { client: 'b' })
    model.open()
    const [told] = await Promise.all([toldIn(response), readEvents(ahead)])

    expect(read(told).filter(Boolean)).toEqual([{ queue: { position: 1 } }])
  })

  test('do not trouble the clients of Anthropic, OpenAI and Vercel', async () => {
    const host = await startApi(slowModel(10), { slots: 1 })
    const options = { apiKey: await host.key('b'), maxRetries: 0 }
    const anthropic = new Anthropic({ baseURL: host.url, ...options })
    const openai = new OpenAI({ baseURL: `${host.url}/v1`, ...options })
    const ahead = await host.post('/v1/chat/completions', ask('ahead'), { client: 'a' })

    const vercel = { apiKey: options.apiKey, baseURL: `${host.url}/v1` }
    const models = [
      createAnthropic(vercel)('slow'),
      createOpenAI(vercel).responses('slow'),
      createOpenAI(vercel).chat('slow'),
      createOpenAI(vercel).completion('slow'),
    ]

    const [message, response, ...texts] = await Promise.all([
      anthropic.messages
        .stream({ model: 'slow', max_tokens: 99, messages: [{ role: 'user', content: 'x' }] })
        .finalMessage(),
      openai.responses.stream({ model: 'slow', input: 'x' }).finalResponse(),
      ...models.map((model) => streamText({ model, prompt: 'x', maxOutputTokens: 99 }).text),
      readEvents(ahead),
    ])

    expect(message.content).toMatchObject([{ type: 'text', text: 'word '.repeat(10) }])
    expect(response.output_text).toBe('word '.repeat(10))
    expect(texts.slice(0, -1)).toEqual(models.map(() => 'word '.repeat(10)))
  })

  test('pass on at once when a client goes away', async () => {
    const model = slowModel(100_000)
    const host = await startApi(model, { slots: 1 })
    const gone = new AbortController()
    const stays = new AbortController()

    const first = await host.post('/v1/chat/completions', ask('first'), { client: 'a', signal: gone.signal })
    const second = host.post('/v1/chat/completions', ask('second'), { client: 'b', signal: stays.signal })
    await first.body?.getReader().read()
    gone.abort()
    const reader = (await second).body!.getReader()
    while (!Buffer.from((await reader.read()).value ?? []).includes('word')) continue

    expect(model.log.slice(0, 3)).toEqual(['start first', 'left first', 'start second'])
    stays.abort()
  })

  test('are given back by a client that goes away while it waits', async () => {
    const model = gatedModel('gated')
    const host = await startApi(model, { slots: 1 })
    const gone = new AbortController()

    const first = await host.post('/v1/chat/completions', ask('first'), { client: 'a' })
    await host.post('/v1/chat/completions', ask('second'), { client: 'b', signal: gone.signal })
    const before = host.queue.state()
    gone.abort()
    await until(() => host.queue.state().waiting === 0)
    const last = await host.post('/v1/chat/completions', ask('third'), { client: 'c' })
    model.open()
    await Promise.all([readEvents(first), readEvents(last)])

    expect(before).toEqual({ active: 1, waiting: 1 })
    expect(model.order).toEqual(['first', 'third'])
  })
})

type Told = { readonly event?: string; readonly data: Record<string, unknown> }

/** Server-sent events and lines of JSON alike. */
async function toldIn(response: Response): Promise<readonly Told[]> {
  const isLines = response.headers.get('content-type')?.includes('ndjson')
  const events = isLines
    ? (await response.text())
        .trim()
        .split('\n')
        .map((data) => ({ data }))
    : await readEvents(response)
  return events
    .filter(({ data }) => data !== '[DONE]')
    .map((event) => ({ ...event, data: JSON.parse(event.data) as Record<string, unknown> }))
}

describe('a request that is too large', () => {
  const text = 'one two three four five six seven eight nine ten. '.repeat(1200)
  const long = { messages: [{ role: 'system', content: text }, ...hello.messages] }

  test('is fitted, and the client learns what was shortened', async () => {
    const host = await startApi(slowModel(1))

    const response = await host.post('/v1/chat/completions', long)

    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ covey: { shortened: ['system text'] } })
  })

  test('is refused with the numbers where nothing may be fitted', async () => {
    const host = await startApi(slowModel(1), { fit: 'off' })

    const response = await host.post('/v1/chat/completions', long)

    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      error: {
        code: 'context_length_exceeded',
        message: expect.stringMatching(/takes 1\d{4} tokens .* window of 8192/),
      },
    })
  })
})
