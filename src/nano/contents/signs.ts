/** What speaks for a text to be written: the words around it, its own shape, and whether it is like the lines of the file. Pure. */
import { partsOf } from '../paths/fit.ts'
import { stopWords } from '../request/words.ts'
import type { ContentForm } from './forms.ts'
import { cellsIn, type FileLook, markerKind, type RowTable } from './look.ts'
import { TURN } from './spans.ts'
import { shapeOf } from '../opinion/shape.ts'
import { wordsIn } from '../opinion/tokens.ts'

export type ContentPlace = {
  readonly clause: string
  readonly action: 'append' | 'write'
  readonly path: string
  readonly look: FileLook
  readonly goesOn: boolean
  /** Words that name the file. */
  readonly named: ReadonlySet<string>
  readonly hasQuote: boolean
  readonly hasColon: boolean
}

export function placeOf(
  ask: Pick<ContentPlace, 'clause' | 'action' | 'path' | 'look' | 'goesOn'>,
): ContentPlace {
  const { name, folders, type } = partsOf(ask.path)
  return {
    ...ask,
    named: new Set([...name, ...folders, type].filter((word) => word.length > 1)),
    hasQuote: /["“`]|(?<!\p{L})'/u.test(ask.clause),
    hasColon: /[\p{L}\p{N}"]:\s+\S/u.test(ask.clause),
  }
}

export const contentSigns = (one: ContentForm, place: ContentPlace): string[] => [
  ...aroundSigns(one, place),
  ...ownSigns(one, place),
  ...restSigns(one, place),
  ...lookSigns(one, place),
  ...(place.look.table ? tableSigns(one, place.look.table) : []),
]

const bucket = (value: number, edges: readonly number[]): number =>
  edges.filter((edge) => value >= edge).length

const bare = (word = ''): string =>
  word
    .toLowerCase()
    .replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')
    .slice(0, 12)

/** A word as it is where it may lead to a text, else what it looks like. */
const wordSign = (word: string | undefined, { named }: ContentPlace): string => {
  if (word === undefined) return '^'
  const plain = bare(word)
  if (plain === '') return word.slice(0, 3)
  if (named.has(plain) || named.has(plain.replace(/s$/, ''))) return '<name>'
  if (/[./]\w/.test(word)) return '<file>'
  return /\d/.test(plain) ? '<number>' : plain
}

function aroundSigns({ span: { start, end, kind }, form, text }: ContentForm, place: ContentPlace): string[] {
  const { clause, hasQuote, hasColon, action } = place
  const before = clause.slice(0, start).trim().split(/\s+/).filter(Boolean)
  const after = clause.slice(end).trim().split(/\s+/).filter(Boolean)
  const open = /([\p{L}\p{N}]?)(["'“‘`(:,;.!?-]|->)?\s*["'“‘`(]?$/u.exec(clause.slice(0, start))
  const mark = /[:,;.!?\n–—-]\s*["'“‘`(]*$/.exec(clause.slice(0, start))?.[0][0] ?? ''
  const stop = /^["'”’`)]*([.,;:!?])/.exec(clause.slice(end))?.[1] ?? ''
  const isQuoted = /["“`'‘]$/.test(clause.slice(0, start)) && /^["”`'’]/.test(clause.slice(end))
  const [one, two] = [wordSign(before.at(-1), place), wordSign(before.at(-2), place)]
  const [next, further] = [
    after[0] === undefined ? '$' : wordSign(after[0], place),
    after[1] === undefined ? '$' : wordSign(after[1], place),
  ]
  const quoted = isQuoted ? 'yes' : hasQuote ? 'other' : 'none'
  return [
    `b:${mark}${one}`,
    `bb:${two} ${mark}${one}`,
    `a:${stop}${next}`,
    `aa:${stop}${next} ${further}`,
    `ba:${mark}${one}|${stop}${next}`,
    `mark:${mark}|${stop}`,
    `mark-form:${mark} ${form} ${action}`,
    `quoted:${quoted} ${kind}`,
    `quoted-form:${quoted} ${form}`,
    `colon:${hasColon} ${mark === ':'} ${quoted}`,
    `colon-first:${mark === ':' && !/:\s/.test(clause.slice(0, Math.max(0, start - 2)))}`,
    `tight:${open?.[1] !== '' && open?.[2] === undefined && start > 0 && !/\s$/.test(clause.slice(0, start))}`,
    `cut:${/[\p{L}\p{N}]$/u.test(clause.slice(0, start))} ${/^[\p{L}\p{N}]/u.test(clause.slice(end))}`,
    `stop-end:${stop} ${/^["'”’`).,;:!?\s]*$/.test(clause.slice(end))}`,
    `goes-on:${place.goesOn} ${text.endsWith('.')} ${/^\W*$/.test(clause.slice(end))}`,
    `from-start:${Math.min(5, before.length)}`,
  ]
}

const JOINTS = /\b(?:to|in|into|onto|at|on|under|as)\s+(?:the|my|our|a|its|his|her|your|that)\b/i
const PLACES =
  /\b(?:at|on|to) the (?:very )?(?:end|bottom)\b|\b(?:as|at) (?:the |a |its )?last\b|\bnew (?:line|row|entry)\b|\bplease\b|\bpls\b/i

function ownSigns({ span, text, form }: ContentForm, place: ContentPlace): string[] {
  const said = span.text
  const words = said.split(/\s+/)
  const named = wordsIn(said).filter((word) => place.named.has(word)).length
  const isQuoted = span.kind === 'quote' || span.kind === 'quotes'
  const plain = isQuoted ? 'quote' : form === 'row' ? 'row' : 'plain'
  const lines = text.split('\n').length
  return [
    `form:${form} ${span.kind}`,
    `kind:${span.kind} ${place.action}`,
    `words:${bucket(words.length, [2, 3, 4, 6, 9, 14])} ${plain}`,
    `first:${wordSign(words[0], place)} ${plain}`,
    `last:${wordSign(words.at(-1), place)} ${plain}`,
    `shape:${shapeOf(said)}`,
    `named:${Math.min(2, named)} ${plain}`,
    `joint:${JOINTS.test(said)} ${plain}`,
    `place:${PLACES.test(said)} ${plain}`,
    `file:${/(?<!\w)[\w-]+\.(?:md|txt|csv|json|ya?ml|py|toml|ini|conf|log|sh|ts|js)\b/.test(said)} ${plain}`,
    `path:${said.includes(place.path) || said.includes(place.path.slice(place.path.lastIndexOf('/') + 1))}`,
    `inner-stop:${/[\p{L}\p{N}][.!?;]\s/u.test(said)} ${plain}`,
    `inner-colon:${/:\s/.test(said)} ${plain}`,
    `inner-comma:${Math.min(2, said.split(', ').length - 1)} ${plain} ${place.look.table !== undefined}`,
    `edges:${/^[^\p{L}\p{N}\s]+/u.exec(text)?.[0].slice(0, 3) ?? ''} ${/[^\p{L}\p{N}\s]+$/u.exec(text)?.[0].slice(0, 2) ?? ''}`,
    `lines:${Math.min(5, lines)} ${LINES.exec(place.clause)?.[0].toLowerCase() ?? ''}`,
    `lines-kind:${lines > 1} ${span.kind} ${/\b(?:lines|rows|each|per line|one per)\b/i.test(place.clause)}`,
    `count:${countSaid(place.clause, lines)}`,
    `inner-turn:${said.search(TURN) > 0} ${span.kind}`,
    `list-cut:${/(?:,|\band|&)\s*$/.test(place.clause.slice(0, span.start))} ${/^(?:,\s|\s(?:and|&)\s)/.test(place.clause.slice(span.end))} ${span.kind}`,
    `holds-quote:${/["“`]/.test(said)} ${plain}`,
    `half:${isHalf(text)}`,
    ...(form === 'said' ? [] : [`made:${form} ${place.action}`]),
  ]
}

/** A bracket without its other one, in any of its lines. */
const isHalf = (text: string): boolean =>
  text
    .split('\n')
    .some((line) =>
      ['()', '[]', '{}'].some(
        ([open = '', close = '']) => line.split(open).length !== line.split(close).length,
      ),
    )

const LINES =
  /\b(?:lines|rows|items|entries|bullets|one per line|each|first line|header|heading|under (?:it|that))\b/i
const COUNTS = ['', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight']

/** "Two lines" are two. */
function countSaid(clause: string, lines: number): string {
  const [, said] =
    /\b(one|two|three|four|five|six|seven|eight|[2-8])\s+(?:\p{L}+\s+)?(?:lines?|rows?|entries|items|bullets|things|points)\b/iu.exec(
      clause,
    ) ?? []
  if (said === undefined) return 'unsaid'
  const count = Number(said) || COUNTS.indexOf(said.toLowerCase())
  return count === lines ? 'same' : lines === 1 ? 'one' : 'other'
}

/** Words that only lead to a text, or say where it goes. */
const FILLER = new Set(
  (
    'add append put write stick jot note line row entry item list end bottom last new please pls create make start file saying says say ' +
    'with containing contains just only nothing below beneath drop bung pop chuck get gets needs wants text following one also'
  ).split(' '),
)

/** How much is said besides it. */
function restSigns({ span: { start, end }, form, ways, text }: ContentForm, place: ContentPlace): string[] {
  const { clause, named } = place
  const telling = (part: string): number =>
    wordsIn(part).filter(
      (word) => !stopWords.has(word) && !FILLER.has(word) && !named.has(word) && word.length > 1,
    ).length
  const [left, right] = [telling(clause.slice(0, start)), telling(clause.slice(end))]
  const used = new Set(wordsIn(text))
  const unused =
    form === 'row'
      ? wordsIn(clause.slice(start, end)).filter((word) => !used.has(word) && !stopWords.has(word)).length
      : 0
  const isNamed = (part: string): boolean => wordsIn(part).some((word) => named.has(word))
  return [
    `left:${bucket(left, [1, 2, 3, 5])}`,
    `right:${bucket(right, [1, 2, 3, 5])}`,
    `rest:${bucket(left, [1, 2, 4])} ${bucket(right, [1, 2, 4])} ${form === 'row'}`,
    `named-left:${isNamed(clause.slice(0, start))} ${isNamed(clause.slice(end))} ${isNamed(clause.slice(start, end))}`,
    `unused:${Math.min(4, unused)} ${form === 'row'}`,
    `verb-left:${/\b(?:add|append|put|write|note|stick|jot|drop|pop|bung|log|record|chuck|create|make|start)\b/i.test(clause.slice(0, start))}`,
    `ways:${[...new Set(ways)].toSorted().join(' ')}`,
    ...ways.map((way) => `way:${way}`),
  ]
}

/** Whether it is like what is there. */
function lookSigns(
  { text, form, span }: ContentForm,
  { look, action, path, clause }: ContentPlace,
): string[] {
  const ending = /\.\w+$/.exec(path)?.[0] ?? path.slice(path.lastIndexOf('/') + 1)
  if (action === 'write')
    return [
      `new:${ending} ${markerKind(text)}`,
      `new-shape:${ending} ${shapeOf(text)}`,
      `new-stop:${text.endsWith('.')} ${/^\W*$/.test(clause.slice(span.end))}`,
    ]
  const first = text.split('\n')[0] ?? ''
  const body = bodyOf(first, look)
  const last = bodyOf(look.last, look)
  const own = markerKind(first)
  const average = body.split(/\s+/).length / Math.max(1, look.words)
  return [
    `marker:${own} ${look.marker.kind} ${first.startsWith(look.marker.text)}`,
    `marker-form:${own === look.marker.kind} ${form} ${look.marker.kind}`,
    `begins:${look.marker.text !== '' && first.startsWith(look.marker.text)} ${look.marker.kind}`,
    `capital:${/^\p{Lu}/u.test(body)} ${look.capitals}`,
    `stop:${text.endsWith('.')} ${look.stops}`,
    `stop-rest:${text.endsWith('.')} ${look.stops} ${/^\W*$/.test(clause.slice(span.end))}`,
    `pair:${look.pair ?? 'none'} ${look.pair === undefined ? false : body.includes(look.pair)}`,
    `pair-form:${look.pair === undefined ? false : body.includes(look.pair)} ${form}`,
    `first-shape:${shapeOf(firstWord(body))} ${shapeOf(firstWord(last))}`,
    `first-same:${shapeOf(firstWord(body)) === shapeOf(firstWord(last))}`,
    `last-same:${shapeOf(lastWord(body)) === shapeOf(lastWord(last))} ${shapeOf(lastWord(last))}`,
    `length:${bucket(average, [0.3, 0.6, 1.6, 3])}`,
    `table:${look.table !== undefined} ${form}`,
    `ending:${ending} ${form}`,
    `there:${look.lines.some((line) => line.trim() === text.trim())}`,
  ]
}

const bodyOf = (line: string, { marker }: FileLook): string => {
  const rest =
    marker.kind === 'none' ? line : line.replace(/^\s*(?:[-*+•–]\s+)?(?:\[[ xX]\]\s+|\d+[.):]\s+)?/, '')
  return rest.trim()
}
const firstWord = (text: string): string => /^\S+/.exec(text)?.[0].replace(/[,;:]$/, '') ?? ''
const lastWord = (text: string): string => /\S+$/.exec(text)?.[0].replace(/[.,;:]$/, '') ?? ''

/** Column by column. */
function tableSigns({ text, form }: ContentForm, { separator, columns, joint, open }: RowTable): string[] {
  const rows = text.split('\n')
  const cells = cellsIn(rows[0] ?? '', separator)
  const isFull = cells.length === columns.length
  if (!isFull) return [`columns:${Math.sign(cells.length - columns.length)} ${form}`]
  const fits = columns.map((column, at) => fitOf(cells[at] ?? '', column))
  const count = (kind: string): number => fits.filter((fit) => fit === kind).length
  return [
    `columns:0 ${form}`,
    `joint:${text.split(joint).length >= columns.length} ${form}`,
    `open:${text.startsWith(open)} ${open}`,
    ...fits.map((fit, at) => `fit:${columns[at]?.isClosed ? 'closed' : (columns[at]?.shape ?? '')} ${fit}`),
    `fits:${count('other')} ${form}`,
    `known:${Math.min(3, count('known'))} ${form}`,
    `key:${fits[0] ?? ''}`,
    `empty:${count('empty')} ${form}`,
    `long:${Math.max(...cells.map((cell) => Math.min(6, cell.split(/\s+/).length)))} ${form}`,
    `head:${cells.every((cell, at) => cell.toLowerCase() === columns[at]?.head)}`,
    `lead:${FILLER.has(bare(cells[0]?.split(/\s+/)[0]))} ${form}`,
    `cell-fill:${cells.filter((cell) => cell.split(/\s+/).some((word) => stopWords.has(bare(word)))).length} ${form}`,
    `wordy:${cells.filter((cell, at) => cell.split(/\s+/).length > (columns[at]?.words ?? 9) + 1).length}`,
    `cell-head:${
      cells.filter((cell, at) =>
        cell
          .toLowerCase()
          .split(/\s+/)
          .some((word) => word !== cell.toLowerCase() && word === columns[at]?.head),
      ).length
    }`,
  ]
}

function fitOf(cell: string, { shape, values, isClosed }: RowTable['columns'][number]): string {
  if (cell === '') return values.has('') ? 'blank' : 'empty'
  if (values.has(cell.toLowerCase())) return 'known'
  if (shapeOf(cell) === shape) return isClosed ? 'shape-new' : 'shape'
  const isText = (one: string): boolean => ['word', 'words', 'name'].includes(one)
  return isText(shape) && isText(shapeOf(cell)) ? 'text' : 'other'
}
