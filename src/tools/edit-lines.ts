/** A change of whole lines, named by number and content as read_file shows them. Pure. */
import { z } from 'zod'
import { elisionsIn } from '../lib/elision.ts'
import { hashedLine, type LineName, lineHash, readLineName, withoutLineNames } from '../lib/line-hash.ts'
import { clip, lineEndOf, plural, toLines } from '../lib/text.ts'

export const linesInput = z.object({
  path: z.string(),
  from: z.string(),
  to: z.string().optional(),
  new: z.string(),
})

export type LinesCall = z.infer<typeof linesInput>

export type EditedLines =
  | { readonly ok: true; readonly text: string; readonly from: number; readonly added: number }
  | { readonly ok: false; readonly code: 'bad-arguments' | 'no-match'; readonly why: string }

export function editLines(before: string, call: LinesCall): EditedLines {
  const lines = toLines(before)
  const first = readLineName(call.from)
  const last = call.to === undefined || call.to.trim() === '' ? first : readLineName(call.to)
  if (!first || !last) return refuse(UNNAMED)
  if (last.number < first.number) return refuse(`from (${call.from}) is after to (${call.to}).`)
  const stale = [first, last].find((name) => !isThere(lines, name))
  if (stale) return { ok: false, code: 'no-match', why: movedOn(call.path, lines, stale) }
  const replacement = withoutLineNames(call.new)
  const [mark] = elisionsIn(replacement, before)
  if (mark !== undefined) return refuse(leftOut(mark))
  const added = replacement === '' ? [] : replacement.replace(/\r?\n$/, '').split(/\r?\n/)
  const changed = [...lines.slice(0, first.number - 1), ...added, ...lines.slice(last.number)]
  return { ok: true, text: joined(changed, before), from: first.number, added: added.length }
}

const refuse = (why: string): EditedLines => ({ ok: false, code: 'bad-arguments', why })

const UNNAMED =
  'from and to name lines as read_file shows them, with both letters, such as 12ab. Read the lines again and copy their names.'

const leftOut = (mark: string): string =>
  `Nothing was changed: new holds ${JSON.stringify(clip(mark.trim(), 60))} in place of text. Write out every line.`

const isThere = (lines: readonly string[], { number, hash }: LineName): boolean => {
  const line = lines[number - 1]
  return line !== undefined && lineHash(line) === hash
}

const joined = (lines: readonly string[], before: string): string => {
  const end = lineEndOf(before)
  const bom = before.startsWith('\uFEFF') ? '\uFEFF' : ''
  const last = lines.length > 0 && (before.endsWith('\n') || before === '') ? end : ''
  return bom + lines.join(end) + last
}

const AROUND = 4
const MAX_WIDTH = 200

function movedOn(path: string, lines: readonly string[], { number, hash }: LineName): string {
  const name = `${number}${hash}`
  if (number < 1 || number > lines.length)
    return `Nothing was changed: ${path} has ${plural(lines.length, 'line')}, so there is no ${name}.`
  return [
    `Nothing was changed: ${path} does not read like ${name} there any more. It has now:`,
    ...namedLines(lines, number - AROUND, number + AROUND),
  ].join('\n')
}

/** Lines with their names, for the next change. */
export const namedLines = (lines: readonly string[], from: number, to: number): readonly string[] =>
  lines
    .slice(Math.max(0, from - 1), to)
    .map((line, index) => clip(hashedLine(line, Math.max(1, from) + index), MAX_WIDTH))
