/**
 * Characters that are drawn as nothing or turn text around can hide an instruction from the person who looks at it, or
 * split a key so that no pattern fits. They are taken out; what scripts and emoji need of them stays.
 */

export const cleanUnicode = (text: string): string =>
  hasHidden(text) ? text.replaceAll(HIDDEN, (hidden, at: number) => (isNeeded(hidden, text, at) ? hidden : '')) : text

export const hasHidden = (text: string): boolean => SUSPECT.test(text)

/** Cheap and without the `u` flag: most text has none of these. Tags and rare selectors are all behind one surrogate. */
const SUSPECT =
  /[\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF9-\uFFFB\uDB40]|\uD834[\uDD73-\uDD7A]|\uD82F[\uDCA0-\uDCA3]/

/**
 * Soft hyphen, joiners, fillers, marks and controls of direction, invisible operators, annotations, musical and shorthand
 * controls, variation selectors and tags. A run of selectors or tags is judged as one: runs are how text is smuggled.
 */
const HIDDEN =
  /[\u{FE00}-\u{FE0F}\u{E0000}-\u{E0FFF}]+|[\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF9-\uFFFB\u{1D173}-\u{1D17A}\u{1BCA0}-\u{1BCA3}]/gu

function isNeeded(hidden: string, text: string, at: number): boolean {
  const before = characterBefore(text, at)
  const after = characterAt(text, at + hidden.length)
  const rule = RULES.find(({ characters }) => characters.test(hidden))
  return rule?.needed({ hidden, before, after }) ?? false
}

type Place = { readonly hidden: string; readonly before: string; readonly after: string }
type Rule = { readonly characters: RegExp; needed(place: Place): boolean }

const RULES: readonly Rule[] = [
  // Zero width joiner: family emoji, and letter forms of Arabic and Indic scripts.
  {
    characters: /^\u200D$/,
    needed: ({ before, after }) =>
      (EMOJI_END.test(before) && EMOJI.test(after)) || (JOINING.test(before) && JOINING.test(after)),
  },
  // Zero width non-joiner: Persian and Indic words.
  { characters: /^\u200C$/, needed: ({ before, after }) => JOINING.test(before) && JOINING.test(after) },
  // Zero width space: scripts that write no blanks between words.
  { characters: /^\u200B$/, needed: ({ before, after }) => UNSPACED.test(before) && UNSPACED.test(after) },
  // Marks of direction next to letters that run from right to left; overrides and isolates are never needed.
  {
    characters: /^[\u200E\u200F\u061C]$/,
    needed: ({ before, after }) => RIGHT_TO_LEFT.test(before) || RIGHT_TO_LEFT.test(after),
  },
  // One selector behind what it selects: emoji, keycaps, ideographs, mathematical signs.
  { characters: /^[\uFE0E\uFE0F]$/, needed: ({ before }) => EMOJI.test(before) || /^[#*0-9]$/.test(before) },
  { characters: /^[\uFE00-\uFE0D]$/, needed: ({ before }) => /^[\p{Script=Han}\p{Sm}\p{Script=Myanmar}]$/u.test(before) },
  { characters: /^[\u{E0100}-\u{E01EF}]$/u, needed: ({ before }) => /^\p{Script=Han}$/u.test(before) },
  { characters: /^[\u180B-\u180F]$/, needed: ({ before }) => /^\p{Script=Mongolian}$/u.test(before) },
  // The three flags that are written with tags.
  {
    characters: /^[\u{E0000}-\u{E007F}]+$/u,
    needed: ({ hidden, before }) => before === '\u{1F3F4}' && FLAGS.has(fromTags(hidden)),
  },
]

const EMOJI = /^[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]$/u
const EMOJI_END = /^[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F]$/u
const JOINING =
  /^[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Mongolian}\p{Script=Nko}\p{Script=Khmer}\p{Script=Myanmar}]$/u
const UNSPACED = /^[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]$/u
const RIGHT_TO_LEFT = /^[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]$/u

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
