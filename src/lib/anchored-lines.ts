/**
 * A quote whose context is wrong, around lines that are right: the lines to change are in the file exactly once, and lines like the others
 * are near them. Only the lines that change are replaced, so that nothing of a wrong context enters the file and no line that the
 * quote left out is lost. Pure.
 */
import { foldLine } from './match.ts'

export type AnchoredEdit = { readonly start: number; readonly end: number; readonly replacement: string }

/** Shorter lines occur in many files. */
const MIN_LENGTH = 8
/** How far the context may be from where the quote has it, in lines. */
const REACH = 4
/** The share of words two lines of context must have in common. */
const MIN_SHARED = 0.5

export function findAnchored(text: string, quote: string, replacement: string): AnchoredEdit | undefined {
  const [old, lines] = [quote.split('\n'), replacement.split('\n')]
  const change = changeOf(old, lines)
  if (!change) return undefined
  const file = text.split('\n')
  const wanted = old.slice(change.from, change.to).map(foldLine)
  const starts = file.flatMap((_, at) =>
    wanted.every((line, index) => foldLine(file[at + index] ?? '') === line) ? [at] : [],
  )
  const [at, ...more] = starts
  if (at === undefined || more.length > 0 || !hasContext(file, at, { old, change })) return undefined
  const found = file.slice(at, at + wanted.length)
  const start = file.slice(0, at).join('\n').length + (at === 0 ? 0 : 1)
  const written = found.map((line, index) => indentOf(line) + (lines[change.from + index] ?? '').trim())
  return { start, end: start + found.join('\n').length, replacement: written.join('\n') }
}

type Change = { readonly from: number; readonly to: number }

/** The one run of lines that differ, where none comes or goes and none moves to the right or left. */
function changeOf(old: readonly string[], lines: readonly string[]): Change | undefined {
  if (old.length !== lines.length || old.length < 2) return undefined
  const differing = old.flatMap((line, index) => (line === lines[index] ? [] : [index]))
  const [from, to] = [differing[0], differing.at(-1)]
  if (
    from === undefined ||
    to === undefined ||
    to - from + 1 !== differing.length ||
    differing.length === old.length
  )
    return undefined
  const isPlain = differing.every((index) => {
    const [before = '', after = ''] = [old[index], lines[index]]
    return (
      foldLine(before).length >= MIN_LENGTH && after.trim() !== '' && indentOf(before) === indentOf(after)
    )
  })
  return isPlain ? { from, to: to + 1 } : undefined
}

const indentOf = (line: string): string => line.slice(0, line.length - line.trimStart().length)

type Quoted = { readonly old: readonly string[]; readonly change: Change }

/** Of the quoted lines around the change, those that say something: one of them is near it, at least half in all. */
function hasContext(file: readonly string[], at: number, { old, change }: Quoted): boolean {
  const context = old.flatMap((line, index) =>
    (index < change.from || index >= change.to) && wordsOf(line).size > 0
      ? [{ line, at: at + index - change.from }]
      : [],
  )
  const near = context.filter(({ line, at: place }) =>
    file
      .slice(Math.max(0, place - REACH), place + REACH + 1)
      .some((other) => shared(line, other) >= MIN_SHARED),
  )
  return near.length > 0 && near.length * 2 >= context.length
}

const wordsOf = (text: string): Set<string> => new Set(text.match(/[\p{L}\p{N}_]{2,}/gu) ?? [])

function shared(one: string, other: string): number {
  const [a, b] = [wordsOf(one), wordsOf(other)]
  const both = [...a].filter((word) => b.has(word)).length
  return both / Math.max(1, a.size + b.size - both)
}
