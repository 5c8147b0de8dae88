/**
 * The difference between two quoted texts, made to the lines of a file that the first one quotes. A line that both texts have
 * stays as the file has it, whatever slips the quote holds; of a line that changes, what stays the same is the file's, too. So
 * nothing enters a file but what was meant to change. Pure.
 */
import { diffArrays } from 'diff'
import { foldLine } from './match.ts'

export type Merge =
  | { readonly ok: true; readonly lines: readonly string[] }
  /** A line that is to change reads differently in the file. */
  | { readonly ok: false; readonly slip: Slip }

export type Slip = { readonly quoted: string; readonly found: string }

export type ThreeWay = {
  /** The quoted lines; those that are not blank stand for the lines of `found` that are not blank, one for one. */
  readonly old: readonly string[]
  /** What they are to become, indented for the file. */
  readonly replacement: readonly string[]
  readonly found: readonly string[]
}

export function mergeLines({ old, replacement, found }: ThreeWay): Merge {
  const file = found.filter(isSolid)
  const out = createOutput(found)
  let line = 0
  for (const step of stepsOf(old, replacement)) {
    const isQuoted = step.kind !== 'add' && isSolid(step.line)
    const real = isQuoted ? (file[line++] ?? '') : ''
    if (step.kind === 'add') out.add(step.line)
    else if (step.kind === 'keep' && isQuoted) out.keep(real, line - 1)
    else if (step.kind === 'keep') out.keepBlank(step.line)
    else if (isQuoted && foldLine(step.line) !== foldLine(real))
      return { ok: false, slip: { quoted: step.line, found: real } }
    else if (isQuoted) out.take(step.line, real)
  }
  return { ok: true, lines: out.lines() }
}

type LineStep = { readonly kind: 'keep' | 'remove' | 'add'; readonly line: string }

/** From the quoted lines to the new ones, line by line; white space and look-alike characters make no difference. */
function stepsOf(old: readonly string[], replacement: readonly string[]): readonly LineStep[] {
  let at = 0
  let next = 0
  return diffArrays(old.map(foldLine), replacement.map(foldLine)).flatMap(({ added, removed, value }) => {
    const kind = added ? 'add' : removed ? 'remove' : 'keep'
    const lines = added ? replacement.slice(next, next + value.length) : old.slice(at, at + value.length)
    if (!added) at += value.length
    if (!removed) next += value.length
    return lines.map((line): LineStep => ({ kind, line }))
  })
}

const isSolid = (line: string): boolean => line.trim() !== ''

/** Lines that are kept bring the blank lines along that the file has between them. */
function createOutput(found: readonly string[]) {
  const out: string[] = []
  const gaps = gapsOf(found)
  /** Lines that were taken out and not yet replaced: the quoted one and the file's. */
  const taken: { readonly quoted: string; readonly real: string }[] = []
  let last: { readonly index: number; readonly length: number } | undefined
  return {
    take: (quoted: string, real: string): void => void taken.push({ quoted, real }),
    add(line: string): void {
      const place = isSolid(line) ? taken.shift() : undefined
      out.push(place ? mergeLine(place.quoted, line, place.real) : line)
      if (isSolid(line)) last = undefined
    },
    keep(line: string, index: number): void {
      taken.length = 0
      if (last?.index === index - 1) {
        out.length = last.length
        out.push(...(gaps[index] ?? []))
      }
      out.push(line)
      last = { index, length: out.length }
    },
    keepBlank: (line: string): void => void out.push(line),
    lines: (): readonly string[] => out,
  }
}

/** The blank lines before each line that is not blank. */
function gapsOf(found: readonly string[]): readonly (readonly string[])[] {
  const gaps: string[][] = []
  let gap: string[] = []
  for (const line of found) {
    if (isSolid(line)) {
      gaps.push(gap)
      gap = []
    } else gap.push(line)
  }
  return gaps
}

/** One line: what quote and new text share at both ends is written as the file writes it. The indentation is the new line's. */
function mergeLine(quoted: string, line: string, real: string): string {
  const indent = /^\s*/.exec(line)?.[0] ?? ''
  const old = quoted.trim()
  const now = line.trim()
  const file = real.trim()
  const shortest = Math.min(old.length, now.length)
  let head = 0
  while (head < shortest && old[head] === now[head]) head++
  let tail = 0
  while (tail < shortest - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++
  const start = offsetBehind(file, solidCount(old.slice(0, head)), /\s$/.test(old.slice(0, head)))
  const rest = tail === 0 ? '' : old.slice(old.length - tail)
  const end = offsetBehind(file, solidCount(file) - solidCount(rest), /^\s/.test(rest) === false)
  return (
    indent + file.slice(0, start) + now.slice(head, now.length - tail) + (tail === 0 ? '' : file.slice(end))
  )
}

const solidCount = (text: string): number => text.replaceAll(/\s/g, '').length

/** Where `count` characters that are no white space have passed, and with `past` the white space behind them. */
function offsetBehind(text: string, count: number, past: boolean): number {
  let at = 0
  for (let seen = 0; at < text.length && seen < count; at++) if (isSolid(text[at] ?? '')) seen++
  return past ? at + (/^\s*/.exec(text.slice(at))?.[0].length ?? 0) : at
}
