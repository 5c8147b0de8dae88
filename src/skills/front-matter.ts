/**
 * The head of a SKILL.md. A small part of YAML, enough for what skills say and strict about the rest: texts (plain,
 * quoted, `|` and `>` blocks), booleans, lists in both forms, and one level of keys below a key. What is not
 * understood is refused with its line, because a limit that is read wrongly is no limit.
 */
import { AppError } from '../protocol/error.ts'

export type FrontValue = string | boolean | readonly string[] | Readonly<Record<string, string>>

export type FrontMatter = {
  readonly fields: Readonly<Record<string, FrontValue>>
  /** What comes after the head. */
  readonly body: string
}

export function readFrontMatter(text: string): FrontMatter {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  const end = lines.findIndex((line, index) => index > 0 && /^---\s*$/.test(line))
  if (!/^---\s*$/.test(lines[0] ?? '') || end === -1) {
    throw problem(1, 'it must begin with a head between two lines of `---`')
  }
  const head = lines.slice(1, end)
  if (head.join('\n').length > MAX_HEAD) throw problem(1, `its head is over ${MAX_HEAD / 1000} kB`)
  const reader = new HeadReader(head)
  return {
    fields: reader.read(),
    body: lines
      .slice(end + 1)
      .join('\n')
      .trim(),
  }
}

/** It is read before anybody agreed to it: nothing in it may take long. */
const MAX_HEAD = 16_000

const problem = (line: number, what: string): AppError =>
  new AppError('config-invalid', `line ${line}: ${what}`)

const KEY = /^([A-Za-z][\w-]*):(?:\s+(.*))?$/

class HeadReader {
  readonly #lines: readonly string[]
  #at = 0

  constructor(lines: readonly string[]) {
    this.#lines = lines
  }

  read(): Record<string, FrontValue> {
    const fields = new Map<string, FrontValue>()
    for (; this.#at < this.#lines.length; this.#at++) {
      const line = this.#line()
      if (isEmpty(line)) continue
      const [, key, rest = ''] = KEY.exec(line) ?? []
      if (key === undefined) throw this.#problem('expected `key: value`')
      if (fields.has(key)) throw this.#problem(`\`${key}\` is set twice; remove one`)
      fields.set(key, this.#value(rest.trim()))
    }
    return Object.fromEntries(fields)
  }

  #line(): string {
    return this.#lines[this.#at] ?? ''
  }

  /** The opening `---` is line 1. */
  #problem(what: string): AppError {
    return problem(this.#at + 2, what)
  }

  #value(text: string): FrontValue {
    const block = /^([|>])[+-]?(?:\s+#.*)?$/.exec(text)?.[1]
    if (block) return this.#block(block === '>' ? ' ' : '\n')
    if (text.startsWith('[')) return this.#inlineList(text)
    if (withoutComment(text) === '') return this.#nested()
    const scalar = this.#scalar(text)
    return scalar === 'true' || scalar === 'false' ? scalar === 'true' : scalar
  }

  /** The indented lines that follow; empty ones between them belong to them. */
  #indented(): string[] {
    const found: string[] = []
    while (this.#at + 1 < this.#lines.length && /^(?:\s+|$)/.test(this.#lines[this.#at + 1] ?? '')) {
      this.#at++
      found.push(this.#line())
    }
    while (found.at(-1)?.trim() === '') found.pop()
    return found
  }

  #block(joint: string): string {
    const lines = this.#indented()
    const depth = Math.min(...lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/)))
    return lines
      .map((line) => line.slice(depth).trimEnd())
      .join(joint)
      .trim()
  }

  #inlineList(text: string): readonly string[] {
    const inner = /^\[(.*)\]\s*(?:#.*)?$/.exec(text)?.[1]
    if (inner === undefined) throw this.#problem('a list in `[` and `]` ends on the line it begins on')
    const items = inner.matchAll(/\s*("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,]+)/g)
    return Array.from(items, ([, item = '']) => item.trim())
      .filter((item) => item !== '')
      .map((item) => this.#scalar(item))
  }

  #nested(): FrontValue {
    const first = this.#lines.slice(this.#at + 1).find((line) => !isEmpty(line))
    if (first !== undefined && /^\s*-(?:\s|$)/.test(first)) return this.#list()
    const entries: [string, string][] = []
    while (/^\s+\S/.test(this.#lines[this.#at + 1] ?? '')) {
      this.#at++
      if (isEmpty(this.#line())) continue
      const [, key, rest = ''] = KEY.exec(this.#line().trim()) ?? []
      if (key === undefined || rest.trim() === '') throw this.#problem('expected `key: value` below the key')
      entries.push([key, this.#scalar(rest.trim())])
    }
    return entries.length === 0 ? '' : Object.fromEntries(entries)
  }

  #list(): readonly string[] {
    const items: string[] = []
    while (/^\s*(?:-(?:\s|$)|#|$)/.test(this.#lines[this.#at + 1] ?? 'end')) {
      this.#at++
      const item = /^\s*-\s+(.*)$/.exec(this.#line())?.[1]
      if (item !== undefined) items.push(this.#scalar(item.trim()))
      else if (!isEmpty(this.#line())) throw this.#problem('an item of the list is empty')
    }
    return items
  }

  #scalar(text: string): string {
    const double = /^"((?:[^"\\]|\\.)*)"\s*(?:#.*)?$/.exec(text)?.[1]
    if (double !== undefined)
      return double.replace(/\\(.)/g, (_, letter: string) => ESCAPES[letter] ?? letter)
    const single = /^'((?:[^']|'')*)'\s*(?:#.*)?$/.exec(text)?.[1]
    if (single !== undefined) return single.replaceAll("''", "'")
    if (/^["'{&*!%@`]/.test(text))
      throw this.#problem(`cannot read \`${text}\`; put the text in double quotes`)
    return withoutComment(text)
  }
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t' }

const withoutComment = (text: string): string => text.replace(/(?:^|\s)#.*$/, '').trim()

const isEmpty = (line: string): boolean => /^\s*(?:#.*)?$/.test(line)
