/**
 * An awk program, token by token. It may compare and print; it may not run, pipe, redirect, load or read the
 * environment. Whether a slash divides or begins a pattern decides where texts and comments begin, so it must be certain:
 * where awks differ, or we do not know, nothing is known of the program.
 */

export type AwkFinding = 'read-only' | 'write' | 'unknown'

const TOKENS =
  /(?<blank>[ \t]+|\\\n)|(?<comment>#)|(?<text>"(?:[^"\\\n]|\\[^\n])*")|(?<word>[A-Za-z_]\w*)|(?<number>(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|(?<sign>\+\+|--|&&|\|\||\*\*=?|[-+*/%^!=<>~]=|!~|[^\s\w"])|(?<line>\n)/gy

/** `switch` and `case` are words of some awks and plain names in others. */
const FORBIDDEN = new Set('ARGV ARGC switch case | @ `'.split(' '))

/** Behind these words comes an expression, so a slash begins a pattern; behind any other it divides. */
const BEFORE_VALUE = new Set(['print', 'printf', 'return', 'exit', 'else', 'do'])

/** What a value ends with; behind every other sign a slash can only begin a pattern. */
const AFTER_VALUE = new Set(['value', ')', ']', '++', '--'])

/** Behind the condition of these gawk sees a pattern and mawk a division; `length` alone divides in one of them. */
const CONDITIONAL = new Set(['if', 'while', 'for'])
const UNCERTAIN = 'uncertain'

type Reader = {
  at: number
  /** The last token that was no blank; `value` for names, numbers, texts and patterns. */
  last: string
  isPrinting: boolean
  /** For every bracket that is open, whether it holds a condition. */
  readonly brackets: boolean[]
}

/** What runs or reads something else, wherever it stands: no guess about texts and patterns may hide it. */
const RUNNING = /system|getline|fflush|close|ENVIRON|PROCINFO/

export function judgeAwkProgram(program: string): AwkFinding {
  if (RUNNING.test(program)) return 'unknown'
  const reader: Reader = { at: 0, last: '', isPrinting: false, brackets: [] }
  while (reader.at < program.length) {
    const finding = readToken(program, reader)
    if (finding) return finding
  }
  return 'read-only'
}

function readToken(program: string, reader: Reader): AwkFinding | undefined {
  if (program[reader.at] === '/') {
    if (reader.last === UNCERTAIN) return 'unknown'
    if (!AFTER_VALUE.has(reader.last)) return readPattern(program, reader)
  }
  TOKENS.lastIndex = reader.at
  const groups = TOKENS.exec(program)?.groups
  if (!groups) return 'unknown'
  reader.at = TOKENS.lastIndex
  if (groups['blank'] !== undefined) return undefined
  // What one awk takes for a comment may be part of a pattern for another.
  if (groups['comment'] !== undefined) return 'unknown'
  const token = groups['word'] ?? groups['sign'] ?? groups['line'] ?? 'value'
  const finding = judgeToken(token, reader)
  reader.last = standingOf(token, groups['word'] !== undefined, reader)
  return finding
}

function readPattern(program: string, reader: Reader): AwkFinding | undefined {
  // A bracket must be certain to end where it seems to: `[^]` and `[[:]` go on, and with them the pattern.
  const pattern = /\/(?:[^/\\\n[]|\\[^\n]|\[(?!\^?\])\^?(?:\[:[a-z]+:\]|[^\][/\\\n])+\])+\//y
  pattern.lastIndex = reader.at
  if (!pattern.test(program)) return 'unknown'
  reader.at = pattern.lastIndex
  reader.last = 'value'
  return undefined
}

function judgeToken(token: string, reader: Reader): AwkFinding | undefined {
  if (FORBIDDEN.has(token)) return 'unknown'
  if (token === '>') return reader.isPrinting ? 'write' : undefined
  if (token === 'print' || token === 'printf') reader.isPrinting = true
  // After a comma or an operator the statement goes on in the next line, and with it what is printed.
  const endsLine = token === '\n' && ['value', ')', ']', UNCERTAIN].includes(reader.last)
  if (token === ';' || token === '}' || endsLine) reader.isPrinting = false
  return undefined
}

/** What the token is for a slash behind it. */
function standingOf(token: string, isWord: boolean, { last, brackets }: Reader): string {
  if (token === '(') brackets.push(CONDITIONAL.has(last))
  if (token === ')' && brackets.pop()) return UNCERTAIN
  if (token === 'length') return UNCERTAIN
  return isWord && !BEFORE_VALUE.has(token) && !CONDITIONAL.has(token) ? 'value' : token
}
