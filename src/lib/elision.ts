/**
 * Marks by which a model leaves text out: `...`, `// ... existing code ...`, `# rest of the file unchanged`. In a quote they
 * stand for the lines between; in what is to be written they would destroy those lines.
 */

/** What opens a comment in any of the usual languages, and what closes it. */
const OPEN = String.raw`(?:\/\/+|#+|\/\*+|\*+|--+|;+|%+|<!--|\{\/\*|\(\*|"""|''')?`
const CLOSE = String.raw`(?:\*+\/|-->|\*\/\}|\*\)|"""|''')?`
const DOTS = String.raw`(?:\.{3,}|…)`
const LEFT_OUT = String.raw`(?:(?:the |all |your |any )?(?:rest|remainder|remaining|existing|previous|other|same|unchanged|omitted|truncated|original|keep|snip|as before|no changes|more)\b[^\n]{0,60})`

const DOTS_LINE = new RegExp(String.raw`^\s*${OPEN}\s*[[(]?${DOTS}[\])]?\s*${CLOSE}\s*$`, 'i')
const DOTS_AND_WORDS = new RegExp(
  String.raw`^\s*${OPEN}\s*[[(]?\s*(?:${DOTS}\s*[[(]?${LEFT_OUT}|${LEFT_OUT}\s*${DOTS}[\])]?)\s*${CLOSE}\s*$`,
  'i',
)
const WORDS = new RegExp(
  String.raw`^\s*(?:\/\/+|#+|\/\*+|--+|;+|<!--|\{\/\*)\s*[[(]?(?:the )?(?:rest of (?:the |your )?\w+|existing code|remaining (?:code|lines|functions|methods|\w+)|(?:code|lines|everything(?: else)?|other \w+) (?:is |are |stays? |remains? )?(?:unchanged|the same|as before|omitted)|unchanged (?:code|lines|\w+)|same as before|no changes (?:here|below|above))\b[^\n]{0,60}$`,
  'i',
)

/** A line that stands for lines it does not show. */
export const isElision = (line: string): boolean =>
  DOTS_LINE.test(line) || DOTS_AND_WORDS.test(line) || WORDS.test(line)

/** The marks of `text` that are not lines of `before` itself: Python's `...` and a comment about the rest may well be. */
export function elisionsIn(text: string, before: string): readonly string[] {
  const known = new Set(before.split('\n').map((line) => line.trim()))
  const lines = text.split('\n')
  return lines.filter(
    (line, index) => isElision(line) && !known.has(line.trim()) && !isPythonBody(line, lines[index - 1]),
  )
}

/** `...` is the whole body of many a Python function. */
const isPythonBody = (line: string, before = ''): boolean => line.trim() === '...' && /:\s*$/.test(before)
