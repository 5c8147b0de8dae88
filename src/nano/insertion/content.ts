/** The text that a request wants to have put somewhere, and where it says it. Pure. */
import { MARKER } from './text.ts'

export type Content = {
  readonly text: string
  readonly start: number
  readonly end: number
  /** In quotes, behind a colon or on lines of its own: where it ends is not open. */
  readonly isFramed: boolean
}

const PAIR =
  /(?<![\w"'])"[^"\n]{1,60}"\s*(?::|=>)\s*(?:"[^"\n]*"|-?[\d.]+|true|false|null|\[[^\]\n]*\]|\{[^}\n]*\})/g
const QUOTED =
  /"(?<a>[^"\n]+)"|“(?<b>[^”\n]+)”|„(?<c>[^“”\n]+)[“”]|»(?<d>[^«\n]+)«|`(?<e>[^`\n]+)`|(?<![\p{L}\p{N}])'(?<f>[^\n]+?)'(?![\p{L}\p{N}])/gu

/** Texts in quotes; of JSON a whole pair. */
export function quotedIn(clause: string): Content[] {
  const pairs = Array.from(clause.matchAll(PAIR), ({ 0: text, index }) => ({
    text,
    start: index,
    end: index + text.length,
    isFramed: true,
  }))
  const texts = Array.from(clause.matchAll(QUOTED), ({ 0: all, index, groups = {} }) => ({
    text: Object.values(groups).find((group) => group !== undefined) ?? '',
    start: index,
    end: index + all.length,
    isFramed: true,
  }))
  const isFree = ({ start, end }: Content): boolean =>
    !pairs.some((pair) => start < pair.end && end > pair.start)
  return [...pairs, ...texts.filter(isFree)]
}

/** Behind a colon or a line break, to the end. */
export function trailingIn(clause: string): Content[] {
  const at = /(?<=[\p{L}\p{N}"'”)]):\s+(?=\S)|\n\s*(?=\S)/u.exec(clause)
  if (!at || !/\S\s+\S/.test(clause.slice(0, at.index))) return []
  const isLines = at[0].startsWith('\n')
  const own = isLines ? /\n([ \t]*\S[\s\S]*)$/.exec(clause.slice(at.index)) : undefined
  const text = (own?.[1] ?? clause.slice(at.index + at[0].length)).trimEnd()
  if (/[,.;]?\s+(?:and\s+)?then\s+\w+|["”]\s*$|^["“`'](?!\w+[:=])/i.test(text)) return []
  return [{ text, start: at.index + at[0].length, end: clause.length, isFramed: true }]
}

/** A list entry on the first line, and what to do with it below. */
export function leadingIn(clause: string): Content[] {
  const line = /^\s*(?<text>\S[^\n]*)\n\s*(?=\S)/.exec(clause)
  const text = line?.groups?.['text']?.trim() ?? ''
  return line && MARKER.test(text) && !/^\d/.test(text)
    ? [{ text, start: 0, end: line[0].length, isFramed: true }]
    : []
}

const ADDS =
  /\b(?:put(?:ting)?|add(?:ing)?|insert(?:ing)?|append|stick|pop|place|write|enter|include|goes|go|comes|come|belongs|slip|drop|squeeze|chuck|jot|note|list|shove|whack|bung|tack|needs?|gets?|give|(?:a|one|another|new|more) (?:new )?(?:line|row|entry|item|bullet|point|key)|as (?:the|a) (?:new )?(?:line|row|entry|bullet))\b/gi
const OTHER =
  /\b(?:replac\w+|chang(?:e[sd]?|ing)|renam\w+|mov(?:e|es|ing)|swap\w*|delet\w+|remov\w+|cop(?:y|ies)|turns?|switch\w*|fix(?:es)?|correct|sort|reorder|instead|strike|take|cut|scratch|edit|set|bump|undo|show|read|open|run|search|find|look|tick)\b/gi

/** The verb next to the text is one of adding. */
export function isAdded(masked: string, { start, end }: Content): boolean {
  const distance = ({ index, 0: word }: RegExpExecArray): number =>
    index < start ? start - index - word.length : (index - end) * FARTHER
  const nearest = (verbs: RegExp): number =>
    Math.min(Infinity, ...Array.from(masked.matchAll(verbs), distance))
  const adds = nearest(ADDS)
  return adds < Infinity && adds <= nearest(OTHER)
}

/** What follows is about the next thing. */
const FARTHER = 3

/** What stands between the verb and the words for the place: "- oysters 60 each in the fish order". */
export function betweenIn(clause: string, before: number): Content | undefined {
  const head = clause.slice(0, before)
  const verb = Array.from(head.matchAll(ADDS)).at(-1)
  const entry = / ?(?<![^\s,:])(?:[-*+] (?:\[[ xX]?\] )?|\| ?)\S/.exec(head)
  const behindVerb = verb ? verb.index + verb[0].length : undefined
  const isSubject = verb !== undefined && /^(?:goes|comes|belongs)$/i.test(verb[0]) && entry
  const start = isSubject
    ? entry.index
    : entry && entry.index >= (verb?.index ?? 0)
      ? entry.index
      : behindVerb
  if (start === undefined) return undefined
  const stop = isSubject && verb ? verb.index : before
  const raw = head.slice(start, stop)
  const plain = raw
    .replace(
      /^[\s:]*(?:(?:in|this|the|a|an|another)\s+(?:new\s+)?(?:line|row|bullet|entry|item|point|key)\s*:?)?\s*/i,
      '',
    )
    .replace(END, '')
    .trimEnd()
  const at = clause.indexOf(plain, start)
  return plain === '' || at < 0
    ? undefined
    : { text: plain, start: at, end: at + plain.length, isFramed: false }
}

/** Words about the line that are not part of it. */
const END =
  /(?:[\s,]+(?:on (?:a|its own) line(?: (?:by itself|of its own))?|as (?:a|the|another) (?:new )?(?:line|row|bullet|item|entry|point|key)|(?:at|to) the (?:very )?(?:end|bottom)|in|there|too|please))*[\s,]*$/i
