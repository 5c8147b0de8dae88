/**
 * The placeholder of a secret: `[secret:aws-key:k3f9:1]`. The tag is random for every session, so that no outsider
 * can write a placeholder that means something, and the number is the secret's in this session.
 */
import { randomInt } from 'node:crypto'

/** Letters and digits, so that it is never a word. */
export function newTag(): string {
  const tag = Array.from({ length: 4 }, () => randomInt(36).toString(36)).join('')
  return /\d/.test(tag) && /[a-z]/.test(tag) ? tag : newTag()
}

export const toPlaceholder = (tag: string, kind: string, number: number): string =>
  `[secret:${kind}:${tag}:${number}]`

/** A name as allowed in a placeholder. */
export const toKind = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40) || 'secret'

export type PlaceholderAt = {
  readonly start: number
  readonly end: number
  readonly text: string
  readonly tag: string
  readonly number: number
}

/** Of any session, in order. */
export const placeholdersIn = (text: string): readonly PlaceholderAt[] =>
  text.includes('[secret:')
    ? Array.from(text.matchAll(PLACEHOLDER), ({ 0: whole, 1: tag = '', 2: number, index }) => ({
        start: index,
        end: index + whole.length,
        text: whole,
        tag,
        number: Number(number),
      }))
    : []

const PLACEHOLDER = /\[secret:[a-z0-9-]{1,40}:([a-z0-9]{4}):(\d{1,7})\]/g

/** Places without the placeholders of this session in them: those stay, what stands around them does not. */
export function outsidePlaceholders<Place extends { readonly start: number; readonly end: number }>(
  text: string,
  places: readonly Place[],
  tag: string,
): readonly Place[] {
  const kept = placeholdersIn(text).filter((placeholder) => placeholder.tag === tag)
  if (kept.length === 0) return places
  const pieces: Place[] = []
  let next = 0
  for (const place of places) {
    let from = place.start
    while ((kept[next]?.end ?? Number.POSITIVE_INFINITY) <= from) next++
    for (; (kept[next]?.start ?? Number.POSITIVE_INFINITY) < place.end; next++) {
      pieces.push({ ...place, start: from, end: kept[next]?.start ?? from })
      from = kept[next]?.end ?? from
    }
    pieces.push({ ...place, start: from })
  }
  return pieces.filter(({ start, end }) => start < end)
}

/** Something that was one of our placeholders and is no more: written down, it would take the place of the secret. */
export function findBroken(text: string, tag: string): string | undefined {
  if (!text.toLowerCase().includes(tag)) return undefined
  const rest = text.replaceAll(PLACEHOLDER, (whole, itsTag) => (itsTag === tag ? '' : whole))
  return new RegExp(`secret.{1,60}\\b${tag}\\b`, 'i').exec(rest)?.[0]
}
