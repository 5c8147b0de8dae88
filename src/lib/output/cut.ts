/** Output of no tool that is known: head and tail, and of a failed command the lines between that look like errors. */
import { foldMiddle, type Omitted } from '../fold.ts'
import { looksLikeError } from './signs.ts'
import { FOOTER_TOKENS } from '../../protocol/token-limits.ts'

export type Room = {
  /** The most the text may take. */
  readonly tokens: number
  countTokens(text: string): number
  /** The command failed: then lines that look like errors are worth their room. */
  readonly failed: boolean
  /** Says what was left out, and how to see it; absent = how much it was. */
  readonly mark?: (omitted: Omitted) => string
}

type Measure = Room['countTokens']

/** Head and tail; of a failed command also the lines between that look like errors. */
export function cut(text: string, room: Room, tokens: number): string {
  const plain = folded(text, room.tokens, { tokens, room })
  const errors = room.failed ? errorsIn(text, Math.floor(room.tokens / 3), room.countTokens) : []
  const hidden = errors.filter((line) => !plain.includes(line))
  if (hidden.length === 0) return plain
  const less = folded(text, room.tokens - costOf(hidden, room) - FOOTER_TOKENS, {
    tokens,
    room,
  })
  return less.replace(LEFT_OUT, (mark) => [mark, 'Among them:', ...hidden, '[…]'].join('\n'))
}

const LEFT_OUT = /^\[(?:… .* left out …|lines \d+-\d+ left out: read_result .*)\]$/m

/** Tokens per character differ inside a text, so the first guess is made smaller until it holds. */
function folded(
  text: string,
  limit: number,
  { tokens, room }: { readonly tokens: number; readonly room: Room },
): string {
  let length = Math.floor((text.length / tokens) * limit)
  for (let attempt = 0; attempt < 6; attempt++) {
    const { text: shown } = foldMiddle(text, length, room.mark)
    const used = room.countTokens(shown)
    if (used <= limit) return shown
    length = Math.floor(length * Math.min(0.95, limit / used))
  }
  return foldMiddle(text, Math.floor(length / 2), room.mark).text
}

function errorsIn(text: string, tokens: number, measure: Measure): readonly string[] {
  const found = new Set<string>()
  let left = tokens
  for (const line of text.split('\n')) {
    if (!looksLikeError(line)) continue
    const short = line.trim().slice(0, 240)
    if (found.has(short)) continue
    left -= measure(`${short}\n`)
    if (left < 0) break
    found.add(short)
  }
  return [...found]
}

/** Each on a line of its own. */
export const costOf = (texts: readonly string[], { countTokens }: Room): number =>
  texts.reduce((sum, text) => sum + countTokens(`${text}\n`), 0)
