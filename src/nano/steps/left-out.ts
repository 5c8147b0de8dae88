/**
 * What a clause names beside what its steps were about: "show tyres.txt and hours" is not done after the first. Only what is called
 * by its name right beside the other one counts. Pure.
 */
import type { Ban, Rule } from '../weights/ban.ts'
import type { ListedLine, Sources } from '../weights/format.ts'
import { nameOf, stands, wordsIn } from '../request/naming.ts'
import type { NanoCall, NanoStep } from './run.ts'
import { placesOf } from '../request/spans.ts'
import { CHANGE_LINE, isActing } from '../weights/tools.ts'
import { stopWords } from '../request/words.ts'

export type LeftOut = {
  readonly path: string
  /** What it is named beside. */
  readonly beside: string
  readonly bans: readonly Ban[]
}

type Part = { readonly clause: string; readonly sources: Sources }

/** The next file to do the same with, and what the reply may not use. */
export function leftOut({ clause, sources }: Part, steps: readonly NanoStep[]): LeftOut | undefined {
  const last = steps.at(-1)
  if (!last?.ok) return undefined
  const said = clause.toLowerCase()
  const isUsed = (path: string): boolean => steps.some(({ call }) => isAbout(call, path))
  // A folder is only looked at beside another file or folder.
  const mayBeFolder = !isActing(last.call.name)
  const known = sources.paths.filter((path) => mayBeFolder || !path.endsWith('/'))
  const used = known.filter((path) => isAbout(last.call, path))
  for (const path of known.filter((one) => !isUsed(one))) {
    const beside = used.find((other) => areJoined(said, other, path) || isOtherOne(said, other, path, known))
    if (beside !== undefined)
      return { path, beside, bans: used.flatMap((one) => bansOf(one, last.call, sources.lines)) }
  }
  return undefined
}

/** The last step again with what was left out; nothing where more than the file would be another. */
export function sameWith({ path, beside }: LeftOut, { name, input }: NanoCall): NanoCall | undefined {
  const { from, to, append } = input
  if (name === 'read_file' || name === 'list_files')
    return path.endsWith('/')
      ? { name: 'list_files', input: { path } }
      : { name: 'read_file', input: { ...(name === 'read_file' && input), path } }
  if (name === 'delete_file' || (name === 'write_file' && append === true))
    return { name, input: { ...input, path } }
  const isToFolder = typeof to === 'string' && nameOf(to) === nameOf(beside)
  if (!['copy_file', 'move_file'].includes(name) || from !== beside || !isToFolder) return undefined
  const folder = to.slice(0, to.lastIndexOf('/') + 1)
  return { name, input: { from: path, to: folder + path.slice(path.lastIndexOf('/') + 1) } }
}

export const isAbout = ({ input }: NanoCall, path: string): boolean =>
  [input['path'], input['from'], input['to']].some(
    (one) => typeof one === 'string' && plain(one) === plain(path),
  ) ||
  (typeof input['command'] === 'string' && stands(input['command'], path))

const plain = (path: string): string => path.replace(/\/+$/, '')

function bansOf(path: string, { input }: NanoCall, lines: readonly ListedLine[]): Ban[] {
  const own = lines.flatMap((line, index) =>
    line.path === path ? [{ kind: 'line', line: index + 1 } as const] : [],
  )
  const { command } = input
  const ran = typeof command === 'string' ? [{ kind: 'command', command } as const] : []
  return [{ kind: 'path', path }, ...own, ...ran]
}

/** Named one right behind the other, with a word between that joins them. */
const areJoined = (said: string, one: string, other: string): boolean =>
  spansOf(said, one).some((first) =>
    spansOf(said, other).some(
      (second) =>
        (first.end < second.start && joins(said, first.end, second)) ||
        (second.end < first.start && joins(said, second.end, first)),
    ),
  )

type Span = { readonly start: number; readonly end: number }

const joins = (said: string, from: number, { start, end }: Span): boolean =>
  JOINS.test(said.slice(from, start)) && !TELLS.test(said.slice(end))

const JOINS =
  /^["'`”’]?(?:\s+(?:in |over )?(?:there|here|too|files?|folder|list|log|sheet|table|notes?|one|spec|csv|json|config|script))?\s*(?:,|\band\b|&|\bn\b|\bplus\b|\+|\bas well as\b|,\s*and\b)\s*(?:(?:the|my|our|his|her|their|also|in|of|from|file|folder|then)\s+){0,3}["'`“‘]?$/

/** Then it is spoken of for itself: "delete a.txt, b.txt stays". */
const TELLS =
  /^["'`”’]?\s+(?:stays?|remains?|is|are|was|were|should|must|can|could|may|has|have|needs?|not)\b/

/** "The riverside checklist and the hillcross one": a file that is called like the other, but for that word. */
function isOtherOne(said: string, one: string, other: string, known: readonly string[]): boolean {
  const [, word] =
    /(?:,|\band|&|\bplus)\s+(?:also\s+)?(?:(?:in|of|for|to|from)\s+)?the (?:same (?:in|of|for) the )?([\w-]+) ones?\b/.exec(
      said,
    ) ?? []
  if (word === undefined || !/\.\w+$/.test(one)) return false
  const isLike = (path: string): boolean =>
    path !== one &&
    has(path, word) &&
    !has(one, word) &&
    wordsIn(nameOf(path)).some((part) => part.length > 2 && has(one, part))
  return isLike(other) && known.filter(isLike).length === 1
}

const has = (path: string, word: string): boolean => wordsIn(path.replace(/\.\w+$/, '')).includes(word)

const spansOf = (said: string, path: string): Span[] =>
  namesOf(path).flatMap((name) =>
    stands(said, name) ? placesOf(name, said).map((start) => ({ start, end: start + name.length })) : [],
  )

/** Its path, its name, its name without the ending, that in words, in the other order, with its folder. */
function namesOf(path: string): string[] {
  const stem = nameOf(path).replace(/\.\w+$/, '')
  const words = stem.replaceAll(/[-_.]+/g, ' ')
  const folder = plain(path).toLowerCase().split('/').at(-2)
  const isTelling = stem.length > 2 && !stopWords.has(stem)
  const turned = /^[^ ]+ [^ ]+$/.test(words) ? [words.split(' ').toReversed().join(' ')] : []
  const placed = folder === undefined ? [] : [`${folder} ${words}`, `${words} ${folder}`]
  return [plain(path).toLowerCase(), nameOf(path), ...(isTelling ? [stem, words, ...turned, ...placed] : [])]
}

/** "Copy the fastfile and the appfile": in the order in which they are named. */
export const laterNamed: Rule = (call, { clause, sources, recent }) => {
  const path = call.input['from'] ?? call.input['path']
  if (!IN_ORDER.has(call.name) || typeof path !== 'string' || path.endsWith('/')) return undefined
  const said = clause.toLowerCase()
  const isEarlier = (other: string): boolean =>
    other !== path &&
    !other.endsWith('/') &&
    // Also where it has been moved to.
    !recent.some((done) => nameOf(done) === nameOf(other)) &&
    spansOf(said, other).some((first) =>
      spansOf(said, path).some((second) => first.end < second.start && joins(said, first.end, second)),
    )
  return sources.paths.some(isEarlier) ? { kind: 'path', path } : undefined
}

const IN_ORDER: ReadonlySet<string> = new Set('read_file copy_file move_file delete_file'.split(' '))

/** A call that was made before: without what it chose, nano may come to what is left. */
export const bansOfRepeat = ({ name, input }: NanoCall): Ban[] => {
  if (name === CHANGE_LINE) return [{ kind: 'line', line: Number(input['line']) }]
  if (name === 'run_command') return [{ kind: 'command', command: String(input['command']) }]
  const path = input['from'] ?? input['path']
  return typeof path === 'string' ? [{ kind: 'path', path }] : []
}
