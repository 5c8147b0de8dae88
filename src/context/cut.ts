/** Text made to fit a number of tokens. What is left out is always said, with how to get it where that is known. */
import { foldMiddle, type Omitted } from '../lib/fold.ts'
import type { CountTokens } from './count.ts'

/** Head and tail, the middle left out and said so. Text that fits stays as it is. */
export function cutMiddle(
  text: string,
  limit: number,
  count: CountTokens,
  mark?: (omitted: Omitted) => string,
): string {
  return within(text, limit, { count, cut: (length) => foldMiddle(text, length, mark).text })
}

/** The head only, with `rest` told the tokens that are left out. */
export function cutEnd(
  text: string,
  limit: number,
  count: CountTokens,
  rest: (omitted: number) => string,
): string {
  const all = count(text)
  const cut = (length: number) => {
    const head = text.slice(0, length)
    const line = head.lastIndexOf('\n')
    const kept = (line > length / 2 ? head.slice(0, line) : head).trimEnd()
    return [kept, rest(all - count(kept))].filter(Boolean).join('\n')
  }
  return within(text, limit, { count, cut })
}

type Cutting = { readonly count: CountTokens; readonly cut: (characters: number) => string }

/** Tokens per character differ inside a text, so the first guess is adjusted until it fits. */
function within(text: string, limit: number, { count, cut }: Cutting): string {
  const tokens = count(text)
  if (tokens <= limit) return text
  let length = Math.max(0, Math.floor((text.length * limit) / tokens))
  let result = cut(length)
  for (let over = count(result) - limit; over > 0 && length > 0; over = count(result) - limit) {
    length = Math.max(0, Math.min(length - 1, Math.floor(length * (1 - over / (limit + over)))))
    result = cut(length)
  }
  // Half a character at a cut: servers refuse it, and with it every later request of the conversation.
  return result.replaceAll(/\p{Surrogate}/gu, '\uFFFD')
}

/** The handle the engine wrote under a result it keeps whole; only the last one counts, others are quoted. */
export function handleIn(text: string): string | undefined {
  const [at, mark] = [text.lastIndexOf('[stored as '), text.lastIndexOf(' left out: read_result {"id":"')]
  const near = text.slice(Math.max(at, mark, 0)).slice(0, 100)
  return /^\[stored as (r[\w-]+)|^ left out: read_result \{"id":"(r[\w-]+)"/
    .exec(near)
    ?.slice(1)
    .find(Boolean)
}
