/**
 * What was said and what happened: every message and event is cleaned of secrets, logged, kept, then published.
 * Writing to the log is synchronous, so the order of the log is the order of what watchers see, and nothing is
 * published before it is kept.
 */
import { appendMessage, closeOpenCalls } from '../context/history.ts'
import type { RunEvent, SessionEvent } from '../protocol/event.ts'
import type { Message, UserMessage } from '../protocol/message.ts'
import {
  isKept,
  keptEvents,
  type Prompt,
  type PromptInput,
  promptText,
  type SessionLog,
  toEventRecord,
} from './log.ts'
import type { OpenSession } from './shelf.ts'
import { defined } from '../lib/object.ts'
import { endOf } from './unreported-end.ts'
import { Watchers } from './watchers.ts'

/** More events than a run can publish without logging one. After a crash it is unknown which numbers were used. */
const UNKNOWN_EVENTS = 1_000_000

/** The firewall, as far as a session needs it: the same value without secrets. */
export type Outgoing = <Value>(value: Value) => Value

export type ConversationParts = { now(): number; readonly outgoing: Outgoing }

type StoredLog = Pick<OpenSession, 'replay' | 'log' | 'damage'>

export class Conversation {
  readonly #log: SessionLog
  readonly #now: () => number
  readonly #outgoing: Outgoing
  readonly #watchers: Watchers
  #history: readonly Message[]
  /** Messages logged since the last turn ended. */
  #recent: Message[] = []
  #lastId: number

  constructor({ replay, log, damage }: StoredLog, { now, outgoing }: ConversationParts) {
    const isUnclean = replay.openRun !== undefined || damage.length > 0
    this.#log = log
    this.#now = now
    this.#outgoing = outgoing
    this.#history = replay.messages
    this.#lastId = replay.lastEventId + (isUnclean ? UNKNOWN_EVENTS : 0)
    this.#watchers = new Watchers(this.#lastId, (after) => keptEvents(log.read(), after))
  }

  get history(): readonly Message[] {
    return this.#history
  }

  get lastEventId(): number {
    return this.#lastId
  }

  watch(after: number | undefined, signal: AbortSignal): AsyncIterable<SessionEvent> {
    return this.#watchers.watch(after, signal)
  }

  /** Every watcher gets what is left for it, then ends. `waiting` are prompts whose turn did not come. */
  close(waiting: readonly Prompt[]): void {
    try {
      this.#abandon(waiting)
    } catch {
      // The disk is full. They still wait in the log, and the next opening settles them.
    }
    this.#watchers.close()
  }

  /** Brings an interrupted session to rest: its open calls get their results and are never run again. */
  settle({ replay, damage }: StoredLog): void {
    for (const message of closeOpenCalls(this.#history)) this.keep(message)
    const { openRun, waiting } = replay
    if (openRun !== undefined) {
      const begun = waiting.find(({ runId }) => runId === openRun)
      if (begun) this.join(openRun, toMessages(begun.input))
      this.publish(endOf(openRun, 'cancelled', CUT))
    }
    this.#abandon(waiting.filter(({ runId }) => runId !== openRun))
    if (damage.length > 0) {
      this.publish({ type: 'warning', message: `The log was damaged. ${damage.join('; ')}` })
    }
  }

  /** Prompts whose turn never came: what was asked stays in the conversation, and the user sees that it was not done. */
  #abandon(prompts: readonly Prompt[]): void {
    for (const prompt of prompts) {
      this.publish(startOf(prompt))
      this.join(prompt.runId, toMessages(prompt.input))
      this.publish(endOf(prompt.runId, 'cancelled', CUT))
    }
  }

  /** The messages a prompt became. */
  join(runId: string, said: readonly UserMessage[]): void {
    const messages = this.#outgoing(said)
    let history = this.#history
    for (const message of messages) history = appendMessage(history, message)
    this.#log.append({ type: 'composed', at: this.#now(), runId, messages })
    this.#history = history
    this.#recent = []
  }

  keep(said: Message): void {
    const message = this.#outgoing(said)
    const history = appendMessage(this.#history, message)
    this.#log.append({ type: 'message', at: this.#now(), message })
    this.#history = history
    this.#recent.push(message)
  }

  /** The conversation was compacted. */
  replace(compacted: readonly Message[]): void {
    const messages = this.#outgoing(compacted)
    this.#log.append({ type: 'history', at: this.#now(), messages })
    this.#history = messages
  }

  /** A prompt that waits for the run before it. */
  queue(prompt: Prompt): void {
    this.tell({ ...startOf(prompt), type: 'prompt-queue' })
  }

  /** However a run ended, no call stays without its result. */
  closeCalls(): void {
    for (const message of closeOpenCalls(this.#history)) {
      try {
        this.keep(message)
      } catch {
        // The disk is full. Reading the log closes open calls the same way, so memory and log still agree.
        this.#history = appendMessage(this.#history, message)
      }
    }
  }

  /** Throws when the event should be logged and cannot be; then it is not published. */
  publish(happened: RunEvent): void {
    const event = this.#outgoing(happened)
    const numbered: SessionEvent = { ...event, id: ++this.#lastId }
    if (isKept(event)) this.#log.append(toEventRecord(numbered, this.#now(), this.#recent))
    if (event.type === 'turn-end') this.#recent = []
    this.#watchers.publish(numbered)
  }

  /** The last events of a run reach watchers even when the disk is full. */
  tell(event: RunEvent): void {
    try {
      this.publish(event)
    } catch {
      this.#watchers.publish({ ...this.#outgoing(event), id: this.#lastId })
    }
  }
}

export const toMessages = (input: PromptInput): readonly UserMessage[] =>
  typeof input === 'string' ? [{ role: 'user', text: input }] : input

const CUT = 'The process ended before this run did.'

export const startOf = ({ runId, input, options }: Prompt): RunEvent & { type: 'run-start' } => ({
  type: 'run-start',
  runId,
  prompt: promptText(input),
  ...defined({ key: options.key }),
})
