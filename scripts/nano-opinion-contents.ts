/**
 * What the ranking of written texts learns from: the appends and new files among the steps of the hands. Writers who spell a line as it is to
 * stand there are many, others few; so each of the first kind is also learned from as the others would say it.
 */
import { goesOnBehind, withEnd } from '../src/nano/calls/likeliest.ts'
import { typed } from '../src/nano/request/spoken.ts'
import { lookOfFile, markerIn } from '../src/nano/contents/look.ts'
import { type ContentAsk, contentCandidates } from '../src/nano/contents/ranking.ts'
import { hashOf } from '../src/nano/opinion/linear.ts'
import { framed, framedFile } from './nano-opinion-content-frames.ts'
import type { AskedStep } from './nano-opinion-hands.ts'
import type { RankingExample } from './nano-opinion-ranking.ts'

/** All that would be right, without the end of the last line. */
export const contentsOf = ({ step, also }: AskedStep): Set<string> =>
  new Set(
    [step, ...also]
      .filter((one) => typeof one['content'] === 'string')
      .map((one) => String(one['content']).trimEnd()),
  )

export function contentAsk({ clause, request, step, project }: AskedStep): ContentAsk | undefined {
  const { path, content } = step
  const action = step.do
  if ((action !== 'append' && action !== 'write') || typeof path !== 'string') return undefined
  if (typeof content !== 'string') return undefined
  const text = action === 'append' ? (project.texts.get(path) ?? '') : ''
  const whole = withEnd(clause, request)
  return { clause: typed(whole), action, path, text, goesOn: goesOnBehind(whole, request) }
}

export function contentExample(asked: AskedStep): RankingExample | undefined {
  const ask = contentAsk(asked)
  if (!ask) return undefined
  const right = contentsOf(asked)
  return contentCandidates(ask).map(({ content, signs }) => ({ signs, isRight: right.has(content) }))
}

/** The step as it was asked for, and as it might have been: without quotes, without the marker, with blanks between the cells. */
export function contentVariants(asked: AskedStep): AskedStep[] {
  const { clause, step, project } = asked
  const { path, content } = step
  if (typeof path !== 'string' || typeof content !== 'string') return [asked]
  const written = content.trimEnd()
  if (step.do === 'write') {
    const sentence = framedFile({ path, written, seed: hashOf(clause) })
    return sentence === undefined ? [asked] : [asked, { ...asked, clause: sentence }]
  }
  if (step.do !== 'append') return [asked]
  const at = clause.indexOf(written)
  const look = lookOfFile(project.texts.get(path) ?? '')
  if (at < 0 || written === '' || written.includes('\n')) return [asked]
  const marker = markerIn(written, look.lines)
  const isLike = marker !== undefined && marker.kind === look.marker.kind
  const quoted = said(clause, at, written, written)
  const unmarked = isLike ? said(clause, at, written, written.slice(marker.text.length)) : undefined
  const joint = look.table?.joint ?? ''
  const spaced =
    look.table && joint === ',' && written.split(',').length === look.table.columns.length
      ? said(clause, at, written, written.replaceAll(',', ', '))
      : undefined
  const text = project.texts.get(path)
  const seed = hashOf(clause)
  const sentences =
    text === undefined ? [] : [seed, seed >>> 7].map((one) => framed({ path, written, text, seed: one }))
  const others = [quoted, unmarked, spaced, ...sentences].filter((one) => one !== undefined && one !== clause)
  return [asked, ...[...new Set(others)].map((one) => ({ ...asked, clause: one ?? clause }))]
}

/** The clause with other words in the place of a text, and without the quotes around it. */
function said(clause: string, at: number, written: string, words: string): string {
  const end = at + written.length
  const isQuoted = /["'“`‘]$/.test(clause.slice(0, at)) && /^["'”`’]/.test(clause.slice(end))
  return isQuoted
    ? clause.slice(0, at - 1) + words + clause.slice(end + 1)
    : clause.slice(0, at) + words + clause.slice(end)
}
