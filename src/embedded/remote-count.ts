/**
 * Counts with a tokenizer that is in another process. A decision cannot wait for it, so a text is
 * estimated when it is first counted and asked for beside; from then on its count is exact. Texts that were never asked
 * about are estimated by how the exact counts stand to their estimates.
 */
import { type CountTokens, estimateTokens } from '../context/count.ts'

/** Exact counts in the same order; undefined where they cannot be had now. */
export type AskCounts = (texts: readonly string[]) => Promise<readonly number[]> | undefined

/** A shorter text costs more to send than its estimate can be off. */
const SHORTEST = 80
const LONGEST = 200_000
/** Characters of all texts whose counts are kept. */
const MOST_KEPT = 2_000_000

export function createRemoteCounter(ask: AskCounts): CountTokens {
  const known = new Map<string, number>()
  const wanted = new Set<string>()
  const sums = { exact: 0, estimated: 0 }
  let kept = 0
  let isAsking = false

  const keep = (text: string, count: number): void => {
    known.set(text, count)
    kept += text.length
    sums.exact += count
    sums.estimated += estimateTokens(text)
    for (const [oldest] of known) {
      if (kept <= MOST_KEPT) return
      known.delete(oldest)
      kept -= oldest.length
    }
  }
  const askNow = async (): Promise<void> => {
    const texts = [...wanted]
    wanted.clear()
    // A process that went away costs nothing but exactness.
    const counts = (await ask(texts)?.catch(() => [])) ?? []
    for (const [index, text] of texts.entries()) {
      const count = counts[index]
      if (count !== undefined && Number.isSafeInteger(count) && count >= 0) keep(text, count)
    }
    isAsking = false
  }

  return (text) => {
    const exact = known.get(text)
    if (exact !== undefined) return exact
    if (text.length >= SHORTEST && text.length <= LONGEST) {
      wanted.add(text)
      if (!isAsking) setImmediate(() => void askNow())
      isAsking = true
    }
    const factor = sums.estimated === 0 ? 1 : sums.exact / sums.estimated
    return Math.ceil(estimateTokens(text) * factor)
  }
}
