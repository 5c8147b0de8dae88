/**
 * pytest: sections `____ name ____` under `=== FAILURES ===`, one `FAILED path::name - message` each in the summary,
 * and counts in the last line. Styles without sections (`--tb=no`, `--tb=line`) still have the summary.
 */
import { type Finding, numbersIn, ReadingDraft, type Reading } from './reading.ts'

const BANNER = /^=+ (.+?) =+$/
const SECTION = /^_{3,} (?:\[[^\]]*\] )?(.+?) _{3,}$/
const SHORT = /^(FAILED|ERROR) (\S.*?)(?: - (.*))?$/
const COUNTS =
  /^(?:=+ )?((?:\d+ (?:failed|passed|errors?|skipped|deselected|xfailed|xpassed|warnings?|rerun)(?:, )?)+) in [\d.]+s.*$/
const PROGRESS =
  /^(?:\S+\.py [.FEsxXR]+\s*(?:\[ *\d+%\])?|[.FEsxXR]{2,}\s*(?:\[ *\d+%\])?|.*::\S.* (?:PASSED|SKIPPED|XFAIL|XPASS|FAILED|ERROR)\b.*|\[gw\d+\] .*|[.FEsxXR]+ +\[ *\d+%\])$/
const PREAMBLE =
  /^(?:platform \w+ -- Python|cachedir: |rootdir: |configfile: |plugins: |collect(?:ing|ed) |created: \d+\/\d+ worker|\d+ workers \[|testpaths: |Using --random)/

type Short = {
  readonly line: number
  readonly name: string
  readonly message: string
  readonly isError: boolean
  /** The line that has its place, of `--tb=line`. */
  readonly placed?: number
}

const toShort = ([, kind, name = '', message = '']: RegExpExecArray, line: number): Short => ({
  line,
  name,
  message,
  isError: kind === 'ERROR',
})

const PLACED = /^\S+\.py:\d+: \S/

/** In the same order as the summary. */
function withPlaces(shorts: readonly Short[], placed: readonly number[]): readonly Short[] {
  const failed = shorts.filter(({ isError }) => !isError)
  if (failed.length !== placed.length) return shorts
  return shorts.map((short) => {
    const at = placed[failed.indexOf(short)]
    return at === undefined ? short : { ...short, placed: at }
  })
}

export function readPytest(lines: readonly string[]): Reading | undefined {
  const draft = new ReadingDraft()
  const shorts: Short[] = []
  const placed: number[] = []
  let part = ''
  let isPytest = false
  let isUnsure = false
  for (const [index, line] of lines.entries()) {
    const counts = COUNTS.exec(line)
    const banner = counts ? undefined : BANNER.exec(line)
    const section = part === 'FAILURES' || part === 'ERRORS' ? SECTION.exec(line) : undefined
    const short = SHORT.exec(line)
    if (counts) {
      isPytest = true
      draft.close(index)
      addCount(draft, counts[1] ?? '', isUnsure)
      part = ''
      draft.drop(index)
    } else if (/^!+ stopping after \d+ failures? !+$/.test(line)) {
      draft.close(index)
      isUnsure = true
      draft.drop(index)
    } else if (banner) {
      draft.close(index)
      part = banner[1] ?? ''
      isPytest ||= part === 'FAILURES' || part === 'test session starts'
      draft.drop(index)
    } else if (section) {
      isPytest = true
      // A test that passed and left an error behind is counted twice.
      isUnsure ||= section[1]?.startsWith('ERROR at teardown') ?? false
      draft.open(index + 1, section[1])
      draft.drop(index)
    } else if (short && (part === 'short test summary info' || (short[2]?.includes('::') && !draft.isOpen))) {
      draft.close(index)
      shorts.push(toShort(short, index))
      draft.drop(index)
    } else if (part === 'FAILURES' && !draft.isOpen && PLACED.test(line)) {
      placed.push(index)
      draft.drop(index)
    } else if (/^-{3,} Captured .* -{3,}$|^-{3,} generated xml|^-+ coverage: /.test(line)) draft.close(index)
    else if (part === 'short test summary info' || isNoise(line, part)) draft.drop(index)
  }
  draft.close(lines.length)
  const { counts, dropped } = draft
  const findings = named(draft.findings, withPlaces(shorts, placed))
  const isFound = (isPytest || shorts.length > 1) && findings.length + counts.length > 0
  return isFound ? { findings, counts, dropped } : undefined
}

const isNoise = (line: string, part: string): boolean =>
  PREAMBLE.test(line) || (part !== 'FAILURES' && part !== 'ERRORS' && PROGRESS.test(line))

function addCount(draft: ReadingDraft, text: string, isUnsure: boolean): void {
  const numbers = numbersIn(text.replaceAll(/\berrors\b/g, 'error'))
  const failed = (numbers.get('failed') ?? 0) + (numbers.get('error') ?? 0)
  const skipped = (numbers.get('skipped') ?? 0) + (numbers.get('xfailed') ?? 0)
  const total = failed + skipped + (numbers.get('passed') ?? 0) + (numbers.get('xpassed') ?? 0)
  if (total === numbers.get('error')) {
    // Files that could not be read: how many tests they hold is not known.
    draft.counts.push({ noun: 'error', failed: total })
    return
  }
  draft.counts.push({ noun: 'test', failed, ...(!isUnsure && { total }), ...(skipped > 0 && { skipped }) })
}

/** A section under the full name the summary has for it; what only the summary names is a finding of one line. */
function named(sections: readonly Finding[], shorts: readonly Short[]): readonly Finding[] {
  const left = [...shorts]
  const titled = sections.map((finding) => {
    const title = finding.title ?? ''
    const key = plainName(title)
    const at = left.findIndex(({ name }) => plainName(name) === key || name === key)
    const [short] = at < 0 ? [] : left.splice(at, 1)
    return short ? { ...finding, title: withKind(title, short.name) } : finding
  })
  const alone = left.map(({ line, name, message, placed }) =>
    placed === undefined
      ? { title: message ? `${name} - ${message}` : name, from: line + 1, to: line + 1 }
      : { title: name, from: placed, to: placed + 1 },
  )
  return [...titled, ...alone].toSorted((one, other) => one.from - other.from)
}

const KIND = /^(ERROR (?:at (?:setup|teardown) of|collecting)) /

/** `tests/test_a.py::TestCart::test_x[1]` and `TestCart.test_x[1]` are one. */
const plainName = (name: string): string =>
  name
    .replace(KIND, '')
    .split('::')
    .slice(name.includes('::') ? 1 : 0)
    .join('.')

const withKind = (title: string, name: string): string => {
  const kind = KIND.exec(title)?.[1]
  return kind ? `${kind} ${name}` : name
}
