/**
 * Default timings between machines, in milliseconds. The configuration shows those a user may change, the federation
 * uses all of them, and tests make them shorter.
 */
export const lanTimingDefaults = {
  /** How often each peer is asked for its state. */
  healthMs: 10_000,
  /** A peer without an answer for this long is gone. */
  goneMs: 30_000,
  /** For a connection on which both keys were presented. */
  dialMs: 3_000,
  /** For a short answer: a report, a pairing. */
  answerMs: 5_000,
  /** How often a peer that works on an answer reports that it still does. */
  beatMs: 2_000,
  /** After this long without a message the peer is given up. */
  stallMs: 10_000,
} as const

export const natsTimingDefaults = {
  refreshMs: 10_000,
  goneMs: 30_000,
  ackWaitMs: 30_000,
  deadlineMs: 600_000,
  firstTokenMs: 300_000,
  beatMs: 2_000,
  lookMs: 5_000,
} as const
