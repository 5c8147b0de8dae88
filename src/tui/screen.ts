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

/** Everything from the cursor on. Asked for it in the first row, tmux would keep what it erases in the scrollback. */
const eraseBelow = (rows: number): string =>
  rows > 0 ? `${TO_LINE_END}\u001B[B${TO_SCREEN_END}\u001B[A` : TO_LINE_END + TO_SCREEN_END

export class Screen {
  readonly #surface: Surface
  #live: readonly string[] = []
  /** The same, as they were given. */
  #given: readonly string[] = []
  #row = 0
  #columns: number
  #rows: number

  constructor(surface: Surface) {
    this.#surface = surface
    this.#columns = surface.columns
    this.#rows = surface.rows
  }

  draw({ finished, live }: Frame): void {
    const { columns, rows } = this.#surface
    const fitted = (line: string): string =>
      `${fit(line, columns).replace(/ +$/, '')}${line.includes('\u001B') ? RESET : ''}`
    const isResized = columns !== this.#columns || rows !== this.#rows
    const given = live.slice(-rows)
    // Measuring a line costs more than anything else here, and most are those of the frame before.
    const lines = given.map((line, row) =>
      !isResized && line === this.#given[row] ? (this.#live[row] ?? '') : fitted(line),
    )
    this.#given = given
    const text =
      finished.length > 0 || isResized
        ? this.#redrawn([...finished.map(fitted), ...lines], lines.length, isResized)
        : this.#changed(lines)
    this.#live = lines
    this.#columns = columns
    this.#rows = rows
    const moved = this.#to(Math.max(0, lines.length - 1))
    if (text !== '' || moved !== '') this.#surface.write(`${BEGIN}${text}${moved}\r${END}`)
  }

  /** The live part goes away; what follows is written where it began. */
  leave(): void {
    if (this.#live.length > 0)
      this.#surface.write(`${BEGIN}${this.#up(this.#row)}\r${eraseBelow(this.#row)}${END}\u001B[?25h`)
    else this.#surface.write('\u001B[?25h')
    this.#live = []
    this.#given = []
    this.#row = 0
  }

  /**
   * After something else had the terminal: a line that it left without an end stays as it is. So many blanks wrap from anywhere but
   * the first column.
   */
  enter(): void {
    this.#surface.write(`\u001B[?7h${' '.repeat(this.#surface.columns)}\r${TO_LINE_END}`)
  }

  /** Everything from the top of the live part on. */
  #redrawn(all: readonly string[], liveLength: number, isResized: boolean): string {
    const above = isResized ? this.#reflowed() : this.#row
    const drawn = all.map((line, row) => this.#line(line, isResized ? '' : this.#live[row])).join('\r\n')
    this.#row = liveLength - 1
    return `${this.#up(above)}\r${isResized ? eraseBelow(above) : ''}${drawn}${TO_SCREEN_END}`
  }

  #changed(lines: readonly string[]): string {
    let text = ''
    const last = this.#live.length - 1
    for (const [index, line] of lines.entries()) {
      if (index <= last && line === this.#live[index]) continue
      const isNew = index > last && index > 0
      text += isNew ? `${this.#to(Math.max(index - 1, 0))}\r\n` : `${this.#to(index)}\r`
      this.#row = index
      text += this.#line(line, this.#live[index])
    }
    if (lines.length <= last) {
      text += `${this.#to(Math.max(0, lines.length - 1))}\r\n${TO_SCREEN_END}`
      this.#row = Math.max(0, lines.length - 1) + 1
    }
    return text
  }

  /**
   * A shorter line is written on an empty one. tmux takes what is erased behind a text for a part of the line: it would be wrapped
   * with the line when the window becomes narrower, and the live part would not begin where it is looked for.
   */
  #line(line: string, before = ''): string {
    return visibleWidth(line) < visibleWidth(before) ? TO_LINE_END + line : line
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
