/** Private keys as blocks of lines, whole or cut off, also with line numbers in front or as one escaped line. */
import type { Finder, Finding } from './finding.ts'
import { letters, walkOn } from './letters.ts'

/** `-----BEGIN ` */
export const ENCODED_START = 'LS0tLS1CRUdJTi'

export const privateKeyFinder: Finder = {
  anchor: '-----BEGIN',
  find(text, at) {
    HEADER.lastIndex = at
    if (!HEADER.test(text)) return undefined
    return bodyOf(text, at, HEADER.lastIndex)
  },
}

/** The same as one long word in base64, as clusters and pipelines keep them. */
export const encodedBlockFinder: Finder = {
  anchor: ENCODED_START,
  find(text, at) {
    HEADER.lastIndex = 0
    if (!HEADER.test(Buffer.from(text.slice(at, at + 88), 'base64').toString('latin1'))) return undefined
    return { start: at, end: walkOn(text, at, BASE64, MAX_BLOCK), kind: 'private-key' }
  },
}

const HEADER = /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/y
const FOOTER = /-----END [A-Z0-9 ]{0,60}-----/y

const BASE64 = letters('A-Za-z0-9+/=')
/** What else a block contains: white space, escapes, quotes, headers such as `DEK-Info:`, line numbers. */
const AROUND = letters('\\s\\\\"\':,.|>_*-')
const MAX_BLOCK = 32_768
/** A line of a key; names and prose have no such run. */
const MIN_RUN = 32

function bodyOf(text: string, start: number, from: number): Finding | undefined {
  const limit = Math.min(text.length, from + MAX_BLOCK)
  let run = 0
  let lastLine = 0
  let at = from
  for (; at < limit; at++) {
    const code = text.charCodeAt(at)
    run = BASE64[code] === 1 ? run + 1 : 0
    if (run >= MIN_RUN) lastLine = at + 1
    if (run === 0 && AROUND[code] !== 1) break
    if (run === 0 && text.startsWith('-----', at)) break
  }
  if (lastLine === 0) return undefined
  FOOTER.lastIndex = at
  return { start, end: FOOTER.test(text) ? FOOTER.lastIndex : lastLine, kind: 'private-key' }
}
