/** An old part of a line and a new text together: whether one may replace the other, what is written then, and the signs of it. Pure. */
import { like } from '../project/listed-lines.ts'
import type { EditLine } from './lines.ts'
import { type Anchors, type Closest, nearSigns, templateSigns } from './near.ts'
import { FAR, type NewPart } from './new.ts'
import type { OldPart } from './old.ts'

const NUMERIC = new Set(['number', 'money', 'percent', 'unit', 'time', 'date', 'version', 'phone', 'code'])

/** Most of what could be paired is never meant, and each pair costs time. */
export function mayReplace(old: OldPart, part: NewPart): boolean {
  if (old.kinds.includes('old:comment')) return false
  const { words } = part
  const isQuoted = part.signs.includes('new-quoted')
  if (NUMERIC.has(old.shape)) return words <= 4 || isQuoted || part.shape === 'phone'
  const isWhole = old.kinds[0] === 'old:line' || old.kinds[0] === 'old:item'
  if (isWhole) return isQuoted || words >= Math.min(2, old.words)
  if (!old.kinds.every((kind) => kind === 'old:word')) return true
  return words <= 3 && !NUMERIC.has(part.shape)
}

export type Pair = {
  readonly line: EditLine
  readonly old: OldPart
  readonly part: NewPart
  readonly clause: string
  readonly anchors: Anchors
  readonly closest: Closest
}

export type Change = { readonly after: string; readonly signs: readonly string[] }

/** Nothing where the line stays as it is; two where the rest of it may keep its place or not. */
export function changesOf(pair: Pair): Change[] {
  const { line, old, part, clause } = pair
  const text = like(
    old.text,
    clause.includes(old.text) ? old.text : '',
    unshouted(part.text, old.text, clause),
  )
  if (text === old.text) return []
  const isFilled = old.text === '' && /[:=]$/.test(line.text.slice(0, old.start))
  const before = line.text.slice(0, old.start) + (isFilled ? ' ' : '') + text
  const rest = line.text.slice(old.end)
  const after = (before + rest).trim()
  const gap = /^ {2,}(?=\S)/.exec(rest)?.[0].length ?? 0
  const kept = Math.max(1, gap + old.text.length - text.length)
  const signs = pairSigns(pair)
  if (gap === 0 || gap === kept) return [{ after, signs }]
  const isTable = line.text.startsWith('|')
  const aligned = (before + ' '.repeat(kept) + rest.slice(gap)).trim()
  return [
    { after: aligned, signs: [...signs, `aligned ${isTable}`] },
    { after, signs: [...signs, `unaligned ${isTable}`] },
  ]
}

/** "MAKE THE LOG LEVEL DEBUG". */
const unshouted = (text: string, old: string, clause: string): string =>
  clause === clause.toUpperCase() && old === old.toLowerCase() && /\p{L}/u.test(old)
    ? text.toLowerCase()
    : text

function pairSigns({ line, old, part, clause, anchors, closest }: Pair): string[] {
  const [one, other] = [old.shape, part.shape]
  const written = part.lower
  let [keys, near, before, behind] = [0, 0, FAR, FAR]
  for (const [word, place] of part.asked) {
    if (!old.rest.has(word)) continue
    keys++
    if (place.isBeside) near++
    before = Math.min(before, place.before)
    behind = Math.min(behind, place.after)
  }
  const echo = part.folded.filter((word) => old.rest.has(word)).length
  const signs = [
    `shapes:${one}>${other}`,
    `keys:${Math.min(3, keys)}`,
    `key-before:${nearness(before)}`,
    `key-after:${nearness(behind)}`,
    `key-side:${before < behind ? 'before' : behind < before ? 'behind' : 'none'}`,
    `keys-in-sentence:${Math.min(3, near)}`,
    `echo:${echo === 0 ? 'none' : echo === part.folded.length ? 'all' : 'some'}`,
    `longer:${Math.max(-3, Math.min(3, part.words - old.words))}`,
    ...old.kinds.map((kind) => `${kind}>${other}`),
    ...sizeSigns(old, part),
    ...orderSigns(old, part, clause),
    ...nearSigns(anchors, part, closest),
    ...templateSigns(old.text, part.text),
  ]
  if (one === other) signs.push(`same-shape:${one}`)
  if (keys === part.asked.size && keys > 0) signs.push('all-keys')
  if (old.lower === written) signs.push('same-letters')
  if (line.lower.includes(written)) signs.push('new-in-line')
  if (old.column?.values.has(written)) signs.push(old.column.isClosed ? 'closed-has-new' : 'column-has-new')
  else {
    if (old.column?.isClosed) signs.push('closed-lacks-new')
    if (line.fileHas(written)) signs.push('file-has-new')
  }
  if (isNear(old.lower, written)) signs.push(old.at >= 0 ? 'near-said' : 'near')
  if (old.first !== '' && old.first === part.first) signs.push(`alike-start:${one}>${other}`)
  if (part.isCut) signs.push(`new-cut ${old.isCut ? 'both' : 'alone'}`)
  if (old.edges !== part.edges) signs.push('other-edges')
  else if (old.edges !== '') signs.push('same-edges')
  return signs
}

/** Which of the two is said first, and what stands between them. */
function orderSigns({ at, text }: OldPart, part: NewPart, clause: string): string[] {
  if (at < 0) return []
  if (at + text.length <= part.start) {
    const between = betweenOf(clause.slice(at + text.length, part.start))
    return ['old-first', `between:${between}`, ...(GIVES.test(between) ? ['between-gives'] : [])]
  }
  if (at < part.end) return ['old-overlaps']
  const between = betweenOf(clause.slice(part.end, at))
  return ['old-later', `between-back:${between}`, ...(DENIES.test(between) ? ['between-denies'] : [])]
}

const nearness = (distance: number): number => [4, 9, 20, 45, FAR - 1].findIndex((most) => distance <= most)

/** "2 to 3", "draft should be final". */
const GIVES =
  /^(?:to|into|with|by|for|->|=>|→|=|is|becomes?|becoming|must be|should (?:be|read|say)|has to be|needs to be|to be|put|make|back to|over to|down to|up to)$/
/** "3 and not 2", "3 instead of 2". */
const DENIES =
  /^[,.;(!]*\s*(?:and |but |is )?(?:not|isnt|instead of|rather than|in place of|in stead of|where|replaces|for|from|over|no longer|no more)$/

const betweenOf = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/["'“”‘’`]/g, '')
    .replaceAll(/\b(?:now|the|a|an|actually|please|just|it|its)\b/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 16)

/** A price changes by a little, a ticket number does not become one. */
function sizeSigns({ number: a, text: old }: OldPart, { number: b, text }: NewPart): string[] {
  if (a === undefined || b === undefined) return []
  const ratio = a === b ? 1 : Math.max(a, b) / Math.max(0.01, Math.min(a, b))
  const decimals = (number: string): number => /[.,]\d+$/.exec(number)?.[0].length ?? 0
  return [
    `ratio:${ratio === 1 ? 'same' : ratio < 1.5 ? 'near' : ratio < 4 ? 'some' : ratio < 15 ? 'far' : 'none'}`,
    decimals(old) === decimals(text) ? 'same-decimals' : 'other-decimals',
  ]
}

/** A slip or two apart, as a word and its correction are. */
function isNear(a: string, b: string): boolean {
  if (a.length < 4 || Math.abs(a.length - b.length) > 2 || /\d/.test(a + b)) return false
  if (a === b || a[0] !== b[0]) return false
  let previous = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++)
      row[j] = Math.min(
        (previous[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (previous[j - 1] ?? 0) + Number(a[i - 1] !== b[j - 1]),
      )
    previous = row
  }
  return (previous[b.length] ?? 9) <= 2
}
