/**
 * Rows out of separated values, fed in pieces of any size. Quoted fields may hold separators, quotes and lines; a quote in
 * the middle of a plain field is an ordinary character. Memory is bounded: of a huge field the beginning is kept, of a row
 * with countless fields, or with too much in them, the first ones.
 */

export type CsvRow = readonly string[]

const MAX_FIELD = 64 * 1024
const MAX_ROW = 4 * 1024 * 1024
const MAX_FIELDS = 5000

const QUOTE = 0x22
const LINE_END = 0x0a

export class CsvParser {
  readonly #separator: number
  #state: 'start' | 'plain' | 'quoted' | 'closing' = 'start'
  #field = ''
  /** How much of the field stood in quotes: a carriage return in there is no line end. */
  #quoted = 0
  #row: string[] = []
  #rowRoom = MAX_ROW
  #isCut = false
  /** Fields and rows of which only the beginning was kept. */
  clipped = 0

  constructor(separator: string) {
    this.#separator = separator.charCodeAt(0)
  }

  /** The rows that this piece completes. */
  push(text: string): CsvRow[] {
    const rows: CsvRow[] = []
    for (let at = 0; at < text.length;) {
      if (this.#state === 'start') {
        const isQuoted = text.charCodeAt(at) === QUOTE
        this.#state = isQuoted ? 'quoted' : 'plain'
        if (isQuoted) at++
      } else if (this.#state === 'plain') at = this.#readPlain(text, at, rows)
      else if (this.#state === 'quoted') at = this.#readQuoted(text, at)
      else at = this.#readClosing(text, at)
    }
    return rows
  }

  /** The last row, where the text does not end with a line end. `unclosed`: a quote was never closed. */
  end(): { readonly rows: readonly CsvRow[]; readonly unclosed: boolean } {
    const rows: CsvRow[] = []
    const unclosed = this.#state === 'quoted'
    if (this.#state !== 'start' || this.#row.length > 0) this.#endRow(rows)
    return { rows, unclosed }
  }

  #readPlain(text: string, from: number, rows: CsvRow[]): number {
    let at = from
    let code = -1
    for (; at < text.length; at++) {
      code = text.charCodeAt(at)
      if (code === this.#separator || code === LINE_END) break
    }
    this.#take(text, from, at)
    if (at === text.length) return at
    if (code === LINE_END) this.#endRow(rows)
    else this.#endField()
    return at + 1
  }

  #readQuoted(text: string, from: number): number {
    const quote = text.indexOf('"', from)
    const end = quote < 0 ? text.length : quote
    this.#take(text, from, end)
    this.#quoted = this.#field.length
    if (quote < 0) return end
    this.#state = 'closing'
    return quote + 1
  }

  /** After a quote in a quoted field: another one stands for itself, anything else ends the quotation. */
  #readClosing(text: string, at: number): number {
    const isEscaped = text.charCodeAt(at) === QUOTE
    this.#state = isEscaped ? 'quoted' : 'plain'
    if (isEscaped) this.#take(text, at, at + 1)
    return isEscaped ? at + 1 : at
  }

  #take(text: string, from: number, to: number): void {
    const room = Math.min(MAX_FIELD - this.#field.length, this.#rowRoom)
    const length = Math.min(to - from, room)
    if (length < to - from && room > 0) this.clipped++
    this.#field += text.slice(from, from + length)
    this.#rowRoom -= length
  }

  #endField(): void {
    if (this.#row.length < MAX_FIELDS) this.#row.push(this.#field)
    else this.#isCut = true
    this.#field = ''
    this.#quoted = 0
    this.#state = 'start'
  }

  #endRow(rows: CsvRow[]): void {
    const hasReturn = this.#field.length > this.#quoted && this.#field.endsWith('\r')
    if (hasReturn) this.#field = this.#field.slice(0, -1)
    this.#endField()
    if (this.#isCut) this.clipped++
    this.#isCut = false
    // An empty line is no row.
    if (this.#row.length > 1 || this.#row[0] !== '') rows.push(this.#row)
    this.#row = []
    this.#rowRoom = MAX_ROW
  }
}

const SEPARATORS = [',', ';', '\t', '|']

/** The one that cuts most of these lines into the same number of fields, more than one. */
export function sniffSeparator(sample: string): string {
  const scores = SEPARATORS.map((separator) => ({ separator, score: scoreOf(separator, sample) }))
  return scores.toSorted((a, b) => b.score - a.score)[0]?.separator ?? ','
}

function scoreOf(separator: string, sample: string): number {
  const lengths = new CsvParser(separator).push(sample).map((row) => row.length)
  const counts = new Map<number, number>()
  for (const length of lengths) counts.set(length, (counts.get(length) ?? 0) + 1)
  const [usual = 1, count = 0] = [...counts].toSorted((a, b) => b[1] - a[1])[0] ?? []
  // Of two that fit as well the one that finds more fields.
  return usual > 1 ? count / lengths.length + usual / MAX_FIELDS : 0
}

/**
 * Whether the first row names the columns: words, no numbers; only the first, an index, may have no name. The same word
 * twice is a name only where the next row has a number below a word.
 */
export function isHeader(row: CsvRow, next: CsvRow = []): boolean {
  const isName = (field: string, at: number): boolean => (field.trim() === '' ? at === 0 : !isNumber(field))
  if (!row.every(isName) || row.every((field) => field.trim() === '')) return false
  return new Set(row).size === row.length || next.some(isNumber)
}

const isNumber = (field: string): boolean => field.trim() !== '' && !Number.isNaN(Number(field))
