/**
 * Regular expressions without backtracking: all ways to match go through the text side by side, at most one for each
 * place in the program, so the time is the length of the text times the size of the pattern, whatever the text. Every
 * place that is part of some match counts; overlapping matches are one. Where a pattern asks for the shortest match
 * (`+?`), a match ends the longer ways that began with it; otherwise nothing that could match is ever given up.
 */
import { type Assertion, type Node, parseRegex, refuse } from './parse.ts'

export type Span = { readonly start: number; readonly end: number }

/** Throws `config-invalid` when the pattern cannot be searched in linear time or matches nothing at all. */
export function compileRegex(source: string, ignoreCase = false): (text: string) => readonly Span[] {
  const program = compile(source, ignoreCase)
  if (reachable(program).some(({ type }) => type === 'match'))
    throw refuse(source, 'it matches the empty string')
  const isLazy = program.some((step) => step.type === 'fork' && step.isLazy)
  return (text) => joinSpans([...search({ program, isLazy }, text)])
}

/** Whether it occurs in a text at all. Throws `config-invalid` when that cannot be found in linear time. */
export function compileTest(source: string, ignoreCase = false): (text: string) => boolean {
  const program = compile(source, ignoreCase)
  return (text) => search({ program, isLazy: false }, text).next().done !== true
}

function compile(source: string, ignoreCase: boolean): readonly Step[] {
  const program: Step[] = []
  emit(parseRegex(source), program, { source, flags: ignoreCase ? 'i' : '' })
  program.push({ type: 'match' })
  return program
}

type Step =
  | { readonly type: 'character'; readonly accepts: (code: number) => boolean }
  | { readonly type: 'assertion'; readonly assertion: Assertion }
  /** Both ways are open; the first is preferred. */
  | { readonly type: 'fork'; readonly isLazy: boolean; first: number; second: number }
  | { readonly type: 'jump'; to: number }
  | { readonly type: 'match' }

type Target = { readonly source: string; readonly flags: string }

const MAX_STEPS = 1000

function emit(node: Node, program: Step[], target: Target): void {
  if (program.length > MAX_STEPS) throw refuse(target.source, 'it is too large; repeat fewer times')
  if (node.type === 'character') program.push({ type: 'character', accepts: accepting(node.source, target) })
  else if (node.type === 'assertion') program.push(node)
  else if (node.type === 'sequence') for (const item of node.items) emit(item, program, target)
  else if (node.type === 'choice') emitChoice(node.options, program, target)
  else emitRepeat(node, program, target)
}

function accepting(source: string, { flags, source: whole }: Target): (code: number) => boolean {
  const pattern = toPattern(source, flags, whole)
  const ascii = Uint8Array.from({ length: 128 }, (_, code) =>
    pattern.test(String.fromCharCode(code)) ? 1 : 0,
  )
  return (code) => (code < 128 ? ascii[code] === 1 : pattern.test(String.fromCharCode(code)))
}

function toPattern(source: string, flags: string, whole: string): RegExp {
  const escaped =
    source === '{' || source === '}' || source === ']' || source === '/' ? `\\${source}` : source
  try {
    return new RegExp(`^${escaped}$`, /\\p\{/i.test(source) ? `${flags}u` : flags)
  } catch {
    throw refuse(whole, `${source} is not a set of characters`)
  }
}

function emitChoice(options: readonly Node[], program: Step[], target: Target): void {
  const ends: { to: number }[] = []
  for (const [index, option] of options.entries()) {
    const isLast = index === options.length - 1
    const fork = { type: 'fork' as const, isLazy: false, first: program.length + 1, second: 0 }
    if (!isLast) program.push(fork)
    emit(option, program, target)
    if (isLast) continue
    const jump = { type: 'jump' as const, to: 0 }
    program.push(jump)
    ends.push(jump)
    fork.second = program.length
  }
  for (const end of ends) end.to = program.length
}

function emitRepeat(node: Node & { type: 'repeat' }, program: Step[], target: Target): void {
  const { item, min, max, lazy } = node
  for (let count = 0; count < min; count++) emit(item, program, target)
  const forks: { first: number; second: number }[] = []
  const open = (): void => {
    const after = program.length + 1
    const fork = { type: 'fork' as const, isLazy: lazy, first: after, second: after }
    program.push(fork)
    forks.push(fork)
  }
  if (max === Number.POSITIVE_INFINITY) {
    const start = program.length
    open()
    emit(item, program, target)
    program.push({ type: 'jump', to: start })
  } else {
    for (let count = min; count < max; count++) {
      open()
      emit(item, program, target)
    }
  }
  for (const fork of forks) fork[lazy ? 'first' : 'second'] = program.length
}

/** The active threads: the program counter of each and where in the text it began, the preferred ones first. */
type Ways = { readonly steps: Int32Array; readonly starts: Int32Array; length: number }

const noWays = (size: number): Ways => ({
  steps: new Int32Array(size),
  starts: new Int32Array(size),
  length: 0,
})

type Searching = { readonly program: readonly Step[]; readonly isLazy: boolean }

function* search({ program, isLazy }: Searching, text: string): Generator<Span> {
  const open = opener(program, text)
  const canStart = startingAt(program)
  let ways = noWays(program.length)
  let next = noWays(program.length)
  for (let at = 0; at <= text.length; at++) {
    const code = text.charCodeAt(at)
    if (canStart(code)) open(ways, 0, at, at)
    if (ways.length === 0) continue
    let closed = -1
    for (let index = 0; index < ways.length; index++) {
      const start = ways.starts[index] ?? 0
      const number = ways.steps[index] ?? 0
      const step = program[number]
      if (isLazy && start === closed) continue
      if (step?.type === 'match') {
        yield { start, end: at }
        closed = start
      } else if (at < text.length && step?.type === 'character' && step.accepts(code)) {
        open(next, number + 1, start, at + 1)
      }
    }
    ;[ways, next] = [next, ways]
    next.length = 0
  }
}

/** Adds a way and all it forks into, each step of the program at most once for each place in the text. */
function opener(
  program: readonly Step[],
  text: string,
): (ways: Ways, number: number, start: number, at: number) => void {
  const seen = new Int32Array(program.length).fill(-1)
  return function open(ways, number, start, at) {
    const step = program[number]
    if (!step || seen[number] === at) return
    seen[number] = at
    if (step.type === 'jump') open(ways, step.to, start, at)
    else if (step.type === 'fork') {
      open(ways, step.first, start, at)
      open(ways, step.second, start, at)
    } else if (step.type !== 'assertion') {
      ways.steps[ways.length] = number
      ways.starts[ways.length++] = start
    } else if (isMet(step.assertion, text, at)) open(ways, number + 1, start, at)
  }
}

function isMet(assertion: Assertion, text: string, at: number): boolean {
  if (assertion === '^') return at === 0 || text[at - 1] === '\n'
  if (assertion === '$') return at === text.length || text[at] === '\n' || text[at] === '\r'
  const isBoundary = /\w/.test(text[at - 1] ?? '') !== /\w/.test(text[at] ?? '')
  return isBoundary === (assertion === '\\b')
}

/** By the letters a match can begin with: everything else is passed over quickly. */
function startingAt(program: readonly Step[]): (code: number) => boolean {
  const first = reachable(program)
  if (first.some(({ type }) => type === 'match')) return () => true
  const accepting = first.flatMap((step) => (step.type === 'character' ? [step.accepts] : []))
  const ascii = Uint8Array.from({ length: 128 }, (_, code) =>
    accepting.some((accepts) => accepts(code)) ? 1 : 0,
  )
  return (code) => code >= 128 || ascii[code] === 1
}

/** What can stand first, assertions taken as met. */
function reachable(program: readonly Step[]): readonly Step[] {
  const found = new Set<number>([0])
  for (const at of found) {
    const step = program[at]
    if (step?.type === 'jump') found.add(step.to)
    if (step?.type === 'fork') found.add(step.first).add(step.second)
    if (step?.type === 'assertion') found.add(at + 1)
  }
  return [...found].flatMap((at) => program[at] ?? [])
}

function joinSpans(spans: readonly Span[]): readonly Span[] {
  const joined: { start: number; end: number }[] = []
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    const last = joined.at(-1)
    if (last && start < last.end) last.end = Math.max(last.end, end)
    else joined.push({ start, end })
  }
  return joined
}
