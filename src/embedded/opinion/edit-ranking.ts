/**
 * Which change of one line a clause asks for: every line, part and new text that fit together, ranked by a log-linear model that was
 * trained on the edits by hand. It sees the whole project, where nano sees eight lines. Pure.
 */
import { like } from '../nano/listed-lines.ts'
import { type EditLine, editLines, type EditProject } from './edit-lines.ts'
import { FAR, type NewPart, newParts, UNSAID } from './edit-new.ts'
import { type OldPart, oldParts } from './edit-old.ts'
import { softmax } from './linear.ts'
import { shapeOf } from './shape.ts'
import { wordsIn } from './tokens.ts'

export type EditChoice = {
  readonly path: string
  readonly number: number
  /** The line as it is, and as it is to be; empty where it goes. */
  readonly before: string
  readonly after: string
  /** Where in the clause the new text stands; nothing where it is not said. */
  readonly at?: number
}

export type EditCandidate = EditChoice & { readonly signs: readonly string[] }

export type EditAsk = {
  readonly clause: string
  readonly project: EditProject
  readonly recent: readonly string[]
}

export type RankedEdit = EditChoice & { readonly share: number }

/** Choices with the same outcome count as one. The likeliest first. */
export function rankEdits(ask: EditAsk, weightOf: (sign: string) => number): RankedEdit[] {
  const memory = new Map<string, number>()
  const weigh = (sign: string): number => {
    const known = memory.get(sign)
    if (known !== undefined) return known
    const weight = weightOf(sign)
    memory.set(sign, weight)
    return weight
  }
  const candidates = editCandidates(ask)
  if (candidates.length === 0) return []
  const shares = softmax(candidates.map(({ signs }) => signs.reduce((sum, sign) => sum + weigh(sign), 0)))
  const outcomes = new Map<string, RankedEdit>()
  for (const [at, { signs: _, ...choice }] of candidates.entries()) {
    const key = outcomeOf(choice)
    outcomes.set(key, { ...choice, share: (outcomes.get(key)?.share ?? 0) + (shares[at] ?? 0) })
  }
  return [...outcomes.values()].toSorted((a, b) => b.share - a.share)
}

export const outcomeOf = ({ path, number, after }: EditChoice): string => `${path}\n${number}\n${after}`

export function editCandidates({ clause, project, recent }: EditAsk): EditCandidate[] {
  const lines = editLines(clause, project, recent)
  const paths = [...project.texts.keys()]
  const news = newParts(clause, paths)
  const verbs = verbsIn(clause)
  return lines.flatMap((line) =>
    oldParts(line, clause).flatMap((old) => [
      ...news.flatMap((part) => candidate(line, old, part, clause) ?? []),
      ...UNSAID.flatMap((text) => unsaidCandidate(line, old, text, verbs) ?? []),
    ]),
  )
}

function candidate(line: EditLine, old: OldPart, part: NewPart, clause: string): EditCandidate | undefined {
  const written = like(old.text, clause.includes(old.text) ? old.text : '', part.text)
  if (written === old.text) return undefined
  const after = (line.text.slice(0, old.start) + written + line.text.slice(old.end)).trim()
  return {
    path: line.path,
    number: line.number,
    before: line.text,
    after,
    at: part.start,
    signs: [...line.signs, ...old.signs, ...part.signs, ...jointSigns(line, old, part, clause)],
  }
}

function jointSigns(line: EditLine, old: OldPart, part: NewPart, clause: string): string[] {
  const [one, other] = [shapeOf(old.text), shapeOf(part.text)]
  const at = clause.toLowerCase().indexOf(old.text.toLowerCase())
  const isBefore = at >= 0 && at + old.text.length <= part.start
  const isAfter = at >= part.end
  const written = part.text.toLowerCase()
  const keys = [...part.asked].filter(([word]) => old.rest.has(word))
  const before = Math.min(FAR, ...keys.map(([, place]) => place.before))
  const behind = Math.min(FAR, ...keys.map(([, place]) => place.after))
  return [
    `shapes:${one}>${other}`,
    ...(one === other ? [`same-shape:${one}`] : []),
    ...old.kinds.map((kind) => `${kind}>${other}`),
    `keys:${Math.min(3, keys.length)}`,
    `key-before:${nearness(before)}`,
    `key-after:${nearness(behind)}`,
    `key-side:${before < behind ? 'before' : behind < before ? 'behind' : 'none'}`,
    ...(keys.length === part.asked.size && keys.length > 0 ? ['all-keys'] : []),
    ...(old.text.toLowerCase() === written ? ['same-letters'] : []),
    ...(line.text.toLowerCase().includes(written) ? ['new-in-line'] : []),
    ...(old.column?.values.has(written)
      ? ['column-has-new']
      : line.fileText.includes(written)
        ? ['file-has-new']
        : []),
    ...(isNear(old.text, part.text) ? [at >= 0 ? 'near-said' : 'near'] : []),
    ...(isBefore
      ? ['old-first', `between:${betweenOf(clause.slice(at + old.text.length, part.start))}`]
      : []),
    ...(isAfter ? ['old-later', `between-back:${betweenOf(clause.slice(part.end, at))}`] : []),
    ...(at >= 0 && !isBefore && !isAfter ? ['old-overlaps'] : []),
    ...(startsAlike(old.text, part.text) ? [`alike-start:${one}>${other}`] : []),
    `longer:${Math.max(-3, Math.min(3, wordsIn(part.text).length - wordsIn(old.text).length))}`,
  ]
}

const nearness = (distance: number): number => [4, 9, 20, 45, FAR - 1].findIndex((most) => distance <= most)

const betweenOf = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/["'“”‘’`]/g, '')
    .slice(0, 16)

const startsAlike = (one: string, other: string): boolean => {
  const [a = '', b = ''] = [wordsIn(one)[0], wordsIn(other)[0]]
  return a !== '' && a === b
}

/** A slip or two apart, as a word and its correction are. */
function isNear(one: string, other: string): boolean {
  if (one.length < 4 || Math.abs(one.length - other.length) > 2 || /\d/.test(one + other)) return false
  const [a, b] = [one.toLowerCase(), other.toLowerCase()]
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
  return (previous[b.length] ?? 9) <= 2 && a !== b
}

const VERBS =
  /\b(?:untick|uncheck|unmark|tick|check|mark|remove|delete|drop|strike|take out|take off|cross|scratch|enable|disable|turn on|turn off|switch on|switch off|activate|deactivate|done|finished|paid|gone|stop|start|allow|no longer|not any ?more|clear|lose|get rid|on|off|yes|no|true|false)\b/gi

const verbsIn = (clause: string): string[] => [
  ...new Set((clause.match(VERBS) ?? []).map((verb) => verb.toLowerCase())),
]

/** "Take the plumber off the list" ticks nothing. */
const onlyRemoves = (verbs: readonly string[]): boolean =>
  verbs.length > 0 && verbs.every((verb) => REMOVING.has(verb))

const REMOVING = new Set('remove|delete|drop|strike|lose|clear|take out|take off|get rid'.split('|'))

const OPPOSITE: Readonly<Record<string, string>> = {
  yes: 'no',
  no: 'yes',
  true: 'false',
  false: 'true',
  on: 'off',
  off: 'on',
  '[ ]': '[x]',
  '[x]': '[ ]',
}

function unsaidCandidate(
  line: EditLine,
  old: OldPart,
  text: string,
  verbs: readonly string[],
): EditCandidate | undefined {
  const isOpposite = OPPOSITE[old.text.toLowerCase()] === text
  if (text !== '' && ((text !== 'done' && !isOpposite) || onlyRemoves(verbs))) return undefined
  const written = text === '' ? '' : like(old.text, '', text)
  const after = (line.text.slice(0, old.start) + written + line.text.slice(old.end)).trim()
  return {
    path: line.path,
    number: line.number,
    before: line.text,
    after: old.signs.includes('old:item') && text === '' ? '' : after,
    signs: [
      ...line.signs,
      ...old.signs,
      `unsaid:${text}`,
      ...(isOpposite ? ['opposite'] : []),
      ...old.kinds.map((kind) => `unsaid:${text} ${kind}`),
      ...(verbs.length === 0
        ? [`no-verb unsaid:${text}`]
        : verbs.map((verb) => `verb:${verb} unsaid:${text}`)),
    ],
  }
}
