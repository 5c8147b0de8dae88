/**
 * Secrets that are known by the name they are given: `DB_PASSWORD=…`, `"apiKey": "…"`, `--token …`, `<password>…`,
 * "the password is …". The name alone says little, so the value must look like a secret too.
 */
import type { Finder, Finding } from './finding.ts'
import { keyKindAt } from './key.ts'
import { letters, walkBack, walkOn } from './letters.ts'
import { judgeName, type SecretName } from './name.ts'
import { looksGenerated, looksLikePassword } from './value.ts'

export const assignmentFinders: readonly Finder[] = [
  { anchor: '=', find: (text, at) => assigned(text, at, operatorEnd(text, at)) },
  { anchor: ':', find: (text, at) => assigned(text, at, text[at + 1] === ':' ? -1 : at + 1) },
  // Two arguments or two items: `define("DB_PASSWORD", "…")`.
  { anchor: '",', find: (text, at) => assigned(text, at + 1, at + 2) },
  { anchor: "',", find: (text, at) => assigned(text, at + 1, at + 2) },
  { anchor: ' is ', find: (text, at) => assigned(text, at, at + 4) },
  { anchor: '%3D', find: (text, at) => assigned(text, at, at + 3) },
  { anchor: '%3d', find: (text, at) => assigned(text, at, at + 3) },
  { anchor: 'value=', find: findAttribute },
  { anchor: ' password ', find: findLogin },
  { anchor: 'sshpass -p', find: (text, at) => valueAt(text, at + 10, PASSWORD) },
  { anchor: '>', find: findElement },
  { anchor: '--', find: findFlag },
  { anchor: '-u ', find: (text, at) => findUser(text, at + 3) },
]

/** Where the value after `=`, `:=` or `=>` may begin; -1 for a comparison. */
function operatorEnd(text: string, at: number): number {
  if (text[at + 1] === '>') return at + 2
  return text[at + 1] === '=' || COMPARES[text.charCodeAt(at - 1)] === 1 ? -1 : at + 1
}

const COMPARES = letters('=!<>')

const BLANK = letters(' \\t')
const NAME = letters('A-Za-z0-9_$.-')
/** What may stand between a name and its sign: quotes, an escape, the bracket of `env["NAME"]`. */
const CLOSING = letters('"\'`\\\\\\]?')
const MAX_BLANKS = 24
const MAX_NAME = 64

function assigned(text: string, sign: number, from: number): Finding | undefined {
  if (from < 0) return undefined
  const operator = text[sign - 1] === ':' ? sign - 1 : sign
  const end = walkBack(text, walkBack(text, operator, BLANK, MAX_BLANKS), CLOSING, 3)
  const start = walkBack(text, end, NAME, MAX_NAME)
  const word = text.slice(start, end)
  const name = judgeName(word) ?? (TYPES.has(word) ? nameOfTyped(text, start) : undefined)
  if (!name || isInPlaceholder(text, start, word)) return undefined
  return valueAt(text, from, name)
}

const isInPlaceholder = (text: string, start: number, word: string): boolean =>
  (word === 'secret' && text[start - 1] === '[') || text.startsWith('[secret:', start - '[secret:'.length)

/** `const apiKey: string = …` names the type last. */
const TYPES = new Set(['string', 'String', 'str', 'bytes', 'any'])

const OPTIONAL = letters('?')

function nameOfTyped(text: string, start: number): SecretName | undefined {
  const colon = walkBack(text, start, BLANK, MAX_BLANKS) - 1
  if (text[colon] !== ':') return undefined
  const end = walkBack(text, colon, OPTIONAL, 1)
  return judgeName(text.slice(walkBack(text, end, NAME, MAX_NAME), end))
}

/** `<add key="DbPassword" value="…">` */
function findAttribute(text: string, at: number): Finding | undefined {
  const end = walkBack(text, at, BLANK, MAX_BLANKS) - 1
  if (end === at - 1 || QUOTE[text.charCodeAt(end)] !== 1) return undefined
  const name = judgeName(text.slice(walkBack(text, end, NAME, MAX_NAME), end))
  return name && valueAt(text, at + 'value='.length, name)
}

/** `machine … login … password …` */
function findLogin(text: string, at: number): Finding | undefined {
  const user = walkBack(text, at, VISIBLE, MAX_NAME)
  const login = walkBack(text, user, BLANK, MAX_BLANKS)
  const isLogin = user < at && text.startsWith('login', login - 'login'.length)
  return isLogin ? valueAt(text, at + ' password '.length, PASSWORD) : undefined
}

const VISIBLE = letters('!-~')

function findElement(text: string, at: number): Finding | undefined {
  const start = walkBack(text, at, NAME, MAX_NAME)
  if (start === at || text[start - 1] !== '<') return undefined
  const name = judgeName(text.slice(start, at))
  if (!name) return undefined
  const end = walkOn(text, at + 1, ELEMENT, MAX_QUOTED)
  return text.startsWith('</', end) ? toFinding(text, { start: at + 1, end }, name) : undefined
}

const ELEMENT = letters('!-;=?-~')

function findFlag(text: string, at: number): Finding | undefined {
  if (LETTER[text.charCodeAt(at + 2)] !== 1) return undefined
  const end = walkOn(text, at + 2, FLAG, 40)
  if (text[end] !== ' ') return undefined
  const word = text.slice(at + 2, end)
  if (word === 'user') return findUser(text, end + 1)
  const name = judgeName(word)
  return name && text[end + 1] !== '-' ? valueAt(text, end + 1, name) : undefined
}

const LETTER = letters('A-Za-z')
const FLAG = letters('A-Za-z0-9-')

/** `curl -u name:password` */
function findUser(text: string, at: number): Finding | undefined {
  const { start, end } = spanAt(text, at) ?? { start: at, end: at }
  const colon = text.slice(start, end).indexOf(':')
  return colon < 1 ? undefined : toFinding(text, { start: start + colon + 1, end }, PASSWORD)
}

const PASSWORD: SecretName = { kind: 'password', test: 'password' }

type Span = { readonly start: number; readonly end: number; readonly quoted: boolean }

function valueAt(text: string, from: number, name: SecretName): Finding | undefined {
  const span = spanAt(text, behindBlockSign(text, walkOn(text, from, BLANK, MAX_BLANKS)))
  if (!span) return undefined
  const scheme = name.test === 'credentials' ? SCHEME.exec(text.slice(span.start, span.start + 16)) : null
  if (!scheme) return toFinding(text, span, name)
  // `Authorization: Bearer …`: without quotes the first word has ended the value.
  const start = span.start + scheme[0].length
  const end = span.quoted ? span.end : bareEnd(text, start)
  return toFinding(text, { start, end }, name)
}

/** In YAML a value may be in the next line, behind `|` or `>-`. */
function behindBlockSign(text: string, at: number): number {
  if (BLOCK[text.charCodeAt(at)] !== 1) return at
  BLOCK_SIGN.lastIndex = at
  return BLOCK_SIGN.test(text) ? BLOCK_SIGN.lastIndex : at
}

const BLOCK = letters('|>')
const BLOCK_SIGN = /[|>][-+]?\d?[ \t]{0,8}\r?\n[ \t]{1,64}/y

const SCHEME = /^(?:bearer|basic|token|apikey|bot) +/i

function toFinding(
  text: string,
  { start, end }: Omit<Span, 'quoted'>,
  name: SecretName,
): Finding | undefined {
  const value = text.slice(start, end)
  return tests[name.test](value) && !/\s/.test(value)
    ? { start, end, kind: keyKindAt(text, start) ?? name.kind }
    : undefined
}

const tests: Readonly<Record<SecretName['test'], (value: string) => boolean>> = {
  password: (value) => looksLikePassword(value) || looksGenerated(value),
  generated: looksGenerated,
  credentials: (value) => looksGenerated(value) || isBasic(value),
}

/** Name and password as base64. */
const isBasic = (value: string): boolean =>
  /^[A-Za-z0-9+/]{8,}={0,2}$/.test(value) && /^[\x20-\x7E]+:[\x20-\x7E]+$/.test(atob64(value))

const atob64 = (value: string): string => Buffer.from(value, 'base64').toString('latin1')

const MAX_QUOTED = 4096
const QUOTE = letters('"\'`')
/** Of strings in Python, Rust, C# and Go: b"", r'', @"". */
const PREFIX = letters('A-Za-z@')

function spanAt(text: string, at: number): Span | undefined {
  const isPrefixed = PREFIX[text.charCodeAt(at)] === 1 && QUOTE[text.charCodeAt(at + 1)] === 1
  const open = isPrefixed ? at + 1 : at
  const first = text[open] === '\\' ? open + 1 : open
  if (QUOTE[text.charCodeAt(first)] === 1) return quotedSpan(text, first + 1, text.slice(open, first + 1))
  const end = bareEnd(text, at)
  return end > at && CALL[text.charCodeAt(end)] !== 1 ? { start: at, end, quoted: false } : undefined
}

function quotedSpan(text: string, start: number, quote: string): Span | undefined {
  const limit = Math.min(text.length, start + MAX_QUOTED)
  for (let at = start; at < limit; at++) {
    if (text.startsWith(quote, at)) return { start, end: at, quoted: true }
    if (text[at] === '\n') return undefined
    if (text[at] === '\\') at++
  }
  return undefined
}

const BARE = letters('A-Za-z0-9_+/.~%!@#$^*?-')
/** A value that is called, indexed or opened is an expression. */
const CALL = letters('([{<\\\\')
const INSIDE = letters(':=&')

/** `=`, `:` and `&` may stand inside a value or begin the next one: only a few are passed, or walks would add up. */
function bareEnd(text: string, from: number): number {
  let end = walkOn(text, from, BARE, MAX_QUOTED)
  for (let more = 0; more < 2 && walkOn(text, end, INSIDE, 1) > end && !beginsNext(text, end); more++) {
    end = walkOn(text, end + 1, BARE, MAX_QUOTED)
  }
  return walkBack(text, end, TRAILING, Math.max(0, end - from))
}

/** `&name=` of a query. */
const beginsNext = (text: string, at: number): boolean =>
  text[at] === '&' && text[walkOn(text, at + 1, NAME, MAX_NAME)] === '='

const TRAILING = letters('.,;:')
