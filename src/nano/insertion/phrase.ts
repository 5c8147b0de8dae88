/** The words of a request that say where a line goes: "right below cart.title", "under Unreleased in the changelog". Pure. */

export type Phrase = {
  readonly kind: 'below' | 'above' | 'first' | 'last'
  readonly word: string
  /** "Right below": not at the end of what is there. */
  readonly isDirect: boolean
  readonly start: number
  /** What it may be about, the most words first. */
  readonly anchors: readonly Said[]
}

export type Said = {
  readonly text: string
  readonly end: number
  /** "In the changelog". */
  readonly rest: string
}

/** Stands for a letter of the text that is to be put there. */
export const HIDDEN = '\u0001'

const DIRECT = '(?:(?<direct>right|directly|just|immediately|straight|first thing) )?'
const BELOW = 'underneath|under|below|beneath|after|behind|following'
const ABOVE = 'above|before|in front of|ahead of|on top of'
const PLACES = new RegExp(
  String.raw`(?<![\w/.-])${DIRECT}(?<!\b(?:the|this) )(?<word>${BELOW}|${ABOVE})\s+(?!(?:to|in|of|that|this|which|into|it|them|you|we|i)\b)(?=\S)`,
  'gi',
)
const FIRST = new RegExp(
  String.raw`(?<![\w/.-])(?:(?:right |up )?(?:on|at|to|in) (?:the )?(?:very )?(?:top|start|beginning)|(?:as |the )*(?:very )?first (?:point|item|bullet|entry|thing)) (?:of|in|under|below|on) (?=\S)`,
  'gi',
)
const LAST = new RegExp(
  String.raw`(?<![\w/.-])(?:(?:as |the )*(?:very )?last (?:point|item|bullet|entry|line|one)|(?:on |at |to )?the (?:very )?(?:end|bottom)) (?:of|in|under|for) (?=\S)`,
  'gi',
)

export function phrasesIn(masked: string): Phrase[] {
  const kindOf = (word: string): 'below' | 'above' =>
    new RegExp(`^(?:${ABOVE})$`, 'i').test(word) ? 'above' : 'below'
  const places = Array.from(masked.matchAll(PLACES), ({ 0: all, index, groups = {} }) => {
    const word = groups['word'] ?? ''
    const isDirect = groups['direct'] !== undefined
    return { kind: kindOf(word), word, isDirect, start: index, from: index + all.length }
  })
  const ends = [
    ...Array.from(masked.matchAll(FIRST), (found) => ({ kind: 'first' as const, found })),
    ...Array.from(masked.matchAll(LAST), (found) => ({ kind: 'last' as const, found })),
  ].map(({ kind, found: { 0: all, index } }) => {
    return { kind, word: '', isDirect: false, start: index, from: index + all.length }
  })
  const isWithin = ({ start }: { readonly start: number }): boolean =>
    ends.some((end) => start >= end.start && start < end.from)
  const all = [...ends, ...places.filter((place) => !isWithin(place))]
  const counted =
    /\b(?:two|three|four|five|\d+|some|few) (?:lines?|rows?)\s+$|\b(?:not|n't|never|somewhere)\s+$/i
  return all
    .filter(({ start }) => !counted.test(masked.slice(0, start)))
    .map(({ from, ...phrase }) => ({ ...phrase, anchors: anchorsFrom(masked, from) }))
}

const GOES_ON =
  /\s+(?=(?:in|into|of|on|to|from|at|and|n|then|there|here|please|pls|plz|thanks|so|as|too|also|put|add|insert|write|place|stick|append|goes|go|comes|come|with|under|below|after|before|above|inside|within)\b)|\s*[,()]\s*(?=\S)|\s+[-–—]\s+|\s*:(?:\s+|$)|[.!]\s+(?=\p{Lu})/giu

const QUOTED =
  /^(?:(?:the )?(?:line|entry|row|heading|item|bullet)(?: (?:that says|saying))? )?["'`“‘](?<text>.+?)["'`”’](?![\p{L}\p{N}])/u

function anchorsFrom(masked: string, from: number): Said[] {
  const line = upTo(masked.slice(from), `${HIDDEN}\n`)
  const tail = upTo(line, ';?').trimEnd()
  const quoted = QUOTED.exec(line)
  if (quoted?.groups?.['text'] !== undefined) {
    const text = `"${quoted.groups['text']}"`
    return [{ text, end: from + quoted[0].length, rest: upTo(line.slice(quoted[0].length), ';?') }]
  }
  const cuts = Array.from(tail.matchAll(GOES_ON), ({ index }) => index).filter((at) => at > 0)
  return [tail.length, ...cuts.toReversed()].map((cut) => ({
    text: tail.slice(0, cut).replace(/[\s.,:!–—-]+$/, ''),
    end: from + cut,
    rest: tail.slice(cut),
  }))
}

const upTo = (text: string, signs: string): string => {
  const end = Array.from(text).findIndex((sign) => signs.includes(sign))
  return end < 0 ? text : Array.from(text).slice(0, end).join('')
}
