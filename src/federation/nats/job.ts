/**
 * What travels through the broker for one request: the job, live parts of the answer, the result. A message is one line
 * of JSON for the broker, then bytes that only the machines concerned can decrypt.
 */
import { z } from 'zod'
import { cardSchema } from './card.ts'
import { eventSchema, failureSchema, requestSchema, WIRE_VERSION } from '../wire.ts'

/** No body of a job or a result is larger, and no answer has more events. */
export const MAX_BODY = 32 * 2 ** 20
export const MAX_EVENTS = 200_000

const id = z.string().regex(/^[0-9a-f]{64}$/)
const version = z.literal(WIRE_VERSION)
/** The bytes are too large for a message and lie in the object store; under which name follows from the job's key. */
const large = z.literal(true)

/** What of a job can be read without a key. */
export const jobHeaderSchema = z.object({
  version,
  job: z.string().regex(/^[0-9a-f]{32}$/),
  /** Who asks. */
  card: cardSchema,
  /** The body's key, wrapped for each machine that may answer. */
  keys: z.record(id, z.string().max(400)),
  large: large.exactOptional(),
})
export type JobHeader = z.output<typeof jobHeaderSchema>

export const jobBodySchema = z.object({
  model: z.string().max(200),
  request: requestSchema,
  /** Milliseconds after which no caller waits any more, counted from when the broker stored the job: clocks differ. */
  timeMs: z.number().positive().max(86_400_000),
})
export type JobBody = z.output<typeof jobBodySchema>

const run = {
  /** One run of the job; a job that is delivered again runs again. */
  run: z.string().max(64),
  /** How often it had been delivered by then. */
  attempt: z.int().min(1),
}

export const livePartSchema = z.object({
  ...run,
  /** Who answers. */
  node: id,
  /** Grows with each part of a run: one that was recorded and sent again is no sign of life. */
  sequence: z.int().min(0),
  /** The number of its first event, counted from the start of the answer. */
  from: z.int().min(0),
  events: z.array(eventSchema).max(1_000),
  /** The result is in the stream; `duplicate`: the server says that it had it already. */
  done: z.enum(['stored', 'duplicate']).exactOptional(),
  /** There will be no result, and why. */
  trouble: z.string().max(1_000).exactOptional(),
})
export type LivePart = z.output<typeof livePartSchema>

export const resultHeaderSchema = z.object({ version, node: id, large: large.exactOptional() })
export type ResultHeader = z.output<typeof resultHeaderSchema>

export const jobResultSchema = z.object({
  ...run,
  events: z.array(eventSchema).max(MAX_EVENTS),
  /** Why the answer ended before it was complete. */
  failure: failureSchema.exactOptional(),
})
export type JobResult = z.output<typeof jobResultSchema>

export const toFrame = (header: JobHeader | ResultHeader, body: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), body])

export function fromFrame<Header>(
  schema: z.ZodType<Header>,
  data: Uint8Array,
): { readonly header: Header; readonly body: Uint8Array } | undefined {
  const end = data.indexOf(0x0a)
  const header = end === -1 ? undefined : parseJson(schema, data.subarray(0, end))
  return header && { header, body: data.subarray(end + 1) }
}

export const toJson = (value: JobBody | LivePart | JobResult): Buffer => Buffer.from(JSON.stringify(value))

export function parseJson<T>(schema: z.ZodType<T>, data: Uint8Array): T | undefined {
  try {
    const read = schema.safeParse(JSON.parse(Buffer.from(data).toString('utf8')))
    return read.success ? read.data : undefined
  } catch {
    return undefined
  }
}

/** What a sealed piece is part of. */
export const jobContext = (job: string): string => `job ${job}`
export const liveContext = (job: string): string => `live ${job}`
export const resultContext = (job: string): string => `result ${job}`
