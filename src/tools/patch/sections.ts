/**
 * The `*** Begin Patch` form: sections per file, chunks found by their lines instead of line numbers. A chunk must fit in
 * one place only; an `@@` line names a line above it and makes the first place below that the one.
 */
import { lineEndOf } from '../../lib/text.ts'
import { doesNotFit, type PatchStep } from './step.ts'

export function readSections(patch: string): readonly PatchStep[] {
  const body = patch.slice(patch.indexOf('*** Begin Patch')).split(/^\*\*\* End Patch/m)[0] ?? ''
  const sections = body.split(/^(?=\*\*\* (?:Add|Update|Delete) File: )/m).slice(1)
  return sections.map(toStep)
}

function toStep(section: string): PatchStep {
  const [header = '', ...rest] = section.replace(/\n$/, '').split('\n')
  const [, action = '', path = ''] = /^\*\*\* (\w+) File: (.+?)\s*$/.exec(header) ?? []
  if (action === 'Add') {
    const text = rest.map((line) => `${line.replace(/^\+/, '')}\n`).join('')
    return { from: undefined, to: path, apply: () => text }
  }
  if (action === 'Delete') return { from: path, to: undefined, apply: () => '' }
  const to = /^\*\*\* Move to: (.+?)\s*$/.exec(rest[0] ?? '')?.[1]
  const chunks = toChunks(to === undefined ? rest : rest.slice(1))
  return { from: path, to: to ?? path, apply: (before) => applyChunks(before, chunks, path) }
}

type Chunk = { readonly anchor: string; readonly lines: readonly string[] }

function toChunks(lines: readonly string[]): readonly Chunk[] {
  const chunks: { anchor: string; lines: string[] }[] = []
  for (const line of lines) {
    if (line.startsWith('*** End of File')) continue
    if (line.startsWith('@@')) chunks.push({ anchor: line.replace(/^@@\s*|\s*@@$/g, '').trim(), lines: [] })
    else if (chunks.length === 0) chunks.push({ anchor: '', lines: [line] })
    else chunks.at(-1)?.lines.push(line)
  }
  return chunks.filter((chunk) => chunk.lines.length > 0)
}

function applyChunks(before: string, chunks: readonly Chunk[], path: string): string {
  const lines = before.split('\n')
  const carriageReturn = lineEndOf(before) === '\r\n' ? '\r' : ''
  let cursor = 0
  for (const chunk of chunks) {
    const at = placeOf(chunk, lines, cursor)
    if (at === undefined) throw doesNotFit(path, chunk.lines)
    const written = replaced(chunk, lines.slice(at), carriageReturn)
    lines.splice(at, wantedLines(chunk).length, ...written)
    cursor = at + written.length
  }
  return lines.join('\n')
}

const wantedLines = ({ lines }: Chunk): readonly string[] =>
  lines.filter((line) => !line.startsWith('+')).map((line) => line.replace(/^[ -]/, ''))

function placeOf(chunk: Chunk, lines: readonly string[], cursor: number): number | undefined {
  const { anchor } = chunk
  const wanted = wantedLines(chunk)
  const anchored = anchor === '' ? -1 : lines.findIndex((line, at) => at >= cursor && line.trim() === anchor)
  if (wanted.length === 0) return anchored >= 0 ? anchored + 1 : endOf(lines)
  const start = anchored >= 0 ? anchored : cursor
  const isSame = [
    (a: string, b: string) => a === b,
    (a: string, b: string) => a.trimEnd() === b.trimEnd(),
    (a: string, b: string) => a.trim() === b.trim(),
  ].find((compare) => placesOf(wanted, lines, { start, compare }).length > 0)
  if (!isSame) return undefined
  const places = placesOf(wanted, lines, { start, compare: isSame })
  return places.length === 1 || anchored >= 0 ? places[0] : undefined
}

/** Before the empty string that stands for the final line end. */
const endOf = (lines: readonly string[]): number => (lines.at(-1) === '' ? lines.length - 1 : lines.length)

type Seek = { readonly start: number; readonly compare: (a: string, b: string) => boolean }

function placesOf(
  wanted: readonly string[],
  lines: readonly string[],
  { start, compare }: Seek,
): readonly number[] {
  const places: number[] = []
  for (let at = start; at + wanted.length <= lines.length; at++) {
    if (wanted.every((line, index) => compare(lines[at + index] ?? '', line))) places.push(at)
  }
  return places
}

/** Context comes from the file itself, so that its white space stays. */
function replaced(chunk: Chunk, found: readonly string[], carriageReturn: string): readonly string[] {
  let next = 0
  return chunk.lines.flatMap((line) => {
    if (line.startsWith('+')) return [line.slice(1) + carriageReturn]
    const kept = found[next++] ?? ''
    return line.startsWith('-') ? [] : [kept]
  })
}
