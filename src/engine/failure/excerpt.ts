/**
 * A failure as one paragraph of the user message: what ran, what it printed, and the lines around each place it names, all
 * within a number of tokens. No blank line in it: those separate what precedes the person's words.
 */
import type { Location } from '../../lib/output/locations.ts'
import { shortenOutput } from '../../lib/output/shorten.ts'

export type Failure = {
  readonly command: string
  readonly output: string
  /** Most telling first; files that exist. */
  readonly places: readonly Location[]
}

export type Excerpts = {
  readonly tokens: number
  countTokens(text: string): number
  read(path: string): Promise<string | undefined>
}

/** What the output may take where there are lines to show beside it. */
const OUTPUT_SHARE = 0.45
/** Lines before and after a place, largest first: 15 in all, fewer where there is no room. */
const RADII = [7, 4, 2] as const
const MOST_PLACES = 8

export async function excerptOf(failure: Failure, parts: Excerpts): Promise<string> {
  const heading = `[\`${failure.command}\` was run before this request, and failed:]`
  const room = parts.tokens - parts.countTokens(heading)
  const places = failure.places.slice(0, MOST_PLACES)
  const output = fitted(failure.output, places.length > 0 ? Math.floor(room * OUTPUT_SHARE) : room, parts)
  const shown = await surroundings(places, room - parts.countTokens(output), parts)
  return [heading, output, ...shown].filter(Boolean).join('\n')
}

function fitted(output: string, tokens: number, { countTokens }: Excerpts): string {
  const text = output
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .join('\n')
  const shown =
    countTokens(text) <= tokens ? text : shortenOutput(text, { tokens, countTokens, failed: true })
  return countTokens(shown) <= tokens ? shown : ''
}

type Range = { readonly path: string; readonly from: number; readonly to: number }

async function surroundings(
  places: readonly Location[],
  tokens: number,
  { countTokens, read }: Excerpts,
): Promise<readonly string[]> {
  const shown: string[] = []
  const ranges: Range[] = []
  let left = tokens
  for (const place of places) {
    const isShown = ranges.some(
      ({ path, from, to }) => path === place.path && from <= place.line && place.line <= to,
    )
    const lines = isShown ? [] : ((await read(place.path))?.split('\n') ?? [])
    const fits = place.line <= lines.length ? RADII.map((radius) => around(place, lines, radius)) : []
    const found = fits.find(({ text }) => countTokens(`${text}\n`) <= left)
    if (found) {
      shown.push(found.text)
      ranges.push(found.range)
      left -= countTokens(`${found.text}\n`)
    }
  }
  return shown
}

function around({ path, line }: Location, lines: readonly string[], radius: number) {
  const last = lines.at(-1) === '' ? lines.length - 1 : lines.length
  const from = Math.max(1, line - radius)
  const to = Math.max(line, Math.min(last, line + radius))
  const numbered = lines.slice(from - 1, to).map((text, index) => `${from + index}\t${text}`)
  return { range: { path, from, to }, text: [`[${path}:${line}]`, ...numbered].join('\n') }
}
