/** Lines by which a failure shows, whatever printed them: enough to keep them of an output that is too long to keep. */

const STARTS =
  /^\s*(?:not ok\b|--- FAIL|FAIL\b|FAILED\b|ERROR\b|[✖✕✗×✘] |● |_{3,} \S.* _{3,}|={3,} (?:FAIL|ERROR)|E {2,}\S|Traceback \(|panic: |thread '.*panicked at|---- .* stdout ----|(?:fatal )?error(?:\[\w+\])?: |\[ERROR\] |npm (?:ERR!|error) |\d+\) \S|Caused by: |Exception in thread|# fail [1-9]|test result: FAILED)/

const ANYWHERE =
  /: (?:fatal )?error(?:\b|: )|\berror TS\d+\b|<<< (?:FAILURE|ERROR)!|\b(?:[A-Z]\w*)?(?:Error|Exception): |undefined reference to|\*\*\* \[|\bAssertionError\b|\bsegmentation fault\b|\bcommand not found\b|\bNo such file or directory\b|\bpermission denied\b/i

/** Cheap: it is asked for every line of output of any length. */
export const looksLikeError = (line: string): boolean => {
  const text = line.length > LONGEST ? line.slice(0, LONGEST) : line
  return STARTS.test(text) || ANYWHERE.test(text)
}

const LONGEST = 500

/** False only where no line of the text looks like an error: much cheaper than asking for each line. */
export const mayHoldErrors = (text: string): boolean => WORDS.test(text)

const WORDS =
  // oxlint-disable-next-line no-control-regex -- colours stand before the signs
  /error|fail|not ok|[✖✕✗×✘●]|exception|panic|traceback|caused by|stdout ----|undefined reference|\*\*\* \[|segmentation|command not found|no such file|permission denied|^(?:\s|\u001B\[[\d;]*m)*(?:E {2}|_{3}|\d+\) )/im

/** What was wanted and what came: it belongs to the failure above it. */
const VALUES = /^\s*[-+]?\s*(?:expected|received|actual|want|got)\b/i

/** In their order, each with the line below where that is indented: it says how. At most `most`. */
export function failingLines(text: string, most: number): readonly string[] {
  const lines = text.split('\n').map((line) => line.trimEnd())
  const kept = lines.filter(
    (line, at) =>
      line.trim() !== '' && (isTelling(line) || (/^\s{2,}\S/.test(line) && isTelling(lines[at - 1] ?? ''))),
  )
  return [...new Set(kept)].slice(0, most)
}

const isTelling = (line: string): boolean => looksLikeError(line) || SUMMARY.test(line) || VALUES.test(line)

const SUMMARY =
  /\bnot ok\b|^# fail [1-9]|\b[1-9]\d* (?:\w+ )?(?:failed|failing|failures?|errors?)\b|^\s*FAIL(?:ED)?\b|^Traceback |npm ERR!|^error(?:\[|:)|^FAILURES|panicked at/im

/** Output of something that failed, though its exit code does not say so. */
export const looksFailed = (text: string): boolean => SUMMARY.test(text)
