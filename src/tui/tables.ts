/** Workers of a vote and subagents as small tables: who, what it proposes or does, how it came out. */
import { truncateToWidth, visibleWidth } from '@mariozechner/pi-tui'
import type { SubagentItem, VoteItem } from '../view/view.ts'
import { bold, dim, green, red, yellow } from './theme.ts'
import { fit, oneLine, seconds } from './text.ts'

export function drawVote({ why, workers, report }: VoteItem, width: number): readonly string[] {
  const name = Math.min(20, Math.max(4, ...workers.map(({ worker }) => visibleWidth(oneLine(worker)))))
  const rows = workers.map(({ worker, shows, discarded }) => {
    const state = discarded === undefined ? (shows === undefined ? yellow('…') : green('✓')) : red('✗')
    const says = discarded === undefined ? (shows ?? 'at work') : `${shows ?? ''} (${discarded})`
    const isWinner = report?.winner === worker
    const label = truncateToWidth(oneLine(worker), name, '…', true)
    return fit(`  ${state} ${isWinner ? bold(label) : label}  ${oneLine(says)}`, width)
  })
  const end = report
    ? `  ${report.state}${report.winner === undefined ? '' : `: ${oneLine(report.winner)}`}, ${Math.round(report.confidence * 100)} % by ${report.decider}`
    : undefined
  return [
    fit(`${yellow('◆')} vote: ${oneLine(why)}`, width),
    ...rows,
    ...(end === undefined ? [] : [fit(dim(end), width)]),
  ]
}

const SIGN = { running: () => yellow('…'), ok: () => green('✓'), failed: () => red('✗') }

export function drawSubagent(
  { name, task, state, text, turns, tokens, ms }: SubagentItem,
  width: number,
): readonly string[] {
  const spent = ms === undefined ? '' : ` · ${turns ?? 0} turns, ${tokens ?? 0} tokens, ${seconds(ms)}`
  return [
    fit(`  ${SIGN[state]()} ${bold(oneLine(name))} ${oneLine(task)}${dim(spent)}`, width),
    ...(text === '' ? [] : [fit(dim(`      ${oneLine(text)}`), width)]),
  ]
}
