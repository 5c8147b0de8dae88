/**
 * Keys without a beginning of their own: something in their middle gives them away. Letters before the first digit or sign
 * are not counted as part of the key: such a word is shown while it arrives, and it is the public part or a few letters of it.
 */
import type { Finder, Finding } from './finding.ts'
import { type Letters, letters, walkBack, walkOn } from './letters.ts'

const HEX = letters('a-f0-9')
const DIGIT = letters('0-9')
const LETTER = letters('A-Za-z')
const ALPHANUMERIC = letters('A-Za-z0-9')
const WORD = letters('A-Za-z0-9_-')
const AZURE = letters('A-Za-z0-9_.~-')

type Shape = {
  readonly anchor: string
  readonly kind: string
  /** What stands before the anchor, and how many of it. */
  readonly before: readonly [set: Letters, least: number, most: number]
  /** What follows the anchor. */
  readonly after: readonly [set: Letters, least: number, most: number]
}

const shapes: readonly Shape[] = [
  { anchor: ':AA', kind: 'telegram-token', before: [DIGIT, 8, 10], after: [WORD, 33, 33] },
  { anchor: '%3AAA', kind: 'telegram-token', before: [DIGIT, 8, 10], after: [WORD, 33, 33] },
  { anchor: 'Q~', kind: 'azure-secret', before: [AZURE, 4, 4], after: [AZURE, 31, 34] },
  { anchor: '.atlasv1.', kind: 'terraform-token', before: [ALPHANUMERIC, 14, 14], after: [WORD, 60, 70] },
  { anchor: '-us', kind: 'mailchimp-key', before: [HEX, 32, 32], after: [DIGIT, 1, 2] },
]

export const shapeFinders: readonly Finder[] = [
  ...shapes.map((shape) => ({
    anchor: shape.anchor,
    find: (text: string, at: number) => fit(shape, text, at),
  })),
  { anchor: '.', find: findDiscord },
]

function fit({ anchor, kind, before, after }: Shape, text: string, at: number): Finding | undefined {
  // One letter more than the most: where there is one, it is something longer.
  const start = walkBack(text, at, before[0], before[2] + 1)
  const end = walkOn(text, at + anchor.length, after[0], after[2] + 1)
  const isFitting =
    isBetween(at - start, before[1], before[2]) && isBetween(end - at - anchor.length, after[1], after[2])
  return isFitting ? { start: walkOn(text, start, LETTER, before[2] + anchor.length), end, kind } : undefined
}

const isBetween = (length: number, least: number, most: number): boolean => length >= least && length <= most

/** Three parts with dots between, the middle one six long: the user, the time, the signature. */
function findDiscord(text: string, at: number): Finding | undefined {
  if (text[at + 7] !== '.' || walkOn(text, at + 1, WORD, 6) !== at + 7) return undefined
  const start = walkBack(text, at, WORD, 29)
  const end = walkOn(text, at + 8, WORD, 41)
  const isFitting =
    isBetween(at - start, 23, 28) && isBetween(end - at - 8, 27, 40) && /[MNO]/.test(text[start] ?? '')
  return isFitting ? { start: walkOn(text, start, LETTER, 28), end, kind: 'discord-token' } : undefined
}
