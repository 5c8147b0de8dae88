/** A change of a file as a person reads it: name, counts, coloured lines with their numbers. */
import type { FileDiff } from '../protocol/file-diff.ts'
import { bold, cyan, dim, green, red } from './theme.ts'
import { clean, fit, fold, oneLine, wrap } from './text.ts'

export const MAX_DIFF_LINES = 20

export function drawDiff(diff: FileDiff, width: number, most = MAX_DIFF_LINES): readonly string[] {
  const { path, kind, added, removed, text, omitted } = diff
  const counts = [added > 0 ? green(`+${added}`) : '', removed > 0 ? red(`-${removed}`) : ''].filter(Boolean)
  const head = `${kind === 'created' ? 'new file ' : kind === 'removed' ? 'removes ' : ''}${bold(oneLine(path))} ${counts.join(' ')}`
  // Wrapped, not cut: in a narrow terminal both sides of a change would look the same.
  const lines =
    text === '' ? [] : text.split('\n').flatMap((line) => wrap(clean(line), width).map(colour(line)))
  const shown = fold(lines, most, (rest) => dim(`… ${rest + omitted} more lines`))
  const more = omitted > 0 && lines.length <= most ? [dim(`… ${omitted} more lines`)] : []
  return [head, ...shown, ...more].map((line) => fit(line, width))
}

function colour(line: string): (text: string) => string {
  if (line.startsWith('@@')) return cyan
  if (line.startsWith('+')) return green
  return line.startsWith('-') ? red : dim
}
