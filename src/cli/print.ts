/**
 * Events as a person at a pipe or a plain terminal reads them: the answer on stdout, everything else on stderr. Text may
 * still be thrown away (a greeting instead of an answer). A terminal is shown it as it comes and told when it is withdrawn;
 * anything else gets a reply only when it is accepted.
 */
import type { CheckEnd, RunEnd, SessionEvent } from '../protocol/event.ts'
import type { FileDiff } from '../protocol/file-diff.ts'
import { cleanControl, jsonLine } from '../lib/clean.ts'
import type { CommandIo } from './command.ts'
import { DIM, NOT_DIM } from './safe-io.ts'

export type PrintOptions = {
  readonly json: boolean
  readonly verbose: boolean
  readonly colour: boolean
  /** stdout is a terminal: replies are shown while they arrive. */
  readonly live: boolean
}

export function createPrinter(io: Pick<CommandIo, 'out' | 'err'>, options: PrintOptions) {
  if (options.json) return (event: SessionEvent) => io.out(jsonLine(event))
  const answer = createAnswer(io, options.live)
  const dim = (text: string) => (options.colour ? `${DIM}${text}${NOT_DIM}` : text)
  const line = (text: string) => io.err(`${dim(cleanControl(text))}\n`)

  return (event: SessionEvent): void => {
    if (event.type === 'text-delta') return answer.add(cleanControl(event.text))
    if (event.type === 'reply-restart')
      return answer.restart(() => line(`· withdrawn, asked again: ${event.why}`))
    if (event.type === 'turn-end') return event.continues ? undefined : answer.end()
    if (event.type === 'run-end' && event.reason === 'max-turns') {
      answer.flush()
      return io.out(`${cleanControl(limitText(event))}\n`)
    }
    const text = describe(event, options.verbose)
    if (text === undefined) return
    if (options.live || ACCEPTED.has(event.type)) answer.flush()
    line(text)
  }
}

/** What follows only a reply that was accepted. */
const ACCEPTED: ReadonlySet<SessionEvent['type']> = new Set(['tool-start', 'run-end', 'error'])

/** A limit is no failure of the model: what was done until then is the answer. */
const limitText = (event: RunEnd): string =>
  [event.report ?? `Ended: ${event.reason}.`, changedText(event)].join('')

const changedText = ({ changed }: RunEnd): string =>
  changed.length > 0 ? ` Changed: ${changed.join(', ')}.` : ''

function createAnswer(io: Pick<CommandIo, 'out'>, live: boolean) {
  let held = ''
  let printed = ''
  /** Something of the present reply was shown. */
  let isShown = false
  const flush = () => {
    const text = held
    held = ''
    if (text) io.out(text)
    isShown ||= text !== ''
    if (printed + text !== '' && !(printed + text).endsWith('\n')) io.out('\n')
    printed = ''
  }
  return {
    add(text: string) {
      held += text
      if (!live) return
      io.out(held)
      isShown = true
      printed = (printed + held).slice(-2)
      held = ''
    },
    flush,
    end() {
      flush()
      isShown = false
    },
    restart(remark: () => void) {
      held = ''
      if (!isShown) return
      flush()
      isShown = false
      remark()
    },
  }
}

/** The line for an event, or nothing for what only machines need. */
function describe(event: SessionEvent, verbose: boolean): string | undefined {
  switch (event.type) {
    case 'tool-start':
      return `→ ${event.title}`
    case 'tool-end':
      return event.ok ? (verbose ? `  ok, ${event.ms} ms` : undefined) : `  ✗ ${firstLine(event.text)}`
    case 'tool-diff':
      return event.files.map(diffText).join('\n')
    case 'correction':
      return verbose ? `· ${event.detector}: ${event.remedy}` : undefined
    case 'retry':
      return `· ${event.why.replace(/\.$/, '')}; trying again in ${Math.round(event.delayMs / 100) / 10} s`
    case 'compaction':
      return `· context compacted (${event.stage}): ${event.before} → ${event.after} of ${event.window} tokens`
    case 'vote':
      return voteLine(event, verbose)
    case 'subagent-start':
      return `→ ${event.subagent}: ${firstLine(event.task)}`
    case 'subagent-step':
      return verbose ? `  ${event.subagent} → ${event.text}` : undefined
    case 'subagent-end':
      return subagentLine(event)
    case 'proposal':
      return `proposed, not run: ${event.command}`
    case 'routing':
      return routingLine(event, verbose)
    case 'usage':
      return verbose ? `· ${event.usage.prompt} tokens in, ${event.usage.cached ?? 0} from cache` : undefined
    case 'run-end':
      return endLine(event)
    case 'error':
      return `covey: ${event.message}`
    case 'warning':
      return `covey: ${event.message}`
    default:
      return undefined
  }
}

const MOST_DIFF_LINES = 20

function diffText({ path, kind, added, removed, text, omitted }: FileDiff): string {
  const lines = text.split('\n')
  const rest = Math.max(0, lines.length - MOST_DIFF_LINES) + omitted
  const shown = lines.slice(0, MOST_DIFF_LINES).map((line) => `  ${line}`)
  return [
    `  ${kind} ${path} +${added} -${removed}`,
    ...shown,
    ...(rest > 0 ? [`  … ${rest} more lines`] : []),
  ].join('\n')
}

function endLine(event: Extract<SessionEvent, { type: 'run-end' }>): string | undefined {
  const isSaid = event.reason === 'answered' || event.reason === 'error'
  const lines = [
    ...(isSaid ? [] : [`covey: ${event.report ?? `Ended: ${event.reason}.`}${changedText(event)}`]),
    ...(event.check ? checkLine(event.check) : []),
    ...(event.runnable
      ? [`covey: Runs when you start it, look at it first: ${event.runnable.join(', ')}.`]
      : []),
  ]
  return lines.length > 0 ? lines.join('\n') : undefined
}

/** A check that failed is in the report. */
function checkLine({ command, state, text }: CheckEnd): readonly string[] {
  if (state === 'failed') return []
  return [
    state === 'passed' ? `  ✓ check passed: ${command}` : `  ✗ check not run: ${command}: ${firstLine(text)}`,
  ]
}

/** That several were asked, and who won; each answer on its own is for those who ask. */
function voteLine(event: Extract<SessionEvent, { type: 'vote' }>, verbose: boolean): string | undefined {
  if (event.stage === 'start') return `· asking several: ${event.why}`
  if (event.stage === 'candidate') return verbose ? `  ${event.worker}: ${event.shows}` : undefined
  const { state, winner, confidence, discarded, decider } = event.report
  const lost = discarded.length > 0 ? `, ${discarded.length} without a vote` : ''
  return `  ${state}${winner ? `: ${winner}` : ''}, ${Math.round(confidence * 100)} % by ${decider}${lost}`
}

function subagentLine(event: Extract<SessionEvent, { type: 'subagent-end' }>): string {
  const { subagent, ok, turns, tokens, ms, text } = event
  const spent = `${turns} turns, ${tokens} tokens, ${Math.round(ms / 100) / 10} s`
  return ok ? `  ${subagent} done: ${spent}` : `  ✗ ${subagent}: ${firstLine(text)} (${spent})`
}

/** Where a router chose, everybody sees whom; the reasons are for those who ask. */
function routingLine({ arm, why, window }: Extract<SessionEvent, { type: 'routing' }>, verbose: boolean) {
  if (verbose) return `· ${arm} (${why}), window ${window}`
  return why.startsWith('task: ') ? `routed → ${arm} (${why.split(';', 1)[0]})` : undefined
}

const firstLine = (text: string): string => text.split('\n', 1)[0]?.slice(0, 200) ?? ''
