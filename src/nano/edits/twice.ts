/** Two cells of one row that change together: "cost 14.90, sell 22.00", "week 13 is Steve, 07700 900871". Pure. */
import type { EditLine } from './lines.ts'
import type { NewPart } from './new.ts'
import type { OldPart } from './old.ts'
import type { Change } from './pair.ts'

const MOST = 40
/** Further apart they are two thoughts. */
const FURTHEST = 40

type Fit = { readonly old: OldPart; readonly part: NewPart; readonly how: string }

export type Twice = Change & { readonly at: number }

export function twoCells(line: EditLine, olds: readonly OldPart[], news: readonly NewPart[]): Twice[] {
  if (!line.signs.some((sign) => sign === 'row-key:yes' || sign === 'row-key:part')) return []
  const fits = olds
    .filter(({ column }) => column !== undefined)
    .flatMap((old) => news.flatMap((part) => fitOf(old, part) ?? []))
  const pairs = fits.flatMap((one) =>
    fits
      .filter((other) => one.old.end < other.old.start && areBeside(one.part, other.part))
      .map((other) => toTwice(line, one, other)),
  )
  return pairs.slice(0, MOST)
}

/** What may come into a cell is of its kind, or stands in its column already. */
function fitOf(old: OldPart, part: NewPart): Fit | undefined {
  if (part.lower === old.lower || part.isCut || part.words > 4 || old.column === undefined) return undefined
  const isKnown = old.column.isClosed && old.column.values.has(part.lower)
  if (isKnown) return { old, part, how: 'known' }
  if (part.signs.includes('new-thin') || part.signs.includes('new-has-stop')) return undefined
  const isAlike = old.shape === part.shape && !['word', 'words'].includes(old.shape)
  return isAlike ? { old, part, how: old.shape } : fillOf(old, part)
}

const fillOf = (old: OldPart, part: NewPart): Fit | undefined =>
  old.text === '' && ['number', 'date', 'time', 'name', 'money', 'phone'].includes(part.shape)
    ? { old, part, how: 'empty' }
    : undefined

const areBeside = (one: NewPart, other: NewPart): boolean => {
  const gap = one.start < other.start ? other.start - one.end : one.start - other.end
  return gap >= 0 && gap <= FURTHEST
}

function toTwice(line: EditLine, one: Fit, other: Fit): Twice {
  const { text } = line
  const after =
    text.slice(0, one.old.start) +
    one.part.text +
    text.slice(one.old.end, other.old.start) +
    other.part.text +
    text.slice(other.old.end)
  const isInOrder = one.part.start < other.part.start
  const heads = [one, other].filter(({ old }) => old.signs.includes('column-said')).length
  const echo = [one, other].filter(({ part }) => part.folded.some((word) => one.old.rest.has(word))).length
  return {
    after: after.trim(),
    at: Math.min(one.part.start, other.part.start),
    signs: [
      'two',
      `two ${isInOrder}`,
      `two-heads:${heads}`,
      `two-echo:${echo}`,
      ...[one.how, other.how].map((how) => `two:${how}`),
      ...(one.part.signs.includes('new-given') || other.part.signs.includes('new-given')
        ? ['two-given']
        : []),
      `two-gap:${Math.min(4, Math.floor(Math.abs(one.part.start - other.part.start) / 10))}`,
      ...(one.how === other.how && one.old.end + 1 < other.old.start - 1 ? ['two-apart'] : []),
    ],
  }
}
