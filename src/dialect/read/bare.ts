/**
 * JSON or Python that carries no marker: a call only when it names a tool that exists. Every `{` of every answer comes
 * through here, so the first key decides whether anything is held back at all.
 */
import type { Draft } from './call.ts'
import { brokenJson, CUT_OFF } from './call.ts'
import type { Step } from './input.ts'
import { isSpace } from './input.ts'
import { callsInJson, CALL_KEYS, isPlaceholder, NAME_KEYS } from './json-calls.ts'
import type { Watch } from './json-scan.ts'
import { scanJson } from './json-scan.ts'
import { pythonName } from './python-calls.ts'
import type { Reading } from './state.ts'
import { onlyWrapperOpen, readPythonList } from './section.ts'
import type { ToolBook } from './tool-book.ts'

/** Longer than any call that is worth holding text back for. */
const MAX_BARE = 200_000
const MAX_AHEAD = 80
const BRACE = 123
const BRACKET = 91
const CALL_TYPES = new Set(['function', 'function_call', 'tool_call', 'tool_use', 'tool', 'object'])

/** Whether the bracket at `index` opens something like a call; undefined while too little of it is there. */
export function opensCall(text: string, index: number): boolean | undefined {
  const next = text.charCodeAt(index + 1)
  if (Number.isNaN(next)) return undefined
  if (!mayFollow(next) && !(next === BRACE && text.charCodeAt(index) === BRACKET)) return false
  const at = skipBlank(text, index + 1)
  if (at >= text.length) return undefined
  if (text.charCodeAt(index) === BRACKET)
    return text[at] === '{' ? opensCall(text, at) : isNameBefore(text, at, '(')
  const quoted = text[at] === '"' || text[at] === "'"
  return quoted ? keyAt(text, at + 1, text[at] ?? '') : keyAt(text, at, '')
}

/** A blank, a quote or a letter. */
const mayFollow = (code: number): boolean => isSpace(code) || isNameCode(code) || code === 34 || code === 39

function keyAt(text: string, at: number, quote: string): boolean | undefined {
  let end = at
  while (end < text.length && end - at < 20 && isNameCode(text.charCodeAt(end))) end++
  const word = text.slice(at, end)
  if (end >= text.length) return CALL_KEYS.some((key) => key.startsWith(word)) ? undefined : false
  if (!CALL_KEYS.includes(word)) return false
  if (quote !== '' && text[end++] !== quote) return false
  const colon = skipBlank(text, end)
  if (colon >= text.length) return undefined
  if (text[colon] !== ':') return false
  const value = skipBlank(text, colon + 1)
  return value >= text.length ? undefined : '"\'{['.includes(text[value] ?? '')
}

function isNameBefore(text: string, at: number, behind: string): boolean | undefined {
  let end = at
  while (end < text.length && end - at < MAX_AHEAD && (isNameCode(text.charCodeAt(end)) || text[end] === '.'))
    end++
  return end >= text.length ? undefined : end > at && text[end] === behind
}

function skipBlank(text: string, from: number): number {
  let at = from
  while (at < text.length && at - from < MAX_AHEAD && isSpace(text.charCodeAt(at))) at++
  return at
}

const isNameCode = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95

/** The calls at the cursor, which stands on a bracket; undefined when there are none, whatever was consumed. */
export function* readBare(reading: Reading): Step<readonly Draft[] | undefined> {
  const { input } = reading
  let opens = opensCall(input.text, input.at)
  while (opens === undefined && (yield* input.more())) opens = opensCall(input.text, input.at)
  if (!opens || !reading.try()) {
    input.consume(1)
    return undefined
  }
  if (input.text[input.at] === '[' && !(yield* isJsonList(reading))) return yield* readList(reading)
  return yield* readObject(reading)
}

function* isJsonList({ input }: Reading): Step<boolean> {
  const ahead = yield* input.peek(MAX_AHEAD)
  return /^\[\s*\{/.test(ahead)
}

function* readList(reading: Reading): Step<readonly Draft[] | undefined> {
  const { input, options, sink } = reading
  const space = /^\[\s*/.exec(yield* input.peek(MAX_AHEAD))?.[0].length ?? 1
  const name = yield* pythonName(input, space)
  const known = name !== undefined && options.tools.find(name.replace(/\.call$/, '')) !== undefined
  if (!known || !(sink.atLineStart || options.hint?.habits.includes('python'))) {
    input.consume(1)
    return undefined
  }
  const drafts = yield* readPythonList(input, reading.context)
  return drafts?.every(({ name: found }) => found === undefined || options.tools.find(found))
    ? drafts
    : undefined
}

function* readObject(reading: Reading): Step<readonly Draft[] | undefined> {
  const { input, options } = reading
  const watched = watchFor(options.tools)
  const extent = yield* scanJson(input, { stops: [], limit: MAX_BARE, watch: watched.watch })
  if (extent.end === 'refused' || extent.end === 'long') return undefined
  if (extent.end === 'cut' && !onlyWrapperOpen(extent)) {
    return watched.name === undefined ? undefined : [{ name: watched.name, problem: CUT_OFF }]
  }
  if (isPlaceholder(extent.text)) return undefined
  const drafts = callsInJson(extent.text, { tools: options.tools, known: true })
  const broken = !drafts && watched.name !== undefined && !options.tools.json.read(extent.text).ok
  return broken ? [brokenJson(extent.text, options.tools)] : drafts
}

/** Gives up on the first member that no call would have. */
function watchFor(tools: ToolBook): { watch: Watch; name: string | undefined } {
  const seen: { watch: Watch; name: string | undefined } = { watch, name: undefined }
  return seen

  function watch(key: string, value: string | undefined): boolean {
    if (value === undefined) return CALL_KEYS.includes(key) || seen.name !== undefined
    if (key === 'type') return CALL_TYPES.has(value) || seen.name !== undefined
    if (!NAME_KEYS.includes(key) || seen.name !== undefined) return true
    seen.name = tools.meant(value)?.name
    return seen.name !== undefined
  }
}
