/** What one edit changed, in as few lines as a reader needs. Several edits at once are a patch, not this. */
import { clip, toLines } from './text.ts'

export type LineChange = {
  /** First changed line, counted from 1, before and after alike. */
  readonly from: number
  readonly removed: readonly string[]
  readonly added: readonly string[]
}

/** The lines between the first and the last difference; `undefined` when only line ends or nothing changed. */
export function changedLines(before: string, after: string): LineChange | undefined {
  const old = toLines(before)
  const now = toLines(after)
  const shortest = Math.min(old.length, now.length)
  let head = 0
  while (head < shortest && old[head] === now[head]) head++
  let tail = 0
  while (tail < shortest - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++
  if (head === old.length && head === now.length) return undefined
  return {
    from: head + 1,
    removed: old.slice(head, old.length - tail),
    added: now.slice(head, now.length - tail),
  }
}

/** `-` and `+` lines, each side cut after `maxLines`. */
export function toDiffText({ removed, added }: LineChange, maxLines: number): string {
  return [...side('-', removed, maxLines), ...side('+', added, maxLines)].join('\n')
}

function side(sign: '-' | '+', lines: readonly string[], maxLines: number): readonly string[] {
  const shown = lines.slice(0, maxLines).map((line) => clip(sign + line, MAX_WIDTH))
  const rest = lines.length - shown.length
  return rest > 0 ? [...shown, `${sign}… ${rest} more`] : shown
}

const MAX_WIDTH = 160
