/** One line of a digest: what a successful call established, short enough to keep and enough to go on from. */
import { clip } from '../lib/text.ts'
import { type CallLabel, gistOf, oneLine, textInput } from './call-label.ts'
import { handleIn } from './cut.ts'
import { readShrunk } from './shrink.ts'

export type Fact = {
  /** A newer fact with the same key takes the place of the older one. */
  readonly key: string
  readonly line: string
  /** What is dropped first when there is no room: the lowest. */
  readonly weight: number
}

/** Parts a line into what it is about and what is known of it; rare in paths and commands. */
const SEPARATOR = ' => '

/** Verbs by tool; a tool that is not here is named by its own name. */
const verbs: Readonly<Record<string, string>> = {
  read_file: 'read',
  list_files: 'listed',
  search_text: 'searched',
  run_command: 'ran',
  edit_file: 'edited',
  write_file: 'wrote',
  apply_patch: 'patched',
}

const CHANGES: ReadonlySet<string> = new Set(['edit_file', 'write_file', 'apply_patch'])

export const isChange = ({ name }: CallLabel): boolean => CHANGES.has(name)

export const factOf = (label: CallLabel, text: string): Fact =>
  toFact(verbs[label.name] ?? label.name, label.target, detailOf(label, text))

export function toFact(verb: string, target: string, detail: string): Fact {
  const about = [verb, target].filter(Boolean).join(' ')
  return fromLine(detail ? `${about}${SEPARATOR}${detail}` : about)
}

/** Reads a line back from an earlier digest. */
export function fromLine(line: string): Fact {
  const [about = line, detail] = splitLine(line)
  const verb = line.split(' ', 1)[0] ?? ''
  // Every edit and every answer counts, not only the last.
  const isOnlyOnce = ['read', 'listed', 'searched', 'ran', 'wrote'].includes(verb)
  const weight = detail === undefined ? 0 : (weights[verb] ?? 1)
  return { key: isOnlyOnce ? about : line, line, weight }
}

const weights: Readonly<Record<string, number>> = {
  edited: 3,
  wrote: 3,
  patched: 3,
  ran: 2,
  asked: 2,
  answered: 2,
}

export function splitLine(line: string): [string, string?] {
  const at = line.indexOf(SEPARATOR)
  return at < 0 ? [line] : [line.slice(0, at), line.slice(at + SEPARATOR.length)]
}

/** What was known and is no longer true after this call: how it went before, the text of a file it changed. */
export const staleKeys = (label: CallLabel): readonly string[] => [
  `${verbs[label.name] ?? label.name} ${label.target}`.trim(),
  ...(isChange(label) ? [`read ${label.target}`] : []),
]

const LONGEST_VALUE = 160

function detailOf(label: CallLabel, text: string): string {
  if (label.name === 'edit_file') return changeText(label)
  if (label.name === 'write_file') return clip(oneLine(textInput(label, ['content', 'text'])), 80)
  if (label.name === 'apply_patch') return patchedPaths(label)
  const shrunk = readShrunk(text)
  if (shrunk) return [shrunk.gist, shrunk.handle && `stored as ${shrunk.handle}`].filter(Boolean).join('; ')
  if (label.name === 'run_command' || label.name === 'search_text') return gistOf(label.name, text)
  if (text.length < 10 * LONGEST_VALUE && oneLine(text).length <= LONGEST_VALUE)
    return gistOf(label.name, text)
  const handle = handleIn(text)
  return handle ? `stored as ${handle}` : ''
}

/** Old and new text by any of the names edit forms use for them. */
function changeText(label: CallLabel): string {
  const before = oneLine(textInput(label, ['old', 'old_text', 'old_string', 'search']))
  const after = oneLine(textInput(label, ['new', 'new_text', 'new_string', 'replace', 'text', 'content']))
  return `${clip(before, 80)} -> ${clip(after, 80)}`.trim()
}

function patchedPaths(label: CallLabel): string {
  const patch = textInput(label, ['patch', 'diff', 'input'])
  const paths = [...patch.matchAll(/^(?:\+\+\+ (?:b\/)?|\*\*\* \w+ File: )(.+)$/gm)].map(([, path]) => path)
  return clip([...new Set(paths)].join(', '), LONGEST_VALUE)
}
