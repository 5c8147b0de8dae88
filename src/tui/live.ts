/** The part of the screen that still changes, as lines: the open reply, running calls, what is asked, the box, the status. */
import type { View } from '../view/view.ts'
import { lifeOf } from '../view/life.ts'
import type { Drawn } from './input.ts'
import { drawReasoning, drawTool } from './items.ts'
import { type Clock, drawLife, drawStatus, type StatusFacts } from './status.ts'
import { drawSubagent, drawVote } from './tables.ts'
import { dim, yellow } from './theme.ts'
import { clean, fit, oneLine, tail } from './text.ts'

export type LiveParts = {
  readonly view: View
  /** The open reply, drawn, without what went to the scrollback already. */
  readonly reply: readonly string[]
  /** Nothing of the reply went there. */
  readonly isReplyWhole: boolean
  readonly clock: Clock
  readonly facts: StatusFacts
  /** What else is going on: the program opens, a command of the person runs. */
  readonly doing?: { readonly title: string; readonly output: string }
  readonly isExpanded: boolean
  /** The box, the question or the list that has the keys. */
  below(width: number, rows: number): Drawn
}

export function drawLive(parts: LiveParts, width: number, rows: number): Drawn {
  const above = contentLines(parts, width)
  const { view, clock, facts } = parts
  const below = parts.below(width, rows)
  const queue = view.queue.map(({ prompt }) => dim(fit(`  queued: ${oneLine(prompt)}`, width)))
  const life = parts.doing ? drawDoing(parts.doing, parts, width) : drawLife(lifeOf(view), clock, width)
  // One column is left free: erasing what is below begins behind the last letter.
  const status = drawStatus(view, facts, width - 1)
  const fixed = queue.length + life.length + below.lines.length + 1
  const room = Math.max(0, rows - fixed)
  const content = tail(above, room, (rest) => dim(`… ${rest} lines above`)).slice(-room || undefined)
  const shown = room === 0 ? [] : content
  const head = [...shown, ...life, ...queue]
  return { lines: [...head, ...below.lines, status] }
}

/** How much room the open turn would take. */
export function contentLines(
  { view, reply, isReplyWhole, isExpanded }: LiveParts,
  width: number,
): readonly string[] {
  const { open } = view
  const options = { width, isExpanded }
  return [
    ...(open.vote ? drawVote(open.vote, width) : []),
    ...(isReplyWhole ? drawReasoning(open.reasoning, options) : []),
    ...reply,
    // What is asked about is shown with the question.
    ...open.tools.flatMap((tool) =>
      drawTool(isAsked(view, tool.callId) ? { ...tool, diff: [] } : tool, options),
    ),
    ...open.subagents.flatMap((agent) => drawSubagent(agent, width)),
    ...(view.run && open.again !== undefined && open.text === ''
      ? [dim(fit(`· asked again: ${oneLine(open.again)}`, width))]
      : []),
  ]
}

const isAsked = ({ questions: [first] }: View, callId: string): boolean =>
  first?.kind === 'permission' && first.callId === callId

const MOST_OUTPUT = 10

function drawDoing(
  { title, output }: NonNullable<LiveParts['doing']>,
  { clock }: LiveParts,
  width: number,
): readonly string[] {
  const lines = output === '' ? [] : clean(output.trimEnd()).split('\n')
  const time = clock.elapsedMs >= 1000 ? ` ${Math.floor(clock.elapsedMs / 1000)} s` : ''
  return [
    ...tail(lines, MOST_OUTPUT, (rest) => dim(`… ${rest} lines before`)).map((line) =>
      fit(`${dim('│')} ${line}`, width),
    ),
    fit(`${yellow('●')} ${oneLine(title)}${time}`, width),
  ]
}
