import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type ChildModel, type ChildOptions, createChildModel } from '../../src/embedded/child.ts'
import { createEmbeddedModel } from '../../src/embedded/engine.ts'
import type { Model, ModelEvent, ModelRequest } from '../../src/protocol/model.ts'
import { ask, collect, NEVER, requestOf, testFolder } from './support/ask.ts'
import { writeTinyModel } from './support/tiny-gguf.ts'
import { until } from '../support/wait.ts'

const folder = testFolder()
const path = join(folder, 'tiny.gguf')

const open = (options: Partial<ChildOptions> = {}): Promise<ChildModel> =>
  createChildModel({
    name: 'tiny',
    path,
    window: 1024,
    gpu: false,
    execArgv: ['--import', 'tsx'],
    ...options,
  })

describe('a model in a process of its own', () => {
  let model: ChildModel

  beforeAll(async () => {
    await writeTinyModel(path)
    process.env['SECRET_API_KEY'] = 'secret-value'
    model = await open({ sequences: 2 })
  })

  afterAll(() => {
    delete process.env['SECRET_API_KEY']
    return model.close()
  })

  test('says what it says in this one', async () => {
    const here = await createEmbeddedModel({ name: 'tiny', path, window: 1024 })
    onTestFinished(() => here.close())
    const labels = [{ after: '<|im_start|>', labels: ['<|label:yes|>', '<|label:no|>'] }]
    const prompt = [{ text: 'So?', control: false }]

    expect(model.capabilities).toEqual(here.capabilities)
    for (const request of [requestOf('Hello'), requestOf('Hello', { logprobs: 2 })]) {
      const [there, said] = [await saidBy(model, request), await saidBy(here, request)]
      expect(there).toEqual(said)
    }
    expect(await model.scoreLabels(prompt, labels, NEVER)).toEqual(
      await here.scoreLabels(prompt, labels, NEVER),
    )
  })

  test('with one sequence chooses tokens early, and says the same', async () => {
    const here = await createEmbeddedModel({ name: 'tiny', path, window: 1024 })
    const alone = await open()
    onTestFinished(() => Promise.all([here.close(), alone.close()]).then(() => {}))
    const tools = [{ name: 'read', description: 'Reads.', parameters: { type: 'object' as const } }]
    const wishes: readonly Partial<ModelRequest>[] = [
      {},
      { temperature: 1, seed: 7 },
      { temperature: 0.7, seed: 3, presencePenalty: 2, frequencyPenalty: 1 },
      { tools, toolChoice: 'required' },
      { maxTokens: 1 },
      { stop: ['e'] },
    ]

    for (const wish of wishes.map((one) => ({ maxTokens: 60, ...one }))) {
      const request = requestOf('Hello', wish)
      const stop = new AbortController()
      // A reply that is given up leaves nothing behind.
      for await (const event of alone.stream(request, stop.signal)) {
        if (event.type === 'text-delta') stop.abort()
      }
      const [there, said] = [await ask(alone, request), await ask(here, request)]
      expect({ wish, ...there, usage: undefined }).toEqual({ wish, ...said, usage: undefined })
    }
  })

  test('counts as its own tokenizer does once it was asked', async () => {
    const here = await createEmbeddedModel({ name: 'tiny', path, window: 1024 })
    onTestFinished(() => here.close())
    await here.load()
    await model.load()
    const text = 'const added = (a, b) => a + b // and a remark that no estimate gets right, 12345 times. '

    model.countTokens(text)
    await until(() => model.countTokens(text) === here.countTokens(text))

    expect(model.countTokens(text)).toBe(here.countTokens(text))
  })

  test('tells how sure it is of a call', async () => {
    const tools = ['q', 'z'].map((name) => ({ name, parameters: { type: 'object', properties: {} } }))

    const events = await collect(
      model.stream(requestOf('Go', { tools, toolChoice: 'required', logprobs: 0, maxTokens: 60 }), NEVER),
    )

    expect(events.at(-1)).toMatchObject({ type: 'finish', confidence: expect.any(Number) })
  })

  test('fails as it fails in this one', async () => {
    await expect(ask(model, requestOf('word '.repeat(900)))).rejects.toMatchObject({
      code: 'context-overflow',
      details: { window: 1024 },
    })
  })

  test('says nothing more once it is cancelled, and goes on with the next request', async () => {
    const pid = model.pid()
    const stop = new AbortController()
    const events: ModelEvent[] = []

    for await (const event of model.stream(requestOf('Hello', { maxTokens: 900 }), stop.signal)) {
      events.push(event)
      if (events.length === 5) stop.abort()
    }

    expect(events).toHaveLength(5)
    expect((await ask(model, requestOf('Hello'))).finish).toBe('length')
    expect(model.pid()).toBe(pid)
  })

  test.runIf(process.platform === 'linux')('does not see the keys of this one', () => {
    expect(readFileSync(`/proc/${model.pid()}/environ`, 'latin1')).not.toContain('secret-value')
  })

  test('ends suddenly: an error of the request in progress, and the next one works', async () => {
    const first = model.pid()
    const events: ModelEvent[] = []
    const kill = async (): Promise<void> => {
      for await (const event of model.stream(requestOf('Hello', { maxTokens: 900 }), NEVER)) {
        events.push(event)
        if (events.length === 5) process.kill(first!, 'SIGKILL')
      }
    }

    await expect(kill()).rejects.toMatchObject({
      code: 'model-unavailable',
      message: 'tiny: the engine process was ended by SIGKILL. The next request starts it again.',
    })
    expect((await ask(model, requestOf('Hello'))).finish).toBe('length')
    expect(model.pid()).not.toBe(first)
  })

  test('answers no more when it was closed', async () => {
    await model.close()

    expect(model.pid()).toBeUndefined()
    await expect(ask(model, requestOf('Hello'))).rejects.toThrow('tiny is closed.')
  })
})

test('after a while of quiet the process is ended, and started again when it is needed', async () => {
  const model = await open({ idleMs: 1 })
  onTestFinished(() => model.close())

  await until(() => model.pid() === undefined)

  expect((await ask(model, requestOf('Hello'))).finish).toBe('length')
})

test('an invalid model file is an error at once', async () => {
  const broken = join(folder, 'broken.gguf')
  await writeFile(broken, (await readFile(path)).subarray(0, 300_000))

  await expect(open({ path: broken })).rejects.toMatchObject({
    code: 'model-unavailable',
    message: expect.stringMatching(/broken\.gguf is not a usable GGUF file: \d+ bytes of the tensor/),
  })
})

// Nothing says that these numbers are wrong until llama.cpp computes with them.
test.each([
  ['attention.head_count', 0],
  ['attention.key_length', 7],
])('a model file with a wrong %s is at worst an error of one request', async (key, value) => {
  const bytes = await readFile(path)
  bytes.writeUInt32LE(value, bytes.indexOf(key) + key.length + 4)
  const damaged = join(folder, `${key}.gguf`)
  await writeFile(damaged, bytes)
  const model = await open({ path: damaged })
  onTestFinished(() => model.close())

  const outcome = await ask(model, requestOf('Hello')).catch((error: unknown) => error)

  expect(outcome).toMatchObject({
    code: 'model-unavailable',
    message: expect.stringMatching(/^tiny: the engine process|cannot be loaded/),
  })
})

/** Without how far it got on the way, which depends on what is loaded already. */
const saidBy = async (model: Pick<Model, 'stream'>, request: ModelRequest) =>
  (await collect(model.stream(request, NEVER))).filter(({ type }) => type !== 'progress')
