/**
 * Which characters of a written reply are decisions: the name of each tool that is called, and where the value of each
 * argument begins. What follows inside a value is free text, and brackets and markers are form. Written without
 * knowledge of any family: what was read of a call is looked for in what was written, in its order. What is not found
 * where it should stand is left out, never guessed. Pure.
 */
import { isObject, readJson } from '../../lib/json.ts'
import type { ReplyEvent } from '../../protocol/dialect.ts'
import type { ToolCall } from '../../protocol/message.ts'

/** A token as it was written, and its share among those that could have stood there, 0-1. */
export type WrittenToken = { readonly text: string; readonly share: number }

/**
 * The share of the least sure decision. Nothing where no call was found in the tokens: how sure a model is of its prose
 * says little about what it does.
 */
export function leastShare(tokens: readonly WrittenToken[], told: readonly ReplyEvent[]): number | undefined {
  if (tokens.length === 0) return undefined
  const texts = tokens.map(({ text }) => text)
  const deciding = decidingTokens(texts, decisionSpans(texts.join(''), told))
  const shares = deciding.map(({ index }) => tokens[index]?.share ?? 1)
  return shares.length === 0 ? undefined : Math.min(...shares)
}

export type DecidingToken = {
  readonly index: number
  /** Where in the text it begins. */
  readonly start: number
  readonly place: Span
}

/** The tokens of a reply that hold one of the places. */
export function decidingTokens(texts: readonly string[], places: readonly Span[]): readonly DecidingToken[] {
  const deciding: DecidingToken[] = []
  let end = 0
  for (const [index, text] of texts.entries()) {
    const start = end
    end += text.length
    // A token of no characters is the beginning of the one behind it.
    const last = text === '' ? start : end - 1
    const place = places.find((one) => start < one.end && last >= one.start)
    if (place) deciding.push({ index, start, place })
  }
  return deciding
}

type Span = { readonly kind: 'name' | 'value'; readonly start: number; readonly end: number }

/** `told` is what was read out of the text, in order. */
export function decisionSpans(text: string, told: readonly ReplyEvent[]): readonly Span[] {
  const places: Span[] = []
  let from = 0
  for (const event of told) {
    if (event.type === 'text-delta' || event.type === 'reasoning-delta') {
      const at = text.indexOf(event.text, from)
      if (at >= 0) from = at + event.text.length
    } else if (event.type === 'tool-call') {
      const found = placesOf(event.call, { text, from })
      places.push(...found.places)
      from = found.end
    }
  }
  return places
}

/** A text, and how far it has been read. */
type Reading = { readonly text: string; readonly from: number }

type Found = { readonly place: Span; /** Behind all of it. */ readonly end: number }

function placesOf({ name, input }: ToolCall, { text, from }: Reading): { places: Span[]; end: number } {
  const [start] = wordsAhead(name, { text, from })
  if (start === undefined) return { places: [], end: from }
  const places: Span[] = [{ kind: 'name', start, end: start + name.length }]
  let end = start + name.length
  const reading = readJson(input)
  for (const [key, value] of Object.entries(reading.ok && isObject(reading.value) ? reading.value : {})) {
    const found = argumentAt(firstLeaf([key], value), { text, from: end })
    if (!found) continue
    places.push(found.place)
    end = found.end
  }
  return { places, end }
}

/** More than this never stands between two pieces of a call. */
const FARTHEST = 200

/** Where `word` stands by itself, near enough to belong here. */
function* wordsAhead(word: string, { text, from }: Reading): Generator<number> {
  if (word === '') return
  const near = text.slice(from, from + FARTHEST + word.length)
  for (let at = near.indexOf(word); at >= 0; at = near.indexOf(word, at + 1)) {
    const start = from + at
    if (!isWord(text[start - 1]) && !isWord(text[start + word.length])) yield start
  }
}

const isWord = (letter: string | undefined): boolean => letter !== undefined && /[\w-]/.test(letter)

type Leaf = { readonly keys: readonly string[]; readonly value: unknown }

/** Deeper than any tool asks; what a model nests without end is not followed. */
const DEEPEST = 6

/** Of a list or an object, the first value in it that is neither: the brackets before it decide nothing. */
function firstLeaf(keys: readonly string[], value: unknown, depth = 0): Leaf {
  if (depth > DEEPEST) return { keys, value: undefined }
  if (Array.isArray(value) && value.length > 0) return firstLeaf(keys, value[0], depth + 1)
  const [entry] = isObject(value) ? Object.entries(value) : []
  return entry ? firstLeaf([...keys, entry[0]], entry[1], depth + 1) : { keys, value }
}

/** After its keys, or for positional arguments, right after the previous one. */
function argumentAt({ keys, value }: Leaf, reading: Reading): Found | undefined {
  const [key, ...rest] = keys
  if (key === undefined) return valueAt(value, reading)
  for (const at of wordsAhead(key, reading)) {
    const found = argumentAt({ keys: rest, value }, { ...reading, from: at + key.length })
    // Only the last key is looked for again: all of them would take time without end.
    if (found || rest.length > 0) return found
  }
  return rest.length === 0 ? valueAt(value, reading) : undefined
}

/** What may stand between a name and its value: a whole tag, a quote, a bracket, a sign. */
const BETWEEN = /<[^<>\n]{1,60}>|\stype="\w{1,20}"|\\["n]|[\s"'`:=>()[\]{},|]/y

function valueAt(value: unknown, { text, from }: Reading): Found | undefined {
  const beginnings = beginningsOf(value)
  let at = from
  while (at < text.length && at <= from + FARTHEST) {
    const written = beginnings.find((beginning) => text.startsWith(beginning, at))
    if (written !== undefined) {
      const whole = writingsOf(value).find((writing) => text.startsWith(writing, at)) ?? written
      const end = at + whole.length
      // The short value `a` is not the beginning of the word found here.
      return isWord(whole.at(-1)) && isWord(text[end]) && whole.length < LONG ? undefined : foundAt(at, end)
    }
    BETWEEN.lastIndex = at
    const between = BETWEEN.exec(text)
    if (!between) return undefined
    at = BETWEEN.lastIndex
  }
  return undefined
}

const foundAt = (start: number, end: number): Found => ({
  place: { kind: 'value', start, end: start + 1 },
  end,
})

const LONG = 8
/** Enough to know a value by, before anything that formats write in ways of their own. */
const PLAIN_START = /^[^"'\\\n\r\t]{1,8}/

function beginningsOf(value: unknown): readonly string[] {
  if (typeof value !== 'string' || value === '') return writingsOf(value)
  const plain = PLAIN_START.exec(value)?.[0]
  // A quote or a line break alone is also what stands around a value.
  return plain === undefined ? [escaped(value.slice(0, 1)), value.slice(0, 4)] : [plain]
}

function writingsOf(value: unknown): readonly string[] {
  if (value === '') return ['""', "''"]
  if (typeof value === 'string') return [value, escaped(value)]
  if (typeof value === 'boolean') return value ? ['true', 'True'] : ['false', 'False']
  if (value === undefined) return []
  return value === null ? ['null', 'None'] : [JSON.stringify(value)]
}

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1)
