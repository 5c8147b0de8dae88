/**
 * Of output that is too long to keep: the lines that look like failures, with those around them, in fixed memory. What a
 * test said in the middle of fifty megabytes is found this way, whatever came after it.
 */
import { cleanOutput } from '../text.ts'
import { looksLikeError, mayHoldErrors } from './signs.ts'

/** Characters in all; what comes first is kept. */
const KEPT = 128 * 1024
/** A line that is longer has no end worth waiting for. */
const LONGEST_LINE = 4096
const NEW_LINE = 10
const BEFORE = 3
const AFTER = 15

type Piece = { readonly at: number; readonly text: string }

export class TellingLines {
  readonly #decoder = new TextDecoder()
  readonly #pieces: Piece[] = []
  #size = 0
  #line = ''
  #before: string[] = []
  #after = 0

  /** `at` counts the bytes before these. */
  add(bytes: Uint8Array, at: number): void {
    if (this.#size >= KEPT) return
    // A line that never ends is not made into text, piece by piece.
    if (this.#line.length >= LONGEST_LINE && !bytes.includes(NEW_LINE)) return
    const text = this.#line + this.#decoder.decode(bytes, { stream: true })
    const isPlain = this.#after === 0 && !mayHoldErrors(text)
    // Of a piece without any sign only the end counts, as what may stand before the next one.
    const lines = (isPlain ? text.slice(-LONGEST_LINE) : text).split('\n')
    this.#line = (lines.pop() ?? '').slice(0, LONGEST_LINE)
    if (isPlain) this.#before = [...this.#before, ...lines].slice(-BEFORE)
    else for (const line of lines) this.#addLine(line.slice(0, LONGEST_LINE), at)
  }

  #addLine(line: string, at: number): void {
    const isTelling = looksLikeError(line.includes('\u001B') ? cleanOutput(line) : line)
    if (isTelling) {
      for (const text of this.#before) this.#keep(text, at)
      this.#before = []
      this.#after = AFTER
    }
    if (isTelling || this.#after > 0) {
      this.#keep(line, at)
      this.#after -= isTelling ? 0 : 1
      return
    }
    this.#before.push(line)
    if (this.#before.length > BEFORE) this.#before.shift()
  }

  #keep(text: string, at: number): void {
    this.#size += text.length + 1
    if (this.#size <= KEPT) this.#pieces.push({ at, text })
  }

  /** Those that came before the byte `end`. */
  upTo(end: number): readonly string[] {
    return this.#pieces.filter(({ at }) => at < end).map(({ text }) => cleanOutput(text))
  }
}
