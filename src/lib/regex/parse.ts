/**
 * Regular expressions of a person or a model, read into a tree that `search.ts` can run without backtracking. What has no
 * such form (look-around, back-references) is refused with a reason; the rest is read as JavaScript reads it, except that
 * `^` and `$` stand for the ends of a line.
 */
import { AppError } from '../../protocol/error.ts'

export type Assertion = '^' | '$' | '\\b' | '\\B'

export type Node =
  /** One character, as the source of a class or an escape. */
  | { readonly type: 'character'; readonly source: string }
  | { readonly type: 'assertion'; readonly assertion: Assertion }
  | { readonly type: 'sequence'; readonly items: readonly Node[] }
  | { readonly type: 'choice'; readonly options: readonly Node[] }
  | {
      readonly type: 'repeat'
      readonly item: Node
      readonly min: number
      readonly max: number
      readonly lazy: boolean
    }

export function parseRegex(source: string): Node {
  const reader = new Reader(source)
  const node = readChoice(reader)
  if (!reader.isAtEnd) throw refuse(source, 'it has a closing bracket too many')
  return node
}

export const refuse = (source: string, why: string): AppError =>
  new AppError('config-invalid', `The pattern /${source}/ cannot be used: ${why}.`)

class Reader {
  readonly source: string
  #at = 0

  constructor(source: string) {
    this.source = source
  }

  get isAtEnd(): boolean {
    return this.#at >= this.source.length
  }

  peek(): string {
    return this.source[this.#at] ?? ''
  }

  /** What fits here, and goes on behind it. */
  take(pattern: RegExp): string | undefined {
    const sticky = new RegExp(pattern.source, 'y')
    sticky.lastIndex = this.#at
    const found = sticky.exec(this.source)?.[0]
    this.#at += found?.length ?? 0
    return found
  }
}

function readChoice(reader: Reader): Node {
  const options = [readSequence(reader)]
  while (reader.take(/\|/)) options.push(readSequence(reader))
  const [only] = options
  return options.length === 1 && only ? only : { type: 'choice', options }
}

function readSequence(reader: Reader): Node {
  const items: Node[] = []
  while (!reader.isAtEnd && reader.peek() !== '|' && reader.peek() !== ')') {
    items.push(readRepeat(reader, readAtom(reader)))
  }
  return { type: 'sequence', items }
}

function readAtom(reader: Reader): Node {
  if (reader.take(/\((?:\?:|\?<[A-Za-z_]\w*>)?(?!\?)/) !== undefined) return readGroup(reader)
  const assertion = reader.take(/\^|\$|\\b|\\B/)
  if (assertion !== undefined) return { type: 'assertion', assertion: assertion as Assertion }
  const character = reader.take(
    /\[\^?(?:\\.|[^\]\\])*\]|\\[dDwWsStnrfv0]|\\[pP]\{[\w=]+\}|\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\[^A-Za-z0-9]|[^\\()[*+?]/,
  )
  if (character !== undefined) return { type: 'character', source: character }
  throw refuse(reader.source, explain(reader))
}

function explain(reader: Reader): string {
  if (reader.peek() === '(') return 'look-ahead and look-behind take more than linear time'
  if (reader.take(/\\[1-9k]/)) return 'back-references take more than linear time'
  if (/[*+?]/.test(reader.peek())) return `there is nothing to repeat before ${reader.peek()}`
  return `"${reader.take(/..?/)}" is not understood`
}

function readGroup(reader: Reader): Node {
  const node = readChoice(reader)
  if (!reader.take(/\)/)) throw refuse(reader.source, 'a group is never closed')
  return node
}

function readRepeat(reader: Reader, item: Node): Node {
  const quantifier = reader.take(/[*+?]|\{\d{1,4}(?:,\d{0,4})?\}/)
  if (quantifier === undefined) return item
  const lazy = reader.take(/\?/) !== undefined
  return readRepeat(reader, { type: 'repeat', item, lazy, ...boundsOf(quantifier, reader.source) })
}

function boundsOf(quantifier: string, source: string): { readonly min: number; readonly max: number } {
  if (quantifier === '*') return { min: 0, max: Number.POSITIVE_INFINITY }
  if (quantifier === '+') return { min: 1, max: Number.POSITIVE_INFINITY }
  if (quantifier === '?') return { min: 0, max: 1 }
  const [least = '', most] = quantifier.slice(1, -1).split(',')
  const min = Number(least)
  const max = most === undefined ? min : most === '' ? Number.POSITIVE_INFINITY : Number(most)
  if (max < min) throw refuse(source, `the numbers of ${quantifier} are the wrong way round`)
  return { min, max }
}
