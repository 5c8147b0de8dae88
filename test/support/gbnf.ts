/** A small GBNF checker: parses a grammar as llama.cpp would and tells whether a text is in its language. */

type Node =
  | { readonly kind: 'literal'; readonly text: string }
  | {
      readonly kind: 'class'
      readonly negated: boolean
      readonly ranges: readonly (readonly [number, number])[]
    }
  | { readonly kind: 'rule'; readonly name: string }
  | { readonly kind: 'sequence'; readonly items: readonly Node[] }
  | { readonly kind: 'choice'; readonly items: readonly Node[] }
  | { readonly kind: 'repeat'; readonly item: Node; readonly least: number; readonly most: number }

export type Gbnf = ReadonlyMap<string, Node>

/** Throws for anything llama.cpp would refuse: a bad token, a rule that is used but not defined, no root. */
export function parseGbnf(text: string): Gbnf {
  const rules = new Map<string, Node>()
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue
    const match = /^([a-zA-Z][\w-]*) ::= (.*)$/s.exec(line)
    if (!match) throw new Error(`no rule: ${line}`)
    const name = match[1]!
    if (rules.has(name)) throw new Error(`defined twice: ${name}`)
    rules.set(name, new Parser(match[2]!).parse())
  }
  if (!rules.has('root')) throw new Error('no root')
  for (const [name, node] of rules) {
    for (const used of rulesIn(node))
      if (!rules.has(used)) throw new Error(`${name} uses ${used}, which is not defined`)
  }
  return rules
}

export function accepts(grammar: Gbnf, text: string): boolean {
  const characters = [...text]
  const known = new Map<string, ReadonlySet<number>>()
  return match({ kind: 'rule', name: 'root' }, 0).has(characters.length)

  function match(node: Node, at: number): ReadonlySet<number> {
    if (node.kind === 'literal') {
      const wanted = [...node.text]
      return wanted.every((char, index) => characters[at + index] === char)
        ? new Set([at + wanted.length])
        : new Set()
    }
    if (node.kind === 'class') {
      const code = characters[at]?.codePointAt(0)
      if (code === undefined) return new Set()
      return node.ranges.some(([from, to]) => code >= from && code <= to) === node.negated
        ? new Set()
        : new Set([at + 1])
    }
    if (node.kind === 'rule') return matchRule(node.name, at)
    if (node.kind === 'choice') return new Set(node.items.flatMap((item) => [...match(item, at)]))
    if (node.kind === 'sequence') {
      let ends: ReadonlySet<number> = new Set([at])
      for (const item of node.items) ends = new Set([...ends].flatMap((end) => [...match(item, end)]))
      return ends
    }
    return matchRepeat(node, at)
  }

  function matchRule(name: string, at: number): ReadonlySet<number> {
    const key = `${name}@${at}`
    const before = known.get(key)
    if (before) return before
    known.set(key, new Set())
    const found = match(grammar.get(name)!, at)
    known.set(key, found)
    return found
  }

  function matchRepeat(
    { item, least, most }: Extract<Node, { kind: 'repeat' }>,
    at: number,
  ): ReadonlySet<number> {
    const ends = new Set<number>(least === 0 ? [at] : [])
    let frontier: ReadonlySet<number> = new Set([at])
    for (let count = 1; count <= most && frontier.size > 0; count++) {
      const next = new Set([...frontier].flatMap((end) => [...match(item, end)]))
      const fresh = count > least ? new Set([...next].filter((end) => !ends.has(end))) : next
      if (count >= least) for (const end of next) ends.add(end)
      frontier = fresh
    }
    return ends
  }
}

function rulesIn(node: Node): string[] {
  if (node.kind === 'rule') return [node.name]
  if (node.kind === 'repeat') return rulesIn(node.item)
  return node.kind === 'sequence' || node.kind === 'choice' ? node.items.flatMap(rulesIn) : []
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

class Parser {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  parse(): Node {
    const node = this.#choice()
    if (this.#at < this.#text.length)
      throw new Error(`unexpected: ${this.#text.slice(this.#at, this.#at + 40)}`)
    return node
  }

  #choice(): Node {
    const items = [this.#sequence()]
    while (this.#take('|')) items.push(this.#sequence())
    return items.length === 1 ? items[0]! : { kind: 'choice', items }
  }

  #sequence(): Node {
    const items: Node[] = []
    for (let item = this.#item(); item; item = this.#item()) items.push(this.#repeated(item))
    return { kind: 'sequence', items }
  }

  #item(): Node | undefined {
    this.#skip()
    const char = this.#text[this.#at]
    if (char === '"') return this.#literal()
    if (char === '[') return this.#class()
    if (this.#take('(')) {
      const inner = this.#choice()
      if (!this.#take(')')) throw new Error('a parenthesis is never closed')
      return inner
    }
    const name = /^[a-zA-Z][\w-]*/.exec(this.#text.slice(this.#at))?.[0]
    if (name === undefined) return undefined
    this.#at += name.length
    return { kind: 'rule', name }
  }

  #repeated(item: Node): Node {
    const rest = this.#text.slice(this.#at)
    const range = /^\{(\d+)(,?)(\d*)\}/.exec(rest)
    if (range) {
      this.#at += range[0].length
      const least = Number(range[1])
      const most = range[2] === '' ? least : range[3] === '' ? Number.POSITIVE_INFINITY : Number(range[3])
      return { kind: 'repeat', item, least, most }
    }
    const limits = { '*': [0, Number.POSITIVE_INFINITY], '+': [1, Number.POSITIVE_INFINITY], '?': [0, 1] }[
      rest[0] ?? ''
    ]
    if (!limits) return item
    this.#at++
    return { kind: 'repeat', item, least: limits[0]!, most: limits[1]! }
  }

  #literal(): Node {
    this.#at++
    let text = ''
    while (this.#text[this.#at] !== '"') text += this.#character()
    this.#at++
    return { kind: 'literal', text }
  }

  #class(): Node {
    this.#at++
    const negated = this.#text[this.#at] === '^'
    if (negated) this.#at++
    const ranges: [number, number][] = []
    while (this.#text[this.#at] !== ']') {
      const from = this.#character().codePointAt(0)!
      const isRange = this.#text[this.#at] === '-' && this.#text[this.#at + 1] !== ']'
      if (isRange) this.#at++
      ranges.push([from, isRange ? this.#character().codePointAt(0)! : from])
    }
    this.#at++
    return { kind: 'class', negated, ranges }
  }

  #character(): string {
    const code = this.#text.codePointAt(this.#at)
    const char = code === undefined ? undefined : String.fromCodePoint(code)
    if (char === undefined) throw new Error('a literal or class is never closed')
    this.#at += char.length
    if (char !== '\\') return char
    const next = this.#text[this.#at++] ?? ''
    if (next === 'x') {
      const code = this.#text.slice(this.#at, this.#at + 2)
      this.#at += 2
      return String.fromCodePoint(Number.parseInt(code, 16))
    }
    if (!'"\\nrt[]^-'.includes(next)) throw new Error(`unknown escape \\${next}`)
    return ESCAPES[next] ?? next
  }

  #take(char: string): boolean {
    this.#skip()
    if (this.#text[this.#at] !== char) return false
    this.#at++
    return true
  }

  #skip(): void {
    while (this.#text[this.#at] === ' ') this.#at++
  }
}
