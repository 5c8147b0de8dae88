/**
 * Texts that say the same. Where a text comes to a short answer (a number, a path, yes or no, a JSON value), that
 * answer is counted; otherwise counting is impossible, and the text most like all the others represents them. Pure.
 */
import { canonicalJson, isObject } from '../lib/json.ts'

/** The answer in one way of writing it; nothing where the text is not about one short answer. */
export function shortAnswer(text: string): string | undefined {
  const plain = text.trim()
  const json = asJson(plain)
  if (json !== undefined) return json
  const found = BOXED.exec(plain)?.[1] ?? lastOf(plain, ANSWER) ?? YES_OR_NO.exec(plain)?.[1]
  if (found !== undefined) return normal(found)
  return plain.length <= SHORT && !plain.includes('\n') ? normal(plain) : undefined
}

const SHORT = 60
const BOXED = /\\boxed\{([^{}]{1,100})\}/
const ANSWER = /^\W*(?:the )?(?:final )?(?:answer|result)(?: is)?\W*[:=\s]\s*(\S.{0,79})$/gim
const YES_OR_NO = /^\W*(yes|no)\b/i

const lastOf = (text: string, pattern: RegExp): string | undefined => [...text.matchAll(pattern)].at(-1)?.[1]

function asJson(text: string): string | undefined {
  if (!/^[[{]/.test(text)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) || Array.isArray(value) ? canonicalJson(value) : undefined
  } catch {
    return undefined
  }
}

function normal(answer: string): string {
  const word = answer
    .trim()
    .replaceAll(/^[\s"'`*_$([]+|[\s"'`*_$)\].,;:!?]+$/g, '')
    .replaceAll(/\s+/g, ' ')
    .toLowerCase()
  const digits = word.replaceAll(/(?<=\d),(?=\d{3})/g, '')
  return /^[+-]?\d+(?:\.\d+)?$/.test(digits) ? String(Number(digits)) : word
}

type Medoid = {
  readonly index: number
  /** How much it has in common with the others, 0-1. */
  readonly likeness: number
}

/** The text that shares the most words with all the others; the first of several. */
export function medoidOf(texts: readonly string[]): Medoid {
  const bags = texts.map((text) => new Set(text.toLowerCase().match(/[\p{L}\p{N}_]+/gu)))
  const likenesses = bags.map((bag, index) => {
    const others = bags.filter((_, other) => other !== index)
    if (others.length === 0) return 1
    return others.reduce((sum, other) => sum + overlap(bag, other), 0) / others.length
  })
  const likeness = Math.max(...likenesses)
  return { index: likenesses.indexOf(likeness), likeness }
}

function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const shared = [...one].filter((word) => other.has(word)).length
  const all = one.size + other.size - shared
  return all === 0 ? 1 : shared / all
}
