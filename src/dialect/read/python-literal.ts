/**
 * Calls written as Python: `read_file(path="a", lines=[1, 2])`. Literals only, in Python's or JSON's spelling; anything
 * else is an error, because a call must not depend on what an expression would evaluate to.
 */

export type PythonCall = {
  readonly name: string
  readonly positional: readonly unknown[]
  readonly named: Readonly<Record<string, unknown>>
}

/** One call from `text`, which must hold nothing else; undefined when it is no call of literals. */
export function parsePythonCall(text: string): PythonCall | undefined {
  const parser = new Parser(text)
  try {
    const call = parser.call()
    return parser.isOver ? call : undefined
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

class Refusal extends Error {}

const MAX_DEPTH = 64
const WORDS: Readonly<Record<string, unknown>> = {
  True: true,
  true: true,
  False: false,
  false: false,
  None: null,
  null: null,
}
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  a: '\u0007',
  '0': '\0',
  '\n': '',
}

class Parser {
  readonly #text: string
  #at = 0
  #depth = 0

  constructor(text: string) {
    this.#text = text
  }

  get isOver(): boolean {
    this.#skip()
    return this.#at >= this.#text.length
  }

  call(): PythonCall {
    const name = this.#match(/[A-Za-z_][\w.-]*/y) ?? this.#refuse()
    this.#expect('(')
    const positional: unknown[] = []
    const named: [string, unknown][] = []
    while (!this.#take(')')) {
      const key = this.#match(/[A-Za-z_]\w*(?=\s*=(?!=))/y)
      if (key === undefined) positional.push(this.#value())
      else {
        this.#expect('=')
        named.push([key, this.#value()])
      }
      if (!this.#take(',') && !this.#isAt(')')) this.#refuse()
    }
    return { name, positional, named: Object.fromEntries(named) }
  }

  #value(): unknown {
    if (++this.#depth > MAX_DEPTH) this.#refuse()
    const value = this.#single()
    this.#depth--
    return value
  }

  #single(): unknown {
    if (this.#take('[')) return this.#list(']')
    if (this.#take('(')) return this.#list(')')
    if (this.#take('{')) return this.#dictionary()
    const number = this.#match(/[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])/y)
    if (number !== undefined) return Number(number.replaceAll('_', ''))
    const text = this.#strings()
    if (text !== undefined) return text
    const word = this.#match(/[A-Za-z]+(?!\w)/y)
    return word !== undefined && Object.hasOwn(WORDS, word) ? WORDS[word] : this.#refuse()
  }

  #list(close: string): unknown[] {
    const items: unknown[] = []
    while (!this.#take(close)) {
      items.push(this.#value())
      if (!this.#take(',') && !this.#isAt(close)) this.#refuse()
    }
    return items
  }

  #dictionary(): Record<string, unknown> {
    const entries: [string, unknown][] = []
    while (!this.#take('}')) {
      const key = this.#value()
      if (typeof key !== 'string' && typeof key !== 'number') this.#refuse()
      this.#expect(':')
      entries.push([String(key), this.#value()])
      if (!this.#take(',') && !this.#isAt('}')) this.#refuse()
    }
    return Object.fromEntries(entries)
  }

  /** Neighbouring strings are one string. */
  #strings(): string | undefined {
    let text: string | undefined
    for (let piece = this.#string(); piece !== undefined; piece = this.#string()) text = (text ?? '') + piece
    return text
  }

  #string(): string | undefined {
    const open = this.#match(/[rbuRBU]{0,2}(?:"""|'''|"|')/y)
    if (open === undefined) return undefined
    const quote = open.replace(/^[a-z]+/i, '')
    const raw = /r/i.test(open.slice(0, open.length - quote.length))
    let text = ''
    while (!this.#text.startsWith(quote, this.#at)) {
      if (this.#at >= this.#text.length) this.#refuse()
      text += this.#text[this.#at] === '\\' ? this.#escape(raw) : (this.#text[this.#at++] ?? '')
    }
    this.#at += quote.length
    return text
  }

  #escape(raw: boolean): string {
    const next = this.#text[this.#at + 1] ?? ''
    this.#at += 2
    if (raw) return `\\${next}`
    const length = { x: 2, u: 4, U: 8 }[next]
    if (length === undefined) return ESCAPES[next] ?? ('\\\'"'.includes(next) ? next : `\\${next}`)
    const digits = this.#text.slice(this.#at, this.#at + length)
    if (!/^[\da-f]+$/i.test(digits) || digits.length < length) return `\\${next}`
    this.#at += length
    const code = Number.parseInt(digits, 16)
    return code <= 0x10ffff ? fromCode(code) : ''
  }

  #match(pattern: RegExp): string | undefined {
    this.#skip()
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0]
    if (found !== undefined) this.#at += found.length
    return found
  }

  #take(char: string): boolean {
    if (!this.#isAt(char)) return false
    this.#at++
    return true
  }

  #isAt(char: string): boolean {
    this.#skip()
    return this.#text[this.#at] === char
  }

  #expect(char: string): void {
    if (!this.#take(char)) this.#refuse()
  }

  #skip(): void {
    while (/\s/.test(this.#text[this.#at] ?? 'x')) this.#at++
  }

  #refuse(): never {
    throw new Refusal()
  }
}

/** Surrogates written one by one must stay apart until both are there. */
const fromCode = (code: number): string =>
  code > 0xffff ? String.fromCodePoint(code) : String.fromCharCode(code)
