/**
 * The records of a session's log and what they mean. The log is the truth: conversation, title, event numbers and what
 * was interrupted all follow from it. Everything here is pure; `disk-shelf.ts` and `memory-shelf.ts` keep the records.
 */
import { isDeepStrictEqual } from 'node:util'
import { closeOpenCalls } from '../context/history.ts'
import { clip } from '../lib/text.ts'
import type { RunEvent, SessionEvent } from '../protocol/event.ts'
import type { Message, UserMessage } from '../protocol/message.ts'
import type { PromptOptions, SessionInfo } from '../protocol/session-api.ts'
import { defined } from '../lib/object.ts'
import { PastKeys, type PromptKey } from './prompt-keys.ts'

export type SessionStart = {
  readonly cwd: string
  readonly system: string
  readonly isPacket?: true
}

export type PromptInput = string | readonly UserMessage[]

/** A prompt that was acknowledged and must run. */
export type Prompt = { readonly runId: string; readonly input: PromptInput; readonly options: PromptOptions }

export type LogRecord =
  | (SessionStart & {
      readonly type: 'session-start'
      readonly id: string
      readonly createdAt: number
      /** Of a fork: its title until the first prompt, and where it comes from. */
      readonly title?: string
      readonly forkedFrom?: { readonly id: string; readonly messages: number }
    })
  | (Prompt & { readonly type: 'prompt'; readonly at: number })
  /** The prompt's turn came: this is what it added to the conversation. */
  | {
      readonly type: 'composed'
      readonly at: number
      readonly runId: string
      readonly messages: readonly UserMessage[]
    }
  | { readonly type: 'message'; readonly at: number; readonly message: Message }
  /** The conversation was compacted: this is all of it now. */
  | { readonly type: 'history'; readonly at: number; readonly messages: readonly Message[] }
  | EventRecord

export type EventRecord = {
  readonly type: 'event'
  readonly at: number
  readonly id: number
  readonly event: RunEvent
  /** Of a turn-end: how many of the messages before it are its own; they are not written twice. */
  readonly turnMessages?: number
}

export interface SessionLog {
  /** On return the record survives the end of the process; on a throw nothing of it is kept. */
  append(record: LogRecord): void
  /** On return everything appended so far survives a power cut. */
  sync(): Promise<void>
  /** The records of this moment, in batches. */
  read(): AsyncIterable<readonly LogRecord[]>
}

/** Pieces of a reply and of live output come back whole in messages and results; they are published but not logged. */
const PASSING = new Set<RunEvent['type']>([
  'text-delta',
  'reasoning-delta',
  'tool-output',
  'subagent-step',
  'progress',
])

export const isKept = (event: RunEvent): boolean => !PASSING.has(event.type)

/** `recent` are the messages logged since the last turn ended. */
export function toEventRecord(event: SessionEvent, at: number, recent: readonly Message[]): EventRecord {
  const { id, ...bare } = event
  const record: EventRecord = { type: 'event', at, id, event: bare }
  if (bare.type !== 'turn-end') return record
  const own = recent.slice(Math.max(0, recent.length - bare.messages.length))
  if (!isDeepStrictEqual(own, bare.messages)) return record
  return { ...record, event: { ...bare, messages: [] }, turnMessages: own.length }
}

/** The kept events numbered above `after`, turn-ends whole again. */
export async function* keptEvents(
  batches: AsyncIterable<readonly LogRecord[]>,
  after: number,
): AsyncGenerator<readonly SessionEvent[]> {
  let recent: Message[] = []
  const toEvents = (record: LogRecord): readonly SessionEvent[] => {
    if (record.type === 'message') recent.push(record.message)
    if (record.type === 'composed') recent = []
    if (record.type !== 'event') return []
    const event = { ...whole(record, recent), id: record.id }
    if (record.event.type === 'turn-end') recent = []
    return record.id > after ? [event] : []
  }
  for await (const records of batches) yield records.flatMap(toEvents)
}

function whole({ event, turnMessages }: EventRecord, recent: readonly Message[]): RunEvent {
  if (event.type !== 'turn-end' || turnMessages === undefined) return event
  return { ...event, messages: recent.slice(Math.max(0, recent.length - turnMessages)) }
}

export type Replay = {
  readonly info: SessionInfo
  /** Absent when the record it stood in is lost. */
  readonly system?: string
  readonly messages: readonly Message[]
  readonly lastEventId: number
  /** The run that was going on when the log ended. */
  readonly openRun?: string
  /** Prompts that were accepted but had not joined the conversation. */
  readonly waiting: readonly Prompt[]
  /** Of the prompts that were accepted, the oldest first. */
  readonly keys: readonly PromptKey[]
}

/** `id` names the session should its first record be lost. */
export function replay(id: string, records: Iterable<LogRecord>): Replay {
  const replaying = new Replaying(id)
  for (const record of records) replaying.add(record)
  return replaying.result()
}

/** The same for records that come in batches and need not be held. */
export async function replayAll(id: string, batches: AsyncIterable<readonly LogRecord[]>): Promise<Replay> {
  const replaying = new Replaying(id)
  for await (const records of batches) for (const record of records) replaying.add(record)
  return replaying.result()
}

export class Replaying {
  #messages: Message[] = []
  readonly #waiting = new Map<string, Prompt>()
  readonly #keys = new PastKeys()
  #info: SessionInfo
  #system: string | undefined
  #lastEventId = 0
  #openRun: string | undefined

  constructor(id: string) {
    this.#info = { id, title: '', cwd: '', createdAt: 0, updatedAt: 0, messages: 0 }
  }

  add(record: LogRecord): void {
    this.#date(record.type === 'session-start' ? record.createdAt : record.at)
    if (record.type === 'session-start') this.#start(record)
    else if (record.type === 'prompt') this.#prompt(record)
    else if (record.type === 'message') this.#join(record.message)
    else if (record.type === 'history') this.#messages = [...record.messages]
    else if (record.type === 'event') this.#event(record)
    else if (record.type === 'composed') {
      this.#waiting.delete(record.runId)
      for (const message of record.messages) this.#join(message)
    }
  }

  result(): Replay {
    return {
      info: { ...this.#info, messages: this.#messages.length },
      messages: this.#messages,
      lastEventId: this.#lastEventId,
      waiting: [...this.#waiting.values()],
      keys: this.#keys.newest(),
      ...defined({ system: this.#system, openRun: this.#openRun }),
    }
  }

  #date(at: number): void {
    const createdAt = this.#info.createdAt || at
    this.#info = { ...this.#info, createdAt, updatedAt: Math.max(this.#info.updatedAt, at) }
  }

  #start({ cwd, system, title, createdAt, isPacket }: LogRecord & { type: 'session-start' }): void {
    this.#info = {
      ...this.#info,
      cwd,
      createdAt,
      title: this.#info.title || (title ?? ''),
      ...(isPacket && { isPacket }),
    }
    this.#system = system
  }

  #prompt({ runId, input, options }: Prompt): void {
    this.#waiting.set(runId, { runId, input, options })
    if (options.key !== undefined) this.#keys.add(options.key, runId, input)
    if (!this.#info.title) this.#info = { ...this.#info, title: toTitle(promptText(input)) }
  }

  #event({ id, event }: EventRecord): void {
    this.#lastEventId = Math.max(this.#lastEventId, id)
    if (event.type === 'run-start') this.#openRun = event.runId
    if (event.type !== 'run-end') return
    this.#waiting.delete(event.runId)
    if (this.#openRun === event.runId) this.#openRun = undefined
  }

  /** A damaged record may have taken a call or a result with it: what is left is made legal again. */
  #join(message: Message): void {
    const tail = this.#messages.slice(this.#messages.findLastIndex(({ role }) => role !== 'tool'))
    const missing = closeOpenCalls(tail)
    if (message.role !== 'tool') this.#messages.push(...missing, message)
    else if (missing.some(({ callId }) => callId === message.callId)) this.#messages.push(message)
  }
}

/** The person's own words; what stands before the last message is what they refer to. */
export const promptText = (input: PromptInput): string =>
  typeof input === 'string' ? input : (input.at(-1)?.text ?? '')

const MAX_TITLE = 80

/** One line, without the control characters that a list on a terminal would obey. */
const toTitle = (prompt: string): string =>
  clip(
    prompt
      .slice(0, 1000)
      .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
      .trim(),
    MAX_TITLE,
  ) || 'untitled'
