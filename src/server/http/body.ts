/**
 * Reads a JSON body that a stranger wrote. Depth is measured before parsing, in one pass; keys that could reach the
 * prototype of an object are dropped.
 */
import { defineProblem, ProblemError } from './errors.ts'

export function readBody(bytes: Uint8Array, maxDepth: number): unknown {
  const text = decode(bytes)
  if (text.trim() === '') return undefined
  if (isDeeper(text, maxDepth)) throw invalid(`JSON deeper than ${maxDepth} levels`)
  try {
    return withoutPoison(JSON.parse(text))
  } catch {
    throw invalid('the body is not valid JSON')
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw invalid('the body is not UTF-8')
  }
}

const invalid = (why: string) =>
  new ProblemError(defineProblem(400, 'invalid_json', `The request is refused: ${why}.`))

/** Also right for text that is no JSON: what counts is what a parser would have to keep on its stack. */
function isDeeper(text: string, maxDepth: number): boolean {
  let depth = 0
  let isString = false
  for (let index = 0; index < text.length; index++) {
    const char = text.charCodeAt(index)
    if (isString) {
      if (char === BACKSLASH) index++
      else if (char === QUOTE) isString = false
    } else if (char === QUOTE) isString = true
    else if (char === BRACE || char === BRACKET) depth++
    else if (char === BRACE_END || char === BRACKET_END) depth--
    if (depth > maxDepth) return true
  }
  return false
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const BRACE = 0x7b
const BRACE_END = 0x7d
const BRACKET = 0x5b
const BRACKET_END = 0x5d

/** Bounded by the depth that was checked before. A key `constructor` is fine unless it brings a prototype. */
function withoutPoison(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  for (const inner of Object.values(value)) withoutPoison(inner)
  if (Object.hasOwn(value, '__proto__')) delete (value as Record<string, unknown>)['__proto__']
  if (Object.hasOwn(value, 'constructor') && bringsPrototype(value.constructor)) {
    delete (value as Record<string, unknown>)['constructor']
  }
  return value
}

const bringsPrototype = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype')
