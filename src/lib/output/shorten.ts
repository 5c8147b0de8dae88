/**
 * What a command printed, cut around what failed: a first line with the counts the tool printed, each failure with
 * name, message and place, then what else there is room for, and at the end what was left out. Output that is short,
 * or of no tool that is known, is not changed here beyond the cut of its middle. The whole text stays with the caller.
 */
import { cleanOutput } from '../text.ts'
import { costOf, cut, type Room } from './cut.ts'
import type { Reading } from './reading.ts'
import { recognise, unmixed } from './recognise.ts'
import { FOOTER, SHORT_TOKENS, viewOf } from './view.ts'

export function shortenOutput(text: string, room: Room): string {
  const tokens = room.countTokens(text)
  if (tokens <= Math.min(SHORT_TOKENS, room.tokens)) return text
  // Another machine may have shown it already.
  if (tokens <= room.tokens && FOOTER.test(text)) return text
  const { lead, body, notes } = apart(text)
  const lines = unmixed(body)
  const reading = recognise(lines)
  if (reading && isToolOutput(reading, lines, room)) {
    // Lines of a view are not those of the text, so it names none.
    const { mark: _, ...plain } = room
    const view = viewOf(reading, lines, { ...plain, tokens: room.tokens - costOf([...lead, ...notes], room) })
    const shown = within([...lead, ...view].join('\n').split('\n'), notes, room)
    if (room.countTokens(shown) < tokens) return shown
  }
  return tokens <= room.tokens ? text : cut(text, room, tokens)
}

/** Where even the most telling lines are too many, the first of them; the notes in any case. */
function within(lines: readonly string[], notes: readonly string[], room: Room): string {
  const whole = [...lines, ...notes].join('\n')
  if (room.countTokens(whole) <= room.tokens) return whole
  const shown: string[] = []
  let left = room.tokens - costOf(notes, room) - 3
  for (const line of lines) {
    left -= room.countTokens(`${line}\n`)
    if (left < 0) break
    shown.push(line)
  }
  return [...shown, '…', ...notes].join('\n')
}

type Apart = {
  readonly lead: readonly string[]
  readonly body: readonly string[]
  readonly notes: readonly string[]
}

/** Covey's own notes are in brackets before and after the command's output. */
const NOTE = /^\[[a-z].*\]$/

function apart(text: string): Apart {
  const lines = cleanOutput(text).split('\n')
  let first = 0
  while (first < Math.min(2, lines.length) && NOTE.test(lines[first] ?? '')) first++
  let last = lines.length
  while (last > first && lines.length - last < 4 && NOTE.test(lines[last - 1] ?? '')) last--
  return { lead: lines.slice(0, first), body: lines.slice(first, last), notes: lines.slice(last) }
}

/**
 * A file that is shown may hold what a test printed once, and a search finds lines that begin with a place. Where the
 * command succeeded, a tool is believed only when most of the lines are its own and it counted, or names errors.
 */
function isToolOutput(
  { findings, counts, dropped }: Reading,
  lines: readonly string[],
  { failed }: Room,
): boolean {
  const isFailing = findings.some(({ isMinor }) => !isMinor) || counts.some((count) => count.failed > 0)
  if (failed) return isFailing || counts.length > 0
  const filled = lines.filter((line) => line.trim() !== '').length
  const found = findings.reduce((sum, { from, to }) => sum + to - from, 0)
  const isCounted = counts.some(({ noun, total }) => noun !== 'error' && total !== undefined)
  const errors = findings.filter(({ title, from }) => /error/i.test(title ?? lines[from] ?? '')).length
  const share = (found + dropped.length) / Math.max(1, filled)
  return isCounted ? share >= 0.4 : share >= 0.6 && errors > findings.length / 2
}
