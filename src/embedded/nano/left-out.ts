/**
 * What a clause names beside what its steps were about: "show tyres.txt and hours" is not done after the first. Only a file that is called
 * by its name right beside the other one counts. Pure.
 */
import type { Ban, Rule } from './ban.ts'
import type { ListedLine, Sources } from './format.ts'
import { nameOf, stands } from './naming.ts'
import type { NanoCall, NanoStep } from './run.ts'
import { placesOf } from './spans.ts'
import { CHANGE_LINE } from './tools.ts'
import { stopWords } from './words.ts'

export type LeftOut = { readonly path: string; readonly bans: readonly Ban[] }

type Part = { readonly clause: string; readonly sources: Sources }

/** The next file to do the same with, and what the reply may not use. */
export function leftOut({ clause, sources }: Part, steps: readonly NanoStep[]): LeftOut | undefined {
  const last = steps.at(-1)
  if (!last?.ok) return undefined
  const said = clause.toLowerCase()
  const isUsed = (path: string): boolean => steps.some(({ call }) => isAbout(call, path))
  const files = sources.paths.filter((path) => !path.endsWith('/'))
  const used = files.filter((path) => isAbout(last.call, path))
  const path = files.find((one) => !isUsed(one) && used.some((other) => areJoined(said, other, one)))
  if (path === undefined) return undefined
  return { path, bans: used.flatMap((one) => bansOf(one, last.call, sources.lines)) }
}

export const isAbout = ({ input }: NanoCall, path: string): boolean =>
  [input['path'], input['from'], input['to']].includes(path) ||
  (typeof input['command'] === 'string' && stands(input['command'], path))

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
        (first.end < second.start && JOINS.test(said.slice(first.end, second.start))) ||
        (second.end < first.start && JOINS.test(said.slice(second.end, first.start))),
    ),
  )

const JOINS =
  /^["'`”’]?\s*(?:,|\band\b|&|\bn\b|\bplus\b|\+|\bas well as\b|,\s*and\b)\s*(?:(?:the|my|our|also|in|of|file|then)\s+){0,3}["'`“‘]?$/

const spansOf = (said: string, path: string): { start: number; end: number }[] =>
  namesOf(path).flatMap((name) =>
    stands(said, name) ? placesOf(name, said).map((start) => ({ start, end: start + name.length })) : [],
  )

/** Its path, its name, its name without the ending, that in words. */
function namesOf(path: string): string[] {
  const stem = nameOf(path).replace(/\.\w+$/, '')
  const isTelling = stem.length > 2 && !stopWords.has(stem)
  return [path.toLowerCase(), nameOf(path), ...(isTelling ? [stem, stem.replaceAll(/[-_.]+/g, ' ')] : [])]
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
      spansOf(said, path).some(
        (second) => first.end < second.start && JOINS.test(said.slice(first.end, second.start)),
      ),
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
