/**
 * Unified diffs, as git writes them and as models misremember them: wrong counts and missing positions are repaired.
 */
import { applyPatch, parsePatch, type StructuredPatch } from 'diff'
import { doesNotFit, type PatchStep } from './step.ts'

export function readUnified(patch: string): readonly PatchStep[] {
  return parsePatch(recount(patch)).map(toStep)
}

function toStep(file: StructuredPatch): PatchStep {
  const { from, to } = namesOf(file)
  const name = to ?? from ?? ''
  return {
    from: file.isCreate ? undefined : from,
    to: file.isDelete ? undefined : to,
    apply(before) {
      // A file without a final line end fits a patch that does not mention it.
      const isOpen = before !== '' && !before.endsWith('\n') && !saysNoNewline(file)
      const after = applyPatch(isOpen ? `${before}\n` : before, file)
      if (after === false)
        throw doesNotFit(
          name,
          file.hunks.flatMap(({ lines }) => lines),
        )
      return isOpen ? after.replace(/\r?\n$/, '') : after
    },
  }
}

const saysNoNewline = ({ hunks }: StructuredPatch): boolean =>
  hunks.some(({ lines }) => lines.some((line) => line.startsWith('\\')))

/** Git puts `a/` and `b/` in front; other programs do not. */
function namesOf({ oldFileName, newFileName }: StructuredPatch): {
  readonly from: string | undefined
  readonly to: string | undefined
} {
  const old = oldFileName === '/dev/null' ? undefined : oldFileName
  const now = newFileName === '/dev/null' ? undefined : newFileName
  if (old === undefined && now === undefined) throw new Error('it names no file')
  const isPrefixed = (old?.startsWith('a/') ?? true) && (now?.startsWith('b/') ?? true)
  return isPrefixed ? { from: old?.slice(2), to: now?.slice(2) } : { from: old, to: now }
}

const HUNK = /^@@(?: -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@)?/
const FILE_HEADER =
  /^(?:diff |index |--- |\+\+\+ |Index: |={20,}|(?:old|new|deleted) |similarity |rename |copy )/

/** Gives every hunk the counts it really has. */
function recount(patch: string): string {
  const lines = patch.replace(/\n+$/, '').split('\n')
  const result: string[] = []
  for (let index = 0; index < lines.length;) {
    const line = lines[index++] ?? ''
    const header = HUNK.exec(line)
    if (!header) {
      result.push(line)
      continue
    }
    const body: string[] = []
    while (index < lines.length && !isHunkEnd(lines, index)) body.push(toHunkLine(lines[index++] ?? ''))
    result.push(
      `@@ -${header[1] ?? 1},${count(body, ' -')} +${header[2] ?? 1},${count(body, ' +')} @@`,
      ...body,
    )
  }
  return `${result.join('\n')}\n`
}

/** `--- x` inside a hunk may be a removed line `-- x`; only with `+++` after it is it a header. */
function isHunkEnd(lines: readonly string[], index: number): boolean {
  const line = lines[index] ?? ''
  if (line.startsWith('@@')) return true
  if (line.startsWith('--- ')) return lines[index + 1]?.startsWith('+++ ') ?? false
  return !line.startsWith('+++ ') && FILE_HEADER.test(line)
}

/** An empty line is an empty line of context whose blank was lost. */
const toHunkLine = (line: string): string => (/^[ +\-\\]/.test(line) ? line : ` ${line}`)

const count = (body: readonly string[], signs: string): number =>
  body.filter((line) => signs.includes(line[0] ?? '\\')).length
