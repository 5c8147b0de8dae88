/** Which line of the file each place phrase of a request is about; of a line in a section only the line. Pure. */
import { type Anchor, anchorOf } from './anchor.ts'
import { startsOrder } from '../request/clauses.ts'
import { type Phrase, phrasesIn, type Said } from './phrase.ts'
import { blockOf, type FileText, sectionOf, type TextLine } from './text.ts'
import { isSameRoot, nameOf } from '../request/naming.ts'
import { stopWords } from '../request/words.ts'

export type Found = { readonly phrase: Phrase; readonly said: Said; readonly anchor: Anchor }

type FilePlace = { readonly path: string; readonly file: FileText }

/** The phrases whose words are those of a line; of a line in a section and the section only the line. */
export function placesIn(masked: string, { path, file }: FilePlace): Found[] {
  const phrases = phrasesIn(masked).filter((phrase) => phrase.anchors.length > 0)
  const found = phrases.flatMap((phrase) => locate(phrase, path, file) ?? [])
  const scope = found.find(({ anchor }) => anchor.line.level !== undefined)
  if (!scope || phrases.length < 2) return found
  const lines = sectionOf(file, scope.anchor.line)
  const inner = phrases
    .filter((phrase) => phrase !== scope.phrase && phrase.kind !== 'last')
    .flatMap((phrase) => locate(phrase, path, { ...file, lines }) ?? [])
  return inner.length === 1 ? inner : found
}

export function locate(phrase: Phrase, path: string, file: FileText): Found | undefined {
  for (const said of phrase.anchors) {
    if (isOfFile(said.text, path)) continue
    const within = goesOn(said, path) ? file.lines : groupOf(said, file)
    const anchor = anchorOf(said.text, file, within)
    if (anchor) return { phrase, said, anchor }
  }
  return undefined
}

export const saidWords = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** "Under the price notes": the file, or its folder. */
function isOfFile(said: string, path: string): boolean {
  const own = saidWords(path)
  const joined = own.join('')
  const words = saidWords(said).filter(
    (word) => !stopWords.has(word) && !/^(?:list|sheet|page|doc)$/.test(word),
  )
  const written = saidWords(said.replace(/^the\s+|\s+(?:list|file|sheet)$/gi, '')).join('')
  const isWritten = written.length >= LEAST_LETTERS && joined.includes(written)
  return isWritten || (words.length > 0 && words.every((word) => own.some((part) => isSameRoot(part, word))))
}

const LEAST_LETTERS = 4
const FILE = /\b(?:file|list|doc|readme|changelog|template|section|both|there|it|table|json)\b/i

/** Behind the words for the line comes the file, or another part of the sentence, but nothing more about the line. */
function goesOn({ rest }: Said, path: string): boolean {
  const place = WITHIN.exec(rest)
  const further = /^\s*(?:and|n)\s+(?<what>.*)$/is.exec(rest)?.groups?.['what']
  if (further !== undefined) return startsOrder(further)
  if (!place) return !/^\s*with\s+(?!the same)/i.test(rest)
  const own = saidWords(path)
  const what = place.groups?.['what'] ?? ''
  return FILE.test(what) || saidWords(nameOf(what)).some((word) => own.some((part) => isSameRoot(part, word)))
}

const WITHIN = /^\s*(?:in|into|inside|within|of|on|to|from|at)\s+(?<what>[^,;:.]*)/i

/** "In the tags": the lines of a section or of a group of settings. */
function groupOf({ rest }: Said, file: FileText): readonly TextLine[] {
  const what = WITHIN.exec(rest)?.groups?.['what']?.trim()
  const group = what === undefined ? undefined : anchorOf(what, file)
  if (!group?.isWhole) return []
  return group.line.level === undefined ? blockOf(file, group.line) : sectionOf(file, group.line)
}
