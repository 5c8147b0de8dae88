/** How a run ended, in words for the person who waited: what stopped it and what to do next. */
import type { RunEndReason } from '../protocol/run-end-reasons.ts'
import { isObject, readJson } from '../lib/json.ts'
import { clip } from '../lib/text.ts'
import type { CheckEnd } from '../protocol/event.ts'
import type { Trace } from './trace.ts'

export type Ending = {
  readonly reason: RunEndReason
  readonly report?: string
  /** The detector that doubted the answer, or that had the last word. */
  readonly flag?: string
  readonly detector?: string
  /** The model itself said that it would not do it. */
  readonly refused?: boolean
  /** What of the person's demands was not met. */
  readonly missing?: readonly string[]
  /** What became of the command the answer was held to. */
  readonly check?: CheckEnd
}

export function endReport(trace: Trace, ending: Ending): string | undefined {
  if (ending.report) return ending.report
  return isReported(ending.reason) ? reports[ending.reason](trace, ending) : undefined
}

/** These need no text, or the caller passes one. */
type Unreported = 'answered' | 'cancelled' | 'error' | 'budget' | 'window-too-small'
type Reported = Exclude<RunEndReason, Unreported>

const isReported = (reason: RunEndReason): reason is Reported => Object.hasOwn(reports, reason)

const reports: Readonly<Record<Reported, (trace: Trace, ending: Ending) => string>> = {
  'no-answer': noAnswer,
  'max-turns': (trace) =>
    `Stopped after ${trace.turns} turns, the limit, before the model gave an answer.${lastCommand(trace)} Ask it to go on, or allow more with --max-turns.`,
  'no-progress': ({ calls }) =>
    `Stopped: the last turns read, found and changed nothing new.${held(calls)} Try a smaller step or a larger model.`,
  repetition: () => 'Stopped: the model kept repeating itself. Try again, or use a larger model.',
  'repeated-call': ({ calls }) =>
    `Stopped: the model kept making the same call (${calls.at(-1)?.name ?? 'none'}).${held(calls)}`,
  'check-failed': (_, { check }) =>
    `Stopped: the check \`${clip(check?.command ?? '', 80)}\` failed, and failed again after another try. ${lastLine(check?.text ?? '')}`.trimEnd(),
  'patch-spiral': (trace) =>
    `Stopped: edits of ${failedPath(trace)} kept missing. Name the exact lines to change.`,
}

const lastLine = (text: string): string => clip(text.trim().split('\n').at(-1) ?? '', 200)

/** How the newest command ended: what of the work can be relied on. */
function lastCommand({ calls }: Trace): string {
  const last = calls.findLast(({ name }) => name === 'run_command')
  const { command } = last ? commandOf(last.key) : {}
  if (!last || command === undefined) return ''
  return ` Last command: \`${clip(command, 80)}\`, ${last.ok ? 'succeeded' : 'failed'}.`
}

function commandOf(key: string): { readonly command?: string } {
  const reading = readJson(key.slice(key.indexOf(' ') + 1))
  const command = reading.ok && isObject(reading.value) ? reading.value['command'] : undefined
  return typeof command === 'string' ? { command: command.split('\n', 1)[0] ?? '' } : {}
}

/** The report lists the paths that changed on disk. */
function noAnswer({ calls }: Trace, { detector, refused, missing = [] }: Ending): string {
  const wrote = calls.some((call) => call.wrote)
  const open = missing.length > 0 ? ` Not done: ${missing.join('; ')}.` : ''
  const disk = wrote ? 'Some files were changed; `covey undo` takes that back.' : 'No file was changed.'
  if (detector === undefined && deniedIn(calls).length > 0) return `Stopped.${open}${held(calls)} ${disk}`
  if (refused)
    return `No answer: the model declined the request. ${disk} Ask for less, or use a larger model (--model).`
  const last = words[detector ?? ''] ?? 'nothing that answers'
  return `No answer: the model gave only ${last}, however often it was asked again.${open}${held(calls)} ${disk} Ask again in smaller steps, or use a larger model (--model).`
}

function held(calls: Trace['calls']): string {
  const denied = deniedIn(calls)
  return denied.length > 0 ? ` Not allowed: ${denied.join('; ')}.` : ''
}

const words: { readonly [detector: string]: string } = {
  'empty-reply': 'empty replies',
  greeting: 'greetings',
  announced: 'announcements without a tool call',
  'quoted-back': 'quotes of what it had read',
  'call-shaped': 'text in the shape of tool calls',
  'bad-call': 'tool calls that could not be read',
  unfinished: 'claims of changes it never made',
  'prose-instead': 'changes shown as text and never made',
}

/** Calls that were denied and never worked later. */
export const deniedIn = (calls: Trace['calls']): readonly string[] => [
  ...new Set(
    calls
      .filter(
        ({ key, code }, at) =>
          code === 'denied' && !calls.slice(at).some((call) => call.ok && call.key === key),
      )
      .map(({ name, path }) => [name, path].filter(Boolean).join(' ')),
  ),
]

const failedPath = ({ calls }: Trace): string =>
  calls.findLast(({ ok, path }) => !ok && path)?.path ?? 'a file'
