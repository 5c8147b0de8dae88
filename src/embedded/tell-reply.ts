/**
 * Reports a reply while it is written and after it: its events, its cost, how sure the model was. Where log
 * probabilities are asked for, the text waits for them.
 */
import type { Token } from 'node-llama-cpp'
import { createReplyReader } from '../dialect/read/reply.ts'
import type { ReplyReader } from '../protocol/dialect.ts'
import type { ModelEvent, ModelRequest } from '../protocol/model.ts'
import type { ChatTemplate } from './chat-template.ts'
import { chancesIn, withChances } from './chances.ts'
import { type EncodingMemory, withReply } from './encoding.ts'
import type { Generation, ReplyLimits } from './generate.ts'
import { readReply, type ReplyParts, type WrittenReply } from './reply.ts'
import { leastShareIn } from './share.ts'
import type { Turn } from './turn.ts'

export type Telling = {
  readonly template: ChatTemplate
  readonly memory: EncodingMemory
  /** Absent = the reader of the template's dialect. */
  readonly readerFor: ((request: ModelRequest) => ReplyReader) | undefined
  readonly turn: Turn
  readonly generation: Generation
  /** Filled while tokens come. */
  readonly written: readonly Token[]
  readonly limits: ReplyLimits
}

export async function* tellReply(
  telling: Telling,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const { turn, generation, written } = telling
  const { loaded, encoding, slot } = turn
  const prompt = encoding.tokens.length
  const held: ModelEvent[] = []
  const reading = readReply(partsOf(telling, request), signal)
  const reply = request.logprobs === undefined ? yield* reading : await holdReply(reading, held)
  if (!reply) return
  await generation.tokens.return()
  const said = {
    tokens: [...encoding.tokens, ...written],
    prompt,
    texts: reply.texts,
    choices: reply.choices,
    top: request.logprobs ?? 0,
    textOf: (token: Token) => loaded.tokenizer.decoder().push(token),
  }
  const hasText = held.some(({ type }) => type === 'text-delta')
  yield* withChances(held, hasText ? await chancesIn(slot.sequence, said, signal) : [])
  telling.memory.remember(withReply(encoding, reply.text, written))
  yield { type: 'usage', usage: { prompt, completion: written.length, cached: generation.cached() } }
  const confidence = await leastShareIn(slot.sequence, said)
  yield { type: 'finish', reason: reply.reason, ...(confidence !== undefined && { confidence }) }
}

async function holdReply(
  reading: AsyncGenerator<ModelEvent, WrittenReply | undefined>,
  held: ModelEvent[],
): Promise<WrittenReply | undefined> {
  for (;;) {
    const step = await reading.next()
    if (step.done) return step.value
    held.push(step.value)
  }
}

function partsOf(
  { template, readerFor, turn, written, limits, generation }: Telling,
  request: ModelRequest,
): ReplyParts {
  const { loaded, encoding } = turn
  return {
    tokens: generation.tokens,
    decoder: loaded.tokenizer.decoder(),
    reader: readerFor?.(request) ?? dialectReader(request, template, encoding.key),
    written,
    limits,
    takenIds: request.messages.flatMap((message) =>
      message.role === 'assistant' ? message.calls.map(({ id }) => id) : [],
    ),
    choosable: request.logprobs === undefined ? undefined : choosable(request),
  }
}

const choosable = ({ tools, toolChoice }: ModelRequest): readonly string[] =>
  typeof toolChoice === 'object' ? [toolChoice.name] : tools.map(({ name }) => name)

function dialectReader(request: ModelRequest, { family }: ChatTemplate, prompt: string): ReplyReader {
  const end = prompt.trimEnd()
  return createReplyReader({
    tools: request.toolChoice === 'none' ? [] : request.tools,
    dialect: family,
    thinking: family.markers.some((marker) => marker.kind === 'think' && end.endsWith(marker.open)),
    earlier: (text) =>
      request.messages.some((message) => message.role !== 'assistant' && message.text.includes(text)),
  })
}
