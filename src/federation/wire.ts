/**
 * What machines say to each other about models, in every transport: a request, the events of its reply, and how a
 * failure travels. Whatever comes in is held against these schemas; what does not fit is the other machine's fault,
 * never ours.
 */
import { z } from 'zod'
import { AppError, type ErrorCode, failureCodes } from '../protocol/error.ts'
import type { ModelEvent, ModelRequest } from '../protocol/model.ts'
import { clip } from '../lib/text.ts'
import { oneLine } from './machine.ts'

/** Machines of another version say so and are left alone. */
export const WIRE_VERSION = 1

const text = z.string().max(8 * 2 ** 20)
const word = z.string().max(1_000)
const count = z.int().min(0).max(1e9)
const jsonObject = z.record(z.string(), z.unknown())

const call = z.object({ id: word, name: word, input: text })
const image = z.object({ mediaType: word, base64: text, path: word.exactOptional() })
const code = z.enum(failureCodes)

const message = z.discriminatedUnion('role', [
  z.object({
    role: z.literal('user'),
    text,
    images: z.array(image).max(64).exactOptional(),
    origin: z.enum(['note', 'digest']).exactOptional(),
  }),
  z.object({
    role: z.literal('assistant'),
    text,
    calls: z.array(call).max(256),
    reasoning: text.exactOptional(),
    flag: word.exactOptional(),
  }),
  z.object({ role: z.literal('tool'), callId: word, text, ok: z.boolean(), code: code.exactOptional() }),
])

const toolSchema = z.object({ name: word, description: text.exactOptional(), parameters: jsonObject })

/** What of a request travels: whose run it is stays at home. */
export const requestSchema = z.object({
  runId: word,
  sessionId: word,
  turn: count,
  task: text.exactOptional(),
  system: text,
  messages: z.array(message).max(10_000),
  tools: z.array(toolSchema).max(1_000),
  toolChoice: z.union([z.enum(['auto', 'none', 'required']), z.object({ name: word })]).exactOptional(),
  responseFormat: z
    .discriminatedUnion('type', [
      z.object({ type: z.literal('text') }),
      z.object({ type: z.literal('json'), schema: jsonObject.exactOptional(), name: word.exactOptional() }),
    ])
    .exactOptional(),
  maxTokens: count.exactOptional(),
  temperature: z.number().min(0).max(5).exactOptional(),
  repeatPenalty: z.number().min(0).max(10).exactOptional(),
  topP: z.number().min(0).max(1).exactOptional(),
  presencePenalty: z.number().min(-2).max(2).exactOptional(),
  frequencyPenalty: z.number().min(-2).max(2).exactOptional(),
  logprobs: count.exactOptional(),
  seed: z.int().exactOptional(),
  stop: z.array(word).max(64).exactOptional(),
  thinking: z.enum(['default', 'off']).exactOptional(),
  continueLast: z.boolean().exactOptional(),
}) satisfies z.ZodType<ModelRequest>

const chance = z.object({ token: word, logprob: z.number() })

/** What a reply may hold. A peer's own votes and retries are its own affair. */
export const eventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text-delta'), text }),
  z.object({ type: z.literal('reasoning-delta'), text }),
  z.object({ type: z.literal('tool-call'), call }),
  z.object({ type: z.literal('bad-call'), name: word.exactOptional(), reason: text }),
  z.object({ type: z.literal('proposal'), command: text }),
  z.object({ type: z.literal('reply-restart'), why: text }),
  z.object({
    type: z.literal('logprobs'),
    tokens: z.array(z.object({ ...chance.shape, top: z.array(chance).max(64) })).max(10_000),
  }),
  z.object({
    type: z.literal('usage'),
    usage: z.object({
      prompt: count,
      completion: count,
      cached: count.exactOptional(),
      reasoning: count.exactOptional(),
    }),
  }),
  z.object({
    type: z.literal('finish'),
    reason: z.enum(['stop', 'length', 'tool-calls', 'filter', 'unknown']),
    confidence: z.number().min(0).max(1).exactOptional(),
  }),
]) satisfies z.ZodType<ModelEvent>

export type WireEvent = z.output<typeof eventSchema>

/** The part of a reply that travels; nothing for what stays where it was made. */
export function toWireEvent(event: ModelEvent): WireEvent | undefined {
  const read = eventSchema.safeParse(event)
  return read.success ? read.data : undefined
}

/** How a failure travels: a code the caller acts on, words for a person. */
export const failureSchema = z.object({
  code: z.enum([
    'credential',
    'rate-limited',
    'model-unavailable',
    'request-invalid',
    'context-overflow',
    'permission-denied',
    'offline',
  ]),
  message: z.string().max(10_000),
  window: count.exactOptional(),
})
export type WireFailure = z.output<typeof failureSchema>

/** Failures the other machine cannot fix are reported as "not available": the caller takes another arm. */
export function toWireFailure(error: unknown): WireFailure {
  if (!(error instanceof AppError)) return { code: 'model-unavailable', message: 'it failed at its own end' }
  const codes: readonly ErrorCode[] = failureSchema.shape.code.options
  const code = codes.includes(error.code) ? (error.code as WireFailure['code']) : 'model-unavailable'
  const { window } = error.details
  return { code, message: error.message.slice(0, 10_000), ...(window !== undefined && { window }) }
}

/** Of what another machine says about its failure, for people. */
const MAX_SHOWN = 500

/** Only what the caller can act on is believed of another machine; anything else is "not now". */
export function fromWireFailure(peer: string, { code, message, window }: WireFailure): AppError {
  const isUseful = code === 'context-overflow' || code === 'rate-limited'
  const details = isUseful && window !== undefined ? { window } : {}
  const words = oneLine(clip(message, MAX_SHOWN))
  return new AppError(isUseful ? code : 'model-unavailable', `${peer}: ${words}`, details)
}
