/**
 * Which of several new texts belongs to which old one: "Harborne 200 and Digbeth 160", "threshold 75, and wait 20m". A value is named by a
 * label (the words before it in its line, the head of its column), by its row and by its file; the new text that stands closest to such a name, of
 * those that look alike, is the likeliest one for it. Pure.
 */
import { fold } from '../project/lines.ts'
import type { EditLine } from './lines.ts'
import { FAR, type NewPart } from './new.ts'
import type { OldPart } from './old.ts'
import { wordsIn } from '../opinion/tokens.ts'

/** What names an old text, in the form in which words are compared. */
export type Anchors = {
  readonly label: readonly string[]
  readonly row: ReadonlySet<string>
  readonly file: ReadonlySet<string>
}

const LABEL_WORDS = 2

export function anchorsOf({ text, path }: Pick<EditLine, 'text' | 'path'>, old: OldPart): Anchors {
  return {
    label: old.column ? labelWords(old.column.head) : labelBefore(text.slice(0, old.start)),
    row: old.rest,
    file: new Set(labelWords(path)),
  }
}

/** Up to the value before it: of `8000, children 5000` only `children`. */
function labelBefore(before: string): string[] {
  const own = /(?:^|[\d|;,{}()[\]]|\.\s)([^\d|;,{}()[\]]*)$/.exec(before)?.[1] ?? ''
  return labelWords(own).slice(-LABEL_WORDS)
}

const labelWords = (text: string): string[] =>
  wordsIn(text.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').replaceAll('_', ' '))
    .filter((word) => word.length > 1 && !/^\d+$/.test(word))
    .map(fold)

/** How far each word of the clause is from the closest new text of each shape. */
export type Closest = (word: string, shape: string) => number

export function closestOf(parts: readonly NewPart[]): Closest {
  const known = new Map<string, Map<string, number>>()
  for (const { shape, asked } of parts) {
    const words = known.get(shape) ?? new Map<string, number>()
    known.set(shape, words)
    for (const [word, place] of asked) words.set(word, Math.min(words.get(word) ?? FAR, distanceOf(place)))
  }
  return (word, shape) => known.get(shape)?.get(word) ?? FAR
}

type Place = { readonly before: number; readonly after: number }

/** What stands behind a value names it less often than what stands before. */
const BEHIND = 6
const distanceOf = ({ before, after }: Place): number => Math.min(before, after + BEHIND)

export function nearSigns({ label, row, file }: Anchors, part: NewPart, closest: Closest): string[] {
  const labelled = nearest(label, part, closest)
  const owned = nearest(row, part, closest)
  const filed = nearest(file, part, closest)
  return [
    `label:${labelled}`,
    `row-near:${owned}`,
    `file-near:${filed}`,
    `near:${labelled} ${owned}`,
    ...(filed === 'none' ? [] : [`near-in-file:${filed} ${owned}`]),
  ]
}

/** Whether it is the closest of its shape to some of the words, or how much closer another one is. */
function nearest(words: Iterable<string>, part: NewPart, closest: Closest): string {
  let best = FAR
  let own = FAR
  for (const word of words) {
    const place = part.asked.get(word)
    const distance = place ? distanceOf(place) : FAR
    if (distance >= FAR) continue
    own = Math.min(own, distance)
    best = Math.min(best, distance - closest(word, part.shape))
  }
  if (own >= FAR) return 'none'
  if (best > 0) return best < 12 ? 'behind' : 'far-behind'
  return own < 12 ? 'beside' : own < 30 ? 'close' : 'away'
}

/** The signs and the kinds of runs of letters and digits: `repeat(3, 1fr)` and `repeat(4, 1fr)` are alike, with " pls" they are not. */
const templateOf = (text: string): string =>
  text
    .replaceAll(/\d+/g, '9')
    .replaceAll(/\p{L}+/gu, 'a')
    .replaceAll(/\s+/g, ' ')

/** How the new text is built, beside the old one. */
export function templateSigns(old: string, written: string): string[] {
  if (old === '') return []
  const [one, other] = [templateOf(old), templateOf(written)]
  const isPlain = one === 'a' || one === '9'
  if (one === other) return [`template:same ${isPlain ? 'plain' : 'built'}`]
  if (other.startsWith(one)) return [`template:longer ${isPlain ? 'plain' : 'built'}`]
  if (one.startsWith(other)) return [`template:shorter ${other === 'a' || other === '9' ? 'plain' : 'built'}`]
  return [`template:other ${isPlain ? 'plain' : 'built'}`]
}
