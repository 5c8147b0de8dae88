/**
 * A reply, from tokens to events: text that is complete, up to a stop text, read by the dialect's reader. Tells in the
 * end what it took.
 */
import type { Token } from 'node-llama-cpp'
import { toLimitedReader } from '../dialect/read/at-limit.ts'
import type { ReplyEvent, ReplyReader } from '../protocol/dialect.ts'
import type { FinishReason, ModelEvent } from '../protocol/model.ts'
import { type Choice, choicesIn } from './choice.ts'
import type { ReplyLimits } from './generate.ts'
import { orAborted } from './or-aborted.ts'
import { createStopWatch } from './stop-watch.ts'
import type { Decoder } from './tokenizer.ts'

export type ReplyParts = {
  readonly tokens: AsyncIterator<Token, void>
  readonly decoder: Decoder
  readonly reader: ReplyReader
  /** Every token so far, the current one included. */
  readonly written: readonly Token[]
  readonly limits: ReplyLimits
  /** Ids the conversation has already used. */
  readonly takenIds: Iterable<string>
  /** The tools that could be called, where it is wanted what was chosen among them. */
  readonly choosable: readonly string[] | undefined
}

/** All that was written, as it was: the reader may have shown less. */
export type WrittenReply = {
  readonly text: string
  readonly reason: FinishReason
  /** Of each token, and what of them was open to the model; nothing where that is not wanted. */
  readonly texts: readonly string[]
  readonly choices: readonly Choice[]
}

/** Returns nothing when `signal` aborts, at once and whatever still runs. */
export async function* readReply(
  parts: ReplyParts,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, WrittenReply | undefined> {
  const { tokens, decoder, written, limits } = parts
  const reader = toLimitedReader(parts.reader)
  const watch = createStopWatch(limits.stops)
  const calls = createCallIds(parts.takenIds)
  const book = createChoiceBook(parts.choosable)
  let text = ''
  let ending: 'stop' | 'length' | undefined
  while (!ending) {
    const step = await orAborted(tokens.next(), signal)
    if (!step) return undefined
    if (step.done) ending = 'stop'
    else if (written.length >= limits.maxTokens) ending = 'length'
    const piece = (step.done ? '' : decoder.push(step.value)) + (ending ? decoder.end() : '')
    book.write(piece)
    if (piece === '') continue
    text += piece
    const shown = watch.push(piece)
    if (shown.stopped) ending = 'stop'
    if (shown.text !== '') yield* calls.pass(book.told(reader.push(shown.text)))
  }
  yield* calls.pass(book.told([...reader.push(watch.end()), ...reader.end(ending === 'length')]))
  return {
    text,
    reason: ending === 'stop' && calls.seen() > 0 ? 'tool-calls' : ending,
    texts: book.texts,
    choices: book.choices(),
  }
}

/** Keeps nothing unless asked to. */
function createChoiceBook(names: ReplyParts['choosable']) {
  const texts: string[] = []
  const told: ReplyEvent[] = []
  return {
    texts,
    write(text: string): void {
      if (names) texts.push(text)
    },
    told(events: readonly ReplyEvent[]): readonly ReplyEvent[] {
      if (names) told.push(...events)
      return events
    },
    choices: () => (names ? choicesIn({ texts, told }, names) : []),
  }
}

/** Readers count from one in every reply; a conversation may not use an id twice. */
function createCallIds(taken: Iterable<string>) {
  const used = new Set(taken)
  let seen = 0
  const unused = (wanted: string): string => {
    let id = wanted
    for (let suffix = 2; used.has(id); suffix++) id = `${wanted}-${suffix}`
    used.add(id)
    return id
  }
  return {
    seen: () => seen,
    *pass(events: readonly ReplyEvent[]): Generator<ModelEvent> {
      for (const event of events) {
        if (event.type === 'tool-call') seen++
        yield event.type === 'tool-call'
          ? { ...event, call: { ...event.call, id: unused(event.call.id) } }
          : event
      }
    },
  }
}
