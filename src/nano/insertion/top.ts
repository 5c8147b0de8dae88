/** A new first line: "put it on top of contacts.txt", "a first line that says X". Pure. */
import type { Point } from './edit.ts'
import { type FileText, isBlank, MARKER } from './text.ts'
import { isSameRoot, nameOf } from '../request/naming.ts'
import { stopWords } from '../request/words.ts'

const TOP =
  /\b(?:on|at|to|in)(?: the)?(?: (?<very>very))? (?:top(?=\s*(?:$|[,.;:!?\u0001]|of\b|and\b|please\b|there\b))|(?:start|beginning)(?= of\b))(?: of (?!(?:that|this|it|them)\b)(?<what>[^,;:\n\u0001]+))?(?! of\b)/i
const FIRST =
  /\b(?:(?:as|be|is) (?:the|a|its)(?: new)?(?: very)? first line|(?:add|put|insert|needs|gets|give\b.*) a (?:new )?first line|the first line (?:shall|should|must|has to) be)\b(?: (?:of|in|to|into|for) (?<what>[^,;:\n\u0001]+))?/i

type Place = { readonly path: string; readonly file: FileText }

export function topOf(masked: string, { path, file }: Place, text: string): Point | undefined {
  if (/\b(?:bottom|end|last|under|below|after)\b/i.test(masked)) return undefined
  const first = FIRST.exec(masked)
  const found = first ?? TOP.exec(masked)
  const [line, next] = file.lines
  if (!found || !line || !isFile(found.groups?.['what'], path)) return undefined
  if (isOpening(line.raw, file.kind)) return undefined
  const isVery = first !== null || found.groups?.['very'] !== undefined
  if (isVery || !MARKER.test(text)) return atLineOne(file, isVery)
  const item = file.lines.find(({ marker }) => marker !== '')
  const headings = file.lines.filter(({ level }) => level !== undefined)
  if (!item || headings.length > 1 || /^\d/.test(item.marker)) return undefined
  const isTitled = item.at === 0 || headings.length === 1 || item.at === 1 || (item.at === 2 && isBlank(next))
  return isTitled ? { at: item.at, like: item, isAbove: true } : undefined
}

/** Above a title there is nothing, unless the first line is said. */
function atLineOne({ lines, kind }: FileText, isVery: boolean): Point | undefined {
  const isTitled = lines[0]?.level === 1 && lines[0].raw.startsWith('#')
  if (kind === 'csv' || kind === 'tsv' || (isTitled && !isVery)) return undefined
  return { at: 0, like: undefined }
}

/** What has to stay first. */
const isOpening = (raw: string, kind: string): boolean =>
  /^(?:#!|---\s*$|<\?|<!|\s*[[{]\s*$|\uFEFF)/.test(raw) || kind === 'json'

/** The file itself, not a part of it. */
function isFile(what: string | undefined, path: string): boolean {
  const all = (what ?? '').toLowerCase().split(/\s+(?:that|which|saying|with|and|please)\b|[:"“]/)[0] ?? ''
  const words = (all.match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !stopWords.has(word))
  const own = `${path.toLowerCase()} ${nameOf(path)} file list page document`.match(/[\p{L}\p{N}]+/gu) ?? []
  return words.every((word) => own.some((part) => isSameRoot(part, word)))
}
