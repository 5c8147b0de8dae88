/**
 * What a command printed, cut around what failed: a first line with the counts the tool printed, each failure with name,
 * message and place, then what else there is room for, and at the end what was left out. Output that is short, or of no
 * tool that is known, is not changed here beyond the cut of its middle. The whole text stays with the caller.
 */
import { foldMiddle } from '../fold.ts'
import { cleanOutput, plural } from '../text.ts'
import { type Block, type Measure, renderBlock, renderBrief, toBlock } from './condense.ts'
import type { Count, Reading } from './reading.ts'
import { recognise, unmixed } from './recognise.ts'
import { looksLikeError } from './signs.ts'

export type Room = {
  /** The most the text may take. */
  readonly tokens: number
  countTokens(text: string): number
  /** The command failed: then lines that look like errors are worth their room. */
  readonly failed: boolean
}

/** Up to here nothing is gained by leaving something out. */
const SHORT_TOKENS = 400
/** Room for each failure, and of the whole for all of them together, where there are few. */
const FINDING_TOKENS = 55
const FINDINGS_SHARE = 0.27
const FEWEST_TOKENS = 330
/** A failure with less than this says nothing. */
const BRIEF_TOKENS = 45

export function shortenOutput(text: string, room: Room): string {
  const tokens = room.countTokens(text)
  if (tokens <= Math.min(SHORT_TOKENS, room.tokens)) return text
  const { lead, body, notes } = apart(text)
  const lines = unmixed(body)
  const reading = recognise(lines)
  if (reading && isTold(reading, lines, room)) {
    const view = viewOf(reading, lines, { ...room, tokens: room.tokens - costOf([...lead, ...notes], room) })
    const shown = within([...lead, ...view].join('\n').split('\n'), notes, room)
    if (room.countTokens(shown) < tokens) return shown
  }
  return tokens <= room.tokens ? text : cut(text, room, tokens)
}

/** Where even the most telling lines are too many, the first of them; the notes in any case. */
function within(lines: readonly string[], notes: readonly string[], room: Room): string {
  const whole = [...lines, ...notes].join('\n')
  if (room.countTokens(whole) <= room.tokens) return whole
  const shown: string[] = []
  let left = room.tokens - costOf(notes, room) - 3
  for (const line of lines) {
    left -= room.countTokens(`${line}\n`)
    if (left < 0) break
    shown.push(line)
  }
  return [...shown, '…', ...notes].join('\n')
}

type Apart = {
  readonly lead: readonly string[]
  readonly body: readonly string[]
  readonly notes: readonly string[]
}

/** Remarks of Covey's own stand in brackets before and after what the command printed. */
const NOTE = /^\[[a-z][^\]]*\]$/

function apart(text: string): Apart {
  const lines = cleanOutput(text).split('\n')
  let first = 0
  while (first < Math.min(2, lines.length) && NOTE.test(lines[first] ?? '')) first++
  let last = lines.length
  while (last > first && lines.length - last < 4 && NOTE.test(lines[last - 1] ?? '')) last--
  return { lead: lines.slice(0, first), body: lines.slice(first, last), notes: lines.slice(last) }
}

/**
 * A file that is shown may hold what a test printed once, and a search finds lines that begin with a place. Where the command
 * succeeded, a tool is believed only when most of the lines are its own and it counted, or names errors.
 */
function isTold({ findings, counts, dropped }: Reading, lines: readonly string[], { failed }: Room): boolean {
  const isFailing = findings.some(({ isMinor }) => !isMinor) || counts.some((count) => count.failed > 0)
  if (failed) return isFailing || counts.length > 0
  const filled = lines.filter((line) => line.trim() !== '').length
  const found = findings.reduce((sum, { from, to }) => sum + to - from, 0)
  const isCounted = counts.some(({ noun, total }) => noun !== 'error' && total !== undefined)
  const errors = findings.filter(({ title, from }) => /error/i.test(title ?? lines[from] ?? '')).length
  const share = (found + dropped.length) / Math.max(1, filled)
  return isCounted ? share >= 0.4 : share >= 0.6 && errors > findings.length / 2
}

function viewOf(reading: Reading, lines: readonly string[], room: Room): readonly string[] {
  const headline = headlineOf(reading, lines)
  const blocks = reading.findings.slice(0, MOST_FINDINGS).map((finding) => toBlock(finding, lines))
  const major = blocks.filter(({ finding }) => !finding.isMinor)
  const told = major.length > 0 ? major : blocks
  const free = room.tokens - room.countTokens(headline) - FOOTER_TOKENS
  const wished = Math.max(FEWEST_TOKENS, told.length * FINDING_TOKENS, room.tokens * FINDINGS_SHARE)
  const shown = renderBlocks(told, Math.min(free, wished), room.countTokens)
  const rest = restOf(reading, blocks, lines)
  const used = costOf([headline, ...shown], room)
  const minor = blocks.filter((block) => !told.includes(block))
  const others = restText(
    rest,
    { left: room.tokens - used - FOOTER_TOKENS, used, hasFindings: blocks.length > 0 },
    room,
  )
  const more = renderMinor(minor, Math.min(SHORT_TOKENS, room.tokens) - costOf(others, room) - used, room)
  const printed = [headline, ...shown, ...more, ...others].join('\n').split('\n').length
  const missing = lines.filter((line) => line.trim() !== '').length - printed
  const isTests = reading.counts.some(({ noun }) => noun === 'test')
  const passed = reading.dropped.filter((at) => (lines[at] ?? '').trim() !== '').length
  return [headline, ...shown, ...more, ...others, ...footer(missing, isTests ? passed : 0)]
}

/** More than can be shown in any window; the rest is only counted. */
const MOST_FINDINGS = 1000

/** The last line of all. */
const FOOTER_TOKENS = 25

const footer = (missing: number, passed: number): readonly string[] => {
  if (missing <= 0) return []
  const what = passed >= missing / 2 ? ', most of them about what passed' : ''
  return [`[${plural(missing, 'line')} left out${what}]`]
}

const NOUNS = { test: '', file: ' test files', package: ' packages', error: ' errors' } as const

function headlineOf({ counts, findings }: Reading, lines: readonly string[]): string {
  const isCut = lines.some((line) => /^\[… \d+ bytes left out …\]$/.test(line))
  const known = counts.filter((count) => !(isCut && count.isTally))
  const failing = known.filter(({ failed }) => failed > 0)
  const tests = failing.filter(({ noun, total }) => noun === 'test' && total !== undefined)
  const told = (tests.length > 0 ? tests : failing).map(countText)
  if (told.length > 0) return told.join(', ')
  const major = findings.filter(({ isMinor }) => !isMinor)
  const what = major.every(({ title }) => title === undefined) ? 'error' : 'failure'
  if (major.length > 0) return `${isCut ? 'at least ' : ''}${plural(major.length, what)} found in the output`
  return known.length > 0 ? passedText(known) : `${plural(findings.length, 'warning')} found in the output`
}

function countText({ noun, failed, total }: Count): string {
  if (noun === 'error') return plural(failed, 'error')
  return total === undefined ? `${failed}${NOUNS[noun]} failed` : `${failed} of ${total}${NOUNS[noun]} failed`
}

function passedText(counts: readonly Count[]): string {
  const count = counts.find(({ noun }) => noun === 'test') ?? counts[0]
  if (!count || count.noun === 'error') return 'no errors'
  const { noun, total, skipped = 0 } = count
  if (total === undefined) return 'nothing failed'
  const passed = total - skipped
  return `${passed > 1 ? 'all ' : ''}${passed}${NOUNS[noun]} passed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}

/** Every failure gets its share; one that needs less leaves it to those after it. Too many are only named. */
function renderBlocks(blocks: readonly Block[], tokens: number, measure: Measure): readonly string[] {
  const fitting = Math.max(1, Math.floor(tokens / BRIEF_TOKENS))
  const detailed = blocks.length <= fitting ? blocks : blocks.slice(0, Math.max(1, Math.floor(fitting * 0.7)))
  const named = blocks.slice(detailed.length)
  let room = named.length > 0 ? tokens * 0.75 : tokens
  const needs = detailed.map((block) => measure(renderBlock(block, Infinity, measure)))
  const share = fairShare(needs, room)
  const shown = detailed.map((block) => {
    const text = renderBlock(block, share, measure)
    const fitted = measure(text) <= Math.max(share, BRIEF_TOKENS) * 1.5 ? text : renderBrief(block)
    room -= measure(fitted)
    return fitted
  })
  return [...shown, ...namesOf(named, room + (named.length > 0 ? tokens * 0.25 : 0), measure)]
}

/** What each may take so that all together take no more than `room`. */
function fairShare(needs: readonly number[], room: number): number {
  let left = room
  for (const [index, need] of needs.toSorted((one, other) => one - other).entries()) {
    const share = left / (needs.length - index)
    if (need > share) return share
    left -= need
  }
  return Infinity
}

function namesOf(blocks: readonly Block[], tokens: number, measure: Measure): readonly string[] {
  const shown: string[] = []
  let left = tokens - 8
  for (const { title, lines } of blocks) {
    const name = title ?? lines[0]?.text ?? ''
    left -= measure(`${name}\n`)
    if (left < 0) break
    shown.push(name)
  }
  const more = blocks.length - shown.length
  return more > 0 ? [...shown, `… and ${more} more`] : shown
}

/** Warnings, and what only says that something failed: as many as there is room for. */
function renderMinor(blocks: readonly Block[], tokens: number, { countTokens }: Room): readonly string[] {
  const shown: string[] = []
  let left = tokens - FOOTER_TOKENS
  for (const block of blocks) {
    const text = renderBrief(block)
    left -= countTokens(`${text}\n`)
    if (left < 0) break
    shown.push(text)
  }
  return shown
}

/** Lines nobody claimed: what the program itself printed, or another command. */
function restOf({ dropped }: Reading, told: readonly Block[], lines: readonly string[]): readonly string[] {
  const gone = new Set(dropped)
  for (const { finding } of told) for (let at = finding.from; at < finding.to; at++) gone.add(at)
  return lines.filter((line, at) => !gone.has(at) && line.trim() !== '')
}

type RestState = { readonly left: number; readonly used: number; readonly hasFindings: boolean }

/** All of it where there is room; else its head and tail, as long as the whole stays short. */
function restText(rest: readonly string[], state: RestState, room: Room): readonly string[] {
  const { left, used, hasFindings } = state
  if (rest.length === 0) return []
  const text = rest.join('\n')
  const tokens = room.countTokens(text)
  const heading = 'Other output:'
  if (tokens + HEADING_TOKENS <= left) return [heading, text]
  const limit = Math.min(hasFindings ? SHORT_TOKENS - used : left, left) - HEADING_TOKENS - FOOTER_TOKENS
  return limit < 40 ? [] : [heading, cut(text, { ...room, tokens: limit }, tokens)]
}

const HEADING_TOKENS = 6

/** Head and tail; of a failed command also the lines between that look like errors. */
function cut(text: string, room: Room, tokens: number): string {
  const plain = folded(text, room.tokens, { tokens, measure: room.countTokens })
  const errors = room.failed ? errorsIn(text, Math.floor(room.tokens / 3), room.countTokens) : []
  const hidden = errors.filter((line) => !plain.includes(line))
  if (hidden.length === 0) return plain
  const less = folded(text, room.tokens - costOf(hidden, room) - FOOTER_TOKENS, {
    tokens,
    measure: room.countTokens,
  })
  return less.replace(LEFT_OUT, (mark) => [mark, 'Among them:', ...hidden, '[…]'].join('\n'))
}

const LEFT_OUT = /^\[… .* left out …\]$/m

/** Tokens per character differ inside a text, so the first guess is made smaller until it holds. */
function folded(
  text: string,
  limit: number,
  { tokens, measure }: { tokens: number; measure: Measure },
): string {
  let length = Math.floor((text.length / tokens) * limit)
  for (let attempt = 0; attempt < 6; attempt++) {
    const { text: shown } = foldMiddle(text, length)
    const used = measure(shown)
    if (used <= limit) return shown
    length = Math.floor(length * Math.min(0.95, limit / used))
  }
  return foldMiddle(text, Math.floor(length / 2)).text
}

function errorsIn(text: string, tokens: number, measure: Measure): readonly string[] {
  const found = new Set<string>()
  let left = tokens
  for (const line of text.split('\n')) {
    if (!looksLikeError(line)) continue
    const short = line.trim().slice(0, 240)
    if (found.has(short)) continue
    left -= measure(`${short}\n`)
    if (left < 0) break
    found.add(short)
  }
  return [...found]
}

const costOf = (texts: readonly string[], { countTokens }: Room): number =>
  texts.reduce((sum, text) => sum + countTokens(`${text}\n`), 0)
