/** How patient machines are with each other. All of it can be made shorter, so that a test need not live for a minute. */
import { lanTimingDefaults } from '../protocol/peer-timing.ts'

type Timing = { readonly [name in keyof typeof lanTimingDefaults]: number }

export type LanTiming = Timing & {
  /** For the whole request of a machine that is not paired. Absent = `STRANGER_MS`. */
  readonly strangerMs?: number
}

export const STRANGER_MS = 5_000

export const usualTiming: LanTiming = lanTimingDefaults
