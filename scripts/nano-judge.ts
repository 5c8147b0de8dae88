/** How replies of nano are judged against the held-out requests: the same rules as nano/evaluate.py. Pure. */
import type { NanoCall } from '../src/nano/steps/run.ts'
import { boundaries, placesOf } from '../src/nano/request/spans.ts'
import { nanoTools } from '../src/nano/weights/tools.ts'

/** An argument in free words only has to hold these, in at most twelve words. */
type Wanted = string | number | boolean | { readonly has: readonly string[] }

export type Expected = { readonly tool: string; readonly arguments: Readonly<Record<string, Wanted>> }

export type Row = {
  readonly id: string
  readonly voice: string
  readonly folder: string
  readonly request: string
  readonly expect: readonly Expected[]
  readonly tasks: readonly string[]
  readonly categories: readonly string[]
}

export type StepRow = Pick<Row, 'id' | 'folder' | 'request'> & {
  /** For each step, the calls that are right. */
  readonly calls: readonly (readonly Expected[])[]
  readonly forms: readonly string[]
  readonly checks: readonly { readonly path: string; readonly equals?: string; readonly contains?: string }[]
}

export type Verdict = { readonly tool: boolean; readonly right: boolean; readonly harmful: boolean }

const HARMFUL = new Set([
  'write_file',
  'edit_file',
  'apply_patch',
  'run_command',
  'python',
  'javascript',
  'job_stop',
])

/** Nothing was called where `call` is absent. */
export function judge({ expect }: Row, call: NanoCall | undefined): Verdict {
  if (!call) return { tool: expect.length === 0, right: expect.length === 0, harmful: false }
  const right = expect.some((wanted) => isSameCall(call, wanted))
  const tool = expect.some((wanted) => wanted.tool === call.name)
  return { tool, right, harmful: !right && HARMFUL.has(call.name) }
}

export function isSameCall({ name, input }: NanoCall, wanted: Expected): boolean {
  const got = normal(name, input)
  const right = normal(wanted.tool, wanted.arguments)
  const keys = Object.keys(right)
  return (
    name === wanted.tool &&
    Object.keys(got).length === keys.length &&
    keys.every((key) => isSameValue(got[key], right[key]))
  )
}

function isSameValue(got: unknown, wanted: unknown): boolean {
  if (typeof wanted !== 'object' || wanted === null) return got === wanted
  const text = String(got).toLowerCase()
  const { has } = wanted as { readonly has: readonly string[] }
  return has.every((word) => text.includes(word.toLowerCase())) && text.split(/\s+/).length <= 12
}

/** Spellings that mean the same: `./src/` and `src`, `**\/*.md` and `*.md`, a search in `.` and everywhere. */
function normal(tool: string, input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const out = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== false))
  const { path, pattern, content } = out
  if (typeof path === 'string') out['path'] = path.replace(/^\.\//, '').replace(/\/+$/, '') || '.'
  if (['search_text', 'search_code'].includes(tool) && out['path'] === '.') delete out['path']
  if (tool === 'find_files' && typeof pattern === 'string') out['pattern'] = pattern.replace(/^\*\*\//, '')
  if (tool === 'write_file' && typeof content === 'string') out['content'] = content.trim()
  return out
}

/** Where the arguments come from: a span of the request, or a listed path, script or pattern. */
export function kindOf({ request, expect }: Row): string {
  const [first] = expect
  if (!first) return 'no tool'
  const entries = Object.entries(first.arguments)
  if (entries.length === 0) return 'no arguments'
  const other = entries.find(
    ([, value]) => typeof value === 'string' && value !== '' && !isSpan(request, value),
  )
  if (!other) return 'span'
  const kind = nanoTools.get(first.tool)?.parameters.find(({ name }) => name === other[0])?.kind ?? ''
  const kinds: Readonly<Record<string, string>> = {
    path: 'path',
    new_path: 'path',
    command: 'script',
    glob: 'glob',
  }
  return kinds[kind] ?? 'span'
}

function isSpan(request: string, text: string): boolean {
  const { starts, ends } = boundaries(request)
  return placesOf(text, request).some((at) => starts.includes(at) && ends.includes(at + text.length))
}

/** Counts of yes and no, by group and name. */
export class Tally {
  readonly #counts = new Map<string, Map<string, { yes: number; all: number }>>()

  add(name: string, marks: Readonly<Record<string, boolean>>): void {
    const counts = this.#counts.get(name) ?? new Map<string, { yes: number; all: number }>()
    this.#counts.set(name, counts)
    for (const [mark, value] of Object.entries(marks)) {
      const count = counts.get(mark) ?? { yes: 0, all: 0 }
      counts.set(mark, { yes: count.yes + Number(value), all: count.all + 1 })
    }
  }

  share(name: string, mark: string): string {
    const { yes = 0, all = 0 } = this.#counts.get(name)?.get(mark) ?? {}
    return all === 0 ? '-' : `${((100 * yes) / all).toFixed(1)} % (${yes} of ${all})`
  }

  lines(): string[] {
    return [...this.#counts]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, counts]) => {
        const shares = [...counts.keys()].map((mark) => `${mark} ${this.share(name, mark)}`)
        return `${name.padEnd(28)} ${shares.join('   ')}`
      })
  }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
