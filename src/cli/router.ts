/** `covey router`: what the router has learnt, why it chose as it did, and forgetting all of it. */
import { cleanControl, jsonLine } from '../lib/clean.ts'
import { plural } from '../lib/text.ts'
import { AppError } from '../protocol/error.ts'
import type { DecisionRecord, RouterService, RouterStats, TaskStats } from '../protocol/routing.ts'
import { requireAction } from './action.ts'
import type { Command, CommandContext } from './command.ts'

type OpenRouter = (env: NodeJS.ProcessEnv, cwd: string) => Promise<RouterService>

export const createRouterCommand = (open: OpenRouter): Command => ({
  name: 'router',
  summary: 'Show what the router learnt, why it chose an arm, or make it forget',
  usage: '[stats | why [run] | reset]',
  options: [{ flags: '--json', description: 'as JSON, for programs' }],
  examples: ['covey router stats', 'covey router why', 'covey router why 3f2a --json', 'covey router reset'],
  async run(context) {
    const [action = 'stats', argument] = context.args
    const act = requireAction('router', actions, action)
    await act(await open(context.env, context.cwd), context, argument)
    return 0
  },
})

type Action = (service: RouterService, context: CommandContext, argument?: string) => Promise<void>

const actions: Readonly<Record<string, Action>> = {
  async stats(service, { io, options }) {
    const stats = await service.stats()
    io.out(options['json'] ? jsonLine(stats, 2) : toTable(stats))
  },
  async why(service, { io, options }, runId) {
    const decisions = await service.decisions(runId)
    if (decisions.length === 0 && runId !== undefined) {
      throw new AppError(
        'config-invalid',
        `No choice of a run "${runId}" is kept; covey router why explains the last one.`,
      )
    }
    io.out(options['json'] ? jsonLine(decisions, 2) : explain(decisions))
  },
  async reset(service, { io, options }) {
    await service.reset()
    const text = 'Forgotten: outcomes, speeds and choices. What pools have used stays counted.\n'
    io.out(options['json'] ? jsonLine({ reset: true }, 2) : text)
  },
}

function toTable({ arms, tasks, sources, hints }: RouterStats): string {
  const speeds = new Map(arms.map((arm) => [arm.arm, arm]))
  const rows = tasks.map((task) => {
    const { firstTokenMs, tokensPerSecond } = speeds.get(task.arm) ?? {}
    return [...taskCells(task), rounded(firstTokenMs), rounded(tokensPerSecond)]
  })
  const judged = new Set(tasks.map(({ arm }) => arm))
  const unjudged = arms
    .filter(({ arm }) => !judged.has(arm))
    .map((arm) => [
      cleanControl(arm.arm),
      '-',
      '0',
      '-',
      '-',
      rounded(arm.firstTokenMs),
      rounded(arm.tokensPerSecond),
    ])
  const table = [HEADER, ...rows, ...unjudged]
  const parts = [
    ...(table.length > 1 ? [aligned(table)] : []),
    classifierLine(sources),
    ...hints.map((hint) => `hint: ${hint}`),
  ]
  return `${parts.join('\n')}\n`
}

const HEADER = ['arm', 'task', 'runs', 'good', '90 %', 'first token ms', 'tokens/s']

const taskCells = ({ arm, type, runs, quality }: TaskStats): readonly string[] => [
  cleanControl(arm),
  type,
  String(runs),
  quality.mean.toFixed(2),
  `${quality.low.toFixed(2)}-${quality.high.toFixed(2)}`,
]

const rounded = (value: number | undefined): string => (value === undefined ? '-' : String(Math.round(value)))

function aligned(table: readonly (readonly string[])[]): string {
  const widths = HEADER.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    row.map((cell, column) =>
      column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
    )
  return table.map((row) => line(row).join('  ').trimEnd()).join('\n')
}

function classifierLine(sources: RouterStats['sources']): string {
  const all = sources.keywords + sources.slm + sources.slm_fallback
  if (all === 0) return 'No run was classified yet.'
  const share = (count: number): string => `${Math.round((count / all) * 100)} %`
  return (
    `classified: ${plural(all, 'run')}, small model ${share(sources.slm)}, words ${share(sources.keywords)}, ` +
    `words because the small model failed ${share(sources.slm_fallback)}`
  )
}

function explain(decisions: readonly DecisionRecord[]): string {
  const [first] = decisions
  if (!first) return 'No choice is kept yet; run something first.\n'
  const { type, complexity, source, needsTools } = first.classification
  const head = [
    `Run ${first.runId}, ${new Date(first.at).toISOString().slice(0, 19).replace('T', ' ')} UTC`,
    `It was taken for ${type}, complexity ${complexity}, ${needsTools ? 'with' : 'without'} tools, ${SOURCES[source]}.`,
  ]
  return `${cleanControl([...head, ...decisions.flatMap(explainOne)].join('\n'))}\n`
}

const SOURCES: Readonly<Record<DecisionRecord['classification']['source'], string>> = {
  keywords: 'by its words',
  slm: 'by the small model',
  slm_fallback: 'by its words, because the small model gave no usable answer',
}

const CAUSES: Readonly<Record<DecisionRecord['cause'], string>> = {
  start: 'Chosen',
  failure: 'After a failure',
  escalation: 'For a better one',
  return: 'Back down',
}

function explainOne({ cause, decision }: DecisionRecord): readonly string[] {
  const { arm = 'none', why, reasons, ranked, ruledOut } = decision
  return [
    '',
    `${CAUSES[cause]}: ${arm} (${why})`,
    ...reasons.map((reason) => `  ${reason}`),
    ...(ranked.length > 1
      ? [`  Order: ${ranked.map((other) => `${other.arm} ${other.score.toFixed(2)}`).join(', ')}`]
      : []),
    ...ruledOut.map((other) => `  Not ${other.arm}: ${other.why}.`),
  ]
}
