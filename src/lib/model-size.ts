/** How large a model is, as far as its name says, and what follows from that. Pure. */
import type { EditForm } from '../protocol/edit-form.ts'

/**
 * Billions of parameters. `qwen2.5-coder:7b` has 7; `30b-a3b`, which reads 3 of its 30 for each token, stands between.
 */
export function sizeFromName(name: string): number | undefined {
  const mixture = /(\d+(?:\.\d+)?)b-a(\d+(?:\.\d+)?)b/i.exec(name)
  if (mixture) return Math.sqrt(Number(mixture[1]) * Number(mixture[2]))
  const [, size, unit] = /(?:^|[^a-z\d.])(\d+(?:\.\d+)?)(b|m)(?![a-z\d])/i.exec(name) ?? []
  if (size === undefined || Number(size) === 0) return undefined
  return unit?.toLowerCase() === 'm' ? Number(size) / 1_000 : Number(size)
}

/** Below this a model misquotes more often than it loses a line of a short file. */
const WHOLE_BELOW = 2

/** The edit form for a model of this size; an unknown size keeps quoting. */
export const editFormFor = (billions: number | undefined): EditForm =>
  billions !== undefined && billions < WHOLE_BELOW ? 'whole' : 'search'
