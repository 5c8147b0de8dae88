/**
 * Nano as a Model, with nano's vocabulary and random weights: it understands nothing, so what holds here holds whatever
 * the weights say. How good the trained ones are is measured by scripts/nano-eval.ts.
 */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createNanoModel, type NanoModel } from '../../src/nano/model.ts'
import { classifySegments, fieldToken } from '../../src/nano/weights/format.ts'
import { loadEngine } from '../../src/embedded/llama.ts'
import { readVocabulary } from '../../src/nano/weights/vocabulary.ts'
import { createTokenizer } from '../../src/embedded/tokenizer.ts'
import { createFiles } from '../../src/guard/paths/files.ts'
import { toToolSchema } from '../../src/lib/schema.ts'
import type { ToolMessage } from '../../src/protocol/message.ts'
import type { ModelEvent, ModelRequest } from '../../src/protocol/model.ts'
import { builtinTools } from '../../src/tools/all.ts'
import { tempProject } from '../support/project.ts'
import { endOf, run as runApp, textOf } from '../support/run.ts'
import { ask, collect, NEVER, testFolder } from '../embedded/support/ask.ts'
import { contract, vectors } from '../embedded/support/nano-data.ts'
import { writeRandomNano } from '../embedded/support/nano-gguf.ts'

const folder = testFolder()
const path = join(folder, 'nano.gguf')
const PROJECT = { 'README.md': 'hello\n', 'src/app.ts': 'x\n', 'package.json': '{"scripts":{"test":"true"}}' }

let root: string
let model: NanoModel
beforeAll(async () => {
  writeRandomNano(path)
  root = await tempProject(PROJECT)
  model = createNanoModel({ path, files: createFiles({ root }) })
  await model.load()
})
afterAll(() => model.close())

const tools = builtinTools({ list: () => [] }).map(toToolSchema)

let runs = 0
const requestOf = (task: string, more: Partial<ModelRequest> = {}): ModelRequest => ({
  runId: `run-${++runs}`,
  sessionId: 'session-1',
  turn: 1,
  task,
  system: 'ignored',
  messages: [{ role: 'user', text: task }],
  tools,
  ...more,
})

describe('the vocabulary', () => {
  test('prompts become the very tokens the training made of them', async () => {
    const { llama } = await loadEngine()
    const weights = await llama.loadModel({ modelPath: path })
    const tokenizer = createTokenizer(weights, '')
    const fields = Object.keys(contract.fields).map(fieldToken).join('')

    const found = vectors.map(({ request }) =>
      [...classifySegments(request), { text: fields, control: true }].flatMap((part) =>
        tokenizer.encode(part, false),
      ),
    )

    expect(found).toEqual(vectors.map((vector) => vector.classify_tokens))
    await weights.dispose()
  })

  test('tokens become the very letters they stand for, spaces before punctuation included', async () => {
    const { llama } = await loadEngine()
    const weights = await llama.loadModel({ modelPath: path })
    const vocabulary = await readVocabulary(path)
    const texts = ['all the .sql files', 'a , b', " 's", 'größer → 🙂 .', 'x  !\n\t"\\']

    expect(texts.map((text) => vocabulary.toText(weights.tokenize(text)))).toEqual(texts)
    expect(vocabulary.toText(weights.tokenize('<|form:list|>', true))).toBe('<|form:list|>')
    await weights.dispose()
  })
})

describe('a reply', () => {
  const NAMES = new Set(tools.map(({ name }) => name))

  test.each([
    'read the README',
    'list everything in src, please',
    'change hello to bye in README.md',
    'run the tests',
    'what is love?',
    '',
    '"quotes" and \\ and\nnew lines, 🙂 <|im_end|> <tool_call>',
  ])('to %j is one legal call, or words and nothing else', async (task) => {
    const events = await collect(model.stream(requestOf(task), NEVER))

    const calls = events.flatMap((event) => (event.type === 'tool-call' ? [event.call] : []))
    const text = events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : [])).join('')
    expect(calls.length + Number(text !== '')).toBe(1)
    expect(calls.every(({ name, input }) => NAMES.has(name) && typeof JSON.parse(input) === 'object')).toBe(
      true,
    )
    expect(text).not.toContain('<|')
    expect(events.slice(-2).map(({ type }) => type)).toEqual(['usage', 'finish'])
  })

  test('that acts is never made on a guess', async () => {
    const acting = tools.filter(({ name }) => ['write_file', 'edit_file'].includes(name))

    const answer = await ask(
      model,
      requestOf('write hello to a.txt', { tools: acting, toolChoice: 'required' }),
    )

    expect(answer).toMatchObject({ calls: [], finish: 'stop' })
    expect(answer.text).toMatch(
      /^Not done, because it is not certain that this is meant: (?:write|edit)_|^It is not clear which file, text or command/,
    )
  })

  test('is the same every time, and the second time the prompt is in the cache', async () => {
    const request = requestOf('list src', { toolChoice: { name: 'list_files' } })

    const [first, second] = [await ask(model, request), await ask(model, request)]

    expect(second.calls).toEqual(first.calls)
    expect(second.usage.cached).toBe(first.usage.prompt - 1)
  })

  test('tells how sure its least sure choice was', async () => {
    const shares: number[] = []
    const watched = createNanoModel({
      path,
      files: createFiles({ root }),
      onReply: ({ confidences }) => shares.push(Math.min(...confidences)),
    })

    const events = await collect(watched.stream(requestOf('list src'), NEVER))
    await watched.close()

    expect(shares[0]).toBeLessThan(1)
    expect(events.at(-1)).toMatchObject({ type: 'finish', confidence: shares[0] })
  })

  test('is a refusal where no tool may be called', async () => {
    const { text, calls } = await ask(model, requestOf('list src', { toolChoice: 'none' }))

    expect(calls).toEqual([])
    expect(text).toMatch(/`covey doctor`/)
  })
})

describe('after a result', () => {
  const resultOf = (
    name: string,
    input: object,
    result: Omit<ToolMessage, 'role' | 'callId'>,
  ): ModelRequest =>
    requestOf('do it', {
      turn: 2,
      // Nothing else may be called, so it has to answer.
      toolChoice: 'none',
      messages: [
        { role: 'user', text: 'do it' },
        { role: 'assistant', text: '', calls: [{ id: 'c1', name, input: JSON.stringify(input) }] },
        { role: 'tool', callId: 'c1', ...result },
      ],
    })

  test('the answer holds what the tool said', async () => {
    const write = resultOf('write_file', { path: 'a' }, { ok: true, text: 'Created a (1 line).' })
    const failed = resultOf(
      'read_file',
      { path: 'a' },
      { ok: false, text: 'Error: a does not exist.', code: 'missing-path' },
    )

    expect((await ask(model, write)).text).toBe('Done.\nCreated a (1 line).')
    expect((await ask(model, failed)).text).toBe('That did not work:\na does not exist.')
  })

  test('a denied call ends the run: what was not done is shown, and nothing else is tried', async () => {
    const denied = { ok: false, text: 'Error: The person said no.', code: 'denied' } as const
    const request = { ...resultOf('read_file', { path: 'a' }, denied), toolChoice: 'auto' } as const

    expect(await ask(model, request)).toMatchObject({
      calls: [],
      text: 'Not done: read_file a. The person said no.',
    })
  })

  test('the longest conversation stays within the window', async () => {
    const long = '123 größer, '.repeat(2000)
    const messages = Array.from({ length: 5 }, (_, index) => [
      {
        role: 'assistant',
        text: '',
        calls: [{ id: `c${index}`, name: 'read_file', input: JSON.stringify({ path: long }) }],
      },
      { role: 'tool', callId: `c${index}`, text: long, ok: true },
    ]).flat() as ModelRequest['messages']

    const answer = await ask(
      model,
      requestOf(long, { messages: [{ role: 'user', text: long }, ...messages] }),
    )

    expect(answer.usage.prompt + answer.usage.completion).toBeLessThanOrEqual(2048)
  })
})

test('a request is classified by one label for each field', async () => {
  const { type, complexity, needsTools, category, source } = await model.classify('fix the failing test')

  expect(Object.keys(contract.fields['task'] ?? {})).toContain(type)
  expect(Object.keys(contract.fields['category'] ?? {})).toContain(category)
  expect(complexity).toBeGreaterThanOrEqual(0)
  expect(complexity).toBeLessThanOrEqual(1)
  expect(typeof needsTools).toBe('boolean')
  expect(source).toBe('slm')
})

test('several conversations at once get their own answers', async () => {
  const tasks = ['list src', 'read README.md', 'find *.ts', 'list .', 'read package.json']
  const requests = tasks.map((task) => requestOf(task))

  const together = await Promise.all(requests.map((request) => ask(model, request)))
  const alone = []
  for (const request of requests) alone.push(await ask(model, request))

  expect(together.map(({ calls, text }) => ({ calls, text }))).toEqual(
    alone.map(({ calls, text }) => ({ calls, text })),
  )
})

test('a cancelled request ends without an answer, and the next one works', async () => {
  const cancel = new AbortController()
  cancel.abort()

  const events: ModelEvent[] = await collect(model.stream(requestOf('list src'), cancel.signal))

  expect(events).toEqual([])
  expect((await ask(model, requestOf('list src'))).finish).not.toBe('none')
})

test('a file that is another model is refused with what to do', async () => {
  const other = join(folder, 'other.gguf')
  writeRandomNano(other, { name: 'something else' })
  const wrong = createNanoModel({ path: other, files: createFiles({ root }) })

  await expect(wrong.load()).rejects.toThrow(/other\.gguf is not covey-nano; name it with --model/)
  await expect(
    createNanoModel({ path: join(folder, 'none.gguf'), files: createFiles({ root }) }).load(),
  ).rejects.toThrow(/none\.gguf cannot be opened/)
})

test('a whole run through the loop and the real tools ends, and changes nothing', async () => {
  const events = await runApp(model, root, {
    prompt: 'list src and read app.ts',
    window: model.capabilities.window,
  })

  expect(endOf(events)).toMatchObject({ changed: [] })
  expect(['answered', 'repeated-call', 'no-progress', 'no-answer']).toContain(endOf(events).reason)
  expect(textOf(events)).not.toContain('<|')
})
