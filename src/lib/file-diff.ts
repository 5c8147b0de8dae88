/** The change of a file as a unified diff of bounded length: for a person who is asked, and for the record afterwards. */
import { structuredPatch } from 'diff'
import type { FileDiff } from '../protocol/file-diff.ts'
import type { FileChange } from '../protocol/tool.ts'

const CONTEXT = 3
const MAX_LINES = 400
const MAX_WIDTH = 500
/** Comparing two texts that share nothing takes long; beyond this only the counts are reported. */
const MAX_COMPARED = 20_000
const PATIENCE_MS = 500

/** Nothing for a file that stays as it is. */
export function toFileDiff({ path, before, after }: FileChange): FileDiff | undefined {
  if (before === after) return undefined
  const kind = before === undefined ? 'created' : after === undefined ? 'removed' : 'edited'
  const lines = hunkLines(before ?? '', after ?? '')
  const shown = lines.slice(0, MAX_LINES)
  return {
    path,
    kind,
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
    text: shown.map((line) => (line.length > MAX_WIDTH ? `${line.slice(0, MAX_WIDTH)}…` : line)).join('\n'),
    omitted: lines.length - shown.length,
  }
}

function hunkLines(before: string, after: string): readonly string[] {
  const isSmall = lineCount(before) + lineCount(after) <= MAX_COMPARED
  const patch = isSmall
    ? structuredPatch('', '', before, after, undefined, undefined, { context: CONTEXT, timeout: PATIENCE_MS })
    : undefined
  if (!patch) return [...prefixed('-', before), ...prefixed('+', after)]
  return patch.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
    ...lines.filter((line) => !line.startsWith('\\')),
  ])
}

const prefixed = (sign: string, text: string): readonly string[] =>
  text === ''
    ? []
    : text
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => sign + line)

const lineCount = (text: string): number => text.split('\n').length
