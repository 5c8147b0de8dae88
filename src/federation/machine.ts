/**
 * Another machine that answers, however it is reached: over the local network or through a broker. The caller sees a
 * Model; the transport is hidden behind it.
 */
import { z } from 'zod'
import { cleanControl } from '../lib/clean.ts'
import type { Model, ModelEvent, ModelRequest } from '../protocol/model.ts'

/** For people; several machines may share it. What a terminal would obey is shown instead. */
export const machineName = z
  .string()
  .max(200)
  .transform((name) => oneLine(name))

/** What another machine wrote for people, on one line and with nothing that a terminal would obey. */
export const oneLine = (text: string): string => cleanControl(text.replaceAll(/\s+/g, ' '))

const count = z.number().min(0).max(1e15)

/** What a machine says about itself. Everything in it is a claim. */
export const machineReportSchema = z.object({
  name: machineName,
  /** Requests that wait, and requests being answered. */
  waiting: count,
  running: count,
  /** Bytes of unused memory. */
  freeMemory: count,
  models: z
    .array(
      z.object({
        id: z
          .string()
          .max(200)
          .refine((id) => oneLine(id) === id, 'holds what a terminal would obey'),
        window: count,
        vision: z.boolean(),
        /** Measured tokens per second, once known. */
        prefill: count.exactOptional(),
        decode: count.exactOptional(),
      }),
    )
    .max(200),
})
export type MachineReport = z.output<typeof machineReportSchema>

export type MachineState =
  | {
      readonly state: 'here'
      readonly report: MachineReport
      readonly roundTripMs: number
      /** How long ago it was heard of, where that is known. */
      readonly heardMs?: number
    }
  /** Not heard of for too long, or never: no vote, no requests, until it answers again. */
  | { readonly state: 'gone'; readonly why: string }

export interface Machine {
  /** The fingerprint of its key: names may be shared, this is not. */
  readonly id: string
  readonly name: string
  readonly via: 'lan' | 'nats'
  state(): MachineState
  /** Fails with `model-unavailable` where the machine does, so that the caller takes another one. */
  model(id: string): Model
}

/** The id and name of the first free machine of a shared queue. No machine has it as its own. */
export const ANY = 'any'

/** What this machine does for others. */
export interface Offer {
  report(): MachineReport
  /** Throws `request-invalid` for a model that is not here. */
  answer(model: string, request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>
}

/** A way to other machines, open until it is closed. */
export interface Transport {
  machines(): readonly Machine[]
  close(): Promise<void>
}
