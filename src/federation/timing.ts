/** How patient machines are with each other. All of it can be made shorter, so that a test need not live for a minute. */
export type LanTiming = {
  /** How often each peer is asked how it is. */
  readonly healthMs: number
  /** Not heard of for so long, a peer is gone. */
  readonly goneMs: number
  /** For a connection with both keys shown. */
  readonly dialMs: number
  /** For a short answer: a report, a pairing. */
  readonly answerMs: number
  /** How often a peer that works on an answer says that it still does. */
  readonly beatMs: number
  /** Without a word for so long, it is given up. */
  readonly stallMs: number
  /** For the whole request of a machine that is not paired. Absent = `STRANGER_MS`. */
  readonly strangerMs?: number
}

export const STRANGER_MS = 5_000

export const usualTiming: LanTiming = {
  healthMs: 10_000,
  goneMs: 30_000,
  dialMs: 3_000,
  answerMs: 5_000,
  beatMs: 2_000,
  stallMs: 10_000,
}
