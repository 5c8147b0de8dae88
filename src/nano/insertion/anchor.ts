/** Which line of a file a place phrase speaks of: "the line about the load cell", "Unreleased", "cart.title". One line, or none. Pure. */
import { type FileText, isBlank, type TextLine, titleOf } from './text.ts'
import { isSameRoot } from '../request/naming.ts'
import { stopWords } from '../request/words.ts'

export type Anchor = {
  readonly line: TextLine
  /** By all of its words or its key, or only by some of them. */
  readonly isWhole: boolean
  /** It is called a line, an entry, a row. */
  readonly isLineSaid: boolean
  readonly isHeadingSaid: boolean
}

const LINE = 'line|entry|row|bullet(?: point)?|item|point|key|setting|rule|option|step|comment|one'
const HEADING = 'heading|headline|header|section|title|chapter'
const ABOUT =
  'about|that (?:says|reads|mentions|starts with|begins with)|which (?:says|reads)|saying|reading|for|named|called|with|on|starting with|beginning with|where it says'
const LEAD = new RegExp(
  String.raw`^(?:(?:the|my|our|that|this|its|where it says)\s+)?(?:(?:existing|current|last|old|same)\s+)?(?:(?<what>${LINE}|${HEADING})\s+(?:(?:${ABOUT})\s+)?(?:the\s+)?)?`,
  'i',
)
const TAIL = new RegExp(String.raw`\s+(?<what>${LINE}|${HEADING}|list|block|group)$`, 'i')

/** The only line that is meant, of those in `within`. */
export function anchorOf(said: string, file: FileText, within = file.lines): Anchor | undefined {
  const quoted = /^["'`“‘](?<text>.+)["'`”’]$/.exec(said.trim())?.groups?.['text']
  for (const { text, what } of quoted === undefined ? readings(said) : [{ text: quoted, what: '' }]) {
    const isHeadingSaid = new RegExp(`^(?:${HEADING})$`, 'i').test(what)
    const isLineSaid = new RegExp(`^(?:${LINE})$`, 'i').test(what)
    const found = lineFor(
      text,
      within.filter((line) => !isBlank(line)),
      {
        isHeadingSaid,
        isLineSaid,
        isQuoted: quoted !== undefined,
      },
    )
    if (found) return { ...found, isLineSaid, isHeadingSaid }
  }
  return undefined
}

type SaidAs = { readonly text: string; readonly what: string }

function readings(said: string): SaidAs[] {
  const plain = said.trim()
  const lead = LEAD.exec(plain)
  const behind = plain.slice(lead?.[0].length ?? 0)
  const tail = TAIL.exec(behind)
  const what = lead?.groups?.['what'] ?? tail?.groups?.['what'] ?? ''
  const all = [plain, behind, tail ? behind.slice(0, tail.index) : behind]
  return all
    .filter((text) => text !== '')
    .map((text) => ({ text: text.replaceAll(/^["'`“]|["'`”]$/g, ''), what }))
}

const NO_LINE =
  /^(?:(?:each|every|all|both|any)\b|(?:the )?(?:everything|anything|it|them|that|this|those|these|there|rest|others?|same)$)/i

type How = { readonly isHeadingSaid: boolean; readonly isLineSaid: boolean; readonly isQuoted: boolean }
type Found = { readonly line: TextLine; readonly isWhole: boolean }

function lineFor(text: string, lines: readonly TextLine[], how: How): Found | undefined {
  const words = tokensOf(text)
  if (words.length === 0 || NO_LINE.test(text)) return undefined
  const fitting = lines.filter(({ level }) => !how.isHeadingSaid || level !== undefined)
  const whole = fitting.filter((line) => isWholeOf(line, text, words))
  const [only, ...others] = preferred(whole, how)
  if (only) return others.length === 0 ? { line: only, isWhole: true } : undefined
  if (words.every((word) => stopWords.has(word))) return undefined
  const begun = fitting.filter((line) => isBegunBy(line, text, words))
  if (begun.length === 1 && begun[0]) return { line: begun[0], isWhole: begun[0].level !== undefined }
  if (begun.length > 1) return undefined
  const held = how.isQuoted
    ? fitting.filter(({ raw }) => raw.toLowerCase().includes(text.toLowerCase()))
    : fitting.filter((line) => hasAll(line, words, how.isLineSaid))
  return held.length === 1 && held[0] ? { line: held[0], isWhole: false } : undefined
}

/** Of a heading and an entry of the same words the heading, unless a line is said. */
function preferred(lines: readonly TextLine[], { isLineSaid }: How): readonly TextLine[] {
  const plain = lines.filter(({ body }) => !/^\[[^\]]+\]:|^\[[^\]]+\]\(#/.test(body))
  const chosen = plain.filter(({ level }) => (level === undefined) === isLineSaid)
  return chosen.length === 1 ? chosen : plain
}

const tokensOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

const bare = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/^["'`]|["'`]?[,;:.]*$/g, '')

function isWholeOf(line: TextLine, text: string, words: readonly string[]): boolean {
  const whole = line.level === undefined ? line.body : titleOf(line)
  if (bare(whole) === bare(text) || bare(line.raw) === bare(text)) return true
  const { key } = line
  if (key !== undefined && bare(key) === bare(text)) return true
  if (cellOf(line.body) === bare(text)) return true
  const own = tokensOf(whole)
  return isSpelling(text) && own.length === words.length && words.every((word, at) => own[at] === word)
}

/** Plain words, not a piece of code or a number: `a.b` is not "a b". */
const isSpelling = (text: string): boolean => !/^[\d.,]+$|[=(){}<>|]/.test(text)

/** The first of a row. */
function cellOf(body: string): string | undefined {
  const cell = body.startsWith('|') ? body.split('|')[1] : /^([^,]+),[^\s]/.exec(body)?.[1]
  return cell === undefined ? undefined : bare(cell)
}

/** The beginning of an entry or heading, or the name at the end of a path. */
function isBegunBy(line: TextLine, text: string, words: readonly string[]): boolean {
  const own = tokensOf(line.level === undefined ? line.body : titleOf(line))
  if (words.every((word, at) => own[at] === word) && (words.join('').length >= 3 || line.level !== undefined))
    return !/^\[[^\]]+\]:/.test(line.body)
  return /^\S+\.\w+$/.test(text) && bare(line.body).endsWith(`/${bare(text)}`)
}

const LEAST_WORDS = 2

/** Words that say something; one alone is enough only for "the line about it". */
function hasAll(line: TextLine, words: readonly string[], isLineSaid: boolean): boolean {
  const telling = words.filter((word) => !stopWords.has(word) && !/^(?:line|about|fix|says?)$/.test(word))
  if (telling.length < (isLineSaid ? 1 : LEAST_WORDS) && !/^#?\d{2,}$/.test(telling.join(''))) return false
  const own = tokensOf(line.raw)
  return telling.length > 0 && telling.every((word) => own.some((one) => isSameRoot(one, word)))
}
