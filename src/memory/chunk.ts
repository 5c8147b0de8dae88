/**
 * A file as the pieces that are found and cited: a function, a method, the head of a class, what lies between; windows of
 * lines where there is no grammar. The comment above a definition belongs to it. Pieces never overlap and leave out only
 * blank lines.
 */
import { shortHash } from '../lib/hash.ts'
import { type DefinitionSpan, definitionSpans } from '../lib/syntax.ts'
import { toLines } from '../lib/text.ts'

export type Chunk = {
  /** By its content: a piece that only moved keeps it. */
  readonly hash: string
  readonly kind: DefinitionSpan['kind'] | 'text'
  /** Empty where nothing is defined. */
  readonly name: string
  /** The line to cite: of a definition its first, without the comment above. */
  readonly line: number
  readonly from: number
  readonly to: number
  readonly text: string
}

const MAX_LINES = 60

export async function chunkText(path: string, text: string): Promise<readonly Chunk[]> {
  const lines = toLines(text)
  const spans = (await definitionSpans(path, text)) ?? []
  return rangesOf(ownersOf(lines, spans)).flatMap((range) => toChunks(lines, range))
}

export const chunkHash = ({ kind, name, text }: Pick<Chunk, 'kind' | 'name' | 'text'>): string =>
  shortHash(`${kind} ${name}\n${text}`)

type Range = { readonly owner: DefinitionSpan | undefined; readonly from: number; readonly to: number }

/** Whose each line is: the innermost definition around it. */
function ownersOf(
  lines: readonly string[],
  spans: readonly DefinitionSpan[],
): readonly (DefinitionSpan | undefined)[] {
  const owners: (DefinitionSpan | undefined)[] = Array.from({ length: lines.length })
  for (const span of spans) {
    const around = owners[span.from - 2]
    let from = span.from
    while (from > 1 && owners[from - 2] === around && COMMENT.test(lines[from - 2] ?? '')) from--
    owners.fill(span, from - 1, span.to)
  }
  return owners
}

const COMMENT = /^\s*(?:\/\/|\/\*|\*|#(?=[ #!]|$)|--|@\w)/

function rangesOf(owners: readonly (DefinitionSpan | undefined)[]): readonly Range[] {
  const ranges: Range[] = []
  for (const [index, owner] of owners.entries()) {
    const last = ranges.at(-1)
    const isFull = last && index + 1 - last.from >= MAX_LINES
    if (last && last.owner === owner && !isFull) ranges[ranges.length - 1] = { ...last, to: index + 1 }
    else ranges.push({ owner, from: index + 1, to: index + 1 })
  }
  return ranges
}

function toChunks(lines: readonly string[], { owner, from, to }: Range): readonly Chunk[] {
  const text = lines.slice(from - 1, to).join('\n')
  if (!/[\p{L}\p{N}]/u.test(text)) return []
  const kind = owner?.kind ?? 'text'
  const name = owner?.name ?? ''
  const first = lines.findIndex((line, index) => index >= from - 1 && line.trim() !== '') + 1
  const line = owner && owner.from >= from && owner.from <= to ? owner.from : first
  return [{ hash: chunkHash({ kind, name, text }), kind, name, line, from, to, text }]
}
