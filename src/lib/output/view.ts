/** A reading as text: the headline, each failure in its share of the room, what no tool claimed, and what was left out. */
import { plural } from '../text.ts'
import { type Block, type Measure, renderBlock, renderBrief, toBlock } from './condense.ts'
import { FOOTER_TOKENS } from '../../protocol/token-limits.ts'
import { costOf, cut, type Room } from './cut.ts'
import { headlineOf } from './headline.ts'
import type { Reading } from './reading.ts'

/** Up to here nothing is gained by leaving something out. */
export const SHORT_TOKENS = 400
/** Room for each failure, and of the whole for all of them together, where there are few. */
const FINDING_TOKENS = 55
const FINDINGS_SHARE = 0.27
const FEWEST_TOKENS = 330
/** A failure with less than this says nothing. */
const BRIEF_TOKENS = 45
/** More than can be shown in any window; the rest is only counted. */
const MOST_FINDINGS = 1000

export function viewOf(reading: Reading, lines: readonly string[], room: Room): readonly string[] {
  const { findings, dropped, counts } = reading
  const major = findings.filter(({ isMinor }) => !isMinor)
  const listed = major.length > 0 ? major : findings
  const minor = findings.filter((finding) => finding.isMinor && major.length > 0)
  const rest = restOf(reading, lines)
  const headline = headlineOf(reading, { lines, rest, failed: room.failed })
  const free = room.tokens - room.countTokens(headline) - FOOTER_TOKENS
  const wished = Math.max(FEWEST_TOKENS, listed.length * FINDING_TOKENS, room.tokens * FINDINGS_SHARE)
  const blocks = listed.slice(0, MOST_FINDINGS).map((finding) => toBlock(finding, lines))
  const shown = renderBlocks(
    blocks,
    { total: listed.length, tokens: Math.min(free, wished) },
    room.countTokens,
  )
  const used = costOf([headline, ...shown], room)
  const state = { left: room.tokens - used - FOOTER_TOKENS, used, hasFindings: findings.length > 0 }
  const others = restText(rest, state, room)
  const left = Math.min(SHORT_TOKENS, room.tokens) - costOf(others, room) - used
  const warnings = minor.slice(0, MOST_FINDINGS).map((finding) => toBlock(finding, lines))
  const view = [headline, ...shown, ...renderMinor(warnings, left, room), ...others]
  const isFilled = (at: number): boolean => (lines[at] ?? '').trim() !== ''
  const isTests = counts.some(({ noun }) => noun === 'test')
  const missing = [...lines.keys()].filter(isFilled).length - view.join('\n').split('\n').length
  return [...view, ...footer(missing, isTests ? dropped.filter(isFilled).length : 0)]
}

/** The line `footer` writes. */
export const FOOTER = /^\[about \d+ lines? left out/m

function footer(missing: number, passed: number): readonly string[] {
  if (missing <= 0) return []
  const what = passed >= missing / 2 ? ', most of them about what passed' : ''
  return [`[about ${plural(missing, 'line')} left out${what}]`]
}

/** Every failure gets its share; one that needs less leaves it to those after it. Too many are only named. */
function renderBlocks(
  blocks: readonly Block[],
  { total, tokens }: { readonly total: number; readonly tokens: number },
  measure: Measure,
): readonly string[] {
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
  const names = namesOf(named, room + (named.length > 0 ? tokens * 0.25 : 0), measure)
  const more = total - shown.length - names.length
  return [...shown, ...names, ...(more > 0 ? [`… and ${more} more`] : [])]
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
  return shown
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

/** Lines that no recogniser claimed: what the program itself printed, or another command. */
function restOf({ dropped, findings }: Reading, lines: readonly string[]): readonly string[] {
  const gone = new Set(dropped)
  for (const { from, to } of findings) for (let at = from; at < to; at++) gone.add(at)
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
