/**
 * What nano sees of a conversation: the person's words of this run, and the calls and results since. Results are
 * written as the training wrote them, whatever the tool's own wording: a command's exit code stands first, remarks for
 * larger models are gone. Pure.
 */
import type { Message, ToolCall, ToolMessage } from '../../protocol/message.ts'
import type { ModelRequest } from '../../protocol/model.ts'
import { isObject, readJson } from '../../lib/json.ts'
import { clip } from '../../lib/text.ts'
import { answeredIn } from '../client/consent.ts'
import type { Sources } from '../weights/format.ts'

export type NanoCall = { readonly name: string; readonly input: Readonly<Record<string, unknown>> }

export type NanoStep = {
  readonly call: NanoCall
  readonly ok: boolean
  readonly code?: ToolMessage['code']
  /** As the tool said it, without what was said to the model beside it. */
  readonly text: string
  /** As nano reads it. */
  readonly shown: string
  /** Made to find out what is there, not because it was asked for. */
  readonly isLook?: true
}

/** What the id of such a call begins with; clients send it back. */
export const LOOK_ID = 'nano-look-'

export type NanoRun = {
  readonly request: string
  readonly steps: readonly NanoStep[]
  /** Which of the person's messages the request is, answers to questions left out. */
  readonly turn?: number
  /** Questions over the API that were answered with yes. */
  readonly confirmed?: readonly string[]
  /** The last question over the API was answered with no. */
  readonly isDeclined?: true
}

export function readRun({ task, messages }: Pick<ModelRequest, 'task' | 'messages'>): NanoRun {
  const { at, confirmed, isDeclined } = answeredIn(messages)
  const asked = messages[at]
  // The message holds more than the person's words: the date, recalled facts, output of commands.
  const request = task?.trim() || (asked?.role === 'user' ? wordsIn(asked.text) : '')
  const answers = {
    ...(confirmed.length > 0 && { confirmed }),
    ...(isDeclined && { isDeclined: true as const }),
  }
  const turn = messages.slice(0, at + 1).filter(({ role }) => role === 'user').length
  return { request, steps: stepsOf(messages.slice(at + 1)), turn, ...answers }
}

const ABOUT = String.raw`[\w-]*(?:remind|environment|context|env|info|rules|instruction|metadata|attach|open_files|opened)[\w-]*`
const WRAPPED = String.raw`(?:user_?|human_?)?(?:task|query|request|message|input|prompt|question)`

/** The person's words of a message in which a client tells more: `<task>…</task><environment_details>…</environment_details>`. */
function wordsIn(text: string): string {
  const said = text.replaceAll(new RegExp(String.raw`<(${ABOUT})>[\s\S]*?</\1>`, 'gi'), '').trim()
  return (new RegExp(String.raw`^<(${WRAPPED})>([\s\S]*)</\1>$`, 'i').exec(said)?.[2] ?? said).trim()
}

function stepsOf(messages: readonly Message[]): NanoStep[] {
  const results = new Map(
    messages.flatMap((message) => (message.role === 'tool' ? [[message.callId, message] as const] : [])),
  )
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? message.calls : []))
  return calls.flatMap((call) => {
    const result = results.get(call.id)
    const isLook = call.id.startsWith(LOOK_ID)
    return result ? [{ ...toStep(toNanoCall(call), result), ...(isLook && { isLook }) }] : []
  })
}

function toNanoCall({ name, input }: ToolCall): NanoCall {
  const reading = readJson(input)
  return { name, input: reading.ok && isObject(reading.value) ? reading.value : {} }
}

function toStep(call: NanoCall, { ok, code, text: said }: ToolMessage): NanoStep {
  const text = withoutRemarks(said)
  return inOwnForm({ call, ok, ...(code && { code }), text, shown: text })
}

/** A result as the training wrote those of its tool. */
export const inOwnForm = (step: NanoStep): NanoStep =>
  step.call.name === 'run_command' ? { ...step, shown: shownOutput(step.text, step.ok) } : step

/** Notes to the model are in the last lines of the result. */
const withoutRemarks = (text: string): string =>
  text
    .replace(/\n\[note\] [^\n]*$/, '')
    .replace(/\n\[stored as r\d+[^\n]*\]$/, '')
    .replace(/^Error: /, '')

function shownOutput(text: string, ok: boolean): string {
  const job = /\[(job-\d+) is running|running after .* as (job-\d+)/.exec(text)
  if (job) return `${job[1] ?? job[2]} started`
  const { output, exitCode } = readOutput(text, ok)
  return exitCode === undefined ? output : `exit code ${exitCode}\n${output}`.trimEnd()
}

export type CommandOutput = {
  readonly output: string
  /** Absent when the command was ended by a signal, or never ran. */
  readonly exitCode?: number
}

/** The output of `run_command` and how it ended, as the tool writes both. */
export function readOutput(text: string, ok: boolean): CommandOutput {
  if (ok) return { output: text === '(no output)' ? '' : text, exitCode: 0 }
  const ending = /(?:^|\n)\[exit (\d+)\]$/.exec(text)
  if (!ending) return { output: text }
  return { output: text.slice(0, ending.index), exitCode: Number(ending[1]) }
}

const MOST_IDS = 8

/** Jobs and stored results the conversation speaks of, the latest first. */
export function idsOf(messages: readonly Message[]): Sources['ids'] {
  const calls = new Map(
    messages
      .flatMap((message) => (message.role === 'assistant' ? message.calls : []))
      .map((call) => [call.id, call]),
  )
  const found = new Map<string, string>()
  for (const message of messages) {
    if (message.role !== 'tool') continue
    for (const [, stored, job] of message.text.matchAll(
      /(?:\[stored as |left out: read_result \{"id":")(r\d+)|(?:\[| as )(job-\d+)\b/g,
    )) {
      const id = stored ?? job ?? ''
      if (!found.has(id)) found.set(id, labelOf(calls.get(message.callId)))
    }
  }
  return Array.from(found, ([id, what]) => ({ id, what }))
    .toReversed()
    .slice(0, MOST_IDS)
}

function labelOf(call: ToolCall | undefined): string {
  if (!call) return 'result'
  const about = Object.values(toNanoCall(call).input).find((value) => typeof value === 'string')
  return typeof about === 'string' ? clip(about.replaceAll(/\s+/g, ' '), 60) : call.name
}
