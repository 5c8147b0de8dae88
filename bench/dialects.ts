/**
 * How fast replies are read: 10 MB of ordinary and of adversarial text each, whole and in chunks of a stream. A reader
 * that is not linear shows here first; each line must stay under a second.
 */
import { createReplyReader } from '../src/dialect/read/reply.ts'

const SIZE = 10_000_000
const CHUNK = 64
const LIMIT_MS = 1000

const tools = [
  {
    name: 'read_file',
    parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
]

const prose =
  'The function `main` reads the file, checks {every} line and calls [the parser](https://example.org) when x < 3.\n' +
  '```ts\nconst value = { name: "x", list: [1, 2, 3] }\n```\n'

const inputs: Readonly<Record<string, string>> = {
  prose,
  'one long line': 'word ',
  'open angle brackets': '<',
  'open braces': '{',
  'braces and blanks': '{ ',
  'open brackets': '[',
  backticks: '`',
  fences: '```\n',
  'fenced openings': '```json\n{"name":',
  newlines: '\n',
  blanks: ' ',
  quotes: '"',
  'half markers': '<tool_cal',
  'markers without calls': '<tool_call>',
  'nested broken calls': '<tool_call>{"name":',
  'calls without end': '<tool_call>{"name": "read_file", "arguments": {"path": "',
  'broken calls': '<tool_call>{x}</tool_call>',
  'sound calls': '<tool_call>{"name": "read_file", "arguments": {"path": "a"}}</tool_call>',
  'objects that begin like calls': '{"name":{"arguments":',
  'bare calls of unknown tools': '{"name": "nothing", "arguments": {}} ',
  'bare calls, unbalanced': '{"arguments": [',
  'broken fenced calls': '```json\n{"name": "read_file", "arguments": {"path": }}\n```\n',
  'tags without end': '<function=read_file>\n<parameter=path>\n',
  'values without end': '</parameter> ',
  'python lists': '[read_file(',
  'gemma objects': '<|tool_call>call:read_file{a:{',
  'thinking on and off': '<think></think>',
  'harmony headers': '<|channel|>analysis<|message|>',
  actions: 'Action: read_file\nAction Input: x\n',
  'quoted calls':
    'For example:\n<tool_call>{"name": "read_file", "arguments": {"path": "a"}}</tool_call>\nand so on.\n',
  'raw newlines and quotes':
    '<tool_call>{"name": "read_file", "arguments": {"path": "say "hi"\n"}}</tool_call>',
  'one huge broken call': 'line: "x"\n',
}

function measure(text: string, chunk: number): { ms: number; events: number } {
  const reader = createReplyReader({ tools })
  const start = performance.now()
  let events = 0
  for (let at = 0; at < text.length; at += chunk) events += reader.push(text.slice(at, at + chunk)).length
  events += reader.end().length
  return { ms: performance.now() - start, events }
}

let slow = 0
for (const [name, piece] of Object.entries(inputs)) {
  const start =
    name === 'one huge broken call' ? '<tool_call>{"name": "read_file", "arguments": {"path": "' : ''
  const text = start + piece.repeat(Math.ceil(SIZE / piece.length)).slice(0, SIZE)
  const whole = measure(text, SIZE)
  const streamed = measure(text, CHUNK)
  const speed = (SIZE / 1e6 / (Math.max(whole.ms, streamed.ms) / 1000)).toFixed(0)
  if (Math.max(whole.ms, streamed.ms) > LIMIT_MS) slow++
  console.log(
    `${name.padEnd(30)} whole ${whole.ms.toFixed(0).padStart(6)} ms   streamed ${streamed.ms.toFixed(0).padStart(6)} ms   ${speed.padStart(5)} MB/s`,
  )
}
console.log(slow === 0 ? 'all under a second' : `${slow} over a second`)
process.exitCode = slow === 0 ? 0 : 1
