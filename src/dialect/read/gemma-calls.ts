/** Gemma's own notation, `call:name{key:<|"|>text<|"|>,n:3}`: bare keys, strings between tokens, no escapes. */
import type { Input, Step } from './input.ts'
import { cutOrNothing, isName, MAX_HEADER } from './items.ts'
import type { ItemReader } from './section.ts'
import { CUT_OFF } from './call.ts'
import { MAX_CALL } from './tagged.ts'

const GEMMA_QUOTES = ['<|"|>', '<escape>', '"']
const MAX_DEPTH = 64

/** Gemma's own notation: `call:name{key:<|"|>text<|"|>,n:3}`. */
export const gemmaItem: ItemReader = function* (input) {
  const header = yield* input.until(['{', '\n'], MAX_HEADER)
  const name = header.text.trim()
  if (header.stop === undefined) return cutOrNothing(input, header.text)
  if (header.stop !== '{' || !isName(name)) return undefined
  const value = yield* gemmaValue(input, 0)
  return value ? [{ name, values: value.value as Record<string, unknown> }] : [{ name, problem: CUT_OFF }]
}

type Found = { readonly value: unknown }

function* gemmaValue(input: Input, depth: number): Step<Found | undefined> {
  if (depth > MAX_DEPTH) return undefined
  const quote = yield* input.takePast(GEMMA_QUOTES)
  if (quote !== undefined) return yield* gemmaString(input, quote)
  if ((yield* input.takePast(['{'])) !== undefined) return yield* gemmaObject(input, depth)
  if ((yield* input.takePast(['['])) !== undefined) return yield* gemmaList(input, depth)
  const word = yield* input.until([',', '}', ']'], MAX_CALL)
  const text = word.text.trim()
  // Nothing at all is no value; taking it for one would go on for ever.
  return word.stop === undefined || text === '' ? undefined : { value: gemmaWord(text) }
}

function* gemmaString(input: Input, quote: string): Step<Found | undefined> {
  let text = ''
  for (;;) {
    const piece = yield* input.until([quote], MAX_CALL)
    if (piece.stop === undefined) return undefined
    input.consume(quote.length)
    text += piece.text
    if (quote !== '"' || !text.endsWith('\\')) return { value: text }
    text = `${text.slice(0, -1)}"`
  }
}

function* gemmaObject(input: Input, depth: number): Step<Found | undefined> {
  const entries: [string, unknown][] = []
  for (;;) {
    yield* input.takePast([','])
    if ((yield* input.takePast(['}'])) !== undefined) return { value: Object.fromEntries(entries) }
    const quote = yield* input.takePast(GEMMA_QUOTES)
    const key = yield* input.until(quote === undefined ? [':'] : [quote], MAX_HEADER)
    if (key.stop === undefined) return undefined
    input.consume(key.stop.length)
    if (quote !== undefined) yield* input.takePast([':'])
    const value = yield* gemmaValue(input, depth + 1)
    if (!value) return undefined
    entries.push([key.text.trim(), value.value])
  }
}

function* gemmaList(input: Input, depth: number): Step<Found | undefined> {
  const items: unknown[] = []
  for (;;) {
    yield* input.takePast([','])
    if ((yield* input.takePast([']'])) !== undefined) return { value: items }
    const value = yield* gemmaValue(input, depth + 1)
    if (!value) return undefined
    items.push(value.value)
  }
}

function gemmaWord(word: string): unknown {
  if (word === 'true' || word === 'false') return word === 'true'
  if (/^(?:null|none|nil)$/i.test(word)) return null
  return Number.isFinite(Number(word)) ? Number(word) : word
}
