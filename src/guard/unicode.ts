/**
 * Characters that are drawn as nothing or turn text around can hide an instruction from the person who looks at it, or
 * split a key so that no pattern fits. They are taken out; what scripts and emoji need of them stays.
 */

export const cleanUnicode = (text: string): string =>
  hasHidden(text)
    ? text.replaceAll(HIDDEN, (hidden, at: number) => (isNeeded(hidden, text, at) ? hidden : ''))
    : text

export const hasHidden = (text: string): boolean => SUSPECT.test(text)

/**
 * What Unicode says may be drawn as nothing: soft hyphen, joiners, fillers, marks and controls of direction, invisible
 * operators, selectors, tags; and annotations. A run of selectors or tags is judged as one: runs are how text is smuggled.
 */
const SUSPECT = /[\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/u
const HIDDEN = /[\uFE00-\uFE0F\u{E0000}-\u{E0FFF}]+|[\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/gu

type Place = { readonly hidden: string; readonly before: string; readonly after: string }

function isNeeded(hidden: string, text: string, at: number): boolean {
  const needed = NEEDS.get(hidden) ?? (SELECTOR_OR_TAGS.test(hidden) ? selectorOrTags : undefined)
  if (!needed) return false
  return needed({ hidden, before: characterBefore(text, at), after: characterAt(text, at + hidden.length) })
}

const SELECTOR_OR_TAGS = /^[\uFE00-\uFE0F\u{E0000}-\u{E0FFF}]/u

const nextToRightToLeft = ({ before, after }: Place): boolean =>
  RIGHT_TO_LEFT.test(before) || RIGHT_TO_LEFT.test(after)

const afterMongolian = ({ before }: Place): boolean => /^\p{Script=Mongolian}$/u.test(before)

/** What each may be needed for; overrides, isolates and all others never are. */
const NEEDS = new Map<string, (place: Place) => boolean>([
  // Joiner: family emoji, and letter forms of Arabic and Indic scripts.
  [
    '\u200D',
    ({ before, after }) =>
      (EMOJI_END.test(before) && EMOJI.test(after)) || (JOINING.test(before) && JOINING.test(after)),
  ],
  // Non-joiner: Persian and Indic words.
  ['\u200C', ({ before, after }) => JOINING.test(before) && JOINING.test(after)],
  // Space without width: scripts that write no blanks between words.
  ['\u200B', ({ before, after }) => UNSPACED.test(before) && UNSPACED.test(after)],
  ['\u200E', nextToRightToLeft],
  ['\u200F', nextToRightToLeft],
  ['\u061C', nextToRightToLeft],
  ['\u180B', afterMongolian],
  ['\u180C', afterMongolian],
  ['\u180D', afterMongolian],
  ['\u180E', afterMongolian],
  // Plain or coloured: emoji and keycaps.
  ['\uFE0E', ({ before }) => EMOJI.test(before) || /^[#*0-9]$/.test(before)],
  ['\uFE0F', ({ before }) => EMOJI.test(before) || /^[#*0-9]$/.test(before)],
])

/** One selector behind an ideograph or a mathematical sign, and the three flags that are written with tags. */
function selectorOrTags({ hidden, before }: Place): boolean {
  if (/^[\uFE00-\uFE0D]$/.test(hidden)) return /^[\p{Script=Han}\p{Sm}\p{Script=Myanmar}]$/u.test(before)
  if (/^[\u{E0100}-\u{E01EF}]$/u.test(hidden)) return /^\p{Script=Han}$/u.test(before)
  return before === '\u{1F3F4}' && hidden.length === 12 && FLAGS.has(fromTags(hidden))
}

const EMOJI = /^[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]$/u
const EMOJI_END = /^[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F]$/u
const JOINING =
  /^[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Mongolian}\p{Script=Nko}\p{Script=Khmer}\p{Script=Myanmar}]$/u
const UNSPACED = /^[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]$/u
const RIGHT_TO_LEFT =
  /^[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]$/u

/** England, Scotland, Wales; the last character ends the tags. */
const FLAGS = new Set(['gbeng\u007F', 'gbsct\u007F', 'gbwls\u007F'])

const fromTags = (tags: string): string =>
  Array.from(tags, (tag) => String.fromCodePoint((tag.codePointAt(0) ?? 0) - 0xe0000)).join('')

const characterAt = (text: string, at: number): string => {
  const point = text.codePointAt(at)
  return point === undefined ? '' : String.fromCodePoint(point)
}

function characterBefore(text: string, at: number): string {
  const isPair = /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(Math.max(0, at - 2), at))
  return text.slice(Math.max(0, at - (isPair ? 2 : 1)), at)
}
