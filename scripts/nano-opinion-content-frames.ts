/**
 * Appends as people ask for them who do not spell the line as it is to stand there. Most hands spell it; so the ranking of texts also learns
 * from sentences of this kind, made of the same lines. Pure.
 */
import { lookOfFile, markerIn } from '../src/nano/contents/look.ts'

type Line = { readonly path: string; readonly written: string; readonly text: string; readonly seed: number }

const ITEM_FRAMES = [
  'add {x} to the {f}',
  'put {x} at the bottom of my {f}',
  'stick {x} on the {f} please',
  '{x}, add that to the {f} before I forget',
  'and {x} goes at the end of the {f}',
  'one more for the {f}, {x}',
  'Add to {f}, like the rest: {x}',
  '{f}: {x}',
  'I need to remember something, so put {x} on my {f}, still open',
  'last one for the {f}, it was a long day: {x}',
  '{x} should be on the {f} as well',
  'append to {f}: {x}',
  'Sam had a good one for the {f}, {x}, write it down there',
  'new line in the {f} so I do not forget: {x}',
  '{x} needs to go in the {f}, add it',
  'and {x} comes in at the end',
  '{f} + {x}',
  'would you mind adding {x} to the {f} too?',
]

const NUMBER_FRAMES = [
  'stick this on the end of the {f} as number {n}: {x}',
  'add step {n} to the {f}: {x}',
  'point {n} for the {f}: {x}',
  'number {n} of the {f} is {x}, add it',
  '{f} needs a last step, {x}',
]

const LATER_FRAMES = [
  'append to it {x}',
  'and add {x} to it',
  'then add {x} below it',
  'and put {x} under that',
]

const NEW_FRAMES = [
  'create {p} with just the header, {x}',
  'start {p} with nothing but {x}, the rest comes later',
  'make {p}, one line in it: {x}',
  'new file {p} that only says {x} for now',
  'I want a {p}, {x} as the only line',
  '{p}, new, just {x} in it for now',
]

const LIST_FRAMES = [
  'create {p} with {x}, one per line',
  'make {p}, {c} lines: {x}',
  'there is no {p}! create one with {x}, one per line in that order',
  'new file {p} with {x} each on its own line please',
  '{p} with {c} lines, {x}',
]

const TURN_FRAMES = [
  'make {p}, first line {1}, second line {2}',
  'start {p} for me. top line {1} and under it {2}',
  'create {p} with the header {1} and one row {2}',
  'new {p}: line one {1}, line two {2}',
]

const ROW_FRAMES = [
  'add {0} to the {f}: {rest}',
  'add {0} to {f}, {rest}',
  '{0}, {rest}. New row at the bottom of the {f}',
  '{0}, {rest}, put it at the end of the {f}',
  '{0} starts today, {rest}, add it to the {f}',
  'We have a new {k}, {0}, {rest}, that goes at the end of the {f}',
  'new one for the {f}: {0}. {rest}',
  '{0}, finally. {rest}, bung it on the bottom of the {f}',
  'put {0} in the {f} too: {rest}. End of the file.',
  'please add {0} ({rest}) to the {f}',
  'Add to {f} like the others: {0} {words}',
]

const stemOf = (path: string): string =>
  path
    .slice(path.lastIndexOf('/') + 1)
    .replace(/\.\w+$/, '')
    .replaceAll(/[-_]/g, ' ')
    .toLowerCase()

const pick = <Value>(ones: readonly Value[], seed: number): Value | undefined => ones[seed % ones.length]

/** A sentence that asks for the line; nothing where the line does not follow from the file and the words. */
export function framed({ path, written, text, seed }: Line): string | undefined {
  const look = lookOfFile(text)
  if (look.table) return framedRow({ path, written, text, seed })
  const marker = markerIn(written, look.lines)
  const isLike = marker?.kind === look.marker.kind || (!marker && look.marker.kind === 'none')
  if (!isLike) return undefined
  const item = written.slice(marker?.text.length ?? 0)
  const isPlain = item.length > 2 && !/[.!?:"]\s|["“`]/.test(item)
  const frames =
    seed % 5 === 0
      ? LATER_FRAMES
      : look.marker.kind === 'number' && seed % 2 === 0
        ? NUMBER_FRAMES
        : ITEM_FRAMES
  const number = /\d+/.exec(marker?.text ?? '')?.[0] ?? ''
  return isPlain
    ? pick(frames, seed)?.replace('{n}', number).replaceAll('{f}', stemOf(path)).replace('{x}', item)
    : undefined
}

function framedRow({ path, written, text, seed }: Line): string | undefined {
  const { columns = [], separator = ',' } = lookOfFile(text).table ?? {}
  const cells = written.split(separator).map((cell) => cell.trim())
  if (cells.length !== columns.length || cells.length < 2) return undefined
  const [first = '', ...others] = cells
  const rest = others
    .map((cell, at) => saidCell(cell, columns[at + 1]?.head ?? '', seed + at))
    .filter((cell) => cell !== '')
  const kind = others.findLast((cell, at) => columns[at + 1]?.isClosed && /^\p{L}{3,}$/u.test(cell))
  const frame = pick(ROW_FRAMES, seed) ?? ''
  const isOfKind = frame.includes('{k}') && kind !== undefined
  const left = isOfKind ? rest.filter((cell) => !cell.includes(kind)) : rest
  return frame
    .replace('{f}', stemOf(path))
    .replace('{k}', kind ?? 'one')
    .replace('{0}', () => first)
    .replace('{rest}', () => left.join(', '))
    .replace('{words}', () => left.join(' '))
}

/** "25 minutes", "owner Ann", or the cell alone. */
function saidCell(cell: string, head: string, seed: number): string {
  const name = head.replaceAll('_', ' ').trim()
  if (cell === '' || name === '' || seed % 3 === 0) return cell
  if (/^\d[\d.]*$/.test(cell)) return seed % 2 === 0 ? `${cell} ${name}` : `${cell}${name[0] ?? ''}`
  return seed % 3 === 1 ? cell : `${name} ${cell}`
}

const COUNTS = ['', 'one', 'two', 'three', 'four', 'five', 'six']

/** A sentence that asks for a new file. */
export function framedFile({ path, written, seed }: Omit<Line, 'text'>): string | undefined {
  const lines = written.split('\n')
  const isPlain = lines.every((line) => line.length > 1 && line.length < 60 && !/[.!?:"]\s|["“`]/.test(line))
  if (!isPlain || lines.length > 6) return undefined
  const isListed = lines.length > 2 || lines.every((line) => !/,| and /.test(line))
  const frames = lines.length === 1 ? NEW_FRAMES : isListed && seed % 3 > 0 ? LIST_FRAMES : TURN_FRAMES
  if (frames === TURN_FRAMES && lines.length > 2) return undefined
  if (frames === LIST_FRAMES && lines.some((line) => /,| and /.test(line))) return undefined
  return pick(frames, seed)
    ?.replace('{p}', path)
    .replace('{c}', COUNTS[lines.length] ?? '')
    .replace('{1}', () => lines[0] ?? '')
    .replace('{2}', () => lines[1] ?? '')
    .replace('{x}', () =>
      [lines.slice(0, -1).join(', '), lines.at(-1)].filter((part) => part !== '').join(' and '),
    )
}
