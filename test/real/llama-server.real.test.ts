/** Covey against a real `llama-server` with real weights: every check leaves a line for docs/servers.md. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { setTimeout as wait } from 'node:timers/promises'
import type { RealServer } from '../../scripts/real/server.ts'
import type { Message } from '../../src/protocol/message.ts'
import {
  type Asked,
  llamaServer,
  NEVER,
  openArm,
  reply,
  request,
  seen,
  startLlama,
  textIn,
  untilIdle,
  usageIn,
  weightsHere,
  whyNot,
} from './support.ts'

const models = llamaServer === undefined ? [] : weightsHere('chat', 'base')

test.skipIf(models.length > 0)(`llama-server${whyNot(llamaServer, 'llama-server')}`, () => {})

describe.each(models)('llama-server with $name', (weights) => {
  const column = `llama-server, ${weights.name}`
  let server: RealServer
  let arm: Asked
  beforeAll(async () => {
    server = await startLlama(weights, ['--ctx-size', '8192', '--parallel', '2'])
    arm = await openArm(server.url, weights.file)
  })
  afterAll(() => server.stop())

  test('its window is that of one slot, and its slots are counted', () => {
    expect(arm.capabilities).toMatchObject({ window: 4_096, windowFrom: 'reported' })
    expect(arm.slots).toBe(2)
    seen(column, 'window of one slot, slots', '4,096 of 8,192; 2')
  })

  test('a template without tools is noticed, and prompts are rendered here', () => {
    expect(arm.capabilities.tools).toBe('raw')
    seen(column, 'tools', `${arm.capabilities.tools}, ${arm.capabilities.dialect ?? 'hermes'}`)
  })

  test('text streams, and the server counts', async () => {
    const events = await reply(arm.model, request('Count from one to ten.'))

    const deltas = events.filter(({ type }) => type === 'text-delta')
    expect(events.at(-1)).toMatchObject({ type: 'finish' })
    expect(usageIn(events)?.prompt).toBeGreaterThan(5)
    seen(column, 'streaming', `${deltas.length} pieces, counted`)
  })

  test('a call that must be made is valid by construction', async () => {
    // A tiny model does not end a free text: what a call may say is finite here, as paths of a project are.
    const asked = request('Which bird is it?', { tools: [BIRD], toolChoice: 'required', maxTokens: 400 })

    const events = await reply(arm.model, asked)

    const call = events.find((event) => event.type === 'tool-call')
    expect(call?.call.name).toBe('name_bird')
    expect(JSON.parse(call?.call.input ?? '{}')).toEqual({ bird: expect.stringMatching(/^(?:heron|crane)$/) })
    seen(column, 'call under grammar', 'valid')
  })

  test('cancelling frees the slot', async () => {
    const leaving = new AbortController()
    const asked = request('Tell a long story.', { maxTokens: 2_000 })
    for await (const event of arm.model.stream(asked, leaving.signal)) {
      if (event.type === 'text-delta') leaving.abort()
    }

    const ms = await untilIdle(server.url)

    expect(ms).toBeLessThan(5_000)
    seen(column, 'cancel frees the slot', 'yes')
  })

  test('what was sent before comes out of the cache, ten turns long', async () => {
    const messages: Message[] = []
    const shares: number[] = []
    for (let turn = 1; turn <= 10; turn++) {
      messages.push({ role: 'user', text: `Turn ${turn}: name another bird, one word only, please.` })
      const events = await reply(arm.model, request('', { messages, turn, sessionId: 'ten', maxTokens: 8 }))
      const usage = usageIn(events)
      shares.push((usage?.cached ?? 0) / (usage?.prompt ?? 1))
      messages.push({ role: 'assistant', text: textIn(events), calls: [] })
    }

    const last = shares.at(-1) ?? 0
    expect(last).toBeGreaterThan(0.8)
    seen(column, 'cache, tenth turn', `${Math.round(last * 100)} %`)
  })

  test('a prompt that does not fit is an overflow with the window in it', async () => {
    const failure = reply(arm.model, request('word '.repeat(6_000)))

    await expect(failure).rejects.toMatchObject({ code: 'context-overflow', details: { window: 4_096 } })
    seen(column, 'overflow', 'said, with the window')
  })

  test('a connection the server has closed is not used again', async () => {
    await reply(arm.model, request('Hello', { maxTokens: 1 }))
    await wait(KEEP_ALIVE_MS + 500)

    const events = await reply(arm.model, request('Hello', { maxTokens: 1 }))

    expect(events.at(-1)).toMatchObject({ type: 'finish' })
    seen(column, 'idle connection (5 s)', 'opened anew')
  })

  test('how sure the model was is reported', async () => {
    const events = await reply(arm.model, request('Hello', { maxTokens: 4, logprobs: 2 }))

    const told = events.flatMap((event) => (event.type === 'logprobs' ? event.tokens : []))
    expect(told[0]?.top).toHaveLength(2)
    seen(column, 'log probabilities', 'yes')
  })

  test('a gap is filled, or refused in words', async () => {
    const gap = request('', {
      messages: [
        { role: 'user', text: 'function add(a, b) {\n  return ' },
        { role: 'user', text: '\n}\n' },
      ],
    })

    const outcome = await (arm.fill ? reply(arm.fill, gap) : Promise.resolve([])).catch(
      (error: Error) => error,
    )

    if (outcome instanceof Error) expect(outcome.message).toMatch(/infill|prefix token|fill/i)
    seen(column, 'fill in the middle', outcome instanceof Error ? 'refused: no such tokens' : 'filled')
  })

  test('a server that was not started for embeddings makes none', async () => {
    expect(arm.embed).toBeUndefined()
    seen(column, 'embeddings', 'no (not started with --embeddings)')
  })
})

const BIRD = {
  name: 'name_bird',
  description: 'Say which bird it is.',
  parameters: { type: 'object', properties: { bird: { enum: ['heron', 'crane'] } }, required: ['bird'] },
}

/** What `llama-server` announces. */
const KEEP_ALIVE_MS = 5_000

describe.each(models.slice(0, 1))('one slot of llama-server with $name', (weights) => {
  const column = `llama-server, ${weights.name}`

  test('two clients are both answered', async () => {
    const server = await startLlama(weights, ['--ctx-size', '4096', '--parallel', '1'])
    const arms = await Promise.all([openArm(server.url, weights.file), openArm(server.url, weights.file)])

    const replies = await Promise.all(
      arms.map(({ model }, index) =>
        reply(model, request(`Client ${index}`, { sessionId: `client-${index}` })),
      ),
    )

    await server.stop()
    expect(replies.map((events) => events.at(-1)?.type)).toEqual(['finish', 'finish'])
    seen(column, 'two clients, one slot', 'both answered')
  })

  test('a server that still loads is waited for', async () => {
    const server = await startLlama(weights, ['--ctx-size', '4096'], { ready: false })

    const arm = await openArm(server.url, weights.file)
    const events = await reply(arm.model, request('Hello'))

    await server.stop()
    expect(events.at(-1)).toMatchObject({ type: 'finish' })
    seen(column, 'still loading', 'waited for')
  })

  test('a server that is killed in a reply and comes back answers the next request', async () => {
    const first = await startLlama(weights, ['--ctx-size', '4096'])
    const arm = await openArm(first.url, weights.file)
    const long = request('Tell a long story.', { maxTokens: 1_000 })
    const failure = await (async () => {
      for await (const event of arm.model.stream(long, NEVER)) {
        if (event.type === 'text-delta') first.process.kill('SIGKILL')
      }
    })().catch((error: unknown) => error)
    const again = await startLlama(weights, ['--ctx-size', '4096'], { port: Number(new URL(first.url).port) })

    const events = await reply(arm.model, request('Hello'))

    await again.stop()
    expect(failure).toMatchObject({ code: 'model-unavailable' })
    expect(events.at(-1)).toMatchObject({ type: 'finish' })
    seen(column, 'killed in a reply, restarted', 'said; next request answered')
  })
})

const embedding = llamaServer === undefined ? [] : weightsHere('embedding')

test.each(embedding)('llama-server makes vectors with $name, also of long texts', async (weights) => {
  const server = await startLlama(weights, ['--embeddings'])

  const arm = await openArm(server.url, weights.file)
  const vectors = await arm.embed?.(
    ['The cat sits outside', 'word '.repeat(900), 'A feline is outdoors'],
    NEVER,
  )

  await server.stop()
  const [cat = [], , feline = []] = vectors ?? []
  expect(vectors?.map(({ length }) => length)).toEqual([384, 384, 384])
  expect(cat.reduce((sum, part, at) => sum + part * (feline[at] ?? 0), 0)).toBeGreaterThan(0.5)
  seen(`llama-server, ${weights.name}`, 'embeddings', '384 dimensions; long texts cut to fit')
})
