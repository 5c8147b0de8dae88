/**
 * What "it", "the copy" or "the first one" may mean: paths of the calls so far and of their results. Must equal nano/sources.py.
 * Pure.
 */
import type { NanoStep } from '../steps/run.ts'

const MAX_RECENT = 8

/** Their results name paths, which are shown behind them. */
export const LISTING: ReadonlySet<string> = new Set(['list_files', 'find_files', 'search_text'])

/** The latest call first. */
export function recentPaths(steps: readonly Pick<NanoStep, 'call' | 'ok' | 'text'>[]): string[] {
  const found = steps.toReversed().flatMap((step) => (step.ok ? pathsOf(step) : []))
  return [...new Set(found)].filter((path) => path !== '').slice(0, MAX_RECENT)
}

function pathsOf({ call: { name, input }, text }: Pick<NanoStep, 'call' | 'text'>): string[] {
  const path = textOf(input['path'])
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  switch (name) {
    case 'list_files':
      return [...lines.flatMap(entriesOf), ['', '.'].includes(path) ? '' : `${path.replace(/\/+$/, '')}/`]
    case 'find_files':
      return lines.filter((line) => /^(?!No )[^()[\]:]{1,120}$/.test(line))
    case 'search_text':
      return [...lines.flatMap((line) => /^([^:]{1,120}):\d+:/.exec(line)?.[1] ?? []), path]
    case 'make_folder':
      return [`${path.replace(/\/+$/, '')}/`]
    case 'move_file':
      return [textOf(input['to'])]
    case 'copy_file':
      return [textOf(input['to']), textOf(input['from'])]
    default:
      return ['read_file', 'write_file', 'edit_file', 'data_view'].includes(name) ? [path] : []
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The paths of a line of a listing: `docs/: a.md, b.md`, `docs/a.md` or `docs/ (12 files)`. */
function entriesOf(line: string): string[] {
  if (line.startsWith('[')) return []
  const at = line.indexOf('/: ')
  if (at < 0) return [line.replace(/ \(\d+ files?\)$/, '')]
  return line
    .slice(at + 3)
    .split(', ')
    .map((name) => `${line.slice(0, at)}/${name}`)
}
