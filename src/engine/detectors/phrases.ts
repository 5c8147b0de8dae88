/**
 * Notices text that says nothing new: fewer than a tenth of the last thousand groups of eight words have not occurred
 * before. Catches what no exact comparison does, a model that turns the same sentences over and over.
 */
const WORDS = 8
const RECENT = 1000
const FRESH_SHARE = 0.1
/** Older phrases are forgotten, so that an endless stream needs no endless memory. */
const REMEMBERED = 16_384

/** Returns how many characters to keep once the stream says nothing new. */
export type PhraseWatch = { push(code: number): number | undefined }

export function createPhraseWatch(): PhraseWatch {
  const memory = createPhraseMemory()
  const recent = createRecentPhrases()
  const hashes = new Int32Array(WORDS)
  let count = 0
  let word = 0
  let wordStart = -1
  let position = 0

  const endWord = (): number | undefined => {
    hashes[count % WORDS] = word
    count++
    const start = wordStart
    wordStart = -1
    return recent.add(start, memory.add(phraseHash(hashes, count)))
  }

  return {
    push(code) {
      position++
      const isWhole = isIdeograph(code)
      const ended = wordStart >= 0 && (isWhole || !isLetter(code)) ? endWord() : undefined
      if (!isWhole && !isLetter(code)) return ended
      if (wordStart < 0) {
        wordStart = position - 1
        word = 0
      }
      word = (Math.imul(word, 31) + lowered(code)) | 0
      return ended ?? (isWhole ? endWord() : undefined)
    },
  }
}

/** The phrase that ended with each of the last thousand words: whether it was fresh, and where its words began. */
function createRecentPhrases() {
  const starts = new Float64Array(RECENT + WORDS)
  const isFresh = new Uint8Array(RECENT)
  let count = 0
  let fresh = 0

  /** What is fresh stands mostly before the second copy: cut where the fresh ones are furthest ahead of their share. */
  const firstCopyEnd = (): number => {
    let ahead = 0
    let most = 0
    let cut = count - RECENT
    for (let last = count - RECENT + 1; last <= count; last++) {
      ahead += (isFresh[last % RECENT] ?? 0) / Math.max(1, fresh) - 1 / RECENT
      if (ahead <= most) continue
      most = ahead
      cut = last
    }
    return starts[(cut - WORDS + 1) % starts.length] ?? 0
  }

  return {
    /** Returns how many characters to keep once too few are fresh. */
    add(start: number, isNew: boolean): number | undefined {
      starts[count % starts.length] = start
      count++
      fresh += Number(isNew) - (isFresh[count % RECENT] ?? 0)
      isFresh[count % RECENT] = Number(isNew)
      return count >= RECENT + WORDS && fresh < RECENT * FRESH_SHARE ? firstCopyEnd() : undefined
    },
  }
}

function createPhraseMemory() {
  const counts = new Map<number, number>()
  const order = new Int32Array(REMEMBERED)
  let added = 0

  const forget = (phrase: number): void => {
    const left = (counts.get(phrase) ?? 1) - 1
    if (left > 0) counts.set(phrase, left)
    else counts.delete(phrase)
  }

  return {
    /** Whether the phrase is a new one. */
    add(phrase: number): boolean {
      const slot = added % REMEMBERED
      if (added >= REMEMBERED) forget(order[slot] ?? 0)
      order[slot] = phrase
      added++
      const known = counts.get(phrase) ?? 0
      counts.set(phrase, known + 1)
      return known === 0
    },
  }
}

function phraseHash(hashes: Int32Array, count: number): number {
  let hash = 0
  for (let step = 0; step < WORDS; step++)
    hash = (Math.imul(hash, 1_000_003) ^ (hashes[(count + step) % WORDS] ?? 0)) | 0
  return hash
}

const lowered = (code: number): number => (code >= 65 && code <= 90 ? code + 32 : code)

const isLetter = (code: number): boolean =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  (code >= 48 && code <= 57) ||
  code === 95 ||
  (code >= 0xc0 && code < 0x2000)

/** Scripts written without spaces: every character counts as a word. */
const isIdeograph = (code: number): boolean => code >= 0x2e80 && code < 0xd800
