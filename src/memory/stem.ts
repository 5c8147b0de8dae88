/**
 * "deployed", "deploys" and "deployment" become one word, by Porter's stemmer. What is stored and what is asked go through
 * the same function, so its mistakes cancel out.
 */
import { stemmer } from 'stemmer'

export function stem(word: string): string {
  const known = stems.get(word)
  if (known !== undefined) return known
  if (stems.size >= MAX_KEPT) stems.clear()
  const found = toStem(word)
  stems.set(word, found)
  return found
}

/** Few words make up most of all text. */
const stems = new Map<string, string>()
const MAX_KEPT = 20_000

const toStem = (word: string): string => (/^[a-z]{4,}$/.test(word) ? withFinalY(stemmer(word)) : word)

/** After a vowel a final y stays, as in the later version of the stemmer: else "deployed" and "deployment" part. */
const withFinalY = (stemmed: string): string => stemmed.replace(/(?<=[aeiou])i$/, 'y')
