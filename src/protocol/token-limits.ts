/** Sizes in tokens that several parts agree on, windows first: prompt and answer together. What one part decides stays there. */

/** Nothing is learned, asked for by a flag or believed of a peer below this. */
export const SMALLEST_WINDOW = 1_024
/** Of a server that names none: a small guess costs compactions, a large one silently lost text. */
export const ASSUMED_WINDOW = 4_096
/** Of a model that is loaded or handed in without one. */
export const USUAL_WINDOW = 8_192
/** Up to here few tools are offered, and nothing is shown that the work can do without. */
export const SMALL_WINDOW = 16_384
/** Of a service, and of a program that reads what it needs by itself. */
export const CLOUD_WINDOW = 128_000

/** What an answer takes on average, where waits and costs are compared before there is one. */
export const USUAL_ANSWER = 400
/** What the last line of a page may take: how much is left, and the call that shows it. */
export const FOOTER_TOKENS = 25
