/**
 * Notices a stream that goes in circles: one unit over and over at its tail, or the same phrases turned over without
 * anything new. Looks at a bounded tail, at fixed steps of the stream: the cost is linear, and every cut of a text into
 * deltas gives the same finding.
 */
import { createFenceReader } from './fence.ts'
import { createPhraseWatch } from './phrases.ts'

export type RepetitionFinding = {
  readonly kind: 'exact' | 'paraphrase'
  /** What was repeated; of a paraphrase the last words. */
  readonly unit: string
  /** Characters of the whole stream to keep: everything up to the end of the first copy. */
  readonly keep: number
}

export type RepetitionWatch = { push(delta: string): RepetitionFinding | undefined }

const LONGEST_UNIT = 400
/** Code repeats itself more than prose. Looser rules (3 copies, 60 characters) fire on ordinary source files. */
const prose = { copies: 4, characters: 160 }
const code = { copies: 8, characters: 400 }

/** Rules, blanks and frames may repeat; more of one than this is no frame any more but a model that has come to a stop. */
const LONGEST_FRAME = 3000

const STEP = 64
const WINDOW = code.copies * LONGEST_UNIT + STEP
const SHOWN = 200

/** For one stream of one reply: its text or its reasoning. */
export function createRepetitionWatch(): RepetitionWatch {
  const fence = createFenceReader()
  const phrases = createPhraseWatch()
  let tail = ''
  let length = 0

  const take = (piece: string): RepetitionFinding | undefined => {
    tail = (tail + piece).slice(-WINDOW)
    length += piece.length
    for (let index = 0; index < piece.length; index++) {
      fence.push(piece.charAt(index))
      const keep = phrases.push(fence.openedAt === undefined ? piece.charCodeAt(index) : SPACE)
      if (keep !== undefined) return { kind: 'paraphrase', unit: tail.slice(-SHOWN), keep }
    }
    return length % STEP === 0 ? findExact(tail, length, fence.openedAt) : undefined
  }

  return {
    push(delta) {
      for (let from = 0; from < delta.length;) {
        const piece = delta.slice(from, from + STEP - (length % STEP))
        from += piece.length
        const finding = take(piece)
        if (finding) return finding
      }
      return undefined
    },
  }
}

/** Words inside a fence are no phrases: the phrase watch sees blanks there, so that its positions stay right. */
const SPACE = 32

function findExact(
  tail: string,
  length: number,
  codeFrom: number | undefined,
): RepetitionFinding | undefined {
  const overlaps = tailOverlaps(tail)
  const quiet = quietEnd(tail)
  for (let size = 1; size <= Math.min(LONGEST_UNIT, tail.length - 1); size++) {
    const found = size + (overlaps[size] ?? 0)
    if (size <= quiet && found < LONGEST_FRAME) continue
    // A unit that contains the fence itself reaches further back than one copy.
    const isCode = codeFrom !== undefined && length - found > codeFrom - size
    const run = isCode ? Math.min(found, length - codeFrom) : found
    const { copies, characters } = isCode ? code : prose
    if (run < Math.max(copies * size, characters)) continue
    const start = tail.length - run
    const end = start + size + (isSecondHalf(tail.charCodeAt(start + size)) ? 1 : 0)
    return { kind: 'exact', unit: tail.slice(start, start + size), keep: length - tail.length + end }
  }
  return undefined
}

/** The z-function of the reversed tail: how far the text before the last `size` characters matches the tail, backwards. */
function tailOverlaps(tail: string): Int32Array {
  const last = tail.length - 1
  const overlaps = new Int32Array(LONGEST_UNIT + 1)
  let left = 0
  let right = 0
  for (let size = 1; size <= Math.min(LONGEST_UNIT, last); size++) {
    let match = size < right ? Math.min(right - size, overlaps[size - left] ?? 0) : 0
    while (size + match <= last && tail.charCodeAt(last - match) === tail.charCodeAt(last - size - match))
      match++
    overlaps[size] = match
    if (size + match > right) {
      left = size
      right = size + match
    }
  }
  return overlaps
}

/** How many characters at the end are rules, blanks or frames: tables and headings repeat them without going in circles. */
function quietEnd(tail: string): number {
  const lowest = Math.max(0, tail.length - LONGEST_UNIT)
  let index = tail.length - 1
  while (index >= lowest && QUIET.test(tail.charAt(index))) index--
  return tail.length - 1 - index
}

/** Punctuation, blanks, signs, box drawing, blocks, shapes and braille. */
const QUIET = /[\s\p{P}\p{Sm}\p{Sc}\p{Sk}\u2500-\u25FF\u2800-\u28FF]/u

const isSecondHalf = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff
