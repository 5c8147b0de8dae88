/**
 * What can be known about an argument without a model. A quoted or fenced text means all of it without the quotes;
 * a page is fetched from an address; a search for `TODOs` means `TODO`. Each rule gives the argument as it should be.
 * Pure.
 */
import type { NanoCall } from '../steps/run.ts'
import { placesOf, wordsOf } from '../request/spans.ts'

export function repairCall(call: NanoCall, request: string): NanoCall {
  const said: Said = { request, quotes: quotedIn(request) }
  const entries = Object.entries(call.input).map(([key, value]) => [
    key,
    typeof value === 'string'
      ? repairsOf(call.name, key).reduce((text, repair) => repair(text, said), value)
      : value,
  ])
  return spelledPath({ ...call, input: Object.fromEntries(entries) as NanoCall['input'] }, request)
}

/**
 * `search.txt` in `search total in docs/a.md`: it shares but the verb with the request, and one other file is spelled
 * out.
 */
function spelledPath(call: NanoCall, request: string): NanoCall {
  const { path, ...others } = call.input
  if (typeof path !== 'string' || !sharesOnlyVerbs(path, request)) return call
  const texts = Object.values(others).filter((value) => typeof value === 'string')
  const [spelled, ...more] = wordsOf(request).filter(
    (word) => FILE.test(word) && !texts.some((text) => text.includes(word)),
  )
  const isClear = spelled !== undefined && more.length === 0
  return isClear ? { ...call, input: { ...call.input, path: spelled } } : call
}

const FILE = /^(?!\w+:\/\/)[^\s@]*\w\.[a-z]\w{0,4}$/i

function sharesOnlyVerbs(path: string, request: string): boolean {
  if (path.endsWith('/') || request.includes(path)) return false
  const asked = new Set(wordsOf(request.toLowerCase()))
  const name = path.toLowerCase().split('/').at(-1) ?? ''
  const shared = [name, ...name.split(/[^\p{L}\p{N}]+/u)].filter((word) => asked.has(word))
  return shared.length > 0 && shared.every((word) => VERBS.has(word))
}

const VERBS = new Set(
  (
    'add append change cat check copy count create display edit fetch find get grep insert list locate look make open ' +
    'print put read remove rename replace run save search set show start store swap update view write'
  ).split(' '),
)

type Quote = { readonly start: number; readonly text: string }
type Said = { readonly request: string; readonly quotes: readonly Quote[] }
type Repair = (value: string, said: Said) => string

const repairsOf = (tool: string, key: string): readonly Repair[] => {
  if (COPIED.has(key)) return [withoutQuotes, wholeQuote]
  if (key === 'url') return [onlyAddress]
  return SEARCHES.has(tool) && (key === 'pattern' || key === 'query')
    ? [withoutQuotes, quoteAtTheEnd, wholeQuote, afterVerb, withoutJoints, singular]
    : []
}

/** Arguments that are copied as they are, whatever they say. */
const COPIED = new Set(['command', 'content', 'code', 'old', 'new', 'text', 'sql', 'patch'])
const SEARCHES = new Set(['search_text', 'search_code'])

const FENCE = /^```[^\n`]*\n([\s\S]*?)\n```$/gm

const PAIRS: Readonly<Record<string, string>> = {
  '"': '"',
  '`': '`',
  "'": "'",
  '“': '”',
  '‘': '’',
  '«': '»',
  '„': '“',
}

/** Only what stands apart: the apostrophe of a word opens nothing. What is fenced holds no further quotes. */
function quotedIn(request: string): Quote[] {
  const fences = [...request.matchAll(FENCE)]
  const quotes = fences.map(({ 0: block, 1: text = '', index }) => ({
    start: index + block.indexOf('\n') + 1,
    text,
  }))
  for (let at = 0; at < request.length; at++) {
    const fence = fences.find(({ index }) => index === at)
    if (fence) at += fence[0].length
    const close = PAIRS[request[at] ?? '']
    if (close === undefined || /[\p{L}\p{N}]/u.test(request[at - 1] ?? '')) continue
    const end = closing(request, at + 1, close)
    if (end === undefined) continue
    quotes.push({ start: at + 1, text: request.slice(at + 1, end) })
    at = end
  }
  return quotes
}

function closing(request: string, from: number, close: string): number | undefined {
  for (let at = request.indexOf(close, from); at > from; at = request.indexOf(close, at + 1))
    if (!/[\p{L}\p{N}]/u.test(request[at + 1] ?? '')) return at
  return undefined
}

/** `"done"` with its quotes is `done`. */
const withoutQuotes: Repair = (value, { request, quotes }) =>
  quotes.find(({ start, text }) => request.slice(start - 1, start + text.length + 1) === value)?.text ?? value

/** An argument that begins behind a quote is taken up to the closing one, however early the model stopped. */
const wholeQuote: Repair = (value, said) => {
  const start = onlyPlace(value, said)
  const quote = said.quotes.find((candidate) => candidate.start === start)
  return quote && quote.text.startsWith(value) ? quote.text : value
}

/** `this message: "not found"`, where the message is looked for. */
const quoteAtTheEnd: Repair = (value, said) => {
  const from = onlyPlace(value, said)
  if (from === undefined) return value
  const end = from + value.length
  return said.quotes.find(({ start, text }) => start > from && start + text.length + 1 === end)?.text ?? value
}

/** A text that occurs more than once cannot be repaired. */
function onlyPlace(value: string, { request }: Said): number | undefined {
  const places = placesOf(value, request)
  return places.length === 1 ? places[0] : undefined
}

/** `hard waits: search browser.pause`: what follows the verb. */
const afterVerb: Repair = (value, { quotes }) =>
  quotes.some(({ text }) => text.includes(value))
    ? value
    : value.replace(/^.+[\s:,](?:search(?: for)?|grep(?: for)?|look for|looking for)\s+(?=\S)/i, '')

/** `as Warmonger or`: what only joins the words around it is not looked for, unless it was quoted. */
const withoutJoints: Repair = (value, { quotes }) => {
  if (quotes.some(({ text }) => text.includes(value))) return value
  const inner = value.replaceAll(
    /^(?:(?:as|or|and|the|a|an|of|in|for|to|on|at|by|word|term)\s+)+|(?:\s+(?:as|or|and|the|a|an|of|in|for|to|on|at|by|is|are))+$/gi,
    '',
  )
  return inner === '' ? value : inner
}

const singular: Repair = (value) => (/^[A-Z]{3,}s$/.test(value) ? value.slice(0, -1) : value)

/** A word that is not a URL, where the request has exactly one. */
const onlyAddress: Repair = (value, { request }) => {
  const [address, ...others] = wordsOf(request).filter((word) => /^https?:\/\//i.test(word))
  return /[./:]/.test(value) || address === undefined || others.length > 0 ? value : address
}
