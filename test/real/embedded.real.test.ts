/** Real weights in the embedded engine. */
import { afterAll, describe, expect, test } from 'vitest'
import { createEmbeddedModel } from '../../src/embedded/engine.ts'
import type { Message } from '../../src/protocol/message.ts'
import { pathOf, reply, request, seen, textIn, usageIn, weightsHere } from './support.ts'

const models = weightsHere('chat', 'base')

test.skipIf(models.length > 0)('the embedded engine (skipped: no weights; npm run real:fetch)', () => {})

const BIRD = {
  name: 'name_bird',
  description: 'Say which bird it is.',
  parameters: { type: 'object', properties: { bird: { enum: ['heron', 'crane'] } }, required: ['bird'] },
}

describe.each(models)('the embedded engine with $name', async (weights) => {
  const column = `embedded engine, ${weights.name}`
  const model = await createEmbeddedModel({
    name: weights.name,
    path: pathOf(weights),
    window: 4_096,
    sequences: 2,
    threads: 1,
  })
  afterAll(() => model.close())

  test('text streams letter by letter as the model wrote it', async () => {
    const events = await reply(model, request('Count from one to ten.'))

    expect(textIn(events)).not.toContain('\uFFFD')
    expect(events.at(-1)).toMatchObject({ type: 'finish' })
    seen(column, 'window of one slot, slots', '4,096; 2 sequences')
    seen(column, 'streaming', `${events.filter(({ type }) => type === 'text-delta').length} pieces, counted`)
  })

  test('a call that must be made is valid by construction', async () => {
    const asked = request('Which bird is it?', { tools: [BIRD], toolChoice: 'required', maxTokens: 400 })

    const events = await reply(model, asked)

    const call = events.find((event) => event.type === 'tool-call')
    expect(call?.call.name).toBe('name_bird')
    expect(JSON.parse(call?.call.input ?? '{}')).toEqual({ bird: expect.stringMatching(/^(?:heron|crane)$/) })
    seen(column, 'call under grammar', 'valid')
  })

  test('tokens are counted with its own tokenizer', async () => {
    const text = 'const added = (a, b) => a + b // ünïcödé 🐑 .'
    const [short, long] = [
      await reply(model, request(text, { maxTokens: 1 })),
      await reply(model, request(`${text} ${text}`, { maxTokens: 1 })),
    ]

    // The second text begins with a space, which may or may not be a token of its own.
    const grown = (usageIn(long)?.prompt ?? 0) - (usageIn(short)?.prompt ?? 0)
    expect(Math.abs(grown - model.countTokens(` ${text}`))).toBeLessThanOrEqual(2)
  })

  test('what was evaluated before is not evaluated again, ten turns long', async () => {
    const messages: Message[] = []
    const shares: number[] = []
    for (let turn = 1; turn <= 10; turn++) {
      messages.push({ role: 'user', text: `Turn ${turn}: name another bird, one word only, please.` })
      const events = await reply(model, request('', { messages, turn, sessionId: 'ten', maxTokens: 8 }))
      const usage = usageIn(events)
      shares.push((usage?.cached ?? 0) / (usage?.prompt ?? 1))
      messages.push({ role: 'assistant', text: textIn(events), calls: [] })
    }

    expect(shares.at(-1)).toBeGreaterThan(0.8)
    seen(column, 'cache, tenth turn', `${Math.round((shares.at(-1) ?? 0) * 100)} %`)
  })

  test('cancelling stops it, and the next request is answered', async () => {
    const leaving = new AbortController()
    const long = request('Tell a long story.', { maxTokens: 2_000 })
    for await (const event of model.stream(long, leaving.signal)) {
      if (event.type === 'text-delta') leaving.abort()
    }

    const events = await reply(model, request('Hello', { maxTokens: 2 }))

    expect(events.at(-1)).toMatchObject({ type: 'finish' })
    seen(column, 'cancel frees the slot', 'yes')
  })

  test('a prompt that does not fit is an overflow', async () => {
    const failure = reply(model, request('word '.repeat(6_000)))

    await expect(failure).rejects.toMatchObject({ code: 'context-overflow' })
    seen(column, 'overflow', 'said')
  })

  test('nearly the whole window can be read', async () => {
    const events = await reply(model, request('word '.repeat(3_900), { maxTokens: 4 }))

    expect(usageIn(events)?.prompt).toBeGreaterThan(3_900)
    expect(events.at(-1)).toMatchObject({ type: 'finish' })
    seen(column, 'prompt of 3,900 tokens in 4,096', 'answered')
  })
})
