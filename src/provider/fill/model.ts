/**
 * A model that fills a gap as it was trained to. A request to it is two messages: what stands before the gap and what
 * stands after it. It is a Model, so that whatever wraps models (secrets, retries) wraps this one too.
 */
import { AppError } from '../../protocol/error.ts'
import type { Model, ModelRequest } from '../../protocol/model.ts'
import { breakUp, patternOf, withoutBreaks } from '../control-text.ts'
import { type FillFamily, fillFamilyOf } from './families.ts'
import type { ServerKind } from '../probe/findings.ts'
import { sendRaw, toReplyParts } from '../raw/send.ts'
import { type RawAsk, type RawWire, rawWireFor } from '../raw/wire.ts'
import { readReplyParts } from '../reply.ts'
import type { ServerClient } from '../server-client.ts'
import { createWatchedModel } from '../watched-model.ts'

export type FillModelParts = {
  readonly name: string
  /** What the server calls the model. */
  readonly model: string
  readonly server: ServerKind
  readonly window: number
  readonly client: ServerClient
}

/** Undefined if the server takes no raw prompts, or the model's fill format is unknown. */
export function createFillModel(parts: FillModelParts): Model | undefined {
  const { name, client, server, model } = parts
  const family = fillFamilyOf(model)
  const body =
    server === 'llama.cpp'
      ? infillBody
      : server !== 'unknown' && family
        ? (gap: Gap, ask: AskFill) => promptBody(gap, ask, family)
        : undefined
  if (!body) return undefined
  const wire = rawWireFor(server)
  const path = server === 'llama.cpp' ? '/infill' : wire.path
  return createWatchedModel({ name, endpoint: client.endpoint }, async function* (request, watch) {
    const question = {
      wire: { ...wire, path },
      body: body(gapOf(request, parts.window), { parts, request, wire }),
    }
    const told = readReplyParts(watch.over(toReplyParts(sendRaw(client, question, watch.signal))), {
      endpoint: client.endpoint,
      takenIds: [],
    })
    for await (const event of told) {
      if (event.type === 'text-delta') yield { ...event, text: withoutBreaks(event.text) }
      else yield event
    }
  })
}

type Gap = { readonly before: string; readonly after: string }

type AskFill = { readonly parts: FillModelParts; readonly request: ModelRequest; readonly wire: RawWire }

function gapOf({ messages, maxTokens = LEAST_ANSWER }: ModelRequest, window: number): Gap {
  const [before, after, ...rest] = messages.map(({ text }) => text)
  if (before === undefined || after === undefined || rest.length > 0)
    throw new AppError('request-invalid', 'A gap is two messages: what stands before it, and after it.')
  const tokens = Math.max(window - maxTokens, window / 4)
  return nearGap({ before, after }, Math.floor(tokens * CHARACTERS_PER_TOKEN))
}

const LEAST_ANSWER = 256
/** Few, so that what is kept fits also where a text has more tokens than most. */
const CHARACTERS_PER_TOKEN = 2.5
const BEFORE_SHARE = 0.75

/** What is nearest to the gap says most about it; what one side does not need the other may have. */
export function nearGap({ before, after }: Gap, room: number): Gap {
  const afterRoom = Math.max(Math.floor(room * (1 - BEFORE_SHARE)), room - before.length)
  const kept = after.slice(0, afterRoom)
  return { before: before.slice(Math.max(0, before.length - (room - kept.length))), after: kept }
}

/** llama.cpp knows the tokens of its model, and takes the texts for nothing but text. */
const infillBody = ({ before, after }: Gap, ask: AskFill): object => ({
  ...ask.wire.body(rawAsk(ask, '', [])),
  input_prefix: before,
  input_suffix: after,
})

function promptBody({ before, after }: Gap, ask: AskFill, family: FillFamily): object {
  const tokens = [family.before, family.after, family.middle, ...family.stop].map((text) => text.trim())
  const foreign = patternOf(tokens.filter((text) => text !== ''))
  const plain = (text: string) => text.replace(foreign, breakUp)
  const head = family.before + plain(before)
  const tail = family.after + plain(after)
  const around = family.order === 'before-first' ? head + tail : tail + head
  return ask.wire.body(rawAsk(ask, around + family.middle, family.stop))
}

/** Any slot: a gap has no conversation whose cache it could use. */
const ANY_SLOT = -1

const rawAsk = ({ parts, request }: AskFill, prompt: string, stop: readonly string[]): RawAsk => ({
  model: parts.model,
  prompt,
  request,
  window: parts.window,
  stop: [...(request.stop ?? []), ...stop],
  preserved: [],
  slot: ANY_SLOT,
})
