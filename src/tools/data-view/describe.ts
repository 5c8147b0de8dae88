/** What can be said about a column after one look at each of its cells, in fixed memory: its kinds, range and variety. */
import { clip } from '../../lib/text.ts'
import type { Cell } from './table.ts'

type Kind = 'integer' | 'number' | 'boolean' | 'date' | 'text' | 'object'

export class ColumnSummary {
  readonly #guess: boolean
  readonly #kinds = new Map<Kind, number>()
  readonly #variety = new Variety()
  #nulls: number
  #example: string | undefined
  #sum = 0
  #numbers = 0
  #least: number | string | undefined
  #greatest: number | string | undefined

  /** `guess`: cells are texts that may stand for something else. `nulls`: rows before the column turned up. */
  constructor(guess: boolean, nulls: number) {
    this.#guess = guess
    this.#nulls = nulls
  }

  add(cell: Cell): void {
    const kind = kindOf(cell, this.#guess)
    if (kind === undefined) {
      this.#nulls++
      return
    }
    this.#kinds.set(kind, (this.#kinds.get(kind) ?? 0) + 1)
    this.#variety.add(cellText(cell))
    this.#example ??= toCopy(cellText(cell), MAX_EXAMPLE)
    if (kind === 'integer' || kind === 'number') this.#addNumber(Number(cell))
    else if (kind !== 'object') this.#addText(cellText(cell))
  }

  #addNumber(value: number): void {
    this.#sum += value
    this.#numbers++
    if (typeof this.#least !== 'number' || value < this.#least) this.#least = value
    if (typeof this.#greatest !== 'number' || value > this.#greatest) this.#greatest = value
  }

  /** Texts count only where there are no numbers: the range of a mixed column is that of its numbers. */
  #addText(text: string): void {
    if (typeof this.#least === 'number') return
    if (this.#least === undefined || text < this.#least) this.#least = toCopy(text, MAX_KEPT)
    if (this.#greatest === undefined || text > this.#greatest) this.#greatest = toCopy(text, MAX_KEPT)
  }

  /** What it holds, and the first that is not null. */
  kind(): { readonly type: string; readonly example: string | undefined } {
    return { type: this.#type(), example: this.#example }
  }

  /** `integer`, or `integer 98 %, text 2 %` where they are mixed. */
  #type(): string {
    const kinds = new Map(this.#kinds)
    const integers = kinds.get('integer')
    if (integers !== undefined && kinds.has('number')) {
      kinds.set('number', (kinds.get('number') ?? 0) + integers)
      kinds.delete('integer')
    }
    const total = [...kinds.values()].reduce((sum, count) => sum + count, 0)
    const sorted = [...kinds].toSorted((a, b) => b[1] - a[1])
    if (sorted.length <= 1) return sorted[0]?.[0] ?? 'empty'
    return sorted.map(([kind, count]) => `${kind} ${Math.round((count / total) * 100)} %`).join(', ')
  }

  text(): string {
    const { distinct, exact } = this.#variety.count()
    const about = exact ? '' : '~'
    return [
      this.#type(),
      `${this.#nulls} null`,
      `${about}${distinct} distinct`,
      ...(this.#least === undefined ? [] : [`min ${toShort(this.#least)}`, `max ${toShort(this.#greatest)}`]),
      ...(this.#numbers === 0 ? [] : [`mean ${toShort(this.#sum / this.#numbers)}`]),
    ].join(', ')
  }
}

export const cellText = (cell: Cell): string =>
  typeof cell === 'object' && cell !== null ? jsonText(cell) : String(cell ?? '')

function jsonText(cell: object): string {
  try {
    return JSON.stringify(cell)
  } catch {
    return '[nested too deep]'
  }
}

const NULLS = new Set(['', 'null', 'NULL', 'None', 'NA', 'N/A', 'NaN', 'nan', '\\N'])

function kindOf(cell: Cell, guess: boolean): Kind | undefined {
  if (cell === null || cell === undefined) return undefined
  if (typeof cell === 'number') return Number.isInteger(cell) ? 'integer' : 'number'
  if (typeof cell === 'boolean') return 'boolean'
  if (typeof cell === 'object') return 'object'
  if (!guess) return DATE.test(cell) ? 'date' : 'text'
  return NULLS.has(cell) ? undefined : guessKind(cell)
}

const DATE = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d.*)?$/

function guessKind(text: string): Kind {
  const start = text.charCodeAt(0)
  const isNumberLike = (start >= 0x30 && start <= 0x39) || start === 0x2d || start === 0x2e || start === 0x2b
  if (!isNumberLike) return /^(?:true|false)$/i.test(text) ? 'boolean' : 'text'
  if (WHOLE.test(text)) return Number.isSafeInteger(Number(text)) ? 'integer' : 'text'
  if (text.length < 40 && NUMBER.test(text) && Number.isFinite(Number(text))) return 'number'
  return DATE.test(text) ? 'date' : 'text'
}

/** One with zeros in front, or with more digits than can be counted with, is a name made of digits. */
const WHOLE = /^[+-]?(?:0|[1-9]\d{0,19})$/
const NUMBER = /^[+-]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i

const MAX_KEPT = 40
const MAX_EXAMPLE = 100

/** One letter more than `length`, so that clipping shows. A piece of a longer text would keep all of it in memory. */
export const toCopy = (text: string, length: number): string =>
  Buffer.from(text.slice(0, length + 1)).toString()

/** Whole numbers are exact, because they may be ids and times. */
function toShort(value: number | string | undefined): string {
  if (typeof value !== 'number') return JSON.stringify(clip(value ?? '', MAX_KEPT))
  return String(Number.isInteger(value) ? value : Number(value.toPrecision(12)))
}

const BITS = 11
const REGISTERS = 2 ** BITS
/** Counted one by one up to here: about half a megabyte for a column. */
const MAX_COUNTED = 10_000

/** How many different texts there were: exact while there are few, then an estimate (HyperLogLog: 2 KiB, within about 5 %). */
class Variety {
  readonly #registers = new Uint8Array(REGISTERS)
  #seen: Set<number> | undefined = new Set()
  #texts = 0

  add(text: string): void {
    this.#texts++
    const hash = hashOf(text, 0x01000193)
    const register = hash >>> (32 - BITS)
    const rank = Math.clz32((hash << BITS) | (1 << (BITS - 1))) + 1
    if (rank > (this.#registers[register] ?? 0)) this.#registers[register] = rank
    // Two hashes make 53 bits: among ten thousand texts two are alike once in a hundred million files.
    this.#seen?.add(hash * 2 ** 21 + (hashOf(text, 0x5bd1e995) >>> 11))
    if ((this.#seen?.size ?? 0) > MAX_COUNTED) this.#seen = undefined
  }

  count(): { readonly distinct: number; readonly exact: boolean } {
    if (this.#seen) return { distinct: this.#seen.size, exact: true }
    return { distinct: Math.min(this.#texts, Math.max(MAX_COUNTED + 1, this.#estimate())), exact: false }
  }

  #estimate(): number {
    let sum = 0
    let empty = 0
    for (const rank of this.#registers) {
      sum += 2 ** -rank
      if (rank === 0) empty++
    }
    const raw = ((0.7213 / (1 + 1.079 / REGISTERS)) * REGISTERS ** 2) / sum
    const isSmall = raw <= 2.5 * REGISTERS && empty > 0
    return Math.round(isSmall ? REGISTERS * Math.log(REGISTERS / empty) : raw)
  }
}

/** FNV-1a, and a final mix so that every bit depends on every other. */
function hashOf(text: string, factor: number): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), factor)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
