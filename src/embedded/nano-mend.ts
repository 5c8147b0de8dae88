/**
 * What can be known about a text without a model: whoever quotes it means all of it. An argument that begins behind a
 * quote is taken up to the closing one, however early the model stopped. Pure.
 */
import type { NanoCall } from './nano-run.ts'
import { placesOf } from './nano-spans.ts'

/** Arguments that are copied as they are, whatever they say. */
const TEXTS = new Set(['command', 'content', 'code', 'old', 'new', 'text', 'sql', 'patch'])

export function mendCall(call: NanoCall, request: string): NanoCall {
  const quotes = quotedIn(request)
  const entries = Object.entries(call.input).map(([key, value]) => [
    key,
    typeof value === 'string' && TEXTS.has(key) ? wholeQuote(value, request, quotes) : value,
  ])
  return { ...call, input: Object.fromEntries(entries) as NanoCall['input'] }
}

type Quote = { readonly start: number; readonly text: string }

const PAIRS: Readonly<Record<string, string>> = {
  '"': '"',
  '`': '`',
  "'": "'",
  '“': '”',
  '‘': '’',
  '«': '»',
  '„': '“',
}

/** Only what stands apart: the apostrophe of a word opens nothing. */
function quotedIn(request: string): Quote[] {
  const quotes: Quote[] = []
  for (let at = 0; at < request.length; at++) {
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

/** Where a text stands elsewhere too, there is nothing to mend. */
function wholeQuote(value: string, request: string, quotes: readonly Quote[]): string {
  const places = placesOf(value, request)
  const [first] = places
  const quote = quotes.find(({ start }) => start === first)
  return places.length === 1 && quote && quote.text.startsWith(value) ? quote.text : value
}
