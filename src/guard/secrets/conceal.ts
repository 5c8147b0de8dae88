/** Replaces what was found by placeholders, and the same values wherever else they occur in the text. */
import { outsidePlaceholders } from './placeholder.ts'
import type { Finding } from './finding.ts'
import type { SecretMap } from './map.ts'

export type ConcealOptions = {
  readonly map: SecretMap
  /** The file this text is, as the map knows it. */
  readonly path?: string
  /** How many values the map knew before they were searched for in this text; absent = they were not. */
  readonly known?: number
}

/** `findings` in order, not overlapping. */
export function conceal(text: string, findings: readonly Finding[], options: ConcealOptions): string {
  if (findings.length === 0) return text
  const hidden = replace(text, findings, options)
  const { map, known } = options
  if (map.count === known) return hidden
  // `PASSWORD=…` may have told what stands bare elsewhere.
  const more = map.find(hidden)
  return more.length === 0 ? hidden : replace(hidden, outsidePlaceholders(hidden, more, map.tag), options)
}

function replace(text: string, findings: readonly Finding[], { map, path }: ConcealOptions): string {
  const written: string[] = []
  let pieces: string[] = []
  let from = 0
  for (const { start, end, kind } of findings) {
    const place = path === undefined ? undefined : { path, offset: start }
    pieces.push(text.slice(from, start), map.placeholderFor(kind, text.slice(start, end), place))
    from = end
    if (pieces.length < MAX_PIECES) continue
    // Joined while they are young: hundreds of thousands of small texts cost more to keep than to make.
    written.push(pieces.join(''))
    pieces = []
  }
  return written.join('') + pieces.join('') + text.slice(from)
}

const MAX_PIECES = 2048
