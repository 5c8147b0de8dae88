import { createHash } from 'node:crypto'
import { readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import * as fc from 'fast-check'
import type { LlamaModel } from 'node-llama-cpp'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  createEmbeddedModel,
  type EmbeddedModel,
  type EmbeddedOptions,
  type OwnPrompt,
} from '../../src/embedded/engine.ts'
import { loadEngine, threadsFor } from '../../src/embedded/llama.ts'
import { createTokenizer } from '../../src/embedded/tokenizer.ts'
import { toToolSchema } from '../../src/lib/schema.ts'
import type { Message } from '../../src/protocol/message.ts'
import type { ModelEvent } from '../../src/protocol/model.ts'
import { builtinTools } from '../../src/tools/all.ts'
import { ask, collect, NEVER, requestOf, testFolder, toAnswer } from './support/ask.ts'
import { CHATML, writeTinyModel } from './support/tiny-gguf.ts'
import { runs } from '../support/runs.ts'
import { seededSlice } from '../support/seed.ts'

const folder = testFolder()
const path = join(folder, 'tiny.gguf')
/** Ends its strings, objects and replies soon. */
const callerPath = join(folder, 'caller.gguf')

beforeAll(async () => {
  await writeTinyModel(path)
  await writeTinyModel(callerPath, { favours: ['"', '}', '<tool_call>', '<|im_end|>'] })
})

async function open(options: Partial<EmbeddedOptions & OwnPrompt> = {}): Promise<EmbeddedModel> {
  const model = await createEmbeddedModel({ name: 'tiny', path, window: 1024, ...options })
  onTestFinished(() => model.close())
  return model
}

describe('a reply', () => {
  test('streams text, then what it took, then why it ended', async () => {
    const model = await open()

    const events = await collect(model.stream(requestOf('Read the file.', { maxTokens: 12 }), NEVER))

    // On a busy machine the weights take long enough for a progress event.
    const said = events.slice(0, -2).filter(({ type }) => type !== 'progress')
    expect(said.every(({ type }) => type === 'text-delta')).toBe(true)
    expect(said.length).toBeGreaterThan(2)
    expect(events.slice(-2)).toEqual([
      { type: 'usage', usage: { prompt: 13, completion: 12, cached: 0 } },
      { type: 'finish', reason: 'length' },
    ])
  })

  test('keeps to the likeliest tokens with a small top_p, and repeats less with penalties', async () => {
    const model = await open()
    const asked = { maxTokens: 40 }

    const greedy = await ask(model, requestOf('Hello', asked))
    const narrow = await ask(model, requestOf('Hello', { ...asked, temperature: 1, topP: 0.000_01, seed: 7 }))
    const punished = await ask(
      model,
      requestOf('Hello', { ...asked, presencePenalty: 2, frequencyPenalty: 2 }),
    )

    expect(narrow.text).toBe(greedy.text)
    expect(punished.text).not.toBe(greedy.text)
  })

  test('is the same every time at temperature 0, and for one seed', async () => {
    const model = await open()
    const random = { temperature: 1, seed: 7 }

    const [one, again] = [await ask(model, requestOf('Hello')), await ask(model, requestOf('Hello'))]
    const [seven, sevenAgain, eight] = [
      await ask(model, requestOf('Hello', random)),
      await ask(model, requestOf('Hello', random)),
      await ask(model, requestOf('Hello', { ...random, seed: 8 })),
    ]

    expect(again.text).toBe(one.text)
    expect(sevenAgain.text).toBe(seven.text)
    expect(eight.text).not.toBe(seven.text)
  })

  test('without a seed differs between two workers asked at the same moment', async () => {
    const model = await open({ sequences: 2 })

    const [one, other] = await Promise.all(
      [1, 2].map(() => ask(model, requestOf('Hello', { temperature: 1 }))),
    )

    expect(one?.text).not.toBe(other?.text)
  })

  test('is the same whether or not the next token is begun before this one is reported', async () => {
    const model = await open()
    const wishes = [{}, { temperature: 1, seed: 7 }, { presencePenalty: 2, frequencyPenalty: 2 }]
    // With a stop text, even one that never comes, no token is begun ahead.
    for (const wish of wishes.map((one) => ({ ...one, maxTokens: 40 }))) {
      const ahead = await ask(model, requestOf('Hello', wish))
      const inTurn = await ask(model, requestOf('Hello', { ...wish, stop: ['no such text'] }))

      expect([ahead.text, ahead.finish]).toEqual([inTurn.text, inTurn.finish])
    }
  })

  test('that is not read on keeps its words for the next request', async () => {
    const model = await open()
    const whole = await ask(model, requestOf('Hello', { maxTokens: 40 }))

    for await (const event of model.stream(requestOf('Hello', { maxTokens: 40 }), NEVER)) {
      if (event.type === 'text-delta') break
    }

    expect(await ask(model, requestOf('Hello', { maxTokens: 40 }))).toMatchObject({ text: whole.text })
  })

  test('ends where a stop text begins', async () => {
    const model = await open()
    const whole = await ask(model, requestOf('Hello', { maxTokens: 40 }))
    const stop = whole.text.slice(10, 13)

    const cut = await ask(model, requestOf('Hello', { maxTokens: 40, stop: [stop] }))

    expect(cut).toMatchObject({
      text: whole.text.slice(0, whole.text.indexOf(stop)).trimEnd(),
      finish: 'stop',
    })
  })

  test('ends at the end of the window', async () => {
    const model = await open({ window: 256 })

    const { usage, finish } = await ask(model, requestOf('Hello', { maxTokens: 10_000 }))

    expect(finish).toBe('length')
    expect(usage.prompt + usage.completion).toBe(256)
  })

  test('is penalised for repeating itself where the request says so', async () => {
    const model = await open()
    const variety = (text: string): number => new Set(text.match(/.{1,4}/gs)).size / text.length

    const usual = await ask(model, requestOf('Hello', { maxTokens: 80 }))
    const penalised = await ask(model, requestOf('Hello', { maxTokens: 80, repeatPenalty: 1.8 }))

    expect(variety(penalised.text)).toBeGreaterThan(2 * variety(usual.text))
  })

  test('to a prompt longer than the window is an error that names both', async () => {
    const model = await open({ window: 256 })

    await expect(ask(model, requestOf('word '.repeat(500)))).rejects.toMatchObject({
      code: 'context-overflow',
      message: expect.stringMatching(/tiny: the prompt has \d+ tokens, the window 256/),
      details: { window: 256 },
    })
  })
})

describe('a grammar', () => {
  const list = builtinTools({ list: () => [] })
  const tools = list.map(toToolSchema)
  const forced = { temperature: 1, maxTokens: 900, tools }
  let caller: EmbeddedModel

  beforeAll(async () => {
    caller = await createEmbeddedModel({ name: 'caller', path: callerPath, window: 4096, sequences: 2 })
    return () => caller.close()
  })

  test.each(list.map((tool) => [tool.name, tool] as const))(
    'makes every call of %s valid',
    async (name, tool) => {
      const request = { ...forced, tools: [toToolSchema(tool)], toolChoice: 'required' as const }

      for (const seed of seededSlice([1, 2, 3], runs(1, 3), 'calls by grammar')) {
        const { calls, finish } = await ask(caller, requestOf('Go', { ...request, seed }))

        expect(finish).toBe('tool-calls')
        expect(calls.length).toBeGreaterThan(0)
        for (const call of calls) {
          expect(call.name).toBe(name)
          expect(tool.input.safeParse(JSON.parse(call.input)).error).toBeUndefined()
        }
      }
    },
  )

  test('lets the model talk, and holds from the marker of a call on', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, seed) => ask(caller, requestOf('Go', { ...forced, seed }))),
    )

    const calls = answers.flatMap((answer) => answer.calls)
    expect(answers.some(({ finish }) => finish === 'stop')).toBe(true)
    expect(calls.length).toBeGreaterThan(3)
    for (const { name, input } of calls) {
      const tool = list.find((candidate) => candidate.name === name)
      expect(tool?.input.safeParse(JSON.parse(input)).success).toBe(true)
    }
  })

  test('gives ids that the conversation has not used', async () => {
    const messages: Message[] = [
      { role: 'user', text: 'Go' },
      { role: 'assistant', text: '', calls: [{ id: 'call-1', name: 'system_info', input: '{}' }] },
      { role: 'tool', callId: 'call-1', text: 'fine', ok: true },
    ]

    const request = { ...forced, seed: 1, messages, toolChoice: { name: 'system_info' } }
    const { calls } = await ask(caller, requestOf('', request))

    expect(calls.map(({ id }) => id)).not.toContain('call-1')
  })

  test('makes JSON of the schema that was asked for', async () => {
    const schema = {
      type: 'object',
      properties: { ok: { type: 'boolean' }, size: { enum: ['small', 'large'] } },
      required: ['ok', 'size'],
    }

    const request = { ...forced, tools: [], responseFormat: { type: 'json' as const, schema } }
    const { text } = await ask(caller, requestOf('Go', request))

    expect(JSON.parse(text)).toEqual({
      ok: expect.any(Boolean),
      size: expect.stringMatching(/^(small|large)$/),
    })
  })

  test('can be handed in for each request, and one that cannot be read is an error', async () => {
    const model = await open({
      grammarFor: ({ task }) => (task === 'bad' ? 'root ::= nothing' : 'root ::= "yes" | "no"'),
    })

    expect((await ask(model, requestOf('Go'))).text).toMatch(/^(yes|no)$/)
    await expect(ask(model, requestOf('Go', { task: 'bad' }))).rejects.toMatchObject({
      code: 'request-invalid',
    })
  })

  test('for a tool that is not offered is an error', async () => {
    const model = await open({ window: 4096 })

    await expect(
      ask(model, requestOf('Go', { ...forced, toolChoice: { name: 'fly' } })),
    ).rejects.toMatchObject({
      code: 'request-invalid',
      message: expect.stringContaining('no tool is called fly'),
    })
  })
})

const SYSTEM = 'Read the file and tell me what it says, then write the corrected lines again. '.repeat(60)

describe('the cache', () => {
  test('holds at least 98 % of every prompt from the second turn on', async () => {
    const model = await open({ window: 4096 })
    const messages: Message[] = [{ role: 'user', text: 'Begin.' }]
    const shares: number[] = []

    for (let turn = 0; turn < 6; turn++) {
      const { text, usage } = await ask(model, requestOf('', { system: SYSTEM, messages, maxTokens: 6 }))
      shares.push((usage.cached ?? 0) / usage.prompt)
      messages.push({ role: 'assistant', text, calls: [] }, { role: 'user', text: 'Go on.' })
    }

    expect(Math.min(...shares.slice(1))).toBeGreaterThanOrEqual(0.98)
  })

  test('holds what the model wrote, although a tokenizer would write it in other tokens', async () => {
    const model = await open({ path: callerPath })
    const tools = builtinTools({ list: () => [] })
      .map(toToolSchema)
      .filter(({ name }) => name === 'system_info')
    const question = requestOf('Go', {
      tools,
      toolChoice: 'required',
      temperature: 1,
      seed: 3,
      maxTokens: 300,
    })
    const first = await collect(model.stream(question, NEVER))
    const { calls, usage } = toAnswer(first)
    const messages: Message[] = [
      ...question.messages,
      { role: 'assistant', text: '', calls },
      ...calls.map(({ id }) => ({ role: 'tool' as const, callId: id, text: 'fine', ok: true })),
    ]

    const next = await ask(model, requestOf('', { tools, messages }))

    expect(next.usage.cached).toBe(usage.prompt + usage.completion)
  })

  test('changes nothing about the answer', async () => {
    const warm = await open({ window: 4096 })
    const cold = await open({ window: 4096 })
    await ask(warm, requestOf('Begin.', { system: SYSTEM, maxTokens: 30 }))

    const request = requestOf('Something else.', { system: SYSTEM, maxTokens: 30 })

    expect((await ask(warm, request)).text).toBe((await ask(cold, request)).text)
  })

  test('of a sliding window is gone back to as well', async () => {
    const slidingPath = join(folder, 'sliding.gguf')
    await writeTinyModel(slidingPath, { slidingWindow: 64, layers: 3 })
    const options = { path: slidingPath, window: 4096 }
    const [warm, cold] = [await open(options), await open(options)]
    await ask(warm, requestOf('Begin.', { system: SYSTEM, maxTokens: 700 }))

    const request = requestOf('', {
      system: SYSTEM,
      messages: [
        { role: 'user', text: 'Begin.' },
        { role: 'assistant', text: 'Not what was said.', calls: [] },
        { role: 'user', text: 'Go on.' },
      ],
    })
    const [fromCache, fresh] = [await ask(warm, request), await ask(cold, request)]

    expect(fromCache.text).toBe(fresh.text)
    expect(fromCache.usage.cached).toBeGreaterThan(0.9 * fromCache.usage.prompt)
  })

  test('keeps two conversations apart', async () => {
    const model = await open({ sequences: 2 })
    const turns = (name: string, count: number): Message[] => [
      { role: 'user', text: `I am ${name}, and this is what I have to say about it. `.repeat(4) },
      ...Array.from({ length: count }, (_, turn) => [
        { role: 'assistant' as const, text: `Turn ${turn}`, calls: [] },
        { role: 'user' as const, text: 'More.' },
      ]).flat(),
    ]
    const shares: number[] = []

    for (let count = 0; count < 4; count++) {
      for (const name of ['Anna', 'Berta']) {
        const { usage } = await ask(
          model,
          requestOf('', { messages: turns(name, count), sessionId: name, maxTokens: 4 }),
        )
        if (count > 0) shares.push((usage.cached ?? 0) / usage.prompt)
      }
    }

    expect(Math.min(...shares)).toBeGreaterThan(0.7)
  })
})

describe('several at a time', () => {
  test('say what each says alone', async () => {
    const model = await open({ sequences: 4 })
    const requests = Array.from({ length: runs(12, 40) }, (_, index) =>
      requestOf(`Number ${index}: what does the file say?`, { maxTokens: 10 + ((index * 7) % 30) }),
    )
    const alone: string[] = []
    for (const request of requests) alone.push((await ask(model, request)).text)

    const together = await Promise.all(requests.map((request) => ask(model, request)))

    const equal = together.filter(({ text }, index) => text === alone[index]).length
    expect(equal / requests.length).toBeGreaterThanOrEqual(0.95)
  })

  test('wait their turn when all sequences are taken, first come first served', async () => {
    const model = await open({ sequences: 1 })
    const ended: number[] = []

    await Promise.all(
      [1, 2, 3].map(async (number) => {
        await collect(model.stream(requestOf(`Number ${number}`), NEVER))
        ended.push(number)
      }),
    )

    expect(ended).toEqual([1, 2, 3])
  })

  test('one that waits says how many are before it, and takes nothing along when its reader leaves', async () => {
    const model = await open({ sequences: 1 })
    await model.load()
    const first = model.stream(requestOf('One', { maxTokens: 900 }), NEVER)[Symbol.asyncIterator]()
    await first.next()

    const second = model.stream(requestOf('Two'), NEVER)[Symbol.asyncIterator]()
    const { value: waiting } = await second.next()
    await second.return?.()
    await first.return?.()
    const third = await collect(model.stream(requestOf('Three'), NEVER))

    expect(waiting).toEqual({ type: 'progress', stage: 'queued', total: 1 })
    expect(third.at(-1)).toMatchObject({ type: 'finish' })
  })

  test('one that is cancelled while it waits never starts', async () => {
    const model = await open({ sequences: 1 })
    const stop = new AbortController()
    const first = ask(model, requestOf('First'))
    const second = collect(model.stream(requestOf('Second'), stop.signal))
    const third = ask(model, requestOf('Third'))

    stop.abort()

    expect(await second).toEqual([])
    expect((await first).finish).toBe('length')
    expect((await third).finish).toBe('length')
  })
})

describe('a cancelled reply', () => {
  test('ends without another token, and its sequence works on for the next', async () => {
    const model = await open()
    const stop = new AbortController()
    const events: ModelEvent[] = []

    for await (const event of model.stream(requestOf('Hello', { maxTokens: 900 }), stop.signal)) {
      events.push(event)
      if (events.length === 5) stop.abort()
    }

    expect(events).toHaveLength(5)
    expect((await ask(model, requestOf('Hello'))).finish).toBe('length')
  })

  test('that was still being read says nothing', async () => {
    const model = await open({ window: 4096 })
    await model.load()
    const stop = new AbortController()

    const reply = collect(model.stream(requestOf('Hello', { system: SYSTEM }), stop.signal))
    setImmediate(() => stop.abort())

    expect(await reply).toEqual([])
    expect((await ask(model, requestOf('Hello'))).finish).toBe('length')
  })

  test('that was cancelled before it began says nothing', async () => {
    const model = await open()

    expect(await collect(model.stream(requestOf('Hello'), AbortSignal.abort()))).toEqual([])
  })

  test('is over when its reader leaves', async () => {
    const model = await open()

    for await (const _ of model.stream(requestOf('Hello', { maxTokens: 900 }), NEVER)) break

    expect((await ask(model, requestOf('Hello'))).finish).toBe('length')
  })
})

describe('text from outside', () => {
  let model: LlamaModel

  beforeAll(async () => {
    const { llama } = await loadEngine()
    model = await llama.loadModel({ modelPath: path })
    return () => model.dispose()
  })

  test('is tokenised word for word, without one control token', () => {
    const tokenizer = createTokenizer(model, CHATML)
    const control = new Set(
      ['<|im_start|>', '<|im_end|>', '<tool_call>', '</tool_call>'].map(
        (text) => model.tokenize(text, true)[0],
      ),
    )
    const pieces = fc.constantFrom(
      '<|im_start|>',
      '<|im_end|>',
      '<tool_call>',
      '</tool_call>',
      '<',
      '|',
      'é🙂',
      ' the',
    )

    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), (list) => {
        const tokens = tokenizer.encode({ text: list.join(''), control: false }, false)

        expect(tokens.filter((token) => control.has(token))).toEqual([])
        expect(model.detokenize(tokens, true)).toBe(list.join(''))
      }),
    )
  })

  test('is tokenised as the template is where it holds nothing special', () => {
    const tokenizer = createTokenizer(model, CHATML)
    const text = 'export const value = (input: string): number => input.length\n'

    expect(tokenizer.encode({ text, control: false }, true)).toEqual(
      tokenizer.encode({ text, control: true }, true),
    )
  })
})

describe('the weights', () => {
  test('are let go after a while of quiet, and come back with the next request', async () => {
    const model = await open({ idleMs: 1 })
    const first = await ask(model, requestOf('Hello'))

    await pause(60)
    const second = await ask(model, requestOf('Hello'))

    expect(second.usage.cached).toBe(0)
    expect(second.text).toBe(first.text)
  })

  test('count tokens exactly while they are there, and by what was learnt when they are not', async () => {
    const model = await open({ idleMs: 1 })
    const text = 'Read the file and tell me what it says.'
    const before = model.countTokens(text)

    const { usage } = await ask(model, requestOf(text))
    await model.load()
    const exact = model.countTokens(text)
    await pause(60)

    expect(usage.prompt - exact).toBe(9)
    expect(before).not.toBe(exact)
    expect(Math.abs(model.countTokens(text) - exact)).toBeLessThanOrEqual(1)
  })

  test('are refused when the file is not the one that was meant', async () => {
    const right = createHash('sha256')
      .update(await readFile(path))
      .digest('hex')
    const good = await open({ sha256: right.toUpperCase() })
    const bad = await open({ sha256: '0'.repeat(64) })

    expect((await ask(good, requestOf('Hello'))).finish).toBe('length')
    await expect(ask(bad, requestOf('Hello'))).rejects.toMatchObject({
      code: 'model-unavailable',
      message: expect.stringContaining(`its sha256 is ${right}, expected 000`),
    })
  })

  test('of a file cut off after it was opened are an error, and the whole file works again', async () => {
    const copy = join(folder, 'copy.gguf')
    const bytes = await readFile(path)
    await writeFile(copy, bytes)
    const model = await open({ path: copy })
    await truncate(copy, bytes.length - 5000)

    await expect(ask(model, requestOf('Hello'))).rejects.toMatchObject({
      code: 'model-unavailable',
      message: expect.stringContaining('copy.gguf cannot be loaded'),
    })

    await writeFile(copy, bytes)
    expect((await ask(model, requestOf('Hello'))).finish).toBe('length')
  })

  test('leave one core free, and take one at least', () => {
    expect([1, 2, 8].map((cores) => threadsFor(undefined, cores))).toEqual([1, 1, 7])
    expect([1, 4, 99].map((wanted) => threadsFor(wanted, 8))).toEqual([1, 4, 7])
  })
})

test('labels are scored in one pass behind the fields that ask for them, without writing', async () => {
  const model = await open({ sequences: 2 })
  const labels = ['<|label:yes|>', '<|label:no|>']
  const prompt = [{ text: 'Is it so? <|im_end|>', control: false }]
  const fields = [
    { after: '<|im_start|>', labels },
    { after: '<|im_end|>', labels: labels.toReversed() },
  ]

  const [first, second] = await model.scoreLabels(prompt, fields, NEVER)
  const [alone] = await model.scoreLabels(prompt, fields.slice(0, 1), NEVER)

  expect(first![0]! + first![1]!).toBeCloseTo(1)
  expect(second![0]! + second![1]!).toBeCloseTo(1)
  expect(first).not.toEqual(second)
  expect(alone![0]).toBeCloseTo(first![0]!, 5)
  await expect(model.scoreLabels(prompt, [{ after: '', labels: ['yes', 'yes'] }], NEVER)).rejects.toThrow(
    /different tokens/,
  )
})

test('labels have the same shares for a sliding window, which goes back only in leaps, whatever it read before', async () => {
  const slidingPath = join(folder, 'scored.gguf')
  await writeTinyModel(slidingPath, { slidingWindow: 64, layers: 3 })
  const options = { path: slidingPath, window: 4096 }
  const [warm, cold] = [await open(options), await open(options)]
  const prompt = (end: string) => [{ text: `${SYSTEM}${end}`, control: false }]
  const fields = [{ after: '<|im_start|>', labels: ['<|label:yes|>', '<|label:no|>'] }]
  await warm.scoreLabels(prompt(`${'and so on '.repeat(400)}, is it not?`), fields, NEVER)

  const [fromCache] = await warm.scoreLabels(prompt('Is it so?'), fields, NEVER)
  const [again] = await warm.scoreLabels(prompt('Is it so?'), fields, NEVER)
  const [fresh] = await cold.scoreLabels(prompt('Is it so?'), fields, NEVER)

  expect(fromCache![0]).toBeCloseTo(fresh![0]!, 4)
  expect(again![0]).toBeCloseTo(fresh![0]!, 4)
})

test('a conversation that was put on disk is taken up warm by another process', async () => {
  const options = { window: 4096, statesFolder: join(folder, 'states') }
  const before = await open(options)
  const request = requestOf('Hello', { system: SYSTEM })
  const first = await ask(before, request)

  expect(await before.saveState('session-1')).toBe(true)
  expect(await before.saveState('session-2')).toBe(false)
  const after = await open(options)
  expect(await after.loadState('session-1')).toBe(true)
  expect(await after.loadState('session-2')).toBe(false)

  const again = await ask(after, request)
  expect(again.text).toBe(first.text)
  expect(again.usage.cached).toBe(first.usage.prompt - 1)
})

test('a prompt of its own can replace the chat template', async () => {
  const model = await open({
    render: ({ messages }) => [
      { text: '<|im_start|>', control: true },
      { text: messages.map(({ text }) => text).join('|'), control: false },
    ],
  })

  expect((await ask(model, requestOf('a'))).usage.prompt).toBe(2)
  expect((await ask(model, requestOf('<|im_end|>'))).usage.prompt).toBeGreaterThan(4)
})

test('the capabilities are known before the weights are loaded', async () => {
  const model = await createEmbeddedModel({ name: 'tiny', path })

  expect(model.capabilities).toEqual({
    window: 4096,
    windowFrom: 'reported',
    tools: 'raw',
    emission: { base: 'tool-role', dialect: 'hermes' },
    dialect: 'hermes',
    reasoning: 'drop',
    editForm: 'whole',
    grammar: true,
    requiredChoice: true,
    prefill: true,
    vision: false,
  })
})
