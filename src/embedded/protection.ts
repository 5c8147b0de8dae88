/**
 * Keeps what comes from outside from becoming control tokens on its way through a template: every control text in it is
 * replaced by a placeholder that templates pass on as they find it, and comes back as a plain segment.
 */
import { isObject } from '../lib/json.ts'
import type { Segment } from './segment.ts'

/** Private characters; where a text contains them itself they are hidden like a control text. */
const OPEN = '\uE000'
const CLOSE = '\uE001'
const PLACEHOLDER = /\uE000(\d+)\uE001/
const OWN = /[\uE000\uE001]/g

export class Protection {
  readonly #pattern: RegExp
  readonly #hidden: string[] = []

  constructor(structural?: RegExp) {
    this.#pattern = structural ? new RegExp(`${structural.source}|${OWN.source}`, 'g') : OWN
  }

  /** The same value with its control texts hidden, wherever in it they stand. */
  hide<T>(value: T): T
  hide(value: unknown): unknown {
    if (typeof value === 'string') return value.replaceAll(this.#pattern, (text) => this.#placeholder(text))
    if (Array.isArray(value)) return value.map((item) => this.hide(item) as unknown)
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [this.hide(key), this.hide(inner)]))
  }

  toSegments(text: string): Segment[] {
    return text
      .split(PLACEHOLDER)
      .map((piece, index) =>
        index % 2 === 0
          ? { text: piece.replaceAll(OWN, ''), control: true }
          : { text: this.#hidden[Number(piece)] ?? '', control: false },
      )
      .filter((segment) => segment.text !== '')
  }

  #placeholder(text: string): string {
    return `${OPEN}${this.#hidden.push(text) - 1}${CLOSE}`
  }
}
