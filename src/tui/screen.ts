/**
 * The lower end of the terminal. What is finished is written once and belongs to the scrollback; the live part below it is
 * redrawn line by line where it changed, in one synchronized update. Nothing is ever cleared that is then drawn again, and
 * the scrollback is never touched.
 */
import { visibleWidth } from '@mariozechner/pi-tui'
import { fit } from './text.ts'

export type Surface = {
  readonly columns: number
  readonly rows: number
  write(text: string): void
}

export type Frame = {
  /** Goes to the scrollback, now and for good. */
  readonly finished: readonly string[]
  readonly live: readonly string[]
}

/** Lines do not wrap while a frame is drawn: what a terminal takes for wider than we do cannot push the rest down. */
const BEGIN = '\u001B[?2026h\u001B[?25l\u001B[?7l'
const END = '\u001B[?7h\u001B[?2026l'
const TO_LINE_END = '\u001B[K'
const TO_SCREEN_END = '\u001B[J'
const RESET = '\u001B[0m'

export class Screen {
  readonly #surface: Surface
  #live: readonly string[] = []
  #row = 0
  #columns: number

  constructor(surface: Surface) {
    this.#surface = surface
    this.#columns = surface.columns
  }

  draw({ finished, live }: Frame): void {
    const { columns, rows } = this.#surface
    const fitted = (line: string): string =>
      `${fit(line, columns).replace(/ +$/, '')}${line.includes('\u001B') ? RESET : ''}`
    const lines = live.slice(-rows).map(fitted)
    const isResized = columns !== this.#columns
    const text =
      finished.length > 0 || isResized
        ? this.#redrawn([...finished.map(fitted), ...lines], lines.length, isResized)
        : this.#changed(lines)
    this.#live = lines
    this.#columns = columns
    const moved = this.#to(Math.max(0, lines.length - 1))
    if (text !== '' || moved !== '') this.#surface.write(`${BEGIN}${text}${moved}\r${END}`)
  }

  /** The live part goes away; what follows is written where it began. */
  leave(): void {
    if (this.#live.length > 0)
      this.#surface.write(`${BEGIN}${this.#up(this.#row)}\r${TO_SCREEN_END}${END}\u001B[?25h`)
    else this.#surface.write('\u001B[?25h')
    this.#live = []
    this.#row = 0
  }

  /** Everything from the top of the live part on. */
  #redrawn(all: readonly string[], liveLength: number, isResized: boolean): string {
    const above = isResized ? this.#reflowed() : this.#row
    const drawn = all.map((line) => this.#line(line)).join('\r\n')
    this.#row = liveLength - 1
    return `${this.#up(above)}\r${isResized ? TO_SCREEN_END : ''}${drawn}${TO_SCREEN_END}`
  }

  #changed(lines: readonly string[]): string {
    let text = ''
    const last = this.#live.length - 1
    for (const [index, line] of lines.entries()) {
      if (index <= last && line === this.#live[index]) continue
      const isNew = index > last && index > 0
      text += isNew ? `${this.#to(Math.max(index - 1, 0))}\r\n` : `${this.#to(index)}\r`
      this.#row = index
      text += this.#line(line)
    }
    if (lines.length <= last) {
      text += `${this.#to(Math.max(0, lines.length - 1))}\r\n${TO_SCREEN_END}`
      this.#row = Math.max(0, lines.length - 1) + 1
    }
    return text
  }

  /** A full line leaves the cursor on its last letter, which must stay. */
  #line(line: string): string {
    return visibleWidth(line) >= this.#surface.columns ? line : line + TO_LINE_END
  }

  #to(row: number): string {
    const by = row - this.#row
    this.#row = row
    return by < 0 ? this.#up(-by) : by > 0 ? `\u001B[${by}B` : ''
  }

  #up(rows: number): string {
    return rows > 0 ? `\u001B[${rows}A` : ''
  }

  /**
   * How far the top of the live part is above the cursor once the terminal has wrapped its lines anew. Between two frames the
   * cursor is on the last line: terminals do not agree on where it goes when a line below it is wrapped.
   */
  #reflowed(): number {
    const { columns } = this.#surface
    const heights = this.#live
      .slice(0, this.#row)
      .map((line) => Math.max(1, Math.ceil(visibleWidth(line) / columns)))
    return heights.reduce((sum, height) => sum + height, 0)
  }
}
