/** "Run it, but first set x to 5", "before you build, set x to 5": what is said last is done first. Must equal nano/clauses.py. Pure. */

/** In the order in which they are to be done. */
export type Halves = { readonly first: string; readonly last: string }

const PLEASE = String.raw`(?:(?:please|pls|plz|kindly|can you|could you)\s+)?`
const ORDER =
  'set|put|let|show|make|copy|save|keep|add|append|turn|switch|change|raise|lower|mark|tick|read|open|list|run|create|move|rename|replace|lemme'
const DONE =
  'put|set|copied|moved|renamed|added|changed|marked|ticked|made|run|read|taken|deleted|removed|switched|turned|updated'
const DOING =
  'setting|putting|copying|moving|renaming|adding|changing|marking|ticking|making|creating|raising|lowering|switching|turning|bumping|pointing|updating|appending|replacing|saving'

const BACKWARDS = [
  // "Before you run the tests, set verbose to on".
  String.raw`^\W*before (?:you|u) (?<last>[^,.;:\n?]{3,80}?)(?:,\s+${PLEASE}|\s+(?=${PLEASE}(?:${ORDER})\b)${PLEASE})(?<first>(?:${ORDER})\b[^?]+?)[.!]*$`,
  // "Run the tests, but first set verbose to on".
  String.raw`^(?<last>[^.;\n?]{3,120}?),? but (?:first|before (?:that|this),?) ${PLEASE}(?<first>[^?]+?)[.!]*$`,
  // "Run the tests but set verbose to on first".
  String.raw`^(?<last>[^.;\n?]{3,120}?),? but ${PLEASE}(?<first>(?:${ORDER})\b[^?,.;\n]+?) first(?:,? (?:please|pls))?[.!]*$`,
  // "Run the tests once you've put verbose to on".
  String.raw`^(?<last>[^.;\n?]{3,120}?),? (?:but )?(?:only )?(?:once|after) (?:you|u)(?: have|['’]?ve) (?<first>(?:${DONE})\b[^?]+?)[.!]*$`,
  // "Run the tests, but only after you set verbose to on".
  String.raw`^(?<last>[^.;\n?]{3,120}?),? (?:but )?(?:only )?after (?:you|u) (?<first>(?:${ORDER})\b[^?]+?)[.!]*$`,
  // "Run the tests after setting verbose to on".
  String.raw`^(?<last>[^.;\n?]{3,120}?),? (?:but )?(?:only )?after (?<first>(?:${DOING})\b[^?]+?)[.!]*$`,
].map((pattern) => new RegExp(pattern, 'i'))

/** Somebody else has to do something first, or it is not to be done now. */
const NOT_NOW =
  /\b(?:later|tomorrow|tonight|next|not|never|n't|dont|if|unless|should|would|must|has to|have to|will|i|we|he|she|they)\b/i

/** What happens afterwards is asked for, or taken back. */
const ABOUT = /\b(?:why|what|how|which|whether|fails?|broke|left|remind|undo)\b/i

export function halvesOf(request: string): Halves | undefined {
  for (const pattern of BACKWARDS) {
    const { first, last } = pattern.exec(request)?.groups ?? {}
    const isOrder = last !== undefined && !ABOUT.test(last) && !NOT_NOW.test(request)
    if (first !== undefined && isOrder) return { first, last }
  }
  return undefined
}

/** "Copy it to b.md": what it is stands in the other half. */
export const pointsBack = (first: string): boolean =>
  /\b(?:it|its|them|em|that|those|there|the (?:file|original)|at the (?:bottom|end|top))\b(?! of)/i.test(
    first.replace(BECAUSE, ''),
  )

/** Why it is wanted points at nothing that is done. */
const BECAUSE = /,? (?:because|since|so that)\b.*$/i
