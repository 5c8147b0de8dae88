/** What one run knows about itself while it goes on. Made, read and changed only by the loop and its helpers. */
import type { AppError } from '../protocol/error.ts'
import type { CheckEnd } from '../protocol/event.ts'
import type { Message, UserMessage } from '../protocol/message.ts'
import type { Thinking } from '../protocol/model.ts'
import type { Reply } from './collect.ts'
import { NEVER_RAN } from './detectors/no-progress.ts'
import { inVain, isAffordable, NOTHING_IN_VAIN, type Vain } from './patience.ts'
import type { CallRecord, Trace } from './trace.ts'

/** How the next request differs from the arm's ordinary sampling. */
export type Sampling = {
  readonly seed?: number
  readonly hotter?: boolean
  readonly thinking?: Thinking
}

export type Spent = { readonly again: number; readonly notes: number }

/** Remedies spent since the run last made progress, each detector's on its own. */
export type Tally = {
  readonly continues: number
  readonly byDetector: ReadonlyMap<string, Spent>
  /** A void reply may be asked for again even where its detector has no remedy left. */
  readonly isPatient?: boolean
}

export const spentOn = ({ byDetector }: Tally, detector: string): Spent =>
  byDetector.get(detector) ?? { again: 0, notes: 0 }

export const remediesIn = ({ byDetector }: Tally): number =>
  [...byDetector.values()].reduce((sum, { again, notes }) => sum + again + notes, 0)

/** Where the arm cannot go on writing its own message. */
export const goOnNote: UserMessage = {
  role: 'user',
  text: '[note] Your answer was cut off. Go on exactly where it stopped.',
  origin: 'note',
}

const freshTally: Tally = { continues: 0, byDetector: new Map() }

export class RunState {
  /** All the model sees, oldest first. */
  messages: readonly Message[]
  readonly added: Message[] = []
  calls: readonly CallRecord[] = []
  turns = 0
  compactedTurn = 0
  /** Since a result last brought something new. */
  compactions = 0
  sampling: Sampling = {}
  /** Text the output limit cut off, where the arm goes on writing it. */
  partial = ''
  readonly changed = new Set<string>()
  /** Infinity until the first compaction. */
  resultsSinceCompaction = Number.POSITIVE_INFINITY
  attribution: { model: number; repair: number; detector: number; escalation?: number } = {
    model: 0,
    repair: 0,
    detector: 0,
  }
  /** The conversation was cut back to its last result, and nothing has come of it yet. */
  isFresh = false
  /** The detector that had something to say since the last call. */
  doubted: string | undefined
  /** What of the person's demands was not met when it last replied. */
  missing: readonly string[] = []
  #tally: Tally = freshTally
  #vain: Vain = NOTHING_IN_VAIN
  /** A call of the arm that is asked now brought something new. */
  #hasWorked = false
  #discarded = 0
  /** What the first arm that could not be asked failed with. */
  armFailure: AppError | undefined
  /** Who was asked last. */
  arm = ''
  /** What came of the reply that is being streamed. */
  written = ''
  /** Why another arm took over, if one did. */
  escalated: string | undefined
  /** What became of the command the answer is held to, and how often it failed. */
  check: CheckEnd | undefined
  failedChecks = 0
  /** What another arm took before this one went on. */
  #before = { calls: 0, turns: 0 }

  constructor(history: readonly Message[]) {
    this.messages = history
  }

  get tally(): Tally {
    return { ...this.#tally, isPatient: this.isFresh && this.#hasWorked && isAffordable(this.#vain) }
  }

  get trace(): Trace {
    const { turns, compactedTurn, compactions } = this
    const { calls, turns: turnsBefore } = this.#before
    return {
      turns,
      turnsBefore,
      calls: this.calls.slice(calls),
      compactedTurn,
      compactions,
      remedies: remediesIn(this.#tally),
      discarded: this.#discarded,
      forgiven: this.#hasWorked && isAffordable(this.#vain) ? this.#vain.replies : 0,
    }
  }

  /** Another arm goes on: what the one before did wrong is not held against it. */
  startOver(reason: string): void {
    this.escalated = reason
    this.attribution.escalation = 1
    this.#before = { calls: this.calls.length, turns: this.turns }
    this.#tally = freshTally
    this.sampling = {}
    this.partial = ''
    this.#vain = NOTHING_IN_VAIN
    this.#hasWorked = false
  }

  /**
   * What was said in vain since the last result is forgotten: a model goes on the way it sees itself going on. Half of
   * the detector's remedies are left for what comes then.
   */
  startFresh(detector: string, seed: number): void {
    const kept = this.messages.findLastIndex((message) => !isVain(message))
    this.messages = this.messages.slice(0, kept + 1)
    this.isFresh = true
    this.#tally = {
      ...this.#tally,
      byDetector: new Map(this.#tally.byDetector).set(detector, { again: 1, notes: 1 }),
    }
    this.sampling = { seed, hotter: true }
    this.partial = ''
  }

  /** One more remedy of this detector. */
  spend(detector: string, kind: keyof Spent): void {
    const spent = spentOn(this.#tally, detector)
    const byDetector = new Map(this.#tally.byDetector).set(detector, { ...spent, [kind]: spent[kind] + 1 })
    this.#tally = { ...this.#tally, byDetector }
    this.attribution.detector++
    this.doubted = detector
  }

  /** A reply that was no answer and called nothing. */
  discard(reply: Reply): void {
    this.#vain = inVain(this.#vain, reply)
    if (this.#hasWorked) this.#discarded++
  }

  goOnWriting(): void {
    this.#tally = { ...this.#tally, continues: this.#tally.continues + 1 }
  }

  add(message: Message): void {
    this.messages = [...this.messages, message]
    this.added.push(message)
  }

  /** Keeps what a call did; a new result is progress and resets all remedies. */
  record(record: CallRecord): void {
    const isNew = !this.calls.some(
      (earlier) => earlier.key === record.key && earlier.resultHash === record.resultHash,
    )
    this.calls = [...this.calls, record]
    this.doubted = undefined
    this.#vain = NOTHING_IN_VAIN
    // A test that fails has shown something: the model acts, whatever it said before.
    const hasRun = record.code === undefined || !NEVER_RAN.has(record.code)
    if (isNew && hasRun) {
      this.#tally = freshTally
      this.isFresh = false
      this.#hasWorked = true
    }
    if (!record.ok || record.code) return
    // What a compaction took away may be read again: that is a use of the window, if not progress.
    this.resultsSinceCompaction++
    if (isNew) this.compactions = 0
  }
}

/** Words without a call, and what was said to them. */
const isVain = (message: Message): boolean =>
  message.role === 'assistant'
    ? message.calls.length === 0
    : message.role === 'user' && message.origin === 'note'
