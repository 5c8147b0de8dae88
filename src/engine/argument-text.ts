/**
 * Arguments in another notation than JSON: `path="a", from=1`, lines of `path: a`, `<path>a</path>`. Read only where
 * every name is one the tool has, and where every value is closed: half a text must not be written.
 */

/** The arguments, or nothing where this is none of these notations. */
export function readNotation(text: string, names: readonly string[]): Record<string, string> | undefined {
  const trimmed = text.trim()
  if (trimmed === '' || /^[[{"]/.test(trimmed)) return undefined
  const isKnown = (pairs: readonly Pair[]): boolean =>
    pairs.length > 0 && pairs.every(([name]) => names.includes(name))
  const found = notations.map((read) => read(trimmed)).find((pairs) => pairs && isKnown(pairs))
  return found && Object.fromEntries(found)
}

type Pair = readonly [name: string, value: string]

function elements(text: string): readonly Pair[] | undefined {
  const ELEMENT = /\s*<(\w+)>([\s\S]*?)<\/\1>\s*/y
  // Line ends on both sides are the notation's, one at the end alone is the value's.
  return pairsOf(text, ELEMENT, ([, name = '', value = '']) => [name, value.replace(/^\n([\s\S]*)\n$/, '$1')])
}

const QUOTED = String.raw`"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'`

function assignments(text: string): readonly Pair[] | undefined {
  const ASSIGNMENT = new RegExp(
    String.raw`\s*(?:--)?(\w+)\s*[=:]\s*(${QUOTED}|[^\s,"'{}()[\]]+)\s*(?:[,;\n]|(?=--)|$)`,
    'y',
  )
  return pairsOf(text, ASSIGNMENT, ([, name = '', value = '']) => [name, unquoted(value)])
}

/** One value to a line; a text of several lines is ambiguous with the next name. */
function lines(text: string): readonly Pair[] | undefined {
  const LINE = /[ \t]*(?:[-*] )?(\w+):[ \t]*(\S[^\n]*?)[ \t]*(?:\n|$)/y
  return pairsOf(text, LINE, ([, name = '', value = '']) => [name, unquoted(value)])
}

const notations = [elements, assignments, lines]

/** All of the text, one pair after the other. */
function pairsOf(
  text: string,
  pattern: RegExp,
  toPair: (match: RegExpExecArray) => Pair,
): readonly Pair[] | undefined {
  const pairs: Pair[] = []
  pattern.lastIndex = 0
  while (pattern.lastIndex < text.length) {
    const match = pattern.exec(text)
    if (!match) return undefined
    pairs.push(toPair(match))
  }
  return pairs
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' }

function unquoted(value: string): string {
  const [, , inner] = /^(["'])([\s\S]*)\1$/.exec(value) ?? []
  return inner === undefined
    ? value
    : inner.replaceAll(/\\([\s\S])/g, (_, letter: string) => ESCAPES[letter] ?? letter)
}
