/** What can be said about a column after one look at each of its cells, in fixed memory: its kinds, range and variety. */
import { clip } from '../lib/text.ts'
import type { Cell } from './data-view-table.ts'

type Kind = 'integer' | 'number' | 'boolean' | 'date' | 'text' | 'object'

export class ColumnSummary {
  readonly #guess: boolean
  readonly #kinds = new Map<Kind, number>()
  readonly #variety = new Variety()
  #nulls = 0
  #sum = 0
  #numbers = 0
  #least: number | string | undefined
  #greatest: number | string | undefined

  /** `guess`: cells are texts that may stand for something else. */
  constructor(guess: boolean) {
    this.#guess = guess
  }

  add(cell: Cell): void {
    const kind = kindOf(cell, this.#guess)
    if (kind === undefined) {
      this.#nulls++
      return
    }
    this.#kinds.set(kind, (this.#kinds.get(kind) ?? 0) + 1)
    this.#variety.add(cellText(cell))
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
    if (this.#least === undefined || text < this.#least) this.#least = kept(text)
    if (this.#greatest === undefined || text > this.#greatest) this.#greatest = kept(text)
  }

  /** `integer`, or `integer 98 %, text 2 %` where they are mixed. */
  type(): string {
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
    const distinct = this.#variety.estimate()
    const about = distinct > EXACT ? '~' : ''
    return [
      this.type(),
      `${this.#nulls} null`,
      `${about}${distinct} distinct`,
      ...(this.#least === undefined ? [] : [`min ${toShort(this.#least)}`, `max ${toShort(this.#greatest)}`]),
      ...(this.#numbers === 0 ? [] : [`mean ${toShort(this.#sum / this.#numbers)}`]),
    ].join(', ')
  }
}

export const cellText = (cell: Cell): string =>
  typeof cell === 'object' && cell !== null ? JSON.stringify(cell) : String(cell ?? '')

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
  // A number with zeros in front is a name made of digits.
  if (text.length < 40 && !/^[+-]?0\d/.test(text)) {
    const value = Number(text)
    if (!Number.isNaN(value)) return Number.isInteger(value) && !text.includes('.') ? 'integer' : 'number'
  }
  return DATE.test(text) ? 'date' : 'text'
}

const MAX_KEPT = 40

/** A copy: a piece of a longer text would keep all of it in memory. */
const kept = (text: string): string => Buffer.from(text.slice(0, MAX_KEPT + 1)).toString()

const toShort = (value: number | string | undefined): string =>
  typeof value === 'number'
    ? String(Number(value.toPrecision(8)))
    : JSON.stringify(clip(value ?? '', MAX_KEPT))

const BITS = 11
const REGISTERS = 2 ** BITS
/** Below this the estimate is as good as a count. */
const EXACT = 100

/** How many different texts there were (HyperLogLog: 2 KiB, right within about 5 %). */
class Variety {
  readonly #registers = new Uint8Array(REGISTERS)

  add(text: string): void {
    const hash = hashOf(text)
    const register = hash >>> (32 - BITS)
    const rank = Math.clz32((hash << BITS) | (1 << (BITS - 1))) + 1
    if (rank > (this.#registers[register] ?? 0)) this.#registers[register] = rank
  }

  estimate(): number {
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
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
