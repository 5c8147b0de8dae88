/** Foreign text made fit for the screen: nothing in it is obeyed, and no line is wider than it may be. */
import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from '@mariozechner/pi-tui'
import { cleanControl } from '../lib/clean.ts'

/** Control characters are shown, tabs take a fixed room, line ends are those of a text. */
export const clean = (text: string): string =>
  cleanControl(text.replaceAll(/\r\n?/g, '\n').replaceAll('\t', '    '))

export const oneLine = (text: string): string => clean(text).replaceAll(/\s*\n\s*/g, ' ')

/** Wrapped at words where it can be. */
export const wrap = (text: string, width: number): readonly string[] =>
  wrapTextWithAnsi(text, Math.max(1, width)).map((line) => fit(line, width))

export const fit = (line: string, width: number): string =>
  visibleWidth(line) > width ? truncateToWidth(line, Math.max(1, width), '…') : line

/** Every line with something in front of it; the first one may have something else there. */
export function indent(lines: readonly string[], prefix: string, first = prefix): readonly string[] {
  return lines.map((line, index) => (index === 0 ? first : prefix) + line)
}

/** The beginning of a list, and how much there is beyond it. */
export function fold(
  lines: readonly string[],
  most: number,
  more: (rest: number) => string,
): readonly string[] {
  if (lines.length <= most) return lines
  return [...lines.slice(0, most - 1), more(lines.length - most + 1)]
}

/** The end of a list, and how much there is before it. */
export function tail(
  lines: readonly string[],
  most: number,
  more: (rest: number) => string,
): readonly string[] {
  if (lines.length <= most) return lines
  return [more(lines.length - most + 1), ...lines.slice(lines.length - most + 1)]
}

export const seconds = (ms: number): string =>
  ms < 60_000
    ? `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`
    : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`

/** 3.1k for 3100. */
export const thousands = (count: number): string =>
  count < 1000 ? String(count) : `${(count / 1000).toFixed(count < 9950 ? 1 : 0).replace(/\.0$/, '')}k`
