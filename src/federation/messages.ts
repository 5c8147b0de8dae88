/** What machines on one network ask each other beside what is in `wire.ts`, and how what a stranger wrote is read. */
import { z } from 'zod'
import { isObject } from '../lib/json.ts'
import { machineName, machineReportSchema } from './machine.ts'
import { eventSchema, failureSchema, requestSchema, WIRE_VERSION } from './wire.ts'

const version = z.literal(WIRE_VERSION)
const port = z.int().min(1).max(65_535).exactOptional()
const proof = z.string().regex(/^[0-9a-f]{64}$/)

export const pairAsk = z.strictObject({
  version,
  tag: z.string().regex(/^[0-9a-f]{16}$/),
  name: machineName,
  proof,
  /** Where the one who asks listens itself, if it does. */
  port,
})
export const pairReply = z.object({ version, name: machineName, proof })

export const reportAsk = z.strictObject({ version, port })
export const reportReply = z.object({ version, report: machineReportSchema })

export const generateAsk = z.strictObject({ version, model: z.string().max(300), request: requestSchema })

/** One line of an answer. */
export const generateLine = z.union([
  z.object({ event: eventSchema }),
  z.object({ failure: failureSchema }),
  z.object({ beat: z.literal(true) }),
])
export type GenerateLine = z.input<typeof generateLine>

/** The version another machine says it speaks. */
export const versionIn = (body: unknown): number | undefined =>
  isObject(body) && typeof body['version'] === 'number' ? body['version'] : undefined

const MAX_DEPTH = 64

/** Undefined for what is no JSON, or so deep that only an attack is. */
export function readText(text: string): unknown {
  if (isDeeper(text, MAX_DEPTH)) return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** Measured before parsing, in one pass; also right for text that is no JSON. */
function isDeeper(text: string, most: number): boolean {
  let depth = 0
  let isString = false
  for (let index = 0; index < text.length; index++) {
    const letter = text[index]
    if (isString) {
      if (letter === '\\') index++
      else if (letter === '"') isString = false
    } else if (letter === '"') isString = true
    else if (letter === '{' || letter === '[') depth++
    else if (letter === '}' || letter === ']') depth--
    if (depth > most) return true
  }
  return false
}
