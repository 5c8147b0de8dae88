/**
 * A new line at a place that is said: "put - Sidebar is wider under Unreleased", "add X right after the line about the load cell". Nano
 * can append and edit, so an insertion is an edit of the line next to it. A wrong one is worse than none: whatever is open gives nothing,
 * and what is found is always asked for.
 */
import { startsOrder } from '../request/clauses.ts'
import { type Decision, usualForm } from '../decide.ts'
import { betweenIn, type Content, isAdded, leadingIn, quotedIn, trailingIn } from './content.ts'
import { insertAt, type Insertion } from './edit.ts'
import { HIDDEN, phrasesIn } from './phrase.ts'
import { type Found, locate, placesIn, saidWords } from './place.ts'
import { pointAt } from './point.ts'
import { blockOf, type FileText, keyOf, MARKER, readText } from './text.ts'
import { topOf } from './top.ts'
import { isSameRoot, nameOf } from '../request/naming.ts'
import type { Offer } from '../weights/offer.ts'
import type { ProjectFiles } from '../project/sources.ts'
import type { NanoStep } from '../steps/run.ts'
import { stopWords } from '../request/words.ts'

type Asked = {
  readonly clause: string
  /** What would be written otherwise. */
  readonly content?: string
  readonly path: string
  readonly text: string
}

/** The edit that puts the text there, where the clause says one place in this file. */
export function insertionOf({ clause, content, path, text }: Asked): Insertion | undefined {
  if (text.trim() === '' || /\b(?:each|every) (?:line|heading|section|entry)\b/i.test(clause))
    return undefined
  const file = readText(text, path)
  const place = { clause, path, file, content: content?.trim() ?? '' }
  for (const readings of [framedIn(clause), given(place), undefined]) {
    const found = readings ? readings.map((one) => inserted(place, one)) : [unframed(place)]
    const made = found.filter((one) => one !== undefined)
    const isFound = made.length === 1 && text.split(made[0]?.old ?? '').length === 2
    if (made.length > 0) return isFound ? made[0] : undefined
  }
  return undefined
}

type Place = {
  readonly clause: string
  readonly path: string
  readonly file: FileText
  readonly content: string
}

function framedIn(clause: string): Content[] {
  const quoted = quotedIn(clause)
  const rest = [...trailingIn(clause), ...leadingIn(clause)]
  const isOutside = ({ start, end }: Content): boolean =>
    quoted.every((one) => one.end <= start || one.start >= end || MARKER.test(clause.slice(start)))
  return [...quoted, ...rest.filter(isOutside)].filter(
    (one) =>
      !rest.some(
        (other) => other !== one && isOutside(other) && one.start >= other.start && one.end <= other.end,
      ),
  )
}

/** The text that was going to be written, where the clause has it as it is. */
function given({ clause, content }: Place): Content[] {
  const rows = content.split('\n')
  const quoted = quotedIn(clause).filter(({ text }) => rows.includes(text.trim()))
  const [first] = quoted
  const last = quoted.at(-1)
  if (rows.length > 1 && first && last && quoted.length === rows.length)
    return [{ text: content, start: first.start, end: last.end, isFramed: true }]
  const text = clause.includes(content) ? content : content.replace(MARKER, '')
  const at = text === '' ? -1 : clause.indexOf(text)
  if (at < 0 || clause.includes(text, at + 1)) return []
  return [{ text, start: at, end: at + text.length, isFramed: false }]
}

function inserted(place: Place, reading: Content): Insertion | undefined {
  const { clause, content } = place
  const { start, end, text, isFramed } = reading
  const masked = clause.slice(0, start) + HIDDEN.repeat(end - start) + clause.slice(end)
  if (!isAdded(masked, reading) || isElsewhere(masked) || !isAgreed(text, content)) return undefined
  const isTail = isFramed && !/["'`”’«“]/.test(clause[end - 1] ?? '') && !PAIRED.test(text)
  const isRow = MARKER.test(text) || text.startsWith('|')
  if (isTail && !isSame(text, content) && (!isRow || isFollowed(text))) return undefined
  const others = quotedIn(masked).filter((one) => one.start >= end || one.end <= start)
  const top = others.length === 0 ? topOf(masked, place, text) : undefined
  if (top) return insertAt(place.file, top, withStop(text, isFramed, place.file.lines[top.at]?.raw))
  const found = placesIn(masked, place)
  const [only, ...more] = found
  if (!only || more.length > 0 || others.some((one) => !isWithin(one, only))) return undefined
  if (!isNextTo(masked, reading, only)) return undefined
  return put(reading, only, place)
}

/** Of the sentence that the text stands in. */
function isElsewhere(masked: string): boolean {
  const sentence = masked.split(/[.!?]\s+/).find((one) => one.includes(HIDDEN)) ?? masked
  const counted =
    /\b(?:two|three|four|five|[2-9]) (?:more |new )?(?:lines|rows|entries|items|bullets|keys|points)\b/i
  return /\b(?:not|never|don['’]?t)\b/i.test(sentence) || counted.test(sentence)
}

/** The text ends before the next order begins. */
const isFollowed = (text: string): boolean =>
  text
    .split(/[.!?,;]?\s+(?:and|n|&)\s+|[.!?;,]\s+/)
    .slice(1)
    .some(startsOrder)

/** What would be written otherwise is this text, more or less of it. */
function isAgreed(text: string, content: string): boolean {
  const [one, other] = [text, content].map((words) => words.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, ''))
  return content === '' || !one || !other || one.includes(other) || other.includes(one)
}

const isWithin = ({ start, end }: Content, { phrase, said }: Found): boolean =>
  start >= phrase.start && end <= said.end

/** Both are in one sentence, with nothing else to do between them. */
function isNextTo(masked: string, { start, end }: Content, { phrase, said }: Found): boolean {
  if (end <= phrase.start) {
    const between = masked.slice(end, phrase.start)
    return !/[.!?;]\s|\n|\b(?:and|then|but|it|them)\b/i.test(between)
  }
  const between = masked.slice(said.end, start)
  return (
    /^[\s,:"'`“.)-]*(?:(?:that|which)? ?(?:says|reads)|saying|reading|with|this(?: line)?)?[\s:"'`“-]*$/i.test(
      between,
    ) ||
    isAdded(between + HIDDEN, { text: '', start: between.length, end: between.length + 1, isFramed: true })
  )
}

/** A setting of JSON may end without a quote. */
const PAIRED = /^"[^"]+"\s*:/

function put(reading: Content, { phrase, anchor }: Found, { file, clause }: Place): Insertion | undefined {
  const isLine = anchor.isWhole || anchor.isLineSaid || MARKER.test(reading.text)
  const isRow = /\b(?:line|row|entry|bullet|heading|comment|key)\b/i.test(clause)
  const isBeside = /after|behind|before|following|in front/i.test(phrase.word)
  const isShaped = keyOf(reading.text) !== undefined || isStatement(reading.text, anchor.line.body)
  const isOwnLine = MARKER.test(reading.text) || isRow || phrase.isDirect || isShaped
  if (isBeside && !isLine && !isRow) return undefined
  if (/before|in front/i.test(phrase.word) && !isOwnLine) return undefined
  if (PART.test(reading.text) || (SIGNS.test(reading.text) && !isRow)) return undefined
  if (isBeside && AMOUNT.test(reading.text) && !isRow) return undefined
  const isEnd = phrase.kind === 'first' || phrase.kind === 'last'
  const isGroup = anchor.line.level !== undefined || blockOf(file, anchor.line).length > 0
  if (isEnd && !(anchor.isWhole && isGroup)) return undefined
  const isFirst =
    phrase.kind === 'below' && FIRST.test(`${clause.slice(0, reading.start)} ${clause.slice(reading.end)}`)
  const point = pointAt(isFirst ? { ...phrase, kind: 'first' } : phrase, anchor, file, reading.text)
  return point && insertAt(file, point, withStop(reading.text, reading.isFramed, point.like?.raw))
}

/** `import a` before `import b`, `run();` before anything. */
const isStatement = (text: string, other: string): boolean =>
  /[;)}{]$/.test(text) || (/\s/.test(text) && text.split(/\s/)[0] === other.split(/\s/)[0])

const FIRST = /\b(?:first (?:bullet|point|item|entry|thing|one)|at the (?:very )?top)\b/i

/** A part of a line: "put a comma after milk". */
const PART =
  /^(?:(?:an?|the) )?(?:\w+ )?(?:comma|full stop|period|colon|semicolon|space|hyphen|dash|blank|blank line|empty line|line break|newline|asterisk|star|question mark)$|^(?:it|this|that|them)$/i
/** "Put 2 litres after milk". */
const AMOUNT = /^[£$€]?\d[\d.,]*\s*[\p{L}%]*$/u
const SIGNS = /^\W{1,4}$|^\(.*\)$|^[-,(+&;:)?!%]\S/

/** Where the text ends the request, its last full stop is one of the file only if the others have one. */
const withStop = (text: string, isFramed: boolean, neighbour = ''): string =>
  isFramed || neighbour.trimEnd().endsWith('.') ? text : text.replace(/(?<=[\p{L}\p{N})])\.$/u, '')

/** Without a frame the text ends where the words for the place begin. */
function unframed(place: Place): Insertion | undefined {
  const { clause, path, file, content } = place
  if (quotedIn(clause).length > 1 || isElsewhere(clause)) return undefined
  const trailing = trailingIn(clause).find(({ text }) => MARKER.test(text) || text.startsWith('|'))
  const free = phrasesIn(clause).filter(({ start }) => start < (trailing?.start ?? Infinity))
  const found = free.flatMap((phrase) => {
    const reading = betweenIn(clause, phrase.start)
    const said = locate(phrase, path, file)
    const text = reading && withoutFile(reading.text, path)
    return reading && said && text ? [{ reading: { ...reading, text }, said }] : []
  })
  const [only, ...more] = found
  if (!only || more.length > 0 || !isAdded(clause, only.reading)) return undefined
  const { reading, said } = only
  const isBeside = /after|behind|before|following|in front/i.test(said.phrase.word)
  const isSure = said.phrase.isDirect || said.anchor.isLineSaid || said.anchor.line.level !== undefined
  const isOwn = content !== '' && isSame(content, reading.text)
  const isEntry = MARKER.test(reading.text) || reading.text.startsWith('|')
  if (!isOwn && !(isEntry && content.startsWith(reading.text)) && !(isEntry && content === ''))
    return undefined
  if (isBeside && !isSure && !isOwn && !reading.text.startsWith('|')) return undefined
  const isNumber = /^\d+(?:[.,]\d+)?(?: ?[a-z%]{1,4})?$/i.test(said.said.text)
  if (isNumber && !said.anchor.isWhole && !said.anchor.isLineSaid) return undefined
  return put(reading, said, place)
}

const isSame = (one: string, other: string): boolean =>
  saidWords(one).join(' ') === saidWords(other).join(' ')

/** "- oysters 60 each in the fish order" without the file. */
function withoutFile(text: string, path: string): string {
  const own = saidWords(nameOf(path))
  const at = /\s+(?:in|into|on|to)\s+(?:the\s+|my\s+|our\s+)?(?<what>[^,;:]+?)[,\s]*$/i.exec(text)
  const words = saidWords(at?.groups?.['what'] ?? '').filter((word) => !stopWords.has(word))
  const isFile = words.some((word) => own.some((part) => isSameRoot(part, word)))
  return at && isFile ? text.slice(0, at.index) : text
}

type Step = {
  readonly clause: string
  readonly files: ProjectFiles
  readonly steps: readonly NanoStep[]
  /** A step was made for this clause. */
  readonly isBegun: boolean
  readonly offer: Pick<Offer, 'callable'>
}

/** The same decision where nothing is to be inserted, or not in this file. Reads the file. */
export async function withInsertion(decision: Decision, step: Step): Promise<Decision> {
  const { clause, files, offer, steps } = step
  if (decision.kind !== 'call' && decision.kind !== 'guess') return decision
  const { name, input } = decision.call
  const { path, content, append } = input
  const isAppend = name === 'write_file' && append === true
  const canEdit = offer.callable.some((tool) => tool.name === 'edit_file')
  if (!(isAppend || name === 'edit_file') || typeof path !== 'string' || !canEdit) return decision
  const last = steps.at(-1)
  if (step.isBegun && isAppend && last && isInserted(path, content, steps))
    return { kind: 'answer', form: usualForm(last) }
  if (step.isBegun) return decision
  const text = await files.read(path).catch(() => '')
  const written = isAppend && typeof content === 'string' ? { content } : {}
  const found = insertionOf({ clause, path, text, ...written })
  if (!found) return decision
  const call = { name: 'edit_file', input: { path, old: found.old, new: found.new } }
  return { kind: 'guess', call, why: WHY, isLikely: false }
}

/** A step put this text into the file: to append it, too, would be one too many. */
function isInserted(path: string, content: unknown, steps: readonly NanoStep[]): boolean {
  const text = typeof content === 'string' ? content.trim() : ''
  return steps.some(({ call: { name, input }, ok }) => {
    const { old, new: replacement } = input
    const isHere = ok && text !== '' && name === 'edit_file' && input['path'] === path
    return isHere && !String(old).includes(text) && String(replacement).includes(`\n${text}`)
  })
}

const WHY = 'The built-in model guessed this: it is not certain where the line goes'
