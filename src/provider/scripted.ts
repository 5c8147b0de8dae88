/**
 * A Model that replays a script, for tests, demonstrations and `--model scripted:FILE`. One reply per
 * request, in order; what it was asked stays in `asked`.
 */
import { AppError } from '../protocol/error.ts'
import type { FinishReason, Model, ModelEvent, ModelRequest } from '../protocol/model.ts'

/** What happens in a reply. `finish` is added where it is missing, ids are given to calls in order. */
export type ScriptedEvent = ModelEvent | { readonly type: 'failure'; readonly error: AppError }

export type ScriptedReply =
  | readonly ScriptedEvent[]
  | ((request: ModelRequest) => readonly ScriptedEvent[] | Promise<readonly ScriptedEvent[]>)

export interface ScriptedModel extends Model {
  readonly asked: readonly ModelRequest[]
}

export const scriptedModel = (...replies: readonly ScriptedReply[]): ScriptedModel =>
  createScriptedModel(replies)

export type ScriptedModelOptions = {
  readonly name?: string
  /** Say the last reply again when the script is at its end, instead of failing. */
  readonly repeatLast?: boolean
}

export function createScriptedModel(
  replies: readonly ScriptedReply[],
  options: ScriptedModelOptions = {},
): ScriptedModel {
  const asked: ModelRequest[] = []
  const nextId = callIds()
  return {
    name: options.name ?? 'scripted',
    asked,
    async *stream(request, signal) {
      asked.push(request)
      const reply = replies[asked.length - 1] ?? (options.repeatLast ? replies.at(-1) : undefined)
      if (!reply) throw atItsEnd(replies.length, asked.length)
      const events = typeof reply === 'function' ? await reply(request) : reply
      for (const event of finished(events).flatMap(inDeltas)) {
        if (signal.aborted) return
        if (event.type === 'failure') throw event.error
        yield event.type === 'tool-call' ? { ...event, call: { ...event.call, id: nextId() } } : event
      }
    },
  }
}

export const says = (text: string): ModelEvent => ({ type: 'text-delta', text })

export const thinks = (text: string): ModelEvent => ({ type: 'reasoning-delta', text })

/** `input` given as text is passed on byte for byte, broken JSON included. */
export const calls = (name: string, input: object | string = {}): ModelEvent => ({
  type: 'tool-call',
  call: { id: '', name, input: typeof input === 'string' ? input : JSON.stringify(input) },
})

export const finish = (reason: FinishReason): ModelEvent => ({ type: 'finish', reason })

export const fails = (error: AppError): ScriptedEvent => ({ type: 'failure', error })

/** call-1, call-2, ... over the whole script. */
function callIds(): () => string {
  let count = 0
  return () => `call-${++count}`
}

const atItsEnd = (scripted: number, asked: number): AppError =>
  new AppError(
    'request-invalid',
    `The script has ${scripted} ${scripted === 1 ? 'reply' : 'replies'}, this is request ${asked}. Add a reply to it.`,
  )

function finished(events: readonly ScriptedEvent[]): readonly ScriptedEvent[] {
  if (events.some(({ type }) => type === 'finish' || type === 'failure')) return events
  const reason = events.some(({ type }) => type === 'tool-call') ? 'tool-calls' : 'stop'
  return [...events, finish(reason)]
}

const DELTA_LENGTH = 12

/** Text comes in small pieces, as from a real model; a pair of surrogates is not torn. */
function inDeltas(event: ScriptedEvent): ScriptedEvent[] {
  if (event.type !== 'text-delta' && event.type !== 'reasoning-delta') return [event]
  const characters = [...event.text]
  const count = Math.ceil(characters.length / DELTA_LENGTH)
  return Array.from({ length: count }, (_, index) => ({
    type: event.type,
    text: characters.slice(index * DELTA_LENGTH, (index + 1) * DELTA_LENGTH).join(''),
  }))
}
