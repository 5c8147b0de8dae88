/**
 * A local server asked with prompts that we render: its chat template, its tools, its grammar are ours, and so is the
 * reading of what comes back. The same bytes stay the same from request to request, so that its cache is good.
 */
import { emissionStops } from '../../context/emit.ts'
import type { Family } from '../../dialect/families/family.ts'
import { createReplyReader } from '../../dialect/read/reply.ts'
import type { ReplyReader } from '../../protocol/dialect.ts'
import { AppError } from '../../protocol/error.ts'
import type { Model, ModelEvent, ModelRequest } from '../../protocol/model.ts'
import { controlPattern, markersOf, withoutBreaks, withoutJsonBreaks } from '../control-text.ts'
import type { Findings, ServerKind } from '../probe/findings.ts'
import { createLlamaCppEncoder, encodeAsText, type PromptSegment, type RawTemplate } from './prompt.ts'
import { sendRaw, toReplyParts } from './send.ts'
import { rawWireFor, type RawAsk, type RawPart, type Timings } from './wire.ts'
import { callIds, readReplyParts } from '../reply.ts'
import type { ServerClient } from '../server-client.ts'
import { createSlotBook } from '../slot-book.ts'
import { createWatchedModel, type SilenceWatch } from '../watched-model.ts'

export type RawModelParts = {
  readonly name: string
  /** What the server calls the model. */
  readonly model: string
  readonly client: ServerClient
  readonly findings: Findings
  readonly template: RawTemplate
  readonly window: number
  /** GBNF for a request, where the server takes one. */
  readonly grammarFor?: (request: ModelRequest, dialect: Family) => string | undefined
  /** How long the server may say nothing. Absent = forever. */
  readonly firstTokenMs?: (promptTokens: number) => number
  /** How fast the server says it was. */
  readonly onTimings?: (timings: Timings) => void
}

const CHARACTERS_PER_TOKEN = 3

export function createRawModel(parts: RawModelParts): Model {
  const { name, client, findings, template } = parts
  const server: ServerKind = findings.server?.value ?? 'unknown'
  const asking = {
    ...parts,
    wire: rawWireFor(server),
    control: controlPattern(findings.template?.value ?? '', template.family),
    encode: server === 'llama.cpp' ? createLlamaCppEncoder(client) : encodeAsText,
    slots: createSlotBook(findings.slots?.value ?? 1),
    takesGrammar: server === 'llama.cpp',
  }
  return createWatchedModel({ name, endpoint: client.endpoint }, (request, watch) =>
    ask(request, asking, watch),
  )
}

type Asking = RawModelParts & {
  readonly wire: ReturnType<typeof rawWireFor>
  readonly control: RegExp
  readonly encode: ReturnType<typeof createLlamaCppEncoder>
  readonly slots: ReturnType<typeof createSlotBook>
  /** False once the server has refused one. */
  takesGrammar: boolean
}

async function* ask(request: ModelRequest, asking: Asking, watch: SilenceWatch): AsyncGenerator<ModelEvent> {
  const { template, slots, encode } = asking
  const segments = await template.render(request, asking.control)
  watch.start(asking.firstTokenMs?.(Math.ceil(lengthOf(segments) / CHARACTERS_PER_TOKEN)))
  const slot = slots.take(request.sessionId)
  try {
    const rawAsk: RawAsk = {
      model: asking.model,
      prompt: await encode(segments, watch.signal),
      request,
      window: asking.window,
      stop: [...(request.stop ?? []), ...emissionStops(template.emission)],
      preserved: markersOf(template.family),
      slot,
    }
    const reply = withGrammar(rawAsk, asking, watch)
    const told = readReplyParts(watch.over(toReplyParts(reply, asking.onTimings)), {
      endpoint: asking.client.endpoint,
      takenIds: callIds(request),
      reader: readerFor(request, template.family, segments),
    })
    for await (const event of told) yield* restored(event)
  } finally {
    slots.give(slot)
  }
}

const lengthOf = (segments: readonly PromptSegment[]): number =>
  segments.reduce((length, { text }) => length + text.length, 0)

/** A schema from outside may make a grammar that the server refuses; the reply is validated all the same. */
async function* withGrammar(rawAsk: RawAsk, asking: Asking, watch: SilenceWatch): AsyncGenerator<RawPart> {
  const { takesGrammar, grammarFor, template, client, wire } = asking
  const send = (given: RawAsk) => sendRaw(client, { wire, body: wire.body(given) }, watch.signal)
  const grammar = takesGrammar ? grammarFor?.(rawAsk.request, template.family) : undefined
  let hasBegun = false
  try {
    for await (const part of send({ ...rawAsk, grammar })) {
      hasBegun = true
      yield part
    }
  } catch (error) {
    if (hasBegun || grammar === undefined || !isRefusedGrammar(error)) throw error
    asking.takesGrammar = false
    yield* send(rawAsk)
  }
}

const isRefusedGrammar = (error: unknown): boolean =>
  error instanceof AppError && error.details.status !== undefined && /grammar/i.test(error.message)

function readerFor(
  { messages, tools, toolChoice }: ModelRequest,
  family: Family,
  segments: readonly PromptSegment[],
): ReplyReader {
  const end = segments.at(-1)?.text.trimEnd() ?? ''
  return createReplyReader({
    tools: toolChoice === 'none' ? [] : tools,
    dialect: family,
    thinking: family.markers.some((marker) => marker.kind === 'think' && end.endsWith(marker.open)),
    earlier: (text) => {
      const whole = withoutBreaks(text)
      return messages.some((message) => message.role !== 'assistant' && message.text.includes(whole))
    },
  })
}

/** What was broken up on the way out is whole again in what is shown and executed. */
function* restored(event: ModelEvent): Generator<ModelEvent> {
  if (event.type === 'text-delta' || event.type === 'reasoning-delta') {
    const text = withoutBreaks(event.text)
    if (text !== '') yield { ...event, text }
  } else if (event.type === 'tool-call') {
    yield { ...event, call: { ...event.call, input: withoutJsonBreaks(event.call.input) } }
  } else if (event.type === 'proposal') {
    yield { ...event, command: withoutBreaks(event.command) }
  } else yield event
}
