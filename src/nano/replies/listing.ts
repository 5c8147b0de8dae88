/** Results that are lists, as Covey's own tools write them: entries, what is left out, and whether there was nothing. Pure. */
import { plural } from '../../lib/text.ts'
import type { NanoStep } from '../steps/run.ts'

export type Listing = {
  readonly entries: readonly string[]
  /** How many there are in all, in words. */
  readonly total: string
  /** The tool's own sentence for finding nothing; entries beside it are only near. */
  readonly nothing?: string
  /** What the tool said about the list. */
  readonly remarks: readonly string[]
}

type Noun = 'file' | 'match' | 'result'

const NOUNS: ReadonlyMap<string, Noun> = new Map([
  ['list_files', 'file'],
  ['find_files', 'file'],
  ['search_text', 'match'],
  ['search_code', 'match'],
  ['list_results', 'result'],
])

const NOTHING = /^No (?:files match|matches (?:for|in)|results are stored)|^\S.* is empty\.$/
const REMARK =
  /^\[(?:and \d+ more;|lines \d+-\d+ of \d+|(?:at least )?\d+ more match|ignored or empty: |path corrected: )|^\((?:upper and lower case ignored|not a valid regex)/

/** Nothing for tools whose results are no lists. */
export function readListing({ call, text }: NanoStep): Listing | undefined {
  const noun = NOUNS.get(call.name)
  if (!noun) return undefined
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const remarks = lines.filter((line) => REMARK.test(line))
  const [first = '', ...others] = lines.filter((line) => !REMARK.test(line))
  const isNothing = NOTHING.test(first)
  const entries = isNothing ? others : [first, ...others].filter((line) => line !== '').flatMap(filesIn)
  return {
    entries,
    remarks,
    total: isNothing ? counted(0, noun) : totalOf(entries, remarks, noun),
    ...(isNothing && { nothing: first }),
  }
}

/** A line of list_files may hold several files of one folder. */
function filesIn(line: string): readonly string[] {
  const [, folder, names] = /^(\S.*\/): (.+)$/.exec(line) ?? []
  return folder === undefined || names === undefined ? [line] : names.split(', ').map((name) => folder + name)
}

function totalOf(entries: readonly string[], remarks: readonly string[], noun: Noun): string {
  const more = /^\[(?:and |(at least ))?(\d+) more/.exec(remarks.find((line) => / more/.test(line)) ?? '')
  // A folder stands for the files in it.
  const shown = entries.map((entry) => Number(/\/ \((\d+) files?\)$/.exec(entry)?.[1] ?? 1))
  const total = shown.reduce((sum, count) => sum + count, 0) + Number(more?.[2] ?? 0)
  return `${more?.[1] ?? ''}${counted(total, noun)}`
}

const counted = (count: number, noun: Noun): string =>
  noun === 'match' ? `${count} ${count === 1 ? 'match' : 'matches'}` : plural(count, noun)
