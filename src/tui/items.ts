/** What is over, as lines for the scrollback. Pure: an item and a width give the same lines every time. */
import { Markdown } from '@mariozechner/pi-tui'
import type { EndItem, Item, NoteItem, ToolItem } from '../view/view.ts'
import { drawDiff, MAX_DIFF_LINES } from './diff.ts'
import { drawSubagent, drawVote } from './tables.ts'
import { markdownTheme } from './component-themes.ts'
import { bold, cyan, dim, green, italic, red, yellow } from './theme.ts'
import { clean, fold, indent, oneLine, seconds, tail, wrap, fit } from './text.ts'

export type DrawOptions = {
  readonly width: number
  /** Show what is folded otherwise. */
  readonly isExpanded?: boolean
  /** Show what Covey corrected. */
  readonly isVerbose?: boolean
}

const MAX_OUTPUT_LINES = 10

export function drawItem(item: Item, options: DrawOptions): readonly string[] {
  switch (item.kind) {
    case 'prompt':
      return ['', ...drawPrompt(item.text, options)]
    case 'reply':
      return [...drawReasoning(item.reasoning, options), ...drawReply(item.text, options.width)]
    case 'tool':
      return drawTool(item, options)
    case 'vote':
      return ['', ...drawVote(item, options.width)]
    case 'subagent':
      return drawSubagent(item, options.width)
    case 'proposal':
      return wrap(`${yellow('proposes')} ${clean(item.command)}`, options.width)
    case 'note':
      return drawNote(item, options)
    case 'end':
      return drawEnd(item, options.width)
  }
}

/** A file that was pasted is known to the person. */
const MAX_PROMPT_LINES = 100

function drawPrompt(text: string, { width, isExpanded }: DrawOptions): readonly string[] {
  const lines = wrap(clean(text.trimEnd()), width - 2)
  const shown = isExpanded ? lines : fold(lines, MAX_PROMPT_LINES, (rest) => dim(`… ${rest} more lines`))
  return indent(shown, '  ', `${cyan('›')} `).map((line, index) => (index === 0 ? bold(line) : line))
}

/** A blank line, then the answer. Nothing for an empty one. */
export function drawReply(text: string, width: number): readonly string[] {
  if (text.trim() === '') return []
  return ['', ...drawMarkdown(text, width)]
}

const drawMarkdown = (text: string, width: number): readonly string[] =>
  new Markdown(clean(text.trim()), 0, 0, markdownTheme)
    .render(Math.max(1, width))
    .map((line) => fit(line, width))

export function drawReasoning(reasoning: string, { width, isExpanded }: DrawOptions): readonly string[] {
  if (reasoning.trim() === '') return []
  const words = reasoning.trim().split(/\s+/).length
  if (!isExpanded) return ['', dim(fit(`∴ thought for ${words} words (Ctrl+O shows them)`, width))]
  return [
    '',
    dim('∴ thinking'),
    ...indent(wrap(clean(reasoning.trim()), width - 2), '  ').map((line) => dim(italic(line))),
  ]
}

const SIGN = { running: yellow, ok: green, failed: red }

export function drawTool(tool: ToolItem, options: DrawOptions): readonly string[] {
  const { width } = options
  const head = wrap(oneLine(tool.title), width - 2)
  return [
    '',
    ...indent(head, '  ', `${SIGN[tool.state]('●')} `),
    ...indent(drawBody(tool, options), '  '),
  ].map((line) => fit(line, width))
}

function drawBody(tool: ToolItem, { width, isExpanded }: DrawOptions): readonly string[] {
  const inner = width - 2
  const diffs = tool.diff.flatMap((diff) => drawDiff(diff, inner, isExpanded ? 1000 : MAX_DIFF_LINES))
  if (tool.state === 'running') return [...diffs, ...outputLines(tool.tail, inner, MAX_OUTPUT_LINES)]
  if (tool.state === 'failed' && tool.code === 'denied')
    return wrap(`not allowed: ${oneLine(deniedText(tool))}`, inner).map(red)
  const isQuiet = tool.state === 'ok' && (diffs.length > 0 || QUIET.test(tool.name)) && !isExpanded
  const most = isExpanded ? 1000 : MAX_OUTPUT_LINES
  const output = isQuiet ? [] : outputLines(tool.text ?? '', inner, most)
  return [...(tool.state === 'ok' ? diffs : []), ...output, ...endOf(tool)]
}

/** What the model read is long and of no interest to the user; what a command printed is. */
const QUIET = /^(?:read_|list_|find_|search_|recall|select_|more_tools|view_|system_info)/

const deniedText = ({ answer, text = '' }: ToolItem): string =>
  answer?.allow === false ? (answer.reason ?? 'you said no') : text

function outputLines(text: string, width: number, most: number): readonly string[] {
  if (text.trim() === '') return []
  const lines = clean(text.trimEnd()).split('\n')
  return tail(lines, most, (rest) => dim(`… ${rest} lines before`)).map((line) =>
    fit(`${dim('│')} ${line}`, width),
  )
}

/** How long a person took to answer says nothing. */
const LONG_MS = 2_000

function endOf({ ms, state, name, answer }: ToolItem): readonly string[] {
  const isWaiting = name === 'ask_user' || answer !== undefined
  const isLong = ((ms ?? 0) >= LONG_MS && !isWaiting) || name === 'run_command'
  if (ms === undefined || (!isLong && state === 'ok')) return []
  return [dim(`${state === 'ok' ? (name === 'run_command' ? 'exit 0' : 'done') : 'failed'} · ${seconds(ms)}`)]
}

const LEVEL = { detail: dim, info: dim, warning: yellow, error: red }

function drawNote({ level, text }: NoteItem, { width, isVerbose }: DrawOptions): readonly string[] {
  if (level === 'detail' && !isVerbose) return []
  return wrap(clean(text), width - 2).map((line, index) =>
    LEVEL[level](`${index === 0 ? '· ' : '  '}${line}`),
  )
}

function drawEnd({ reason, report, changed, runnable }: EndItem, width: number): readonly string[] {
  const isSaid = reason === 'answered' || reason === 'error'
  const lines = [
    ...(isSaid ? [] : [reason === 'cancelled' && !report ? 'Cancelled.' : (report ?? `Ended: ${reason}.`)]),
    ...(changed.length > 0 ? [`Changed: ${changed.join(', ')}  (/undo takes it back, /diff shows it)`] : []),
    ...(runnable.length > 0 ? [`Runs when you start it, look at it first: ${runnable.join(', ')}.`] : []),
  ]
  return lines.flatMap((line) => indent(wrap(clean(line), width - 2), '  ').map(isSaid ? dim : yellow))
}
