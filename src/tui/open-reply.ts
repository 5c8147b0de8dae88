/**
 * The reply that is being written, as lines. A frame is drawn many times a second, so what cannot change any more is drawn
 * once: whole paragraphs are kept as lines, and of a long block of code only the end that can be seen is drawn.
 */
import { drawReply } from './items.ts'

type Drawn = { readonly width: number; readonly text: string; readonly lines: readonly string[] }

const NOTHING: Drawn = { width: 0, text: '', lines: [] }

/** More than any screen shows of a block that is still open. */
const MAX_OPEN_LINES = 120

export class OpenReply {
  /** Whole paragraphs. */
  #whole = NOTHING
  /** With what has been written of the last one. */
  #all = NOTHING

  draw(text: string, width: number): readonly string[] {
    if (this.#all.width === width && this.#all.text === text) return this.#all.lines
    const whole = this.#wholeParts(text, width)
    const lines = [...whole.lines, ...drawReply(endOf(text.slice(whole.text.length)), width)]
    this.#all = { width, text, lines }
    return lines
  }

  #wholeParts(text: string, width: number): Drawn {
    const known = this.#whole.width === width && text.startsWith(this.#whole.text) ? this.#whole : NOTHING
    const rest = text.slice(known.text.length)
    const stable = rest.slice(0, stableLength(rest))
    const lines = stable === '' ? known.lines : [...known.lines, ...drawReply(stable, width)]
    this.#whole = { width, text: known.text + stable, lines }
    return this.#whole
  }
}

/** Where a reply may be cut so that what is before it will not change: after a blank line outside of a code block. */
export function stableLength(text: string): number {
  let stable = 0
  let isInFence = false
  let at = 0
  for (const line of text.split('\n')) {
    if (FENCE.test(line)) isInFence = !isInFence
    at += line.length + 1
    if (line.trim() === '' && !isInFence && at < text.length) stable = at
  }
  return stable
}

const FENCE = /^\s*(?:```|~~~)/

/** An open block of code without its beginning, when that is far above the screen. */
function endOf(text: string): string {
  const lines = text.split('\n')
  if (lines.length <= MAX_OPEN_LINES) return text
  const fence = lines.findIndex((line) => FENCE.test(line))
  const isOpen = lines.filter((line) => FENCE.test(line)).length % 2 === 1
  return [...(isOpen ? [lines[fence] ?? ''] : []), ...lines.slice(-MAX_OPEN_LINES)].join('\n')
}
