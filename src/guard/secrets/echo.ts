/**
 * A model for a client that keeps the conversation itself: asked with placeholders, answering with the values back in
 * their place. They sent those secrets themselves and run what the model calls themselves; only the model must not see
 * them.
 */
import type { Model, ModelEvent, ModelRequest } from '../../protocol/model.ts'

export type EchoParts = {
  clean(request: ModelRequest): Promise<ModelRequest>
  /** A text with its placeholders turned back; `write` says how a value is written there. */
  fillIn(text: string, write: (value: string) => string): string
}

export const withEcho = (model: Model, { clean, fillIn }: EchoParts): Model => ({
  name: model.name,
  async *stream(request, signal) {
    yield* echoed(model.stream(await clean(request), signal), fillIn)
  },
})

async function* echoed(
  events: AsyncIterable<ModelEvent>,
  fillIn: EchoParts['fillIn'],
): AsyncGenerator<ModelEvent> {
  const held = new Map<Delta['type'], string>()
  for await (const event of events) {
    if (isDelta(event)) {
      if (event.type === 'text-delta') yield* release(held, fillIn, 'reasoning-delta')
      const text = (held.get(event.type) ?? '') + event.text
      const keep = BEGUN.exec(text)?.[0] ?? ''
      held.set(event.type, keep)
      const told = fillIn(text.slice(0, text.length - keep.length), asItIs)
      if (told !== '') yield { type: event.type, text: told }
      continue
    }
    if (event.type === 'reply-restart') held.clear()
    yield* release(held, fillIn, 'reasoning-delta', 'text-delta')
    yield event.type === 'tool-call' ? toCall(event, fillIn) : event
  }
  yield* release(held, fillIn, 'reasoning-delta', 'text-delta')
}

type Delta = Extract<ModelEvent, { type: 'text-delta' | 'reasoning-delta' }>

const isDelta = (event: ModelEvent): event is Delta =>
  event.type === 'text-delta' || event.type === 'reasoning-delta'

/** The beginning of a placeholder at the end of a text; the rest may come with the next piece. */
const BEGUN = /\[(?:s(?:e(?:c(?:r(?:e(?:t(?::[a-z0-9:-]{0,60})?)?)?)?)?)?)?$/

const asItIs = (value: string): string => value

function* release(
  held: Map<Delta['type'], string>,
  fillIn: EchoParts['fillIn'],
  ...types: readonly Delta['type'][]
): Generator<ModelEvent> {
  for (const type of types) {
    const text = fillIn(held.get(type) ?? '', asItIs)
    held.delete(type)
    if (text !== '') yield { type, text }
  }
}

/** Arguments are JSON text, and placeholders stand inside its strings. */
const toCall = (
  event: Extract<ModelEvent, { type: 'tool-call' }>,
  fillIn: EchoParts['fillIn'],
): ModelEvent => ({
  ...event,
  call: {
    ...event.call,
    input: fillIn(event.call.input, (value) => JSON.stringify(value).slice(1, -1)),
  },
})
