/**
 * An awk program, token by token. It may compare and print; it may not run, pipe, redirect, load or read the
 * environment. A slash begins a pattern only where awk cannot take it for a division: where the two readings differ,
 * the text inside is judged as code.
 */

export type AwkFinding = 'read-only' | 'write' | 'unknown'

const TOKENS =
  /(?<blank>[ \t]+|\\\n|#[^\n]*)|(?<text>"(?:[^"\\\n]|\\[^\n])*")|(?<word>[A-Za-z_]\w*)|(?<number>\d[\w.]*|\.\d[\w.]*)|(?<sign>\+\+|--|&&|\|\||[-+*/%^!=<>~]=|!~|\*\*|[^\s\w"])|(?<line>\n)/gy

const FORBIDDEN = new Set(['system', 'getline', 'close', 'fflush', 'ENVIRON', 'PROCINFO', 'ARGV', 'ARGC'])

/** After these a slash can only begin a pattern. */
const BEFORE_PATTERN = new Set(['', '{', '}', '(', ',', ';', '\n', '!', '~', '!~', '&&', '||'])

type Reader = { at: number; last: string; isPrinting: boolean }

export function judgeAwkProgram(program: string): AwkFinding {
  const reader: Reader = { at: 0, last: '', isPrinting: false }
  while (reader.at < program.length) {
    const finding = readToken(program, reader)
    if (finding) return finding
  }
  return 'read-only'
}

function readToken(program: string, reader: Reader): AwkFinding | undefined {
  if (program[reader.at] === '/' && BEFORE_PATTERN.has(reader.last)) return readPattern(program, reader)
  TOKENS.lastIndex = reader.at
  const groups = TOKENS.exec(program)?.groups
  if (!groups) return 'unknown'
  reader.at = TOKENS.lastIndex
  if (groups['blank'] !== undefined) return undefined
  const token = groups['word'] ?? groups['sign'] ?? groups['line'] ?? 'value'
  const finding = judgeToken(token, reader)
  reader.last = groups['word'] === undefined && groups['number'] === undefined ? token : 'value'
  return finding
}

function readPattern(program: string, reader: Reader): AwkFinding | undefined {
  const pattern = /\/(?:[^/\\\n[]|\\[^\n]|\[[^\]/\\\n]+\])+\//y
  pattern.lastIndex = reader.at
  if (!pattern.test(program)) return 'unknown'
  reader.at = pattern.lastIndex
  reader.last = 'value'
  return undefined
}

function judgeToken(token: string, reader: Reader): AwkFinding | undefined {
  if (FORBIDDEN.has(token) || token === '|' || token === '@' || token === '`') return 'unknown'
  if (token === '>') return reader.isPrinting ? 'write' : undefined
  if (token === 'print' || token === 'printf') reader.isPrinting = true
  // After a comma or an operator the statement goes on in the next line, and with it what is printed.
  const endsLine = token === '\n' && ['value', ')', ']'].includes(reader.last)
  if (token === ';' || token === '}' || endsLine) reader.isPrinting = false
  return undefined
}
