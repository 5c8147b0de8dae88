/**
 * Reads one TOML text: its values, and where each key stands, so that a message can name the line. The parser gives no
 * positions, hence the second, line-wise look; it may miss an unusual layout, and then a message has no line.
 */
import { parse, TomlError } from 'smol-toml'
import { isObject } from '../lib/json.ts'
import { errorMessage } from '../protocol/error.ts'
import { formatKey, type KeyPath, type Table } from './tree.ts'

type TomlReading =
  | { readonly ok: true; readonly values: Table; lineOf(path: KeyPath): number | undefined }
  | { readonly ok: false; readonly place: string; readonly reason: string }

export function readToml(source: string): TomlReading {
  const text = source.replace(/^\uFEFF/, '')
  try {
    const values: Table = parse(text, { unsafeKeyBehaviour: 'throw' })
    const lines = keyLines(text)
    return { ok: true, values, lineOf: (path) => nearestLine(path, lines) }
  } catch (error) {
    const place = error instanceof TomlError ? `:${error.line}:${error.column}` : ''
    return { ok: false, place, reason: reasonOf(error) }
  }
}

/** Only the first line of the parser's message: the rest quotes the file, and with it perhaps a key. */
function reasonOf(error: unknown): string {
  const [first = ''] = errorMessage(error).split('\n')
  return first.replace(/^Invalid TOML document: /, '')
}

/** A key inside an inline table has no line of its own; that of the table serves. */
function nearestLine(path: KeyPath, lines: ReadonlyMap<string, number>): number | undefined {
  for (let length = path.length; length > 0; length--) {
    const line = lines.get(formatKey(path.slice(0, length)))
    if (line !== undefined) return line
  }
  return undefined
}

const PART = String.raw`(?:[\w-]+|"(?:[^"\\]|\\.)*"|'[^']*')`
const KEY = String.raw`${PART}(?:\s*\.\s*${PART})*`
const HEADER = new RegExp(String.raw`^\s*\[\s*(${KEY})\s*\]`)
/** One more table of a list. */
const ELEMENT = new RegExp(String.raw`^\s*\[\[\s*(${KEY})\s*\]\]`)
const ASSIGNMENT = new RegExp(String.raw`^\s*(${KEY})\s*=`)

/** Deeper than any key of the schema: a hostile file with keys of a million levels must not stop the start. */
const DEEPEST = 10

function keyLines(text: string): Map<string, number> {
  const lines = new Map<string, number>()
  const elements = new Map<string, number>()
  let table: KeyPath = []
  for (const [index, line] of text.split('\n').entries()) {
    const header = HEADER.exec(line)?.[1]
    const element = ELEMENT.exec(line)?.[1]
    const assigned = ASSIGNMENT.exec(line)?.[1]
    if (header) table = pathOf(header).slice(0, DEEPEST)
    if (element) table = nextElement(pathOf(element).slice(0, DEEPEST - 1), elements)
    if (!header && !element && !assigned) continue
    const path = (assigned ? [...table, ...pathOf(assigned)] : table).slice(0, DEEPEST)
    // `[a.b]` makes `a` too; the first mention is where a reader looks.
    for (const key of path.map((_, end) => formatKey(path.slice(0, end + 1)))) {
      if (!lines.has(key)) lines.set(key, index + 1)
    }
  }
  return lines
}

function nextElement(list: KeyPath, elements: Map<string, number>): KeyPath {
  const key = formatKey(list)
  const number = elements.get(key) ?? 0
  elements.set(key, number + 1)
  return [...list, String(number)]
}

/** The parser itself reads a dotted or quoted key. */
function pathOf(key: string): KeyPath {
  const path: string[] = []
  let inner: unknown = parseQuietly(`${key} = 0`)
  while (isObject(inner)) {
    const [[name, value] = ['', undefined]] = Object.entries(inner)
    path.push(name)
    inner = value
  }
  return path
}

function parseQuietly(text: string): Table {
  try {
    return parse(text)
  } catch {
    return {}
  }
}
