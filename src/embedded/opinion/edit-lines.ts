/** The lines of a project that a clause may want changed, the likeliest first, with the signs that speak for each. Pure. */
import type { ListedLine } from '../nano/format.ts'
import { fold, SECTION } from '../nano/lines.ts'
import type { PathIndex } from '../nano/paths.ts'
import { numberWords, stopWords } from '../nano/words.ts'
import { wordsIn } from './tokens.ts'

export type EditProject = {
  readonly texts: ReadonlyMap<string, string>
  readonly index: PathIndex
}

export type EditLine = ListedLine & {
  readonly signs: readonly string[]
  /** Those that say where in its file it stands. */
  readonly place: readonly string[]
  /** Of a row of a table: the head of each column, and its values in other rows. */
  readonly columns: readonly Column[]
  /** Words of the file it is in, in lower case. */
  readonly fileText: string
}

export type Column = { readonly head: string; readonly values: ReadonlySet<string> }

const MOST_LINES = 20
const LONGEST = 200

type Raw = ListedLine & {
  readonly words: ReadonlySet<string>
  readonly section?: Raw
  readonly isLast: boolean
  readonly isFirst: boolean
}

/** `recent`: paths that earlier steps were about, the latest first. */
export function editLines(
  clause: string,
  { texts, index }: EditProject,
  recent: readonly string[],
): EditLine[] {
  const ranks = index.ranks(clause)
  const order = index.match(clause).filter((path) => texts.has(path))
  const asked = tellingWords(clause)
  const files = [...texts].map(([path, text]) => ({ path, lines: linesOf(path, text) }))
  const worth = worthOf(
    asked,
    files.flatMap(({ lines }) => lines),
  )
  const scored = files.flatMap(({ path, lines }) => {
    const rank = ranks.get(path) ?? 0
    const file = { rank, at: order.indexOf(path), isRecent: recent.includes(path) }
    const sum = sumOf(asked, worth, rank >= 5 ? new Set(wordsIn(path).map(fold)) : new Set())
    return lines.map((line) => scoreOf(line, { clause, file, sum }))
  })
  const best = scored.toSorted((a, b) => b.score - a.score).slice(0, MOST_LINES)
  const top = Math.max(0, ...best.map(({ own, section }) => own + section))
  const facts = {
    top,
    isAlone: best.filter(({ own, section }) => own + section === top).length === 1,
    isSpelled: [...ranks.values()].some((rank) => rank >= 8),
    recent,
  }
  return best.map((scored) => toEditLine(scored, facts, texts))
}

type FileFacts = { readonly rank: number; readonly at: number; readonly isRecent: boolean }
type Sum = (line: Raw) => number
type Scored = {
  readonly line: Raw
  readonly file: FileFacts
  /** What its words tell, and those of the line that opens its section. */
  readonly own: number
  readonly section: number
  readonly place: readonly string[]
  readonly score: number
}

/** A word that already names the file tells less. */
const sumOf =
  (asked: ReadonlySet<string>, worth: ReadonlyMap<string, number>, names: ReadonlySet<string>): Sum =>
  ({ words }) =>
    [...asked].reduce(
      (total, word) =>
        total + (words.has(word) ? (worth.get(word) ?? 0) * (names.has(word) ? NAMED_SHARE : 1) : 0),
      0,
    )

const NAMED_SHARE = 0.4

function scoreOf(
  line: Raw,
  { clause, file, sum }: { readonly clause: string; readonly file: FileFacts; readonly sum: Sum },
): Scored {
  const own = sum(line)
  const section = line.section ? sum(line.section) : 0
  const place = placeSigns(clause, line)
  const { rank, at, isRecent } = file
  const ofFile = (RANK_WORTH[rank] ?? 0) - Math.max(0, at) + (isRecent ? 8 : 0)
  return { line, file, own, section, place, score: own + section / 2 + ofFile + 10 * place.length }
}

/** By the rank of the path. */
const RANK_WORTH = [0, 0, 0, 3, 3, 7, 10, 10, 14, 14, 14]

type Facts = {
  readonly top: number
  readonly isAlone: boolean
  /** Some path is named in full. */
  readonly isSpelled: boolean
  readonly recent: readonly string[]
}

function toEditLine(
  { line, file, own, section, place }: Scored,
  { top, isAlone, isSpelled, recent }: Facts,
  texts: EditProject['texts'],
): EditLine {
  const { path, number, text } = line
  const { rank, at, isRecent } = file
  const lately = recent[0] === path ? 'last' : 'yes'
  const whole = texts.get(path) ?? ''
  return {
    path,
    number,
    text,
    place,
    columns: columnsOf(text, whole),
    fileText: whole.toLowerCase(),
    signs: [
      `rank:${rank}`,
      `order:${at < 0 ? 'none' : Math.min(4, at)}`,
      `recent:${isRecent ? lately : recent.length > 0 ? 'other' : 'none'}`,
      ...(isSpelled && rank < 8 ? ['another-spelled'] : []),
      `own:${bucket(own)}`,
      `section:${bucket(section)}`,
      `lead:${bucket(top - own - section)}`,
      ...(isAlone && own + section === top ? ['alone-best'] : []),
      `kind:${kindOf(text)}`,
      `ending:${/\.(\w+)$/.exec(path)?.[1] ?? ''}`,
      ...place,
    ],
  }
}

/** Nothing where the file is no table. */
function columnsOf(line: string, text: string): Column[] {
  const rows = text
    .split('\n')
    .filter((row) => row.trim() !== '')
    .map((row) => row.split(SEPARATOR).map((cell) => cell.trim()))
  const [head = []] = rows
  const count = line.split(SEPARATOR).length
  if (head.length < 3 || count !== head.length) return []
  return head.map((name, at) => ({
    head: name.toLowerCase(),
    values: new Set(rows.slice(1).map((row) => (row[at] ?? '').toLowerCase())),
  }))
}

export const SEPARATOR = /[,;|\t]/

const bucket = (value: number): string =>
  value <= 0 ? '0' : value < 3 ? '1' : value < 6 ? '2' : value < 10 ? '3' : value < 16 ? '4' : '5'

function kindOf(text: string): string {
  if (/\[[ x]\]/i.test(text)) return 'box'
  if (/^(?:#+ |=+|\[[^\]]+\]$|<!--)/.test(text)) return 'heading'
  if (/^(?:#|\/\/|--|;)/.test(text)) return 'comment'
  if (/^[-*•] /.test(text)) return 'bullet'
  if (/^\d+[.)] /.test(text)) return 'item'
  if (/^[^,]*(?:,[^,]*){2,}$/.test(text)) return 'row'
  if (/[\p{L}\p{N}_]["']?\s*(?:=|:)\s*["']?\S/u.test(text)) return 'setting'
  return 'other'
}

const FIRST =
  /\b(?:first|top|opening|1st) (?:\w+ )?(?:line|row|entry|item|bullet|point|heading|sentence)\b|\b(?:title|heading|headline)\b/i
const LAST = /\b(?:last|bottom|final|closing) (?:\w+ )?(?:line|row|entry|item|bullet|point|sentence)\b/i

function placeSigns(clause: string, line: Raw): string[] {
  const numbered = [
    ...clause.matchAll(
      /\b(line|row|item|question|point|step|number|no\.?|task|rule|entry|#)\s*([a-z]+|\d{1,4})\b/gi,
    ),
  ].map(([, what = '', number = '']) => ({
    what: what.toLowerCase(),
    number: numberWords.get(number.toLowerCase()) ?? Number(number),
  }))
  const item = Number(/^(?:[-*] )?(\d+)[.):]/.exec(line.text)?.[1] ?? NaN)
  return [
    ...(line.isFirst && FIRST.test(clause) ? ['first-said'] : []),
    ...(line.isLast && LAST.test(clause) ? ['last-said'] : []),
    ...(numbered.some(({ what, number }) => ['line', 'row'].includes(what) && number === line.number)
      ? ['number-said']
      : []),
    ...(numbered.some(({ what, number }) => what !== 'line' && number === item) ? ['item-said'] : []),
  ]
}

function linesOf(path: string, text: string): Raw[] {
  let section: Raw | undefined
  const rows = text.split('\n')
  const last = rows.findLastIndex((row) => row.trim() !== '')
  const first = rows.findIndex((row) => row.trim() !== '')
  return rows.flatMap((row, at) => {
    const line = row.trim()
    if (line === '' || line.length > LONGEST) return []
    const isOpener = SECTION.test(line)
    const found: Raw = {
      path,
      number: at + 1,
      text: line,
      words: new Set(lineWords(line)),
      isFirst: at === first,
      isLast: at === last,
      ...(section && !isOpener && { section }),
    }
    if (isOpener) section = found
    return [found]
  })
}

const lineWords = (text: string): string[] => wordsIn(text.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')).map(fold)

export const tellingWords = (clause: string): Set<string> =>
  new Set(
    wordsIn(clause.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' '))
      .filter((word) => !stopWords.has(word) && !ABOUT.has(word) && (word.length > 1 || /\d/.test(word)))
      .map(fold),
  )

const ABOUT = new Set(
  (
    'line lines row rows entry entries word words text change changed replace set remove delete drop put add edit update correct fix mark tick ' +
    'kindly everywhere every first last bottom instead currently called saying says should must'
  ).split(' '),
)

function worthOf(asked: ReadonlySet<string>, lines: readonly Raw[]): Map<string, number> {
  return new Map(
    Array.from(asked, (word) => {
      const count = lines.filter(({ words }) => words.has(word)).length
      return [word, count <= 2 ? 6 : count <= 6 ? 4 : count <= 15 ? 3 : count <= 40 ? 2 : 1]
    }),
  )
}
