/**
 * Text in pieces, cleaned so that no secret slips through where two pieces meet. A piece is held back until it can no
 * longer be part of a secret: at a blank while the line speaks of nothing secret (a word that cannot become one is shown
 * before its end), else at the end of the line, and a private key until its last line. Any cut of the same text gives the same text; only a value that is named for the
 * first time after it stood bare is found late.
 */
import type { SecretStream } from '../../protocol/firewall.ts'
import type { Finding } from './finding.ts'
import { NAME_HINT } from './name.ts'
import { shownLength } from './beginning.ts'
import { hasHidden } from '../unicode.ts'

export type StreamParts = {
  clean(text: string): string
  /** Places that must not be cut. */
  find(text: string): readonly Finding[]
  /** Where the end of a text may be the beginning of a value that is known to be secret. */
  mayBeginAt(text: string): number
  /** Any long word may be a secret. */
  readonly wholeWords: boolean
  /** Patterns of a person's own may span blanks. */
  readonly wholeLines: boolean
}

export function createSecretStream(parts: StreamParts): SecretStream {
  const { clean, find, wholeLines } = parts
  let held = ''
  /** How much of what is held has been shown: it stays to be read with what follows it. */
  let shown = 0
  let awaited = SPACE
  const release = (cut: number): string => {
    const before = held.slice(0, Math.min(shown, cut))
    const text = held.slice(0, cut)
    held = held.slice(cut)
    shown = Math.max(0, shown - cut)
    if (text.length === before.length) return ''
    const cleaned = clean(text)
    return cleaned.startsWith(before) ? cleaned.slice(before.length) : cleaned
  }
  const showWord = (): string => {
    if (awaited !== SPACE || wholeLines || parts.wholeWords) return ''
    const length = shownLength(held, parts.mayBeginAt)
    if (length <= shown || TELLING.test(held)) return ''
    const word = held.slice(shown, length)
    shown = length
    return word
  }
  return {
    push(chunk) {
      held += chunk
      if (held.length > MAX_HELD) {
        awaited = SPACE
        return release(forcedCut(held, find(held)))
      }
      // What is awaited may have begun in the piece before.
      if (!awaited.test(held.slice(-chunk.length - MAX_AWAITED))) return showWord()
      const safe = safeCut(held, wholeLines)
      awaited = safe.awaited
      return release(safe.cut) + showWord()
    },
    end: () => release(held.length),
  }
}

/** How far text may go, and what has to come before looking again is of use. */
type Cut = { readonly cut: number; readonly awaited: RegExp }

const SPACE = /\s/
const LINE_END = /\n/
const FOOTER = /-----END [A-Z0-9 ]{0,60}-----/
const MAX_AWAITED = 80
const MAX_HELD = 65_536
/** Longer than any name, sign and value together. */
const MAX_SECRET = 8192

/** Words whose line may go on with a secret, however many blanks stand between. */
const TELLING = new RegExp(`${NAME_HINT.source}|login|--|-u\\b`, 'i')

function safeCut(held: string, wholeLines: boolean): Cut {
  const block = openBlock(held)
  if (block >= 0) return { cut: held.lastIndexOf('\n', block) + 1, awaited: FOOTER }
  const line = lineStart(held)
  const rest = held.slice(line)
  const telling = rest.search(TELLING)
  // A hidden character may split a telling word, which reads whole once it is taken out.
  if (wholeLines || hasHidden(rest)) return { cut: line, awaited: LINE_END }
  if (telling < 0) return { cut: line + lastBlank(rest) + 1, awaited: SPACE }
  return { cut: line + lastBlank(rest.slice(0, telling)) + 1, awaited: LINE_END }
}

/** Where the last line begins; in YAML a value may be in the line after its name, and both count as one. */
function lineStart(held: string): number {
  const start = held.lastIndexOf('\n') + 1
  return BLOCK_SIGN.test(held.slice(Math.max(0, start - 16), start))
    ? held.lastIndexOf('\n', start - 2) + 1
    : start
}

const BLOCK_SIGN = /[|>][-+]?\d?[ \t]{0,8}\r?\n$/

function lastBlank(text: string): number {
  for (let at = text.length - 1; at >= 0; at--) if (SPACE.test(text[at] ?? '')) return at
  return -1
}

/** Where a private key begins whose end has not come yet. */
function openBlock(held: string): number {
  const begin = held.lastIndexOf('-----BEGIN ')
  if (begin < 0 || !/^-----BEGIN [A-Z0-9 ]{0,60}PRIVATE KEY/.test(held.slice(begin, begin + 100))) return -1
  return FOOTER.test(held.slice(begin)) ? -1 : begin
}

/** Too much is held: everything but the end goes, at a blank where there is one and never inside a secret. */
function forcedCut(held: string, findings: readonly Finding[]): number {
  const limit = held.length - MAX_SECRET
  const blank = lastBlank(held.slice(limit - MAX_SECRET, limit))
  const cut = blank < 0 ? limit : limit - MAX_SECRET + blank + 1
  const inside = findings.find(({ start, end }) => start < cut && cut < end)
  return inside?.start || inside?.end || cut
}
