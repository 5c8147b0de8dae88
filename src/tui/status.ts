/** The line that says what is happening, and the one that says where one is. */
import type { Life } from '../view/life.ts'
import type { View } from '../view/view.ts'
import { bold, cyan, dim, yellow } from './theme.ts'
import { fit, oneLine, seconds, thousands } from './text.ts'

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']

export type Clock = {
  /** Since what is happening began. */
  readonly elapsedMs: number
  /** Tokens a second of what is being written; absent before there is anything to measure. */
  readonly rate?: number
  readonly frame: number
}

export function drawLife(life: Life, clock: Clock, width: number): readonly string[] {
  const text = lifeText(life, clock)
  if (text === undefined) return []
  const spinner = SPINNER[clock.frame % SPINNER.length] ?? ''
  return [fit(`${yellow(spinner)} ${text} ${dim('· Esc stops')}`, width)]
}

function lifeText(life: Life, { elapsedMs, rate }: Clock): string | undefined {
  const time = elapsedMs >= 1000 ? ` ${Math.floor(elapsedMs / 1000)} s` : ''
  switch (life.kind) {
    case 'idle':
    case 'asking':
      return undefined
    case 'starting':
      return `starting${time}`
    case 'retry':
      return `${oneLine(life.why).replace(/\.$/, '')}; trying again in ${seconds(Math.max(0, life.delayMs - elapsedMs))}`
    case 'loading':
      return `loading the model${life.share === undefined ? '' : ` ${Math.round(life.share * 100)} %`}${time}`
    case 'queued':
      return `waiting in the queue, position ${life.position}${time}`
    case 'reading':
      return readingText(life, elapsedMs, time)
    case 'thinking':
      return `thinking${rateText(rate)}${time}`
    case 'writing':
      return `writing${rateText(rate)}${time}`
    case 'voting':
      return `voting, ${life.answered} of ${life.workers} answered${time}`
    case 'tool':
      return `running ${oneLine(life.tool.name)}${life.running > 1 ? ` and ${life.running - 1} more` : ''}${time}`
    case 'subagents':
      return `${life.running} ${life.running === 1 ? 'subagent' : 'subagents'} at work${time}`
  }
}

const rateText = (rate: number | undefined): string =>
  rate === undefined ? '' : ` ${rate.toFixed(rate < 10 ? 1 : 0)} tokens/s`

function readingText(
  { tokens, done, cached }: Extract<Life, { kind: 'reading' }>,
  elapsedMs: number,
  time: string,
): string {
  const from = cached ? `, ${thousands(cached)} from cache` : ''
  if (tokens === 0) return `reading the prompt${time}`
  if (done === undefined) return `reading ${thousands(tokens)} tokens${from}${time}`
  const read = done - (cached ?? 0)
  const left =
    read > 0 && elapsedMs > 500 ? Math.ceil(((tokens - done) * elapsedMs) / read / 1000) : undefined
  return `reading ${thousands(done)} of ${thousands(tokens)} tokens (${Math.round((done / tokens) * 100)} %)${from}${left === undefined ? time : `, ${left} s left`}`
}

export type StatusFacts = {
  readonly arm: string
  readonly mode: string
  readonly confinement: string
  readonly branch?: string
  readonly rate?: number
  readonly note?: string
  /** Of Vim's keys. */
  readonly inputMode?: string
}

/** What matters most comes first: a narrow terminal cuts the rest. */
export function drawStatus({ status, queue }: View, facts: StatusFacts, width: number): string {
  if (facts.note !== undefined) return fit(yellow(facts.note), width)
  const { usage, window, why } = status
  const used = usage ? usage.prompt + usage.completion : 0
  const cached = usage?.cached
    ? ` ${Math.round((usage.cached / Math.max(1, usage.prompt)) * 100)} % cached`
    : ''
  const parts = [
    ...(facts.inputMode === undefined ? [] : [bold(facts.inputMode.toUpperCase())]),
    bold(oneLine(status.arm ?? facts.arm)) +
      (why?.startsWith('task: ') ? dim(` (${oneLine(why.split(';', 1)[0] ?? '')})`) : ''),
    cyan(facts.mode),
    ...(window === undefined ? [] : [`${thousands(used)}/${thousands(window)}${cached}`]),
    ...(queue.length > 0 ? [`${queue.length} queued`] : []),
    ...(facts.rate === undefined ? [] : [`${facts.rate.toFixed(facts.rate < 10 ? 1 : 0)} tok/s`]),
    ...(facts.branch === undefined ? [] : [oneLine(facts.branch)]),
    oneLine(facts.confinement.split(':', 1)[0] ?? ''),
  ]
  return fit(parts.join(dim(' · ')), width)
}
