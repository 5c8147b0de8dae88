/**
 * One line of a digest: what a successful call established, short enough to keep and enough to go on from. A later digest
 * reads the lines of an earlier one back, so what is written here can be read here.
 */
import { clip, plural, toLines } from '../lib/text.ts'
import { type CallLabel, gistOf, oneLine, textInput } from './call-label.ts'
import { handleIn } from './cut.ts'
import { joinRanges, type LineRange, namesIn, rangeText, readRanges, shownRange } from './result-text.ts'
import { readStub } from './stub.ts'

export type Fact = {
  /** A newer fact with the same key takes the place of the older one. */
  readonly key: string
  readonly line: string
  /** What is dropped first when there is no room: the lowest. */
  readonly weight: number
  /** Of a file that was read. */
  readonly pages?: Pages
}

type Pages = {
  readonly path: string
  readonly ranges: readonly LineRange[]
  readonly details: string
  /** The file was changed after it was read. */
  readonly isOld?: boolean
}

const CHANGES: ReadonlySet<string> = new Set(['edit_file', 'write_file', 'apply_patch'])

export const isChange = ({ name }: CallLabel): boolean => CHANGES.has(name)

/** Calls that only look around: what they found is found again as fast, and what they did not find is no failure. */
const LOOKS: ReadonlySet<string> = new Set([
  'list_files',
  'find_files',
  'list_results',
  'read_result',
  'more_tools',
  'select_category',
])

export const isLook = ({ name }: CallLabel): boolean => LOOKS.has(name)

/** What a call that succeeded is remembered by; nothing for one that only looked around. */
export function factOf(label: CallLabel, text: string): Fact | undefined {
  const { name, target } = label
  if (isLook(label)) return undefined
  if (name === 'read_file') return readFact(pagesOf(label, text))
  if (name === 'edit_file' || name === 'apply_patch') return fromLine(changeLine(label, text))
  if (name === 'write_file') return fromLine(writeLine(label))
  if (name === 'run_command') return fromLine(withDetail(`ran \`${target}\``, gist(name, text)))
  if (name === 'search_text') return fromLine(withDetail(`searched "${target}"`, gist(name, text)))
  return fromLine(withDetail(`${name} ${target}`.trim(), gist(name, text)))
}

const withDetail = (about: string, detail: string): string => (detail ? `${about}: ${detail}` : about)

export const toldFact = (verb: 'asked' | 'answered' | 'noted', text: string): Fact =>
  fromLine(withDetail(verb, text))

/** Reads a line back from an earlier digest. */
export function fromLine(line: string): Fact {
  const [, path, ranges = '', old, details = ''] = PAGES.exec(line) ?? []
  if (path !== undefined)
    return readFact({ path, ranges: readRanges(ranges), details, isOld: old !== undefined })
  const about = /^(?:ran `.*?`|searched ".*?"|wrote .+? \(|read \S+)/.exec(line)?.[0]
  const verb = line.split(/[ :]/, 1)[0] ?? ''
  // Every edit and every answer counts, not only the last.
  return { key: about ?? line, line, weight: weights[verb] ?? 1 }
}

const OLD = ' before it changed'
const PAGES = new RegExp(String.raw`^read (.+?) lines (\d[\d, -]*?)(${OLD})?(?:: (.*))?$`)

const weights: Readonly<Record<string, number>> = {
  edited: 3,
  wrote: 3,
  patched: 3,
  ran: 2,
  asked: 4,
  answered: 2,
}

/** Both are true of the file as it is: what was read of it, all together. */
export function mergeFacts(older: Fact | undefined, newer: Fact): Fact {
  if (!older?.pages || !newer.pages) return newer
  const { ranges } = newer.pages
  const isShownAgain = older.pages.ranges.every(({ from, to }) =>
    ranges.some((range) => range.from <= from && to <= range.to),
  )
  if (isShownAgain) return newer
  const details = [...new Set([...namesOf(older.pages.details), ...namesOf(newer.pages.details)])]
  return readFact({
    path: newer.pages.path,
    ranges: joinRanges([...older.pages.ranges, ...ranges]),
    details: details.slice(0, MOST_NAMES).join(', '),
  })
}

const namesOf = (details: string): readonly string[] => (NAMES.test(details) ? details.split(', ') : [])

const NAMES = /^[#\w$]+ \d+(?:, [#\w$]+ \d+)*$/
const MOST_NAMES = 16

function readFact(pages: Pages): Fact {
  const { path, ranges, details, isOld = false } = pages
  const lines = ranges.length > 0 ? ` lines ${rangeText(ranges)}` : ''
  const line = withDetail(`read ${path}${lines}${isOld ? OLD : ''}`, details)
  return { key: `read ${path}`, line, weight: ranges.length > 0 ? 1.5 : 0, pages }
}

const LONGEST_VALUE = 160

function pagesOf({ target }: CallLabel, text: string): Pages {
  const stub = readStub(text)
  if (stub) return { path: target, ranges: stub.range ? [stub.range] : [], details: stub.names }
  const range = shownRange(text)
  const ranges = range ? [range] : []
  const content = oneLine(text.replaceAll(/^\d+(?:[a-z]{2})?\t/gm, ''))
  if (content.length <= LONGEST_VALUE) return { path: target, ranges, details: content }
  const names = namesIn(text).map(({ name, line }) => `${name} ${line}`)
  return { path: target, ranges, details: names.slice(0, MOST_NAMES).join(', ') }
}

/** What a fact is once the file was changed: what was read of it is old, what was found in it is no longer sure. */
export function afterChange(fact: Fact, path: string): Fact | undefined {
  if (fact.line.startsWith('searched ') && fact.line.includes(path)) return undefined
  if (fact.key !== `read ${path}`) return fact
  if (!fact.pages || fact.pages.ranges.length === 0) return undefined
  const details = namesOf(fact.pages.details).join(', ')
  return readFact({ ...fact.pages, details, isOld: true })
}

function gist(name: string, text: string): string {
  const stub = readStub(text)
  if (stub)
    return [clip(stub.gist, LONGEST_VALUE), stub.handle && `stored as ${stub.handle}`]
      .filter(Boolean)
      .join('; ')
  if (name === 'run_command' || name === 'search_text') return gistOf(name, text)
  if (text.length < 10 * LONGEST_VALUE && oneLine(text).length <= LONGEST_VALUE) return gistOf(name, text)
  const handle = handleIn(text)
  return handle ? `stored as ${handle}` : ''
}

const LONGEST_CHANGE = 120

/** The file as it is now: the lines that came in, and only where none did, those that went. */
function changeLine(label: CallLabel, text: string): string {
  const { name, target } = label
  const paths = name === 'apply_patch' ? patchedPaths(label) : target
  const verb = name === 'apply_patch' ? 'patched' : 'edited'
  const shown = changedLines(text)
  const changed = shown.added + shown.removed === '' ? changedLines(asDiff(label)) : shown
  if (changed.added) return `${verb} ${paths} + ${clip(changed.added, LONGEST_CHANGE)}`
  return changed.removed ? `${verb} ${paths} - ${clip(changed.removed, LONGEST_CHANGE)}` : `${verb} ${paths}`
}

type Changed = { readonly added: string; readonly removed: string }

/** From the diff a result shows, or a patch. Lines that only stand between two changes are on both sides. */
function changedLines(text: string): Changed {
  const marked = (mark: RegExp) => text.split('\n').flatMap((line) => mark.exec(line)?.[1] ?? [])
  const added = marked(/^\+(?!\+\+ )(.*)$/)
  const removed = marked(/^-(?!-- )(.*)$/)
  const without = (lines: readonly string[], others: readonly string[]) =>
    oneLine(lines.filter((line) => !others.includes(line)).join('\n'))
  return { added: without(added, removed), removed: without(removed, added) }
}

/** Old and new text by any of the names edit forms use for them; a patch is one already. */
function asDiff(label: CallLabel): string {
  const patch = textInput(label, ['patch', 'diff', 'input'])
  if (patch) return patch
  const before = toLines(textInput(label, ['old', 'old_text', 'old_string', 'search']))
  const after = toLines(textInput(label, ['new', 'new_text', 'new_string', 'replace', 'text', 'content']))
  return [
    ...before.filter((line) => !after.includes(line)).map((line) => `-${line}`),
    ...after.filter((line) => !before.includes(line)).map((line) => `+${line}`),
  ].join('\n')
}

function writeLine(label: CallLabel): string {
  const content = textInput(label, ['content', 'text'])
  return withDetail(
    `wrote ${label.target} (${plural(toLines(content).length, 'line')})`,
    clip(oneLine(content), 80),
  )
}

function patchedPaths(label: CallLabel): string {
  const patch = textInput(label, ['patch', 'diff', 'input'])
  const paths = [...patch.matchAll(/^(?:\+\+\+ (?:b\/)?|\*\*\* \w+ File: )(.+)$/gm)].map(([, path]) => path)
  return clip([...new Set(paths)].join(', '), LONGEST_VALUE)
}
