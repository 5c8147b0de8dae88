/**
 * A long result as the model is shown it, with where the whole is kept. What programs print is cut around what failed,
 * everything else in its middle, with the call that shows the lines between. Pure.
 */
import type { StoredResult, Tool, ToolContext } from '../protocol/tool.ts'
import { foldMiddle, type Omitted } from '../lib/fold.ts'
import { shortenOutput } from '../lib/output/shorten.ts'
import { leftOutText } from '../lib/result-lines.ts'

export type Showing = Pick<ToolContext, 'pageTokens' | 'countTokens'> & {
  readonly tool: Tool
  /** Of the whole text. */
  readonly tokens: number
  readonly failed: boolean
  /** Absent = it could not be kept. */
  readonly stored: StoredResult | undefined
}

/** A text that is longer by less than this is shown whole: another call would cost more. */
const LITTLE_MORE = 1.15

export function shownResult(text: string, showing: Showing): string {
  const { stored } = showing
  const shown = fitted(text, showing)
  if (shown === text) return stored ? `${text}\n[stored as ${stored.id}]` : text
  if (!stored) return `${shown}\n[the rest could not be stored]`
  // What was cut in its middle says itself how to see the rest.
  const isNamed = shown.includes(` left out: read_result {"id":"${stored.id}"`)
  return isNamed
    ? shown
    : `${shown}\n[stored as ${stored.id}: ${stored.lines} lines; read_result shows the rest]`
}

/** Without a limit nothing is cut. */
function fitted(text: string, { tool, tokens, failed, pageTokens, countTokens, stored }: Showing): string {
  if (!Number.isFinite(pageTokens)) return text
  const mark = stored && ((omitted: Omitted) => leftOutText(omitted, stored.id))
  const isLittleMore = tokens > pageTokens && tokens <= pageTokens * LITTLE_MORE
  const room = isLittleMore ? tokens : pageTokens
  if (tool.category === 'run')
    return shortenOutput(text, { tokens: room, countTokens, failed, ...(mark && { mark }) })
  return tokens > room ? foldMiddle(text, Math.floor((text.length / tokens) * room), mark).text : text
}
