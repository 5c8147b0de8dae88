/**
 * Compilers, type checkers and linters that write one place and one message: gcc, clang, javac, make, ld, tsc, eslint,
 * ruff, flake8, mypy and those that print like them. What follows a message (source, carets, notes) belongs to it.
 */
import { indentOf, isBlank, ReadingDraft, type Reading } from './reading.ts'

const PLACED = String.raw`^(?:\[[A-Z]+\] )?(?:[A-Za-z]:)?[^\s:][^:]*:\d+(?::\d+)?`

/** Each names its severity in group 1, or is an error. */
const FORMS: readonly RegExp[] = [
  new RegExp(String.raw`${PLACED}: (?:fatal |internal compiler |runtime )?(error|warning)(?:\[\S+\])?: `),
  /^\S.*\(\d+,\d+\): (error|warning) \w+\d+: /,
  new RegExp(String.raw`${PLACED} - (error|warning) \w+\d+: `),
  // pyright puts its lines below the path, with the path again.
  /^\s+\S+:\d+:\d+ - (error|warning): /,
  // ruff, flake8, pylint, golangci-lint: a code where others have the severity.
  new RegExp(String.raw`${PLACED}:? (?:[A-Z]{1,4}\d{2,5}\b|.* \((?:[a-z]+(?:[-\w]*[a-z])?)\)$)`),
  // eslint's unix and compact forms.
  new RegExp(String.raw`${PLACED}: .+ \[(Error|Warning)(?:/\S*)?\]$`),
  /^\S+: line \d+, col \d+, (Error|Warning) - /,
  /^(?:error) (?:TS\d+): /,
  /^.*(?:undefined reference to |multiple definition of |ld: (?:cannot find|error|symbol\(s\) not found))/,
  /^(?:cc1|cc1plus|clang|gcc|g\+\+|c\+\+|ld|ld\.lld|lld|javac): (?:fatal )?(error): /,
  /^CMake (Error|Warning)(?: at | in |:)/,
]

/** Says that something failed, not what. */
const MINOR = /^(?:collect2: error|clang(?:-\d+)?: error: linker command failed|g?make(?:\[\d+\])?: \*\*\* )/

const COUNTS: readonly RegExp[] = [
  /^Found (\d+) errors?\b/,
  /^(?:\d+ warnings? and )?(\d+) errors? generated\.$/,
  /^(\d+) errors?$/,
]

const PROGRESS =
  /^(?:(?:gcc|g\+\+|cc|c\+\+|clang(?:\+\+)?|ar|ranlib|\/usr\/bin\/\S+) -?\S.* |\[ *\d+(?:%|\/\d+)\] |g?make\[\d+\]: (?:Entering|Leaving) )/

export function readDiagnostics(lines: readonly string[]): Reading | undefined {
  const draft = new ReadingDraft()
  let isMinor = false
  for (const [index, line] of lines.entries()) {
    const form = line.length > LONGEST_LINE ? undefined : FORMS.find((candidate) => candidate.test(line))
    const count = COUNTS.find((candidate) => candidate.test(line))?.exec(line)
    if (form) {
      isMinor = /^warning$/i.test(form.exec(line)?.[1] ?? '')
      draft.open(leadOf(lines, index), undefined, isMinor)
    } else if (MINOR.test(line)) draft.open(index, undefined, true)
    else if (count) {
      draft.close(index)
      draft.counts.push({ noun: 'error', failed: Number(count[1]) })
      draft.drop(index)
    } else if (PROGRESS.test(line)) {
      draft.close(index)
      draft.drop(index)
    } else if (draft.isOpen && !isContinued(lines, index)) draft.close(index)
  }
  const reading = draft.end(lines.length)
  // `3 errors` alone is said by anything.
  return reading && reading.findings.length > 0 ? reading : undefined
}

/** Code that a minifier made; no compiler puts a message after so much. */
const LONGEST_LINE = 4000

/** `a.c: In function 'f':` and `In file included from` stand before the message. */
function leadOf(lines: readonly string[], at: number): number {
  const before = lines[at - 1] ?? ''
  return /^[^\s:]+: (?:In |At top level)|^\s+from [^:]+:\d+[,:]$|^In file included from /.test(before)
    ? at - 1
    : at
}

function isContinued(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? ''
  if (isBlank(line)) return isFrame(lines[at + 1] ?? '') || isFrame(lines[at + 2] ?? '')
  return (
    indentOf(line) > 0 ||
    isFrame(line) ||
    isCaret(lines[at + 1] ?? '') ||
    /^[^\s:][^:]*:\d+(?::\d+)?: (?:note: |  required )/.test(line) ||
    /^[^\s:]+: (?:In |At top level)|^In file included from |^compilation terminated/.test(line)
  )
}

const isCaret = (line: string): boolean => /^\s*[~^][~^ ]*$/.test(line)

/** A line of source with its number, or what points into it. */
const isFrame = (line: string): boolean =>
  /^\s*\d+(?: *\||\s)\s*\S?|^\s+[~^|]/.test(line) && line.length < 400
