/** How much of anything one client may use. Every value can be handed in, so that tests need not wait. */
export type Limits = {
  readonly headerBytes: number
  readonly bodyBytes: number
  readonly jsonDepth: number
  readonly connections: number
  /** Connections of one address that are not being answered. */
  readonly waitingPerAddress: number
  /** The same, of all addresses. */
  readonly waiting: number
  /** Until the last header has arrived. */
  readonly headersMs: number
  /** Until the last byte of the body has arrived; how long an answer takes has no limit. */
  readonly requestMs: number
  /** How often unfinished requests are looked at. */
  readonly checkEveryMs: number
  readonly wrongTokensPerMinute: number
  /** How long a wrong token waits for its answer. */
  readonly wrongTokenMs: number
  /** How often a stream says that it is alive, and its token is looked at. */
  readonly keepAliveMs: number
  /** An error this soon in a stream still becomes an HTTP status. */
  readonly streamGraceMs: number
  /** What may wait for a client that reads slowly. */
  readonly streamBytes: number
  /** How long a client may read nothing at all while that is full. */
  readonly streamStallMs: number
  /** What running requests get when the server closes. */
  readonly closeMs: number
}

export const defaultLimits: Limits = {
  headerBytes: 16 * 1024,
  bodyBytes: 10 * 1024 * 1024,
  jsonDepth: 64,
  connections: 4096,
  waitingPerAddress: 256,
  waiting: 1024,
  headersMs: 15_000,
  requestMs: 120_000,
  checkEveryMs: 2_000,
  wrongTokensPerMinute: 60,
  wrongTokenMs: 100,
  keepAliveMs: 15_000,
  streamGraceMs: 300,
  streamBytes: 2 * 1024 * 1024,
  streamStallMs: 5_000,
  closeMs: 3_000,
}
