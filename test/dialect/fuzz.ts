/** Unlikely replies: pieces of every format in any order, and texts that break programs. */
import { families } from '../../src/dialect/all.ts'
import { allCases } from './support.ts'

const markers = families.flatMap(({ markers }) =>
  markers.flatMap((marker) => {
    if (marker.kind === 'section') return [marker.open, ...marker.section.close]
    return marker.kind === 'think' ? [marker.open, ...marker.close] : [marker.open]
  }),
)

const fragments = [
  ...new Set(markers),
  ...'{}[]()<>"\'`\\:,;=|\n \t'.split(''),
  '```',
  '```json\n',
  '\n```\n',
  '<arg_key>',
  '</arg_key>',
  '<arg_value>',
  '</arg_value>',
  '<parameter=path>',
  '</parameter>',
  '</function>',
  '<param name="path">',
  '</param>',
  '</invoke>',
  '[ARGS]',
  '[CALL_ID]',
  '<![CDATA[',
  ']]>',
  '"name"',
  '"arguments"',
  '"read_file"',
  'read_file',
  'write_file',
  'name',
  'tool_calls',
  '"tool_calls"',
  'null',
  'true',
  '42',
  '{"name": "read_file", "arguments": {"path": "a"}}',
  '{"name": "write_file", "arguments": {"content": "',
  'read_file(path="a")',
  'Action:',
  'Action Input:',
  'Observation:',
  'TOOL:',
  'ARGUMENTS:',
  'CMD: ls',
  '1. `ls`',
  'For example:',
  'I will',
  'é',
  '🦊',
  '\ud83e',
  '\u0000',
  '<|message|>',
  '<|channel|>',
  'analysis',
  'commentary to=functions.read_file',
  'thought',
  'all\n',
  '>>>',
  ' to=functions.read_file',
]

/** A generator of numbers that is the same every time. */
export function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 4_294_967_296
  }
}

const pick = <T>(list: readonly T[], next: () => number): T => list[Math.floor(next() * list.length)]!

export function randomReply(next: () => number): string {
  const length = 1 + Math.floor(next() * 14)
  return Array.from({ length }, () => pick(fragments, next)).join('')
}

const replies = allCases().map(({ reply }) => reply)

/** A good reply with something taken out, doubled or put in. */
export function damagedReply(next: () => number): string {
  const reply = pick(replies, next)
  const from = Math.floor(next() * reply.length)
  const to = Math.min(reply.length, from + Math.floor(next() * 12))
  const kind = Math.floor(next() * 3)
  if (kind === 0) return reply.slice(0, from) + reply.slice(to)
  if (kind === 1) return reply.slice(0, to) + reply.slice(from)
  return reply.slice(0, from) + pick(fragments, next) + reply.slice(from)
}

const words = [
  'undefined',
  'null',
  'NaN',
  'Infinity',
  '-0',
  '0x0',
  '1e309',
  'true',
  '__proto__',
  'constructor',
  'toString',
]
const scripts = [
  '田中さん',
  '사회과학원',
  'Ω≈ç√∫',
  '¡™£¢∞§¶',
  'אב',
  'اختبار',
  '\u202eabc',
  'Z̮̞̠͙͔ͅ',
  '👨‍👩‍👧‍👦',
  '🇺🇸',
  '\ufeff',
  '\u200b',
  '\u2028\u2029',
  'ﷺ',
  '１２３',
  '˙ɐnbᴉlɐ',
]
const controls = [
  '\u0000',
  '\u0001\u0002\u0003',
  '\u001b[31m',
  '\u007f',
  '\u0085',
  '\r\n',
  '\t\v\f',
  '\ud800',
  '\udfff',
  '\udc00\ud800',
  '\ufffe',
  '\uffff',
]
const injections = [
  "'; DROP TABLE users; --",
  '" or ""="',
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '${7*7}',
  '{{7*7}}',
  '#{7*7}',
  '%s%n%x',
  '$(touch x)',
  '`touch x`',
  '../../../etc/passwd',
  'file:///etc/passwd',
  '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY y SYSTEM "z">]>',
  '\\u0000',
  '\\',
  '\\\\',
  '"',
  "'",
  '""',
  "''",
  '`',
  '(',
  '[[[[',
  '}}}}',
  '{"__proto__": {"x": 1}}',
  '*'.repeat(200),
  'a'.repeat(5000),
  '{'.repeat(500),
  '['.repeat(500),
  '<'.repeat(500),
]

/** Alone, and in pairs: a few hundred texts. */
export const naughtyTexts: readonly string[] = [
  ...[words, scripts, controls, injections].flat(),
  ...words.flatMap((word) => scripts.map((script) => `${word} ${script}`)),
  ...controls.flatMap((control) => injections.slice(0, 20).map((injection) => control + injection)),
]
