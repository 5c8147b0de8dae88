/**
 * How sure the engine is, and what a swarm makes of that. Names of one letter are one token, which a grammar can
 * force.
 */
import { join } from 'node:path'
import type { Token } from 'node-llama-cpp'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { chancesIn, withChances } from '../../src/embedded/chances.ts'
import { choicesIn, shareOf } from '../../src/embedded/choice.ts'
import { createEmbeddedModel, type EmbeddedModel } from '../../src/embedded/engine.ts'
import { loadEngine } from '../../src/embedded/llama.ts'
import { leastShareIn } from '../../src/embedded/share.ts'
import type { Message } from '../../src/protocol/message.ts'
import type { ModelEvent, ModelRequest, ToolSchema } from '../../src/protocol/model.ts'
import { createSwarmModel } from '../../src/swarm/swarm.ts'
import { collect, NEVER, requestOf, testFolder } from './support/ask.ts'
import { writeTinyModel } from './support/tiny-gguf.ts'

const folder = testFolder()
const path = join(folder, 'tiny.gguf')
let model: EmbeddedModel

beforeAll(async () => {
  // It ends its calls and its replies soon.
  await writeTinyModel(path, { favours: ['}', '<|im_end|>', 'q', 'z', 'k', 'v'] })
  model = await createEmbeddedModel({ name: 'tiny', path, window: 1024 })
  return () => model.close()
})

const tool = (name: string): ToolSchema => ({ name, parameters: { type: 'object', properties: {} } })

const choosing = (names: readonly string[], more: Partial<ModelRequest> = {}): ModelRequest =>
  requestOf('Go', { tools: names.map(tool), toolChoice: 'required', maxTokens: 200, ...more })

const reply = async (request: ModelRequest): Promise<{ events: ModelEvent[]; confidence?: number }> => {
  const events = await collect(model.stream(request, NEVER))
  const last = events.at(-1)
  return { events, ...(last?.type === 'finish' && last) }
}

describe('a call', () => {
  test('that leaves no choice has none to be sure of', async () => {
    const { events } = await reply(choosing(['q'], { logprobs: 0 }))

    expect(events.at(-1)).toEqual({ type: 'finish', reason: 'tool-calls' })
  })

  test('has the share its tool had among those that could be called', async () => {
    const { confidence } = await reply(choosing(['q', 'z'], { logprobs: 0 }))

    expect(confidence).toBeGreaterThanOrEqual(0.5)
    expect(confidence).toBeLessThan(1)
  })

  test('is as sure as the first token of its least sure argument', async () => {
    const letters = { type: 'string', enum: ['k', 'v'] }
    const parameters = { type: 'object', properties: { letter: letters }, required: ['letter'] }
    const request = choosing([], { tools: [{ name: 'q', parameters }], logprobs: 0 })

    const { events, confidence } = await reply(request)

    expect(events[0]).toMatchObject({ type: 'tool-call', call: { input: expect.stringMatching(/"[kv]"/) } })
    expect(confidence).toBeGreaterThan(0.1)
    expect(confidence).toBeLessThan(0.9)
  })

  test('is the same call where confidence is not requested, and then none is reported', async () => {
    const [told, untold] = [
      await reply(choosing(['q', 'z'], { logprobs: 0 })),
      await reply(choosing(['q', 'z'])),
    ]

    expect(untold.events.slice(0, -1).filter(({ type }) => type !== 'usage')).toEqual(
      told.events.slice(0, -1).filter(({ type }) => type !== 'usage'),
    )
    expect(untold.events.at(-1)).toEqual({ type: 'finish', reason: 'tool-calls' })
  })
})

test('tokens are found again with the shares they had when they were written', async () => {
  const { llama } = await loadEngine()
  const weights = await llama.loadModel({ modelPath: path })
  const context = await weights.createContext({ contextSize: 256 })
  onTestFinished(async () => {
    await context.dispose()
    await weights.dispose()
  })
  const sequence = context.getSequence()
  const prompt = weights.tokenize('Read the file')
  const written: Token[] = []
  const shares: number[] = []
  const sampling = { temperature: 1, seed: 7, topK: 64, topP: 1 }
  const sampled = sequence.evaluateWithMetadata(prompt, { confidence: true }, sampling)
  for await (const { token, confidence } of sampled) {
    shares.push(confidence)
    if (written.push(token) === 20) break
  }
  const tokens = [...prompt, ...written]
  const sharesOf = (indexes: readonly number[]) =>
    leastShareIn(sequence, {
      tokens,
      prompt: prompt.length,
      choices: indexes.map((index) => ({ index })),
      textOf: () => '',
    })

  const found = []
  for (const index of written.keys()) found.push(await sharesOf([index]))

  expect(written.length).toBeGreaterThan(4)
  expect(found.map((share) => share?.toFixed(4))).toEqual(shares.map((share) => share.toFixed(4)))
  expect(await sharesOf([...written.keys()])).toBeCloseTo(Math.min(...shares), 4)
  expect(sequence.contextTokens).toEqual(tokens.slice(0, -1))
})

test('of a sliding window, which goes back only in leaps, the next reply is what it would have been', async () => {
  const slidingPath = join(folder, 'sliding.gguf')
  await writeTinyModel(slidingPath, { slidingWindow: 64, layers: 3, favours: ['}', '<|im_end|>', 'q', 'z'] })
  const models = await Promise.all(
    [1, 2].map(() => createEmbeddedModel({ name: 'sliding', path: slidingPath, window: 1024 })),
  )
  onTestFinished(async () => void (await Promise.all(models.map((one) => one.close()))))
  const system = 'Read the file and tell me what it says. '.repeat(20)
  const asked = [0, undefined].map((logprobs) =>
    choosing(['q', 'z'], { system, ...(logprobs !== undefined && { logprobs }) }),
  )
  const first = await Promise.all(models.map((one, index) => collect(one.stream(asked[index]!, NEVER))))

  const next = { ...choosing(['q', 'z'], { system }), messages: [...afterCalls(first[1]!)] }
  const [told, untold] = await Promise.all(models.map((one) => collect(one.stream(next, NEVER))))

  expect(first[0]!.at(-1)).toMatchObject({ confidence: expect.any(Number) })
  expect(told!.filter(({ type }) => type !== 'usage')).toEqual(untold!.filter(({ type }) => type !== 'usage'))
})

const afterCalls = (events: readonly ModelEvent[]): Message[] => {
  const calls = events.flatMap((event) => (event.type === 'tool-call' ? [event.call] : []))
  return [
    { role: 'user', text: 'Go' },
    { role: 'assistant', text: '', calls },
    ...calls.map(({ id }): Message => ({ role: 'tool', callId: id, text: 'fine', ok: true })),
  ]
}

describe('log probabilities', () => {
  const texts = (events: readonly ModelEvent[]): string =>
    events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')
  const chances = (events: readonly ModelEvent[]) =>
    events.flatMap((event) => (event.type === 'logprobs' ? event.tokens : []))

  test('come behind the text they belong to, one for each of its tokens', async () => {
    const plain = await reply(requestOf('Hello', { maxTokens: 80 }))

    const { events } = await reply(requestOf('Hello', { maxTokens: 80, logprobs: 2 }))

    expect(texts(events)).toBe(texts(plain.events))
    expect(
      chances(events)
        .map(({ token }) => token)
        .join(''),
    ).toBe(texts(events))
    const types = events.map(({ type }) => type)
    expect(types.slice(0, 2)).toEqual(['text-delta', 'logprobs'])
    expect(types.slice(-2)).toEqual(['usage', 'finish'])
  })

  test('are highest for what was written where nothing is left to chance', async () => {
    const { events } = await reply(requestOf('Hello', { logprobs: 3 }))

    const told = chances(events)

    expect(told.length).toBeGreaterThan(10)
    for (const { logprob, top } of told) {
      expect(top.length).toBe(3)
      expect(logprob).toBeCloseTo(top[0]!.logprob, 4)
      expect(top.map((one) => one.logprob)).toEqual(top.map((one) => one.logprob).toSorted((a, b) => b - a))
    }
  })

  test('are those the tokens had when they were written', async () => {
    const { llama } = await loadEngine()
    const weights = await llama.loadModel({ modelPath: path })
    const context = await weights.createContext({ contextSize: 256 })
    onTestFinished(async () => {
      await context.dispose()
      await weights.dispose()
    })
    const sequence = context.getSequence()
    const prompt = weights.tokenize('Read the file and tell me')
    const written: Token[] = []
    const shares: number[] = []
    const options = { temperature: 1, topK: 0, topP: 1, seed: 7 }
    for await (const step of sequence.evaluateWithMetadata(prompt, { confidence: true }, options)) {
      written.push(step.token)
      shares.push(step.confidence)
      if (written.length === 40) break
    }
    const parts = {
      tokens: [...prompt, ...written],
      prompt: prompt.length,
      texts: [],
      top: 0,
      textOf: () => '',
    }

    const found = await chancesIn(sequence, parts, NEVER)

    expect(found.map(({ logprob }) => Math.exp(logprob).toFixed(4))).toEqual(
      shares.map((share) => share.toFixed(4)),
    )
    expect(sequence.contextTokens).toEqual(parts.tokens.slice(0, -1))
  })

  test('are reported for what a reader shows, whatever it leaves out and wherever it cuts', () => {
    const chance = (token: string) => ({ token, logprob: -1, top: [] })
    const words = ['<think>', 'hm', '</think>', 'Hel', 'lo wor', 'ld'].map(chance)
    const events: ModelEvent[] = [
      { type: 'reasoning-delta', text: 'hm' },
      { type: 'text-delta', text: 'Hello' },
      { type: 'text-delta', text: ' world' },
    ]

    expect([...withChances(events, words)]).toEqual([
      events[0],
      events[1],
      { type: 'logprobs', tokens: ['Hel', 'lo wor'].map(chance) },
      events[2],
      { type: 'logprobs', tokens: ['ld'].map(chance) },
    ])
  })
})

test('of words alone no share is reported', async () => {
  const { events } = await reply(requestOf('Hello', { logprobs: 0 }))

  expect(events.at(-1)).toEqual({ type: 'finish', reason: 'length' })
})

test.each([
  ['below what counts as sure, others are asked', 1, 1],
  ['above it, none is', 0.5, 0],
])('%s', async (_, sure, votes) => {
  const swarm = createSwarmModel({
    name: 'swarm',
    workers: ['wren', 'kite'].map((name) => ({ name, model, lane: 'here', tellsShares: true })),
    tools: () => ['q', 'z'].map((name) => ({ ...tool(name), effect: () => 'read' as const })),
    policy: { most: 2, rounds: 1, sure },
  })

  const events = await collect(swarm.stream(choosing(['q', 'z']), NEVER))

  const started = events.flatMap((event) =>
    event.type === 'vote' && event.stage === 'start' ? [event.why] : [],
  )
  expect(started).toEqual(
    Array.from({ length: votes }, () => expect.stringMatching(/^the model is not sure \(0\.\d\d\)$/)),
  )
})

describe('a name', () => {
  const call = { id: 'call-1', name: 'read_file', input: '{}' }
  const texts = ['<tool_call>', '{"name": "', 'read', '_file', '", "arguments": {}}']
  const written = { texts, told: [{ type: 'tool-call' as const, call }] }

  test('is chosen among the tools on offer, as far as they begin alike', () => {
    expect(choicesIn(written, ['read_file', 'read_result', 'list_files'])).toEqual([
      { index: 2, name: { own: 'read_file', all: ['read_file', 'read_result', 'list_files'] } },
      { index: 3, name: { own: '_file', all: ['_file', '_result'] } },
    ])
    expect(choicesIn(written, ['read_file', 'list_files']).map(({ index }) => index)).toEqual([2])
    expect(choicesIn(written, ['read_file'])).toEqual([])
  })

  test('may begin within a token', () => {
    const joined = { ...written, texts: ['{"name": ', '"read', '_file"', '}'] }

    expect(choicesIn(joined, ['read_file', 'list_files'])).toEqual([
      { index: 1, name: { own: '"read_file', all: ['"read_file', '"list_files'] } },
    ])
  })

  test('has what its tool has, however it is cut into tokens, of what all tools have', () => {
    const candidate = (text: string, share: number) => ({ text, share, isChosen: text === 'read' })
    const choice = { index: 2, name: { own: 'read_file', all: ['read_file', 'list_files'] } }
    const candidates = [
      candidate('Sure', 0.5),
      candidate('read', 0.2),
      candidate('re', 0.1),
      candidate('list', 0.1),
    ]

    expect(shareOf(choice, candidates)).toBeCloseTo(0.75)
    expect(shareOf(choice, [candidate('Sure', 1)])).toBe(0)
    expect(shareOf({ index: 2 }, candidates)).toBe(0.2)
  })
})
