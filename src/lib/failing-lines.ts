/** The lines of a command's output that say what went wrong, whatever printed them. */

const FAILS =
  /(?:^|[^\w/-])(?:fail(?:ed|s|ures?|ing)?|errors?|not ok|panic(?:ked)?|exception|traceback|assert\w*|expected|received|actual|fatal|denied|cannot|undefined)(?![\w/-])|[✗✖✘×]|Error\b|^E {2,}|\berror[[:(]/i

/** `0 failed`, `# fail 0`, `errors: 0` tell that nothing did. */
const NOTHING = /\b(?:0|no) (?:\w+ )?(?:fail|error|problem|warning)|\b(?:fail\w*|errors?)\s*[:=]?\s*0\b/i

const isFailing = (line: string): boolean => FAILS.test(line) && !NOTHING.test(line)

/** In their order, each with the line below where that is indented: it says how. At most `most`. */
export function failingLines(text: string, most: number): readonly string[] {
  const lines = text.split('\n').map((line) => line.trimEnd())
  const kept = lines.filter(
    (line, at) =>
      line.trim() !== '' && (isFailing(line) || (/^\s{2,}\S/.test(line) && isFailing(lines[at - 1] ?? ''))),
  )
  return [...new Set(kept)].slice(0, most)
}

const SUMMARY =
  /\bnot ok\b|^# fail [1-9]|\b[1-9]\d* (?:\w+ )?(?:failed|failing|failures?|errors?)\b|^\s*FAIL(?:ED)?\b|^Traceback |npm ERR!|^error(?:\[|:)|^FAILURES|panicked at/im

/** Output of something that failed, though its exit code does not say so. */
export const looksFailed = (text: string): boolean => SUMMARY.test(text)
