/** Covey against a real Ollama with real weights: every check leaves a line for docs/servers.md. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Message } from '../../src/protocol/message.ts'
import { readFileSchema } from '../provider/ask.ts'
import {
  type Asked,
  getJson,
  NEVER,
  ollama,
  openArm,
  type RealOllama,
  reply,
  request,
  seen,
  startOllama,
  textIn,
  usageIn,
  weightsHere,
  whyNot,
} from './support.ts'

const models = ollama === undefined ? [] : weightsHere('chat', 'base', 'embedding')

test.skipIf(models.length > 0)(`Ollama${whyNot(ollama, 'ollama')}`, () => {})

let server: RealOllama
let name = ''
beforeAll(async () => {
  if (models.length === 0) return
  server = await startOllama(models)
  const { version } = (await getJson(`${server.url}/api/version`)) as { version: string }
  name = `Ollama ${version}`
})
afterAll(() => server?.stop())

describe.each(models.filter(({ kind }) => kind !== 'embedding'))('Ollama with $name', (weights) => {
  let arm: Asked
  beforeAll(async () => {
    arm = await openArm(server.url, weights.name)
  })
  const note = (check: string, what: string) => seen(`${name}, ${weights.name}`, check, what)

  test('the window that was asked for is loaded', async () => {
    const { models: loaded } = (await getJson(`${server.url}/api/ps`)) as {
      models: readonly { name: string; context_length: number }[]
    }

    const here = loaded.find((model) => model.name.startsWith(weights.name))
    expect(here?.context_length).toBe(arm.capabilities.window)
    note('window of one slot, slots', `${arm.capabilities.window.toLocaleString('en')}, by num_ctx`)
  })

  test('a model without tools in its template gets them as text', async () => {
    const events = await reply(
      arm.model,
      request('Read notes.txt', { tools: [readFileSchema], maxTokens: 24 }),
    )

    expect(arm.capabilities.tools).not.toBe('native')
    expect(events.at(-1)).toMatchObject({ type: 'finish' })
    note('tools', arm.capabilities.tools)
  })

  test('text streams, and the server counts', async () => {
    const events = await reply(arm.model, request('Count from one to ten.'))

    expect(events.at(-1)).toMatchObject({ type: 'finish' })
    expect(usageIn(events)?.prompt).toBeGreaterThan(5)
    note('streaming', `${events.filter(({ type }) => type === 'text-delta').length} pieces, counted`)
  })

  test('cancelling lets the next request in', async () => {
    const leaving = new AbortController()
    const long = request('Tell a long story.', { maxTokens: 2_000 })
    for await (const event of arm.model.stream(long, leaving.signal)) {
      if (event.type === 'text-delta') leaving.abort()
    }

    const events = await reply(arm.model, request('Hello', { maxTokens: 2 }))

    expect(events.at(-1)).toMatchObject({ type: 'finish' })
    note('cancel frees the slot', 'yes')
  })

  test('what was sent before comes out of the cache, ten turns long, as its log says', async () => {
    const messages: Message[] = []
    const counted: number[] = []
    const before = server.cacheShares().length
    for (let turn = 1; turn <= 10; turn++) {
      messages.push({ role: 'user', text: `Turn ${turn}: name another bird, one word only, please.` })
      const events = await reply(arm.model, request('', { messages, turn, sessionId: 'ten', maxTokens: 8 }))
      counted.push(usageIn(events)?.prompt ?? 0)
      messages.push({ role: 'assistant', text: textIn(events), calls: [] })
    }

    const shares = server.cacheShares().slice(before)
    expect(counted).toEqual(counted.toSorted((a, b) => a - b))
    expect(shares).toHaveLength(10)
    expect(shares.at(-1)).toBeGreaterThan(0.8)
    note('cache, tenth turn', `${Math.round((shares.at(-1) ?? 0) * 100)} %, by its log; not in its replies`)
  })

  test('a prompt longer than the window is never answered as if it were whole', async () => {
    const length = arm.capabilities.window + 500
    const outcome = await reply(arm.model, request('word '.repeat(length), { maxTokens: 1 })).catch(
      (error: Error & { code?: string }) => error,
    )

    const what =
      outcome instanceof Error ? `refused: ${outcome.code}` : `cut to ${usageIn(outcome)?.prompt} tokens`
    if (outcome instanceof Error) expect(outcome.code).toBe('context-overflow')
    else expect(usageIn(outcome)?.prompt).toBeLessThan(length)
    note('overflow', what)
  })
})

test.each(models.filter(({ kind }) => kind === 'embedding'))(
  'Ollama makes vectors with $name',
  async (weights) => {
    const arm = await openArm(server.url, weights.name)
    const vectors = await arm.embed?.(['The cat sits outside', 'word '.repeat(900)], NEVER)

    expect(vectors?.map(({ length }) => length)).toEqual([384, 384])
    seen(`${name}, ${weights.name}`, 'embeddings', '384 dimensions; long texts cut by the server')
  },
)
