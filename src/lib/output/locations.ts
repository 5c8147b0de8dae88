/**
 * The places a failed command names: output of compilers, linters, test runners and stack traces, read to path and line.
 * Knows how tools write a place, not which files exist: the reader of a place finds out. Pure.
 */
export type Location = { readonly path: string; readonly line: number }

/** Most telling first: errors before warnings, and in a stack trace the frame that failed before its callers. */
export function findLocations(output: string): readonly Location[] {
  const lines = plain(output).split('\n').slice(0, MOST_LINES)
  const found = [...ungrouped(lines), ...underHeadings(lines)]
    .filter(({ path, line }) => line > 0 && !FOREIGN.test(path))
    .toSorted((one, other) => one.rank - other.rank || one.order - other.order)
  const byKey = new Map<string, Location>()
  for (const { path, line } of found) {
    const key = `${path}:${line}`
    if (!byKey.has(key)) byKey.set(key, { path, line })
  }
  return [...byKey.values()].slice(0, MOST_PLACES)
}

/** A log has no end; what counts was cut to head and tail before. */
const MOST_LINES = 20_000
const MOST_PLACES = 50

type Found = Location & { readonly rank: number; readonly order: number }

/** Colours, and the links some tools put around paths. */
const plain = (output: string): string =>
  // oxlint-disable-next-line no-control-regex -- they are what is taken out
  output
    .replaceAll(/\u001B(?:\[[0-9;?]*[A-Za-z]|\][^\u0007\u001B]*(?:\u0007|\u001B\\))/g, '')
    .replaceAll('\r', '')

/** Libraries and the runtime itself: they are not changed here. */
const FOREIGN =
  /(?:^|\/)(?:node_modules|site-packages|dist-packages|\.cargo|\.rustup|\.venv|venv)\/|^(?:node:|internal\/|\/rustc\/|\/usr\/(?:lib|local|include|share)\/|<)|(?:^|\/)lib\/python3?[\d.]*\//

/** A frame of a library or of the runtime: nothing there is to be changed. */
export function isForeignFrame(text: string): boolean {
  if (RUNTIME_FRAME.test(text)) return true
  const [, path] = FRAME.exec(text)?.filter(Boolean) ?? []
  return path !== undefined && FOREIGN.test(path.replace('file://', ''))
}

const FRAME = /\(?((?:file:\/\/)?[^\s()"']+):\d+(?::\d+)?\)?$|^\s*File "([^"]+)"|^(\S+):\d+: in /

const RUNTIME_FRAME =
  /^\s+at (?:.*\((?:node:|<anonymous>|native)|node:|(?:java|javax|jdk|sun|org\.junit|org\.opentest4j|org\.apache\.maven|org\.gradle|junit|java\.base)[./])|^\s*(?:\d+: )?(?:std|core|rust_begin_unwind|test|alloc)::|^\s*\.\.\. \d+ more|^(?:testing|runtime|created by testing)\b|^\s+(?:\/usr\/local\/go|\/usr\/lib\/go)\S*\/src\//

/** Python's own form, or pytest's short one: the source line stands below. */
export const isPythonFrame = (text: string): boolean =>
  PYTHON_FRAME.test(text) || /^\S+\.py:\d+: in /.test(text)

/** Whether a line says where something is, in a file that may be one of the project's. */
export function namesLocation(text: string): boolean {
  const frame = PYTHON_FRAME.exec(text)
  const found = frame ? [toFound(frame, { text, order: 0 })] : placesIn(text, 0)
  return found.some(({ path, line }) => line > 0 && !FOREIGN.test(path))
}

function ungrouped(lines: readonly string[]): Found[] {
  const found: Found[] = []
  // Python prints the frame that failed last: each one goes in front of those before it.
  let frames: Found[] = []
  for (const [index, text] of lines.entries()) {
    const frame = PYTHON_FRAME.exec(text)
    if (frame) {
      frames.unshift(toFound(frame, { text, order: index }))
      continue
    }
    if (/^(?:[A-Za-z_][\w.]*(?:Error|Exception|Warning|Interrupt|Exit)\b|Traceback )/.test(text)) {
      found.push(...inOrder(frames))
      frames = []
    }
    found.push(...placesIn(text, index))
  }
  return [...found, ...inOrder(frames)]
}

/** They take the places of each other, so that what stands before and after them in the output stays there. */
function inOrder(frames: readonly Found[]): Found[] {
  const orders = frames.map(({ order }) => order).toSorted((one, other) => one - other)
  return frames.map((frame, index) => ({ ...frame, order: orders[index] ?? frame.order }))
}

const PYTHON_FRAME = /^\s*File "([^"]+)", line (\d+)/

const PATH = String.raw`(?:file:\/\/)?((?:(?<![A-Za-z])[A-Za-z]:[\\/])?[^\s"'\`()<>[\]{}|:,;=]*[^\s"'\`()<>[\]{}|:,;=/\\.]\.[A-Za-z][A-Za-z0-9]{0,7})`

/**
 * `a.ts(3,7)` of tsc and MSVC; `a.c:3` and `a.c:3:7` of everybody else: gcc, go, cargo, eslint's unix form, pytest, jest,
 * vitest, node, TAP's `location:`.
 */
const FORMS: readonly RegExp[] = [
  new RegExp(String.raw`${PATH}\((\d+)(?:,\d+)*\)`, 'g'),
  new RegExp(String.raw`${PATH}:(\d+)(?![\w.])`, 'g'),
]

function placesIn(text: string, order: number): Found[] {
  if (!/\d/.test(text) || text.length > LONGEST_LINE) return []
  return FORMS.flatMap((form) => [...text.matchAll(form)])
    .filter(([, path = '']) => !path.startsWith('//'))
    .map((match) => toFound(match, { text, order }))
}

/** Minified code in a stack trace; nothing in it is a place. */
const LONGEST_LINE = 2_000

/** `path` on a line of its own, then `  3:7  error  ...`: eslint and those that print like it. */
function underHeadings(lines: readonly string[]): Found[] {
  const found: Found[] = []
  let heading: string | undefined
  for (const [order, text] of lines.entries()) {
    if (HEADING.test(text)) heading = text.trim()
    const row = /^\s+(\d+):\d+\s+(?:error|warning|✖|⚠|\S*error\b)/i.exec(text)
    if (row && heading !== undefined) {
      found.push({ path: tidy(heading), line: Number(row[1]), rank: rankOf(text), order })
    }
    if (text.trim() === '') heading = undefined
  }
  return found
}

const HEADING = /^(?:[A-Za-z]:)?[^\s:"'`()<>[\]{}|,;][^:"'`()<>[\]{}|,;]*\.[A-Za-z][A-Za-z0-9]{0,7}$/

const toFound = (
  match: RegExpExecArray,
  { text, order }: { readonly text: string; readonly order: number },
): Found => ({
  path: tidy(match[1] ?? ''),
  line: Number(match[2]),
  rank: rankOf(text),
  order,
})

const tidy = (path: string): string => path.replaceAll('\\', '/').replace(/^(?:\.\/)+/, '')

/** A warning, or where the failed test begins, says less than what failed. */
const rankOf = (text: string): number => (isWarning(text) || beginsTest(text) ? 1 : 0)

export const beginsTest = (text: string): boolean => /^\s*(?:location: '|test at )/.test(text)

const isWarning = (text: string): boolean => /\bwarn(?:ing)?\b/i.test(text) && !/\berror\b/i.test(text)
