/** The lines of a file as an insertion sees them: what is a heading, an entry of a list, a setting, and what belongs to it. Pure. */

export type TextLine = {
  readonly at: number
  readonly raw: string
  readonly indent: string
  /** `- `, `- [ ] `, `3. `, with the space behind it. */
  readonly marker: string
  readonly body: string
  /** 1 to 6 for headings, 7 for a label such as `Open questions:`. */
  readonly level: number | undefined
  readonly key: string | undefined
}

export type FileText = {
  readonly lines: readonly TextLine[]
  readonly ending: string
  /** Of its path, in small letters. */
  readonly kind: string
}

export const MARKER = /^(?:[-*+•](?: \[[ xX]?\])?|\[[ xX]?\]|\d{1,3}[.)])[ \t]+(?=\S)/
const PROSE: ReadonlySet<string> = new Set(['', 'md', 'markdown', 'txt', 'rst', 'adoc', 'org', 'mdx'])
const SECTIONED: ReadonlySet<string> = new Set(['ini', 'cfg', 'conf', 'toml', 'editorconfig', 'gitconfig'])
export const LABEL = 7

export const isProse = (kind: string): boolean => PROSE.has(kind)

export function readText(text: string, path: string): FileText {
  const kind = /\.(\w+)$/.exec(path.toLowerCase())?.[1] ?? ''
  const raws = text.replace(/\r?\n$/, '').split(/\r?\n/)
  const fenced = fencedIn(raws)
  const lines = raws.map((raw, at) => {
    const indent = /^[ \t]*/.exec(raw)?.[0] ?? ''
    const marker = MARKER.exec(raw.slice(indent.length))?.[0] ?? ''
    const body = raw.slice(indent.length + marker.length).trimEnd()
    const level = fenced.has(at) ? undefined : levelOf(raws, at, kind)
    return { at, raw, indent, marker, body, level, key: keyOf(body) }
  })
  return { lines, ending: text.includes('\r\n') ? '\r\n' : '\n', kind }
}

/** Lines of a code block: a comment there is not a heading. */
function fencedIn(raws: readonly string[]): ReadonlySet<number> {
  const fenced = new Set<number>()
  let isOpen = false
  for (const [at, raw] of raws.entries()) {
    const isFence = /^\s*(?:```|~~~)/.test(raw)
    if (isOpen || isFence) fenced.add(at)
    if (isFence) isOpen = !isOpen
  }
  return fenced
}

function levelOf(raws: readonly string[], at: number, kind: string): number | undefined {
  const raw = raws[at] ?? ''
  const next = raws[at + 1] ?? ''
  if (SECTIONED.has(kind)) return /^\s*\[.+\]\s*$/.test(raw) ? 1 : undefined
  if (!isProse(kind) || raw.trim() === '') return undefined
  const signs = /^(#{1,6}|={1,6})\s+\S/.exec(raw)?.[1]
  if (signs !== undefined) return signs.length
  if (/^={3,}\s*$/.test(next)) return 1
  if (/^-{3,}\s*$/.test(next) && !/^[-|\s]*$/.test(raw) && !raw.includes('|')) return 2
  const isLabel = /^[^\s-].{0,70}:$/.test(raw.trimEnd()) && !MARKER.test(raw)
  const isShouted = /^[A-Z][A-Z\d &'()/,-]{2,50}$/.test(raw) && (raws[at - 1] ?? '').trim() === ''
  return isLabel || isShouted ? LABEL : undefined
}

const KEY =
  /^(?:["'`](?<quoted>[^"'`]{1,60})["'`]|(?<plain>[\w@$][\w .@$/-]{0,50}?))\s*(?::(?!:)|=>|=(?!=))(?=\s|$|\S)/

export function keyOf(body: string): string | undefined {
  const { quoted, plain } = KEY.exec(body)?.groups ?? {}
  return quoted ?? (/^https?$/.test(plain ?? '') ? undefined : plain)
}

/** Without the signs of a heading, and without the link or brackets around it. */
export const titleOf = ({ body }: TextLine): string =>
  body
    .replace(/^(?:#{1,6}|={1,6})\s+/, '')
    .replace(/\s*(?:#+|=+|:)$/, '')
    .replaceAll(/[[\]*_`]/g, '')
    .trim()

export const isBlank = (line: TextLine | undefined): boolean => line === undefined || line.raw.trim() === ''

/** The lines behind a heading, up to the next one. */
export function sectionOf({ lines }: FileText, heading: TextLine): readonly TextLine[] {
  const isUnderlined = /^(?:={3,}|-{3,})\s*$/.test(lines[heading.at + 1]?.raw ?? '')
  const from = heading.at + (isUnderlined ? 2 : 1)
  const isLabel = heading.level === LABEL
  const end = lines.findIndex(
    ({ at, level }) => at >= from && level !== undefined && (isLabel || level < LABEL),
  )
  const all = lines.slice(from, end < 0 ? lines.length : end)
  if (!isLabel) return all
  const first = all.findIndex((line) => !isBlank(line))
  const gap = all.findIndex((line, at) => at > first && isBlank(line))
  return gap < 0 || first < 0 ? all : all.slice(0, gap)
}

/** Whether smaller headings follow before the next one of its own kind. */
export function hasParts({ lines }: FileText, heading: TextLine): boolean {
  const next = lines.find(({ at, level }) => at > heading.at && level !== undefined && level < LABEL)
  return next !== undefined && (next.level ?? 0) > (heading.level ?? 0)
}

/** What is indented under a line, or a list right behind a key. */
export function blockOf({ lines }: FileText, line: TextLine): readonly TextLine[] {
  const deep = (one: TextLine): boolean =>
    one.indent.length > line.indent.length ||
    (line.marker === '' && one.marker !== '' && one.indent === line.indent && line.body.endsWith(':'))
  const end = lines.findIndex((one) => one.at > line.at && !isBlank(one) && !deep(one))
  const block = lines.slice(line.at + 1, end < 0 ? lines.length : end)
  const last = block.findLastIndex((one) => !isBlank(one))
  return block.slice(0, last + 1)
}
