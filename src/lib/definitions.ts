/**
 * Names that a piece of source defines, by the shape of its lines alone: for text of which only a part is there, so that
 * no parser could read it. `syntax.ts` knows better where the whole file is at hand.
 */

const WORDS = String.raw`(?:(?:export|default|public|private|protected|internal|static|async|abstract|final|declare|override|inline|unsafe|extern|pub(?:\([\w:]+\))?)\s+)*`

const SHAPES: readonly RegExp[] = [
  new RegExp(
    String.raw`^\s*${WORDS}(?:function\*?|class|interface|enum|struct|trait|def|fn|fun|func(?:\s*\([^)]*\))?|module|namespace|record)\s+([\w$]+)`,
  ),
  new RegExp(String.raw`^\s*${WORDS}type\s+([\w$]+)(?:<[^=]*>)?\s*(?:=|struct\b|interface\b|func\b)`),
  new RegExp(String.raw`^${WORDS}(?:const|let|var|val)\s+([\w$]+)(?:\s*:[^=]+)?\s*=`),
  // A method: at most one level deep, its body opened on the same line.
  /^(?: {2,4}|\t)(?:(?:async|static|get|set|public|private|protected|override)\s+)*\*?(#?[\w$]+)\s*\([^;]*\)\s*(?::[^;={]+)?\{\s*$/,
]

/** Look like methods. */
const KEYWORDS: ReadonlySet<string> = new Set([
  'if',
  'for',
  'while',
  'switch',
  'catch',
  'with',
  'function',
  'return',
])

/** The name a line defines, if it does. */
export function definedName(line: string): string | undefined {
  for (const shape of SHAPES) {
    const name = shape.exec(line)?.[1]
    if (name !== undefined && !KEYWORDS.has(name)) return name
  }
  return undefined
}
