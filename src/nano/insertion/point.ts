/** Where new lines go, given the line they are put under, before or behind. Nothing where that is open. Pure. */
import type { Anchor } from './anchor.ts'
import type { Point } from './edit.ts'
import type { Phrase } from './phrase.ts'
import {
  blockOf,
  type FileText,
  hasParts,
  isBlank,
  isProse,
  LABEL,
  MARKER,
  sectionOf,
  type TextLine,
} from './text.ts'

export function pointAt(phrase: Phrase, anchor: Anchor, file: FileText, content: string): Point | undefined {
  const { line } = anchor
  if (line.level !== undefined) return atHeading(phrase, anchor, file, content)
  if (phrase.kind === 'above') return { at: line.at, like: line, isAbove: true }
  const block = blockOf(file, line)
  if (block.length > 0) return inBlock(phrase, line, { block, file, content })
  if (phrase.kind === 'first' || phrase.kind === 'last') return undefined
  const next = file.lines.slice(line.at + 1).find((one) => !isBlank(one))
  const isEndOfList = line.marker === '' || next?.marker === '' || next === undefined
  return { at: line.at + 1, like: line, isLast: isEndOfList }
}

type Block = { readonly block: readonly TextLine[]; readonly file: FileText; readonly content: string }

/** A list or a group of settings: code ends with what comes last in it. */
const isData = ({ body }: TextLine, kind: string): boolean =>
  /^(?:ya?ml|json|json5|jsonc|arb)$/.test(kind) || isProse(kind) || /=> *(?:\[|array\()$/.test(body)

/** Lines that belong to the anchor: settings of a group, or a longer entry. */
function inBlock(
  { kind, word, isDirect }: Phrase,
  line: TextLine,
  { block, file, content }: Block,
): Point | undefined {
  const [child] = block
  if (!child || isBlank(child)) return undefined
  const isGroup = /[:[{(]$/.test(line.body)
  const isBehind = /after|behind|following/i.test(word)
  if (isGroup && !isBehind) {
    if (kind === 'first' || isDirect) return { at: child.at, like: child }
    if (!isData(line, file.kind)) return undefined
    const own = block.filter(({ indent, raw }) => indent === child.indent && !/^\s*[\]})]/.test(raw))
    return { at: (block.at(-1)?.at ?? line.at) + 1, like: own.at(-1) ?? child, isLast: true }
  }
  if (isGroup || /^\s/.test(content) || line.marker === '' || !isBehind) return undefined
  return { at: (block.at(-1)?.at ?? line.at) + 1, like: line, isLast: true }
}

const isTitle = (content: string): boolean => /^(?:#{1,6}|={1,6})\s/.test(content)

function atHeading(
  phrase: Phrase,
  { line, isHeadingSaid }: Anchor,
  file: FileText,
  content: string,
): Point | undefined {
  const { kind, word, isDirect } = phrase
  if (kind === 'above') {
    const isApart = isBlank(file.lines[line.at - 1])
    return { at: line.at, like: line, gapAfter: isApart, isAbove: true }
  }
  if (isTitle(content)) return undefined
  const section = sectionOf(file, line)
  const filled = section.filter((one) => !isBlank(one))
  const isBehind = /after|behind|following/i.test(word)
  // A label with nothing under it is a line like the others: `Bed 6:`.
  const isBare = isBlank(file.lines[line.at + 1]) && (filled[0]?.marker ?? '') === ''
  if (isBehind && line.level === LABEL && isBare) return { at: line.at + 1, like: line }
  if (isBehind && !isHeadingSaid && !isDirect) return undefined
  if (filled.length === 0) return inEmpty(line, section, file)
  const isFirst = kind === 'first' || isDirect || (isBehind && isHeadingSaid)
  return isFirst ? atStart(filled, content) : atEnd(filled, file, content)
}

/** A blank line first, where other sections have one. */
function inEmpty(line: TextLine, section: readonly TextLine[], file: FileText): Point | undefined {
  if (hasParts(file, line)) return undefined
  const others = file.lines.filter(
    (one) => one.level !== undefined && one !== line && sectionOf(file, one).some((own) => !isBlank(own)),
  )
  const apart = others.filter((one) => isBlank(sectionOf(file, one)[0])).length
  const gapBefore = others.length === 0 ? line.raw.startsWith('#') : apart * 2 > others.length
  const entry = others.flatMap((one) => sectionOf(file, one)).find(({ marker }) => marker !== '')
  const at = section[0]?.at ?? line.at + 1
  const next = file.lines[at]
  return { at, like: entry ?? line, gapBefore, gapAfter: next !== undefined && !isBlank(next) }
}

function atStart(filled: readonly TextLine[], content: string): Point | undefined {
  const [first] = filled
  const isList = first?.marker !== ''
  if (!first || (!isList && MARKER.test(content)) || /^\d/.test(first.marker)) return undefined
  return { at: first.at, like: first, isAbove: true }
}

function atEnd(filled: readonly TextLine[], file: FileText, content: string): Point | undefined {
  const last = filled.at(-1)
  const items = filled.filter(({ marker }) => marker !== '')
  if (!last) return undefined
  if (items.length === 0) return behindText(last, file, content)
  const margin = Math.min(...items.map(({ indent }) => indent.length))
  const own = items.filter(({ indent }) => indent.length === margin)
  const first = own[0]
  const end = own.at(-1)
  if (!first || !end) return undefined
  // Text between the entries or behind them: there are several lists, or it is not clear where this one ends.
  const isOne = filled.every((one) => one.at < first.at || one.marker !== '' || one.indent.length > margin)
  if (!isOne) return undefined
  const before = own.at(-2)
  const isLoose = before !== undefined && isBlank(file.lines[end.at - 1])
  const isEven = own.slice(1).every((one) => isBlank(file.lines[one.at - 1]) === isLoose)
  return isEven ? { at: last.at + 1, like: end, isLast: true, gapBefore: isLoose } : undefined
}

function behindText(last: TextLine, file: FileText, content: string): Point | undefined {
  const isEntry = MARKER.test(content)
  const isRow = last.body.startsWith('|') || !isProse(file.kind) || file.kind === 'txt'
  if (isRow) return { at: last.at + 1, like: last }
  return isEntry ? { at: last.at + 1, like: { ...last, level: 1 }, gapBefore: true } : undefined
}
