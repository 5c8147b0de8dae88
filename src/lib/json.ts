/**
 * Reading JSON that a small model wrote. Valid text is taken as it is; slips (fences, trailing commas, single quotes,
 * bare keys, Python literals, raw newlines, missing closing brackets) are repaired; the rest is refused with a reason.
 */
import { jsonrepair } from 'jsonrepair'
import { errorMessage } from '../protocol/error.ts'

export type JsonReading =
  | { readonly ok: true; readonly value: unknown; readonly repaired: boolean }
  | { readonly ok: false; readonly reason: string }

/** Above this a repair is no longer worth its time (it is not linear); longer text that does not parse is refused. */
const MAX_REPAIR = 100_000

export type JsonOptions = { readonly closeStrings?: boolean }

/**
 * `closeStrings: false` refuses to close a string that was left open: for a tool that writes, the missing part would be
 * lost silently.
 */
export function readJson(text: string, options: JsonOptions = {}): JsonReading {
  const trimmed = text.trim()
  if (trimmed === '') return { ok: false, reason: 'empty' }
  const strict = tryParse(trimmed)
  if (strict.ok) return { ...strict, repaired: false }
  if (options.closeStrings === false && hasOpenString(trimmed)) {
    return { ok: false, reason: 'a string is never closed' }
  }
  const escaped = tryParse(escapeControls(trimmed))
  if (escaped.ok) return { ...escaped, repaired: true }
  if (trimmed.length > MAX_REPAIR) return { ok: false, reason: `not valid JSON: ${strict.reason}` }
  try {
    const value: unknown = JSON.parse(jsonrepair(trimmed))
    return { ok: true, value, repaired: true }
  } catch {
    return { ok: false, reason: `not valid JSON: ${strict.reason}` }
  }
}

function tryParse(text: string): { ok: true; value: unknown } | { ok: false; reason: string } {
  try {
    return { ok: true, value: JSON.parse(text) as unknown }
  } catch (error) {
    return { ok: false, reason: errorMessage(error) }
  }
}

const CONTROLS: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Raw newlines and tabs inside strings, the most common slip in long texts, as escapes. */
function escapeControls(text: string): string {
  const parts: string[] = []
  let from = 0
  for (let start = text.indexOf('"'); start !== -1; start = text.indexOf('"', from)) {
    const end = endOfString(text, start)
    parts.push(
      text.slice(from, start),
      text.slice(start, end + 1).replace(/[\n\r\t]/g, (char) => CONTROLS[char] ?? ''),
    )
    from = end + 1
  }
  return parts.join('') + text.slice(from)
}

/** Whether the text ends inside a double-quoted string, escapes respected. */
export function hasOpenString(text: string): boolean {
  let open = false
  for (let index = 0; index < text.length; index++) {
    if (open && text[index] === '\\') index++
    else if (text[index] === '"') open = !open
  }
  return open
}

export type JsonPart = { readonly key?: string; readonly text: string }

/** The members of an object or the elements of a list, byte for byte as they were written. `text` is valid JSON. */
export function jsonParts(text: string): JsonPart[] {
  const parts: JsonPart[] = []
  let key: string | undefined
  let from = text.search(/[{[]/) + 1
  let depth = 0
  for (let index = from; index < text.length; index++) {
    const char = text[index] ?? ''
    if (char === '"') index = endOfString(text, index)
    else if (char === '{' || char === '[') depth++
    else if (depth > 0 && (char === '}' || char === ']')) depth--
    else if (depth > 0) continue
    else if (char === ':') {
      key = JSON.parse(text.slice(from, index)) as string
      from = index + 1
    } else if (char === ',' || char === '}' || char === ']') {
      const part = text.slice(from, index).trim()
      if (part !== '') parts.push({ ...(key !== undefined && { key }), text: part })
      key = undefined
      from = index + 1
      if (char !== ',') break
    }
  }
  return parts
}

/** The index of the quote that closes the string opened at `start`. */
function endOfString(text: string, start: number): number {
  let index = start + 1
  while (index < text.length && text[index] !== '"') index += text[index] === '\\' ? 2 : 1
  return index
}

/** Keys sorted at every level, so that equal values have equal text. */
export function canonicalJson(value: unknown): string {
  return (
    JSON.stringify(value, (_key, inner: unknown) => (isObject(inner) ? sortKeys(inner) : inner)) ?? 'null'
  )
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const sortKeys = (value: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
