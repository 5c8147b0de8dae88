/**
 * What a machine writes about itself into the registry. Anybody may write there, so the machine signs all of it: its
 * report, which start of the program it is (`instance`), and a number that grows, so that an old one sent again is
 * known as old. An entry under a wrong key, of another registry or without a true signature is nothing.
 */
import { type KeyObject, randomBytes, sign, verify } from 'node:crypto'
import { z } from 'zod'
import { type MachineReport, machineReportSchema } from '../machine.ts'
import { type Card, cardSchema, type Holder, readCard } from './card.ts'
import { parseJson } from './job.ts'
import { WIRE_VERSION } from '../wire.ts'

const outerSchema = z.object({
  version: z.int().min(0).max(1e6),
  card: cardSchema,
  /** JSON, as it was signed. */
  body: z.string().max(1_000_000),
  signature: z.string().max(200),
})

const INSTANCE = /^[0-9a-f]{16}$/

const bodySchema = z.object({
  instance: z.string().regex(INSTANCE),
  /** By its own clock; only compared with other starts of the same machine. */
  startedAt: z.number().min(0).max(1e15),
  sequence: z.int().min(0),
  /** It says goodbye. */
  left: z.boolean().exactOptional(),
  report: machineReportSchema,
})

export type Entry = z.output<typeof bodySchema> & {
  readonly holder: Holder
  readonly version: number
}

/** One start of one machine. */
export type Instance = { readonly id: string; readonly startedAt: number }

export const newInstance = (): Instance => ({ id: randomBytes(8).toString('hex'), startedAt: Date.now() })

export const entryKey = (id: string, instance: Instance): string => `${id}.${instance.id}`

export type EntryFacts = {
  readonly instance: Instance
  readonly sequence: number
  readonly report: MachineReport
  readonly left?: boolean
}

/** `bucket` is the name of the registry. */
export function writeEntry(
  own: { readonly card: Card; readonly identity: KeyObject },
  { instance, sequence, report, left }: EntryFacts,
  bucket: string,
): string {
  const body = JSON.stringify({
    instance: instance.id,
    startedAt: instance.startedAt,
    sequence,
    ...(left && { left }),
    report,
  } satisfies z.input<typeof bodySchema>)
  const signature = sign(null, statement(bucket, WIRE_VERSION, body), own.identity).toString('base64url')
  const entry: z.input<typeof outerSchema> = { version: WIRE_VERSION, card: own.card, body, signature }
  return JSON.stringify(entry)
}

export function readEntry(key: string, value: Uint8Array, bucket: string): Entry | undefined {
  const [id, instance] = key.split('.')
  const outer = parseJson(outerSchema, value)
  const holder = outer && readCard(outer.card)
  // A machine that writes under another's id cannot have signed its card.
  if (!outer || !holder || holder.id !== id) return undefined
  const { version, body, signature } = outer
  const signed = statement(bucket, version, body)
  if (!verify(null, signed, holder.identity, Buffer.from(signature, 'base64url'))) return undefined
  const read = parseJson(bodySchema, Buffer.from(body))
  if (read) return read.instance === instance ? { ...read, holder, version } : undefined
  if (version === WIRE_VERSION || !INSTANCE.test(instance ?? '')) return undefined
  // Of another version nothing is known but that it is there.
  return { instance: instance ?? '', startedAt: 0, sequence: Date.now(), report: UNKNOWN, holder, version }
}

const UNKNOWN: MachineReport = {
  name: 'a machine of another version',
  waiting: 0,
  running: 0,
  freeMemory: 0,
  models: [],
}

const statement = (bucket: string, version: number, body: string): Buffer =>
  Buffer.from(`covey nats entry\n${bucket}\n${version}\n${body}`)
