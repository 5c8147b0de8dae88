/**
 * New lines at one point of a file, in the form their neighbours have: indentation, list marker, commas. Gives an edit whose old text
 * occurs once, or nothing where the new lines do not fit there. Pure.
 */
import { type FileText, isBlank, isProse, keyOf, MARKER, type TextLine } from './text.ts'

export type Point = {
  /** Before this line. */
  readonly at: number
  /** What the new lines look like. */
  readonly like: TextLine | undefined
  readonly isLast?: boolean
  /** The line they are named by is the next one. */
  readonly isAbove?: boolean
  readonly gapBefore?: boolean
  readonly gapAfter?: boolean
}

export type Insertion = { readonly old: string; readonly new: string; readonly content: string }

export function insertAt(file: FileText, point: Point, content: string): Insertion | undefined {
  const shaped = inForm(content, file, point)
  if (shaped === undefined) return undefined
  const joined = withCommas(shaped, file, point)
  const around = [file.lines[point.at - 1]?.raw.trim(), file.lines[point.at]?.raw.trim()]
  if (!joined || around.includes(joined.added.join('\n').trim())) return undefined
  const added = [
    ...(point.gapBefore === true ? [''] : []),
    ...joined.added,
    ...(point.gapAfter === true ? [''] : []),
  ]
  const raws = file.lines.map(({ raw }) => raw)
  const before = joined.before === undefined ? raws : raws.with(point.at - 1, joined.before)
  const after = before.toSpliced(point.at, 0, ...added)
  if (file.kind === 'json' || file.kind === 'arb') {
    const isSound = isJson(after.join('\n')) || !isJson(raws.join('\n'))
    if (!isSound || isKnownKey(joined.added[0] ?? '', file)) return undefined
  }
  const edit = smallest(raws, after, {
    at: point.at,
    more: added.length,
    ending: file.ending,
    isAbove: point.isAbove === true,
  })
  return edit && { ...edit, content: joined.added.join('\n') }
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const isKnownKey = (added: string, { lines }: FileText): boolean => {
  const key = keyOf(added.trim())
  const indent = /^\s*/.exec(added)?.[0]
  return key !== undefined && lines.some((line) => line.key === key && line.indent === indent)
}

type Span = {
  readonly at: number
  readonly more: number
  readonly ending: string
  readonly isAbove: boolean
}

/** The lines next to the new ones: as many as it takes to occur once, and those above rather than those below. */
function smallest(
  raws: readonly string[],
  after: readonly string[],
  { at, more, ending, isAbove }: Span,
): { readonly old: string; readonly new: string } | undefined {
  const text = raws.join(ending)
  const above = Array.from({ length: at }, (_, less) => [at - 1 - less, at] as const)
  const below = Array.from({ length: raws.length - at }, (_, size) => [at, at + 1 + size] as const)
  const isSame = raws[at - 1] === after[at - 1]
  const around = at > 0 ? below.map(([, last]) => [at - 1, last] as const) : []
  const isNext = isSame && (isAbove || (raws[at - 1] ?? '').trim() === '')
  const spans = isNext ? [...below, ...above] : [...above, ...around]
  const span = spans.find(([first, last]) => {
    const old = raws.slice(first, last).join(ending)
    return old.trim() !== '' && text.split(old).length === 2
  })
  if (!span) return undefined
  const [first, last] = span
  return { old: raws.slice(first, last).join(ending), new: after.slice(first, last + more).join(ending) }
}

const COMMENT = /^(?:#|\/\/|\/\*|;|--|<!--)/

/** With the indentation and marker of its neighbour, unless it has its own. */
function inForm(content: string, file: FileText, { like, isLast }: Point): string[] | undefined {
  const lines = content.replaceAll(/^\n+|\s+$/g, '').split('\n')
  const first = lines[0] ?? ''
  if (!like || first.trim() === '') return like || first.trim() === '' ? undefined : lines
  if (/^\s/.test(first)) return lines
  const isFree = COMMENT.test(first) || like.level !== undefined
  if (isFree) return lines.map((line) => (like.level === undefined ? like.indent : '') + line)
  if (!isAlike(first, like, file)) return undefined
  const marked = lines.map((line) => {
    const marker = MARKER.test(line) || like.marker === '' ? '' : nextMarker(like.marker, isLast === true)
    return marker === undefined ? undefined : like.indent + marker + quotedLike(line, like.body)
  })
  const all = marked.filter((line) => line !== undefined)
  const isNumbered = /^\d/.test(like.marker) && !MARKER.test(first)
  return all.length === lines.length && (!isNumbered || lines.length === 1) ? all : undefined
}

/** A number can only follow the last one: the others would change. */
function nextMarker(marker: string, isLast: boolean): string | undefined {
  const number = /^\d+/.exec(marker)?.[0]
  if (number === undefined) return marker.replace(/\[[xX]?\]/, '[ ]')
  return isLast ? marker.replace(number, String(Number(number) + 1)) : undefined
}

const quotedLike = (line: string, body: string): string => {
  const quote = /^(["'])[^"']*\1,?$/.exec(body)?.[1]
  return quote === undefined || /^["']/.test(line) ? line : `${quote}${line}${quote}`
}

const cells = (row: string): number => row.replaceAll(/"[^"]*"/g, '').split(',').length

/** A row among rows, a setting among settings. */
function isAlike(first: string, like: TextLine, { kind }: FileText): boolean {
  const body = first.replace(MARKER, '')
  if (kind === 'csv' || kind === 'tsv') return cells(body) === cells(like.body)
  if (like.body.startsWith('|') || body.startsWith('|'))
    return like.body.startsWith('|') && like.body.split('|').length === body.split('|').length
  if (isProse(kind)) return true
  if (['yml', 'yaml'].includes(kind) && MARKER.test(first) && like.marker !== '') return true
  const isSetting = (text: string): boolean => keyOf(text) !== undefined
  if (!SETTINGS.has(kind) && !like.body.includes('=>')) return true
  return isSetting(like.body) === isSetting(body)
}

const SETTINGS: ReadonlySet<string> = new Set(
  'json arb json5 jsonc yml yaml toml ini cfg conf env properties'.split(' '),
)

type Joined = { readonly added: readonly string[]; readonly before: string | undefined }

/** Elements of a list in code or JSON have commas between them. */
function withCommas(added: readonly string[], file: FileText, { at }: Point): Joined | undefined {
  const plain = { added, before: undefined }
  if (isProse(file.kind) || NO_COMMAS.has(file.kind)) return plain
  const before = file.lines.slice(0, at).findLast((line) => !isBlank(line))
  const next = file.lines.slice(at).find((line) => !isBlank(line))
  if (!before || !isElements(before, next, file)) return plain
  if (before.at !== at - 1 || added.length !== 1) return undefined
  const own = (added[0] ?? '').replace(/,\s*$/, '')
  const isOpener = /[[{(]\s*$/.test(before.raw)
  const isEnd = next === undefined || CLOSER.test(next.raw)
  const isBefore = isOpener || /,\s*$/.test(before.raw)
  const isTrailing = isEnd && !isOpener && isBefore
  const line = isEnd && !isTrailing ? own : `${own},`
  return { added: [line], before: isBefore ? undefined : `${before.raw.trimEnd()},` }
}

const NO_COMMAS: ReadonlySet<string> = new Set([
  'csv',
  'tsv',
  'yml',
  'yaml',
  'ini',
  'cfg',
  'conf',
  'env',
  'sh',
])
const CLOSER = /^\s*[\]})]/

function isElements(before: TextLine, next: TextLine | undefined, { kind, lines }: FileText): boolean {
  if (kind === 'json' || kind === 'arb') return true
  if (/,\s*$/.test(before.raw)) return true
  if (/[[{(]\s*$/.test(before.raw)) return next !== undefined && /,\s*$/.test(next.raw)
  const above = lines[before.at - 1]
  const isSibling = above?.indent === before.indent && /,\s*$/.test(above.raw)
  return isSibling && next !== undefined && CLOSER.test(next.raw)
}
