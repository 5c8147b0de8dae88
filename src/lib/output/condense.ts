/**
 * One failure in few tokens: its name, what it says, where it is, then as much of the rest as there is room for. Lines
 * stay in their order; `…` stands where some are missing.
 */
import { clip } from '../text.ts'
import { beginsTest, isForeignFrame, isPythonFrame, namesLocation } from './locations.ts'
import type { Finding } from './reading.ts'

export type Measure = (text: string) => number

const LONGEST_LINE = 240
const LONGEST_TITLE = 300

export type Block = {
  readonly finding: Finding
  readonly title: string | undefined
  readonly lines: readonly Ranked[]
}

type Ranked = { readonly at: number; readonly text: string; readonly rank: number }

/** What is worth showing of a finding, each line with how much it matters: 0 most. */
export function toBlock(finding: Finding, lines: readonly string[]): Block {
  const { from, to, title } = finding
  const texts = lines.slice(from, Math.min(to, from + LONGEST_BODY)).map((text) => text.trimEnd())
  const first = { message: true, place: true, next: false }
  const ranked = withoutForeign(texts, from)
    .map((line) => ({ ...line, rank: rankOf(line.text, first, title) }))
    .filter(({ rank }) => rank < NOISE)
  const message = first.message ? ranked.findIndex(({ text }) => !namesLocation(text)) : -1
  const least = Math.min(...ranked.map(({ text }) => text.length - text.trimStart().length))
  const indent = Number.isFinite(least) ? least : 0
  return {
    finding,
    title: title === undefined ? undefined : clip(title, LONGEST_TITLE),
    lines: lastFrameFirst(oncePerPlace(ranked)).map((line, index) => ({
      ...line,
      // What looks like no message at all: then the first line is it.
      ...(index === message && { rank: 0 }),
      text: clip(line.text.slice(indent), LONGEST_LINE),
    })),
  }
}

/** The most lines of one failure that are looked at; more would never be shown. */
const LONGEST_BODY = 2000

/** Without the frames of libraries, and without the source line that Python and Go print below a frame. */
function withoutForeign(texts: readonly string[], from: number): { at: number; text: string }[] {
  let depth = Infinity
  return texts.flatMap((text, index) => {
    const indent = text.length - text.trimStart().length
    if (indent > depth) return []
    depth = isForeignFrame(text) ? (isPythonFrame(text) ? indent : Infinity) : Infinity
    return depth === Infinity && !isForeignFrame(text) ? [{ at: from + index, text }] : []
  })
}

/** A recursive function appears in a trace once per call. */
function oncePerPlace(lines: readonly Ranked[]): readonly Ranked[] {
  const seen = new Set<string>()
  return lines.map((line) => {
    const isAgain = line.rank === 3 && seen.has(line.text)
    if (line.rank === 3) seen.add(line.text)
    return isAgain ? { ...line, rank: LAST } : line
  })
}

/** Python prints the frame that failed last. */
function lastFrameFirst(lines: readonly Ranked[]): readonly Ranked[] {
  const frames = lines.filter(({ text }) => isPythonFrame(text))
  const last = frames.at(-1)
  return last === undefined
    ? lines
    : lines.map((line) =>
        frames.includes(line) ? { ...line, rank: line === last ? 1 : Math.max(3, line.rank) } : line,
      )
}

const NOISE = 9
const LAST = 6
const SEPARATOR = /^\s*(?:E|(?:_ )+_?|[-=─⎯_*.~^|+>]{0,3}|[-=─⎯_*]{4,}|\.\.\.|---|\|)\s*$/
const METADATA =
  /^\s*(?:duration_ms: |type: '|failureType: |code: 'ERR_(?:ASSERTION|TEST_FAILURE)'|stack: \||location: undefined|generatedMessage: |at: undefined|diff: simple|note: run with `RUST_BACKTRACE|Node\.js v\d|at async Promise\.all|stack backtrace:|\d+: (?:0x\w+ - )?[\w<][\w<>:$ {}&,'-]*$)/
const MESSAGE =
  /^\s*(?:E {2,}|\w*(?:Error|Exception|Failure)\b|[\w.$]+(?:Error|Exception|Failure)\b|(?:\[?AssertionError)|error: |message: |panic: |thread '|assertion|expect\(|Expected|Message:|thrown: |error\b|fatal error|.*: (?:fatal )?error\b|→ )/i
const COMPARED =
  /^\s*(?:[+-] |>\s|E {2,}|expected\b|actual\b|received\b|got\b|want\b|left: |right: |- expected|\+ (?:actual|received)|operator: |symbol: |location: |= (?:note|help): |Caused by: |\w+: .*!=)/i

const CODE = /^\s*(?:>?\s*\d+ *\||["'[\]{}])/
/** Which sign stands for which side. */
const DIFF_HEADING = /^\s*[-+] (?:expected|received|actual|snapshot)\b|^\s*@@ /i
const LITTLE = /^(?:self = |Traceback \(most recent|\[gw\d+\] |\s*[\^~?]+\s*$|\s*\d+ \|?\s*$)/

/** What has not been seen yet of a block. */
type First = { message: boolean; place: boolean; next: boolean }

function rankOf(text: string, first: First, title = ''): number {
  if (SEPARATOR.test(text) || METADATA.test(text)) return NOISE
  if (title !== '' && text.trim() === title) return NOISE
  const isMessage = MESSAGE.test(text) && !/\|-?$/.test(text)
  const isPlace = namesLocation(text)
  // What a message goes on with: `2 !== 6` below "Expected values to be strictly equal:".
  const isHeading = DIFF_HEADING.test(text)
  const isNext = first.next && !isPlace && !isHeading && !CODE.test(text)
  first.next = false
  if (isMessage && first.message) {
    first.message = false
    first.next = true
    if (isPlace) first.place = false
    return 0
  }
  // Where the test begins says less than where it failed; both are shown. pytest writes the latter last.
  if (isPlace && (beginsTest(text) || /^\S+\.py:\d+: [A-Z]\w+$/.test(text))) return 1
  if (isPlace && first.place) {
    first.place = false
    return 1
  }
  if (isNext) return 1
  if (isHeading) return 3
  if (isMessage || COMPARED.test(text)) return 2
  return isPlace ? 3 : LITTLE.test(text) ? 5 : 4
}

/** All of a block that fits; at least its title and its most telling lines, however little room there is. */
export function renderBlock(block: Block, room: number, measure: Measure): string {
  const whole = joined(block, new Set(block.lines.map(({ at }) => at)))
  if (measure(whole) <= room) return whole
  const byRank = block.lines.toSorted((one, other) => one.rank - other.rank || one.at - other.at)
  const chosen = new Set<number>()
  let used = block.title === undefined ? 0 : measure(block.title)
  for (const { at, text, rank } of byRank) {
    const cost = measure(text) + GAP_TOKENS
    const isTooMuch = used + cost > room
    if (isTooMuch && rank > 2) break
    if (isTooMuch && rank > 1) continue
    chosen.add(at)
    used += cost
  }
  return joined(block, chosen)
}

/** What a line break, and now and then the mark of a gap, takes. */
const GAP_TOKENS = 2

/** Name, message and place on as few lines as that takes. */
export function renderBrief(block: Block): string {
  const telling = block.lines.filter(({ rank }) => rank <= 1)
  const most = telling.length > 0 ? telling : block.lines.slice(0, 1)
  return joined({ ...block, lines: most }, new Set(most.map(({ at }) => at)))
}

function joined({ title, lines }: Block, chosen: ReadonlySet<number>): string {
  const shown: string[] = title === undefined ? [] : [title]
  let isGap = false
  for (const { at, text } of lines) {
    if (chosen.has(at)) {
      if (isGap) shown.push(indented('…', title))
      shown.push(indented(text, title))
    }
    isGap = !chosen.has(at)
  }
  return shown.join('\n')
}

const indented = (text: string, title: string | undefined): string =>
  title === undefined ? text : `  ${text}`
