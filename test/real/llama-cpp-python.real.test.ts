/** Covey against the real server of llama-cpp-python with real weights: every check leaves a line for docs/servers.md. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { probeArm } from '../../src/provider/probe/run.ts'
import type { Message, ToolCall } from '../../src/protocol/message.ts'
import type { ModelEvent } from '../../src/protocol/model.ts'
import { coveyProcess } from '../support/covey.ts'
import { tempProject } from '../support/project.ts'
import {
  crashInReply,
  type Asked,
  isFree,
  llamaPython,
  NEVER,
  openArm,
  type RealPython,
  reply,
  request,
  seen,
  startPython,
  textIn,
  usageIn,
  weightsHere,
  whyNot,
} from './support.ts'

const models = llamaPython === undefined ? [] : weightsHere('chat', 'base')
const WINDOW = 4_096
const ONE_BY_ONE = ['--n_ctx', `${WINDOW}`, '--interrupt_requests', 'False']
const columnOf = ({ version }: RealPython, name: string): string => `llama-cpp-python ${version}, ${name}`

const BIRD = {
  name: 'name_bird',
  description: 'Names the bird.',
  parameters: {
    type: 'object' as const,
    properties: { bird: { enum: ['heron', 'crane'] } },
    required: ['bird'],
    additionalProperties: false,
  },
}

const callsIn = (events: readonly ModelEvent[]): readonly ToolCall[] =>
  events.flatMap((event) => (event.type === 'tool-call' ? [event.call] : []))

const birdIn = ({ input }: ToolCall): unknown => (JSON.parse(input) as { bird?: unknown }).bird

const afterCall = (call: ToolCall): readonly Message[] => [
  { role: 'user', text: 'Which bird is it?' },
  { role: 'assistant', text: '', calls: [call] },
  { role: 'tool', callId: call.id, text: 'Right.', ok: true },
]

test.skipIf(models.length > 0)(`llama-cpp-python${whyNot(llamaPython, 'llama-cpp-python')}`, () => {})

describe.each(models)('llama-cpp-python with $name', (weights) => {
  let server: RealPython
  let column: string
  let arm: Asked
  beforeAll(async () => {
    server = await startPython(weights, ONE_BY_ONE)
    column = columnOf(server, weights.name)
    arm = await openArm(server.url, weights.file)
  })
  afterAll(() => server.stop())

  test('it is known for what it is, with one slot and tools as text', () => {
    expect(arm.capabilities).toMatchObject({
      server: 'llama-cpp-python',
      tools: 'text',
      windowFrom: 'assumed',
    })
    expect([arm.slots, arm.embed]).toEqual([1, undefined])
    seen(column, 'window of one slot, slots', 'not told, 4,096 assumed; 1')
    seen(column, 'tools', `text, ${arm.capabilities.dialect ?? 'hermes'}`)
    seen(column, 'template', 'not told')
    seen(column, 'embeddings', 'no (not started with --embedding True)')
  })

  test('text streams, and nothing is counted', async () => {
    const events = await reply(arm.model, request('Count from one to ten.'))

    const deltas = events.filter(({ type }) => type === 'text-delta')
    expect(events.at(-1)).toMatchObject({ type: 'finish' })
    expect(usageIn(events)).toBeUndefined()
    seen(column, 'streaming', `${deltas.length} pieces, not counted`)
  })

  test('an answer by JSON schema is one', async () => {
    const schema = { type: 'object', properties: { bird: { enum: ['heron', 'crane'] } }, required: ['bird'] }
    const asked = request('Which bird is it?', { responseFormat: { type: 'json', schema }, maxTokens: 200 })

    const events = await reply(arm.model, asked)

    expect(JSON.parse(textIn(events))).toEqual({ bird: expect.stringMatching(/^(?:heron|crane)$/) })
    seen(column, 'answer by JSON schema', 'valid')
  })

  test('a call that is required is valid: tools as text, under a grammar', async () => {
    const asked = request('Which bird is it?', { tools: [BIRD], toolChoice: 'required', maxTokens: 400 })

    const events = await reply(arm.model, asked)

    // A tiny model calls until it may not any more.
    const names = new Set(callsIn(events).map(({ name }) => name))
    expect(names).toEqual(new Set(['name_bird']))
    expect(callsIn(events).map(birdIn).join(' ')).toMatch(/^(?:(?:heron|crane) ?)+$/)
    const call = callsIn(events)[0] ?? { id: '', name: '', input: '' }
    const next = await reply(arm.model, request('', { messages: afterCall(call), tools: [BIRD] }))
    expect(next.at(-1)).toMatchObject({ type: 'finish' })
    seen(column, 'call under grammar', 'valid, as text; the result is taken')
  })

  test('a call of a tool by its name is native, and its result is taken', async () => {
    const native = await openArm(server.url, weights.file, { tools: 'native' })
    const asked = request('Which bird is it?', {
      tools: [BIRD],
      toolChoice: { name: 'name_bird' },
      maxTokens: 400,
    })

    const events = await reply(native.model, asked)

    expect(callsIn(events).map(({ name }) => name)).toEqual(['name_bird'])
    expect(callsIn(events).map(birdIn)).toEqual([expect.stringMatching(/^(?:heron|crane)$/)])
    const call = callsIn(events)[0] ?? { id: '', name: '', input: '' }
    const next = await reply(native.model, request('', { messages: afterCall(call), tools: [BIRD] }))
    expect(next.at(-1)).toMatchObject({ type: 'finish' })
    seen(column, 'native call', 'only of a tool that is named; the result is taken')
  })

  test('tools that may be called are described as text, and the reply is read', async () => {
    const events = await reply(arm.model, request('Read the file a.txt.', { tools: [BIRD], maxTokens: 60 }))

    expect(events.at(-1)).toMatchObject({ type: 'finish' })
    seen(column, 'call of its own accord', callsIn(events).length > 0 ? 'made' : 'none: the model only talks')
  })

  test('a cancelled reply is not written to its end', async () => {
    const leaving = new AbortController()
    for await (const event of arm.model.stream(
      request('Tell a long story.', { maxTokens: 3_000 }),
      leaving.signal,
    )) {
      if (event.type === 'text-delta') leaving.abort()
    }
    const left = performance.now()

    await reply(arm.model, request('Hello', { maxTokens: 1 }))

    // Three thousand tokens would take a minute and more.
    expect(performance.now() - left).toBeLessThan(15_000)
    seen(column, 'cancel frees the slot', 'yes, at the next token')
  })

  test('what was sent before comes out of the cache, ten turns long', async () => {
    const messages: Message[] = []
    for (let turn = 1; turn <= 10; turn++) {
      messages.push({ role: 'user', text: `Turn ${turn}: name another bird, one word only, please.` })
      const events = await reply(arm.model, request('', { messages, turn, sessionId: 'ten', maxTokens: 8 }))
      messages.push({ role: 'assistant', text: textIn(events), calls: [] })
    }

    const last = server.cacheShares().at(-1) ?? 0
    expect(last).toBeGreaterThan(0.7)
    seen(column, 'cache, tenth turn', `${Math.round(last * 100)} %, by its log; not in its replies`)
  })

  test('a prompt that does not fit is an overflow with the window in it', async () => {
    const failure = reply(arm.model, request('word '.repeat(6_000)))

    await expect(failure).rejects.toMatchObject({ code: 'context-overflow', details: { window: WINDOW } })
    seen(column, 'overflow', 'an empty stream; asked again without one: said, with the window')
  })

  test('how sure the model was is reported', async () => {
    const events = await reply(arm.model, request('Hello', { maxTokens: 4, logprobs: 2 }))

    const told = events.flatMap((event) => (event.type === 'logprobs' ? event.tokens : []))
    expect(told[0]?.top?.length).toBeGreaterThanOrEqual(2)
    seen(column, 'log probabilities', 'yes')
  })

  test('a model without tokens for gaps has no way to fill one', () => {
    expect(arm.fill).toBeUndefined()
    seen(column, 'fill in the middle', 'not offered: it ignores what follows the gap')
  })
})

describe.each(models.slice(0, 1))('the server of llama-cpp-python with $name', (weights) => {
  test('its answers to a full probe are read, and no question fails', async () => {
    const server = await startPython(weights, ONE_BY_ONE)
    const settings = {
      id: 'real',
      kind: 'openai-compatible' as const,
      model: weights.file,
      baseUrl: `${server.url}/v1`,
      headers: {},
      local: true,
      known: {},
    }

    const { findings } = await probeArm(settings, { depth: 'full', signal: NEVER })

    await server.stop()
    const values = Object.fromEntries(Object.entries(findings).map(([name, { value }]) => [name, value]))
    expect(values).toMatchObject({
      server: 'llama-cpp-python',
      version: server.version,
      slots: 1,
      nativeTools: false,
      requiredChoice: false,
      jsonSchema: true,
      embeddings: false,
    })
    expect(findings.window).toBeUndefined()
    seen(columnOf(server, weights.name), 'tool_choice required', 'ignored')
  })

  test('two clients at once are both answered, the first a second time where it was interrupted', async () => {
    const calm = await startPython(weights, ONE_BY_ONE)
    const inOrder = await askTwice(calm, weights.file)
    await calm.stop()
    const hasty = await startPython(weights, ['--n_ctx', `${WINDOW}`])
    const interrupted = await askTwice(hasty, weights.file)
    await hasty.stop()

    expect(inOrder).toEqual({ ends: ['finish', 'finish'], restarts: [] })
    expect(interrupted).toEqual({
      ends: ['finish', 'finish'],
      restarts: [expect.stringContaining('--interrupt_requests False')],
    })
    const column = columnOf(hasty, weights.name)
    seen(
      column,
      'two clients, one slot',
      'both answered; the second interrupts the first, which is asked again',
    )
  })

  test('a server that is killed in a reply and comes back answers the next request', async () => {
    const first = await startPython(weights, ONE_BY_ONE)
    const arm = await openArm(first.url, weights.file)
    const failure = await (async () => {
      for await (const event of arm.model.stream(
        request('Tell a long story.', { maxTokens: 1_000 }),
        NEVER,
      )) {
        if (event.type === 'text-delta') first.process.kill('SIGKILL')
      }
    })().catch((error: unknown) => error)
    const again = await startPython(weights, ONE_BY_ONE, Number(new URL(first.url).port))

    const events = await reply(arm.model, request('Hello'))

    await again.stop()
    expect(failure).toMatchObject({ code: 'model-unavailable' })
    expect(events.at(-1)).toMatchObject({ type: 'finish' })
    seen(columnOf(again, weights.name), 'killed in a reply, restarted', 'said; next request answered')
  })
})

/** The second request comes while the first is answered. */
async function askTwice({ url }: RealPython, model: string) {
  const [one, two] = [await openArm(url, model), await openArm(url, model)]
  const restarts: string[] = []
  let last = ''
  let other: Promise<ModelEvent[]> | undefined
  for await (const event of one.model.stream(request('Tell a long story.', { maxTokens: 60 }), NEVER)) {
    last = event.type
    if (event.type === 'reply-restart') restarts.push(event.why)
    if (event.type === 'text-delta') other ??= reply(two.model, request('Hello'))
  }
  return { ends: [last, (await other)?.at(-1)?.type], restarts }
}

const [chat] = llamaPython === undefined ? [] : weightsHere('chat')
const PORT = 8000
const isPortFree = await isFree(PORT)

describe.skipIf(chat === undefined || !isPortFree)(
  `covey and llama-cpp-python on its own port${isPortFree ? '' : ` (skipped: something listens on port ${PORT})`}`,
  () => {
    const id = `llama-cpp-python/${chat?.file}`
    let server: RealPython
    const start = () => startPython({ file: chat?.file ?? '' }, ONE_BY_ONE, PORT)
    const place = async () => ({
      cwd: await tempProject({ 'README.md': '# Herons\n' }),
      env: { PATH: process.env['PATH'], HOME: await tempProject() },
    })
    const endOf = (out: string): unknown => JSON.parse(out.trim().split('\n').at(-1) ?? '{}')
    beforeAll(async () => {
      server = await start()
    })
    afterAll(() => server?.stop())

    test('it is found by its own name, not as vLLM', async () => {
      const here = await place()

      const providers = await coveyProcess(['providers'], here)
      const listed = await coveyProcess(['models'], here)

      expect(providers.out).toMatch(/llama-cpp-python +found/)
      expect(providers.out).not.toContain('vllm')
      expect(listed.out).toContain(`covey --model ${id}`)
      seen(
        columnOf(server, chat?.name ?? ''),
        'listed by `covey models`',
        'yes, by its file name; not as vLLM',
      )
    })

    const EXPLAIN = 'Explain in two sentences why herons stand on one leg, considering heat loss.'

    test('it is asked without a flag', async () => {
      const run = await coveyProcess(['--json', EXPLAIN], await place())

      expect(run.out).toContain(`"arm":"${id}"`)
      expect(endOf(run.out)).toMatchObject({ type: 'run-end', reason: 'answered' })
      seen(columnOf(server, chat?.name ?? ''), 'found without a flag', 'yes; the built program answered')
    })

    test('a server that is killed in a reply and started again finishes the run', async () => {
      const crash = crashInReply(
        () => server,
        async () => void (server = await start()),
      )
      const run = await coveyProcess(['--json', '--model', id, EXPLAIN], { ...(await place()), ...crash })
      await crash.over()

      expect(endOf(run.out)).toMatchObject({ type: 'run-end', reason: 'answered' })
      const column = columnOf(server, chat?.name ?? '')
      seen(column, 'killed in a run of the program', 'waited for, run answered')
    })
  },
)

const embedding = llamaPython === undefined ? [] : weightsHere('embedding')

test.each(embedding)('llama-cpp-python makes vectors with $name, also of long texts', async (weights) => {
  const server = await startPython(weights, ['--embedding', 'True', '--n_ctx', '512'])

  const arm = await openArm(server.url, weights.file)
  const texts = ['The cat sits outside', 'word '.repeat(900), 'A feline is outdoors']
  const vectors = await arm.embed?.(texts, NEVER)

  await server.stop()
  const [cat = [], , feline = []] = vectors ?? []
  expect(vectors?.map(({ length }) => length)).toEqual([384, 384, 384])
  expect(cat.reduce((sum, part, at) => sum + part * (feline[at] ?? 0), 0)).toBeGreaterThan(0.5)
  seen(columnOf(server, weights.name), 'embeddings', '384 dimensions')
})
