/** Stack traces and panics of any program: node, python, java, go, rust. */
import { hasGoroutine } from './go.ts'
import { indentOf, isBlank, ReadingDraft, type Reading } from './reading.ts'

type Trace = {
  readonly starts: (lines: readonly string[], at: number) => boolean
  /** Lines before the first that belong to it. */
  readonly lead?: (lines: readonly string[], at: number) => number
  /** Where it ends, at most `LONGEST` lines on. */
  readonly end: (lines: readonly string[], from: number) => number
}

const LONGEST = 400

export function readTraces(lines: readonly string[]): Reading | undefined {
  const draft = new ReadingDraft()
  for (let index = 0; index < lines.length; index++) {
    const trace = TRACES.find(({ starts }) => starts(lines, index))
    if (!trace) continue
    const end = Math.max(index + 1, Math.min(trace.end(lines, index), index + LONGEST, lines.length))
    draft.open(trace.lead?.(lines, index) ?? index)
    draft.close(end)
    index = end - 1
  }
  return draft.end(lines.length)
}

const endOf = (lines: readonly string[], from: number, isInside: (line: string) => boolean): number => {
  let at = from
  while (at < lines.length && at - from < LONGEST && isInside(lines[at] ?? '')) at++
  return at
}

const FRAME = /^\s+at .*(?:\(|:\d+)|^\s+at \S+$|^\s*\.\.\. \d+ more$/
const NODE_HEAD =
  /^(?:Uncaught |Unhandled .*?: )?(?:[\w$.]*(?:Error|Exception|Warning)\b[^"]{0,400}|\[?[\w$.]+: .*)$/
const JAVA_HEAD =
  /^(?:Exception in thread "[^"]*" |Caused by: |Suppressed: )?[a-z][\w$]*(?:\.[\w$]+)+(?:: .*)?$|^Exception in thread "/

const TRACES: readonly Trace[] = [
  {
    starts: (lines, at) => /^\s*Traceback \(most recent call last\):/.test(lines[at] ?? ''),
    end: pythonEnd,
  },
  {
    // A syntax error has no frames.
    starts: (lines, at) => /^ {2}File "[^"]+", line \d+$/.test(lines[at] ?? ''),
    end: pythonEnd,
  },
  {
    starts: (lines, at) => isFollowedByFrames(lines, at, NODE_HEAD),
    lead: (lines, at) => nodeLead(lines, at),
    end: framesEnd,
  },
  { starts: (lines, at) => isFollowedByFrames(lines, at, JAVA_HEAD), end: framesEnd },
  {
    starts: (lines, at) => /^(?:panic: |fatal error: )/.test(lines[at] ?? '') && hasGoroutine(lines, at),
    end: (lines, from) => endOf(lines, from, (line) => !/^(?:exit status|FAIL\b|make)/.test(line)),
  },
  {
    starts: (lines, at) => /^thread '.*'(?: \(\d+\))? panicked at /.test(lines[at] ?? ''),
    end: (lines, from) => endOf(lines, from, (line) => !isBlank(line) && !line.startsWith('note: run with')),
  },
]

function pythonEnd(lines: readonly string[], from: number): number {
  let end = tracebackEnd(lines, from)
  // One exception while another was handled: together they are one failure.
  while (CHAIN.test(lines[end + 1] ?? '') && lines[end + 3]?.includes('Traceback') && end - from < LONGEST) {
    end = tracebackEnd(lines, end + 3)
  }
  return end
}

function tracebackEnd(lines: readonly string[], from: number): number {
  const base = indentOf(lines[from] ?? '')
  const isSyntax = /^ {2}File/.test(lines[from] ?? '')
  const isInside = (line: string): boolean => isBlank(line) || indentOf(line) > (isSyntax ? 1 : base)
  const message = endOf(lines, from + 1, isInside)
  // The message itself, and the further lines of a long one.
  return endOf(lines, message + 1, (line) => !isBlank(line) && indentOf(line) > base)
}

const CHAIN = /^(?:The above exception was the direct cause|During handling of the above exception)/

function isFollowedByFrames(lines: readonly string[], at: number, head: RegExp): boolean {
  const line = lines[at] ?? ''
  if (line.length > 2000 || FRAME.test(line) || !head.test(line)) return false
  return [1, 2, 3, 4, 5, 6].some((next) => FRAME.test(lines[at + next] ?? ''))
}

/** `/path/file.js:3`, the source line and a caret. */
function nodeLead(lines: readonly string[], at: number): number {
  for (const back of [2, 3, 4, 5, 6]) {
    if (/^(?:file:\/\/)?\S*[/\\]\S+:\d+$/.test(lines[at - back] ?? '')) return at - back
  }
  return at
}

function framesEnd(lines: readonly string[], from: number): number {
  const first = endOf(lines, from + 1, (line) => !FRAME.test(line))
  const last = endOf(
    lines,
    first,
    (line) => FRAME.test(line) || /^\s*(?:Caused by|Suppressed): |^\s+\.\.\. /.test(line),
  )
  // `{ code: 'ENOENT', ... }` after the last frame.
  return lines[last - 1]?.endsWith('{') ? endOf(lines, last, (line) => !/^\s*\}/.test(line)) + 1 : last
}
