/**
 * Whether what a guess would write stands on the request's own words: the file is called by its name, and the text that goes and the text
 * that comes are of one kind. Such a guess may be made for a client that cannot be asked, where nano and the other opinion agree on what
 * is to be done. What removes or replaces a file never stands. Pure.
 */
import { type Decision, isLoss } from '../decide.ts'
import { goesOn, isDoubtful } from '../intent/doubt.ts'
import type { ListedLine } from '../weights/format.ts'
import { moodAgainst } from '../intent/mood.ts'
import { isSameRoot, nameOf, stands, wordsIn } from '../request/naming.ts'
import { hasRemark } from '../intent/remark.ts'
import type { NanoCall } from '../steps/run.ts'
import { placesOf } from '../request/spans.ts'
import { stopWords } from '../request/words.ts'

export type Said = {
  /** What it was asked for. */
  readonly clause: string
  /** Those nano was shown. */
  readonly lines: readonly ListedLine[]
  readonly paths: readonly string[]
  /** Those of the steps so far, the latest first. */
  readonly recent: readonly string[]
}

type Guess = Extract<Decision, { readonly kind: 'guess' }>

/** How likely a call must be to be made for a client without a question. */
const TRUSTED = 0.95

type Trusted = { readonly said: Said; readonly request: string; readonly trust: number }

/**
 * Two checks agree: the rules find that it was ordered and stands on the request's own words, the trained judge is certain. What removes a
 * file names it, and nothing in the words is against it.
 */
export const isTrusted = (
  { call, isLikely, isBacked = false }: Guess,
  { said, request, trust }: Trusted,
): boolean =>
  trust >= TRUSTED &&
  (isLikely ? !isMisfit(call, said) : isBacked && isGrounded(call, said)) &&
  (!isLoss(call) || isNamedFile(call.input['path'], request)) &&
  moodAgainst(call, request) === undefined &&
  !isDoubtful(call, request) &&
  !hasRemark(call, request)

/** A folder may contain anything. */
const isNamedFile = (path: unknown, request: string): boolean =>
  typeof path === 'string' && /\w\.\w{1,8}$/.test(path) && stands(request.toLowerCase(), nameOf(path))

export function isGrounded(call: NanoCall, said: Said): boolean {
  return CHECKS[call.name]?.(call.input, said) ?? false
}

/** A number comes that was not said, or goes for a word that was not said to be replaced: `Airtime` for `1500`. */
export function isMisfit({ name, input: { old, new: replacement } }: NanoCall, { clause }: Said): boolean {
  if (name !== 'edit_file' || typeof old !== 'string' || typeof replacement !== 'string') return false
  const { gone, come } = changed(old, replacement)
  const numbers = (come.match(PIECES) ?? []).filter((piece) => /\d/.test(piece) && !old.includes(piece))
  const isOther = gone !== '' && come !== '' && /\d/.test(gone) !== /\d/.test(come)
  return (
    numbers.some((number) => !clause.includes(number)) ||
    (isOther && !/\b(?:replace|swap|with|instead)\b|->|→|=>/i.test(clause))
  )
}

type Check = (input: NanoCall['input'], said: Said) => boolean

const CHECKS: Readonly<Record<string, Check>> = {
  edit_file({ path, old, new: replacement, all }, said) {
    if (typeof path !== 'string' || typeof old !== 'string' || typeof replacement !== 'string') return false
    if (replacement.startsWith(`${old}\n`)) return isAppended(path, replacement.slice(old.length + 1), said)
    const change = changed(old, replacement)
    const isSaid = isTick(old, replacement, said.clause) || isOneChange(change, replacement, said.clause)
    const isOne = all !== true && !SEVERAL.test(said.clause)
    return isOne && isSaid && isItsLine({ path, text: old, change }, said)
  },
  write_file({ path, content, append }, said) {
    if (typeof path !== 'string' || typeof content !== 'string') return false
    if (append === true) return isAppended(path, content, said)
    const isElsewhere = said.paths.some((other) => nameOf(other) === nameOf(path))
    return said.clause.includes(path) && !isElsewhere && isLast(content, said.clause)
  },
  copy_file: ({ from, to }, said) => isTransfer(from, to, said),
  move_file: ({ from, to }, said) => isTransfer(from, to, said),
  run_command: () => true,
  make_folder({ path }, { clause }) {
    const plain = typeof path === 'string' ? path.replace(/\/+$/, '') : ''
    const rests = placesOf(plain, clause).map((at) => clause.slice(at + plain.length))
    return rests.length > 0 && (plain.includes('/') || !rests.some((rest) => IN_ANOTHER.test(rest)))
  },
}

const SEVERAL = /\b(?:both|each|all)\b/i

/** "A folder called old in squads". */
const IN_ANOTHER = /^["'”’`]?\s+(?:in|into|under|inside|within)\s/i

/** What is written names no file. */
const isAppended = (path: string, content: string, said: Said): boolean =>
  isWhole(content, said.clause) &&
  isCalled(path, { ...said, clause: said.clause.replace(content.trim(), ' … ') })

function isTransfer(from: unknown, to: unknown, said: Said): boolean {
  if (typeof from !== 'string' || typeof to !== 'string') return false
  const name = nameOf(to)
  const folder = nameOf(to.slice(0, Math.max(0, to.replace(/\/+$/, '').lastIndexOf('/'))))
  const words = said.clause.toLowerCase()
  const isNamedTarget =
    words.includes(name) || (name === nameOf(from) && folder !== '' && words.includes(folder))
  return isCalled(from, said) && isNamedTarget
}

/** The words of its name are said, and of no other file as many. A number in a name need not be said. */
function isCalled(path: string, { clause, paths, recent }: Said): boolean {
  if (stands(clause.toLowerCase(), nameOf(path)) || (path === recent[0] && REFERS.test(clause))) return true
  const said = wordsIn(clause)
  const isSaid = (part: string): boolean => said.some((word) => isSameRoot(word, part))
  const score = (one: string): number => {
    const parts = wordsIn(nameOf(one).replace(/\.\w+$/, ''))
    const words = parts.filter((part) => !/^\d+$/.test(part))
    return words.length > 0 && words.every(isSaid) ? parts.filter(isSaid).length : 0
  }
  const own = score(path)
  return own > 0 && !paths.some((other) => other !== path && !other.endsWith('/') && score(other) >= own)
}

/** To what the last step was about. */
const REFERS = /\b(?:it|its|that|this)\b/i

type Change = { readonly gone: string; readonly come: string; readonly kept: string }

/** A date, a time, a version is one. */
const PIECES = /\s+|[\p{L}\p{N}_]+(?:[-./][\p{L}\p{N}_]+|(?<=\d):\d+)*|[^\s\p{L}\p{N}_]/gu

/** What is another, whole words of it, and what stays around it. */
function changed(old: string, replacement: string): Change {
  const before = old.match(PIECES) ?? []
  const after = replacement.match(PIECES) ?? []
  const most = Math.min(before.length, after.length)
  let from = 0
  while (from < most && before[from] === after[from]) from++
  let end = 0
  while (end < most - from && before.at(-1 - end) === after.at(-1 - end)) end++
  return {
    gone: before
      .slice(from, before.length - end)
      .join('')
      .trim(),
    come: after
      .slice(from, after.length - end)
      .join('')
      .trim(),
    kept: `${before.slice(0, from).join('')} ${before.slice(before.length - end).join('')}`,
  }
}

/** "Tick item 1": the box says it, no word does. */
const isTick = (old: string, replacement: string, clause: string): boolean =>
  old !== replacement &&
  old.replaceAll('[ ]', '[x]') === replacement &&
  /\b(?:tick|check|mark|cross)\b/i.test(clause)

/** A value for a value, a word for a word, said whole. */
function isOneChange(change: Change, replacement: string, clause: string): boolean {
  const { gone, come } = change
  if (gone === '' || come === '' || gone.includes('\n') || come.includes('\n')) return false
  return (
    isSameKind(gone, come) &&
    (isWhole(come, clause) || isWhole(replacement, clause)) &&
    isWhatWasSaid(change, clause)
  )
}

/** Both have digits, and as many signs between them; both are a mark like G-OLFT, or none is. A name does not go with its value. */
const isSameKind = (one: string, other: string): boolean =>
  KINDS.every((kind) => kind.test(one) === kind.test(other)) &&
  (!/\d/.test(one) || signs(one) === signs(other))

const KINDS: readonly RegExp[] = [/\d/, /^[A-Z]+-[A-Z\d-]+$/, /[:=]/]
const signs = (text: string): number => text.match(/[-/:]/g)?.length ?? 0

/** The clause contains it and does not continue it. */
function isWhole(text: string, clause: string): boolean {
  const said = clause.toLowerCase()
  const places = placesOf(text.toLowerCase().trim(), said)
  return places.some((at) => {
    const rest = clause.slice(at + text.trim().length)
    return !goesOn(rest) && !/^\s*[-–:.,/]\s*\d|^[,;|/:.-]?\w/.test(rest) && !/[\w-]$/.test(said.slice(0, at))
  })
}

/** Nothing is said behind it. */
const isLast = (text: string, clause: string): boolean =>
  clause.includes(text.trim()) &&
  !/[\p{L}\p{N}]/u.test(clause.slice(clause.indexOf(text.trim()) + text.trim().length))

/** "Change broken to working": where the line has that as a value, it is replaced. */
function isWhatWasSaid({ gone, kept }: Change, clause: string): boolean {
  const [, said] =
    /\b(?:change|replace|swap|switch|correct)\s+(?:the\s+(?:word\s+)?)?["'“‘`]?(\S+?)["'”’`]?\s+(?:to|with|by|into|for)\b/i.exec(
      clause,
    ) ?? []
  if (said === undefined || gone.toLowerCase().includes(said.toLowerCase())) return true
  const at = kept.toLowerCase().indexOf(said.toLowerCase())
  const isName = at === 0 || /^["']?\s*[:=]/.test(kept.slice(at + said.length))
  return at < 0 ? !/\d/.test(said) : isName
}

type Line = { readonly path: string; readonly text: string; readonly change: Change }

/** The clause names what the line contains, and no other line that was shown has more of its words. */
function isItsLine({ path, text, change }: Line, { clause, lines }: Said): boolean {
  const said = telling(clause.toLowerCase().replace(change.come.toLowerCase(), ' '))
  const shared = (line: Pick<ListedLine, 'path' | 'text'>): number => {
    const words = wordsIn(`${nameOf(line.path)} ${line.text}`.replaceAll('_', ' '))
    return said.filter((word) => words.some((other) => isSameRoot(word, other))).length
  }
  const isThis = (line: ListedLine): boolean =>
    line.path === path && (text.includes(line.text) || line.text.includes(text))
  const own = Math.max(...[{ path, text }, ...lines.filter(isThis)].map(shared))
  return own > 0 && !lines.some((line) => !isThis(line) && shared(line) > own)
}

const telling = (text: string): string[] =>
  [...new Set(wordsIn(text))].filter((word) => word.length > 1 && !stopWords.has(word))
