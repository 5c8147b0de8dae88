/** The lines of a project that a clause may want changed, the likeliest first, with the signs that speak for each. Pure. */
import type { ListedLine } from '../weights/format.ts'
import { fold } from '../project/lines.ts'
import { fitOf, saidIn } from '../paths/fit.ts'
import type { PathIndex } from '../paths/named.ts'
import { stopWords } from '../request/words.ts'
import { latestYear, placesIn } from './place.ts'
import { type Column, columnsFor, tableOf } from './table.ts'
import { type FileLine, kindOf, linesOf } from './file-line.ts'
import { type ClauseFacts, type FileFacts, lineSigns, type ScoredLine } from './line-signs.ts'
import { wordsIn } from '../opinion/tokens.ts'

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
  readonly lower: string
  /** Whether the file it is in has a text, in lower case. */
  readonly fileHas: (text: string) => boolean
}

const MOST_LINES = 20

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
  const placesOf = placesIn(clause)
  const said = saidIn(clause)
  const isSwitch = SWITCHES.test(clause)
  const scored = files.flatMap(({ path, lines }) => {
    const rank = ranks.get(path) ?? 0
    const names = new Set(wordsIn(path).map(fold))
    const file: FileFacts = {
      rank,
      at: order.indexOf(path),
      folder: folderRank(path, ranks),
      fit: fitOf(path, said).total,
      isRecent: recent.includes(path),
      told: toldBy(asked, worth, [names, ...lines.map(({ words }) => words)]),
    }
    const sum = sumOf(asked, worth, rank >= 5 ? names : new Set())
    return lines.map((line) => scoreOf(line, { place: placesOf(line), file, sum, isSwitch }))
  })
  const best = scored.toSorted((a, b) => b.score - a.score).slice(0, MOST_LINES)
  const top = Math.max(0, ...best.map(({ own, section }) => own + section))
  const facts: ClauseFacts = {
    clause,
    asked,
    top,
    isAlone: best.filter(({ own, section }) => own + section === top).length === 1,
    isSpelled: [...ranks.values()].some((rank) => rank >= 8),
    told: Math.max(0, ...best.map(({ file }) => file.told)),
    latest: latestYear(texts.keys()),
    recent,
  }
  return withFiles(best, texts).map(({ scored, ...line }) => ({
    ...line,
    signs: lineSigns(scored, facts, best),
  }))
}

type Placed = Omit<EditLine, 'signs'> & { readonly scored: ScoredLine }

/** With what the rest of its file tells. */
function withFiles(best: readonly ScoredLine[], texts: EditProject['texts']): Placed[] {
  const paths = [...new Set(best.map(({ line }) => line.path))]
  const tables = new Map(paths.map((path) => [path, tableOf(texts.get(path) ?? '')]))
  const holders = new Map(paths.map((path) => [path, holderOf(texts.get(path) ?? '')]))
  return best.map((scored) => {
    const { path, number, text } = scored.line
    return {
      scored,
      path,
      number,
      text,
      place: scored.place,
      columns: columnsFor(text, tables.get(path)),
      lower: text.toLowerCase(),
      fileHas: holders.get(path) ?? (() => false),
    }
  })
}

/** Each text is looked for once. */
function holderOf(text: string): (part: string) => boolean {
  const lower = text.toLowerCase()
  const known = new Map<string, boolean>()
  return (part) => {
    const has = known.get(part) ?? lower.includes(part)
    known.set(part, has)
    return has
  }
}

function folderRank(path: string, ranks: ReadonlyMap<string, number>): number {
  const folders = path.split('/').slice(0, -1)
  return Math.max(0, ...folders.map((_, at) => ranks.get(`${folders.slice(0, at + 1).join('/')}/`) ?? 0))
}

const toldBy = (
  asked: ReadonlySet<string>,
  worth: ReadonlyMap<string, number>,
  sets: readonly ReadonlySet<string>[],
): number =>
  [...asked].reduce(
    (sum, word) => sum + (sets.some((words) => words.has(word)) ? (worth.get(word) ?? 0) : 0),
    0,
  )

/** A word that already names the file tells less. */
const sumOf =
  (asked: ReadonlySet<string>, worth: ReadonlyMap<string, number>, names: ReadonlySet<string>): Sum =>
  ({ words }) => {
    let total = 0
    for (const word of asked)
      if (words.has(word)) total += (worth.get(word) ?? 0) * (names.has(word) ? NAMED_SHARE : 1)
    return total
  }

type Sum = (line: FileLine) => number

const NAMED_SHARE = 0.4

type Place = {
  readonly place: readonly string[]
  readonly file: FileFacts
  readonly sum: Sum
  readonly isSwitch: boolean
}

/** "Turn on the radar": then a setting that is on or off may be meant, in a file that speaks of it. */
const SWITCHES = /\b(?:on|off|enabled?|disabled?|activate|deactivate)\b/i
const SWITCH = /[:=]\s*["']?(?:true|false|on|off|yes|no|enabled|disabled)["']?[,;]?$/i

function scoreOf(line: FileLine, { place, file, sum, isSwitch }: Place): ScoredLine {
  const own = sum(line)
  const section = line.section ? sum(line.section) : 0
  const above = line.above ? sum(line.above) : 0
  const { rank, at, folder, isRecent, fit, told: inFile } = file
  const named = Math.max(RANK_WORTH[rank] ?? 0, Math.min(MOST_FOR_FIT, FIT_WORTH * fit))
  const ofFile = named - Math.max(0, at) + (isRecent ? 8 : 0) + (folder >= 5 ? FOLDER_WORTH : 0)
  const switched = isSwitch && inFile > 0 && SWITCH.test(line.text) ? SWITCH_WORTH + inFile / 2 : 0
  const told = own + section / 2 + above / 4 + 10 * place.length
  const score = told + ofFile + switched + (told > 0 ? (KIND_WORTH[kindOf(line.text)] ?? 0) : 0)
  return { line, file, own, section, above, place, score }
}

/** By the rank of the path. */
const RANK_WORTH = [0, 0, 0, 3, 3, 7, 10, 10, 14, 14, 14]
const FOLDER_WORTH = 2
/** Of words of its name that are said, however it is called in full. */
const FIT_WORTH = 4
const MOST_FOR_FIT = 7
const SWITCH_WORTH = 3
const KIND_WORTH: Readonly<Record<string, number>> = { setting: 2, box: 2, row: 1, heading: -2, comment: -2 }

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

function worthOf(asked: ReadonlySet<string>, lines: readonly FileLine[]): Map<string, number> {
  return new Map(
    Array.from(asked, (word) => {
      const count = lines.filter(({ words }) => words.has(word)).length
      return [word, count <= 2 ? 6 : count <= 6 ? 4 : count <= 15 ? 3 : count <= 40 ? 2 : 1]
    }),
  )
}
