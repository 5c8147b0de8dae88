/** A reply that is one JSON object and nothing else: a call where it holds the arguments of one tool, or a message with calls. */
import { isObject } from '../../lib/json.ts'
import { DESCRIPTIVE } from '../../lib/schema.ts'
import type { Draft } from './call.ts'
import { settle } from './calls.ts'
import type { Step } from './input.ts'
import { callsInJson, isPlaceholder, NAME_KEYS } from './json-calls.ts'
import { scanJson } from './json-scan.ts'
import type { Reading } from './state.ts'
import type { ToolBook } from './tool-book.ts'
import { propertiesOf, requiredOf } from './tool-book.ts'

/** Longer than any call that is worth holding a whole reply back for. */
const MAX_WHOLE = 200_000
const OPENING = /^\s*(?:```[\w-]{0,16}[ \t]*\n\s*)?\{\s*["']?([\w-]{1,40})["']?\s*:/
/** What may still become one; anything else is text and is released at once. */
const BEGUN =
  /^\s*(?:`{0,2}|```[\w-]{0,16}[ \t]*|(?:```[\w-]{0,16}[ \t]*\n\s*)?(?:\{\s*["']?[\w-]{0,40}["']?\s*)?)$/
const MAX_OPENING = 120

/** At the start of a reply. What turns out to be no call is given back and read as any other text. */
export function* readWholeReply(reading: Reading): Step<void> {
  const { input, options, sink } = reading
  const opening = yield* openingAhead(reading)
  const key = opening?.[1]
  if (opening === undefined || key === undefined || !mayBeginCall(key, options.tools)) return
  const place = sink.place
  input.mark()
  input.consume(opening[0].indexOf('{'))
  const fenced = input.raw.includes('`')
  const extent = yield* scanJson(input, { stops: [], limit: MAX_WHOLE })
  if (fenced) yield* input.takePast(['```'])
  const isWhole = extent.end === 'closed' && (yield* input.isOver())
  const drafts = isWhole && !isPlaceholder(extent.text) ? draftsIn(extent.text, options.tools) : undefined
  if (!drafts) {
    input.unread(input.raw)
    input.unmark()
    return
  }
  yield* settle(reading, { drafts, raw: input.unmark(), place, manner: fenced ? 'fence' : 'bare' })
}

function* openingAhead({ input }: Reading): Step<RegExpExecArray | undefined> {
  for (let length = 1; length <= MAX_OPENING; length++) {
    const ahead = yield* input.peek(length)
    if (ahead.length < length) break
    if (ahead.at(-1) === ':') return OPENING.exec(ahead) ?? undefined
    if (!BEGUN.test(ahead)) return undefined
  }
  return undefined
}

const mayBeginCall = (key: string, tools: ToolBook): boolean =>
  key === 'role' ||
  tools.find(key) !== undefined ||
  tools.names.some((name) => key in propertiesOf(tools.find(name)))

function draftsIn(text: string, tools: ToolBook): readonly Draft[] | undefined {
  const reading = tools.json.read(text)
  if (!reading.ok || !isObject(reading.value)) return undefined
  const keys = Object.keys(reading.value)
  // A whole message as servers write it, or a tool's name as the only key.
  if (keys.includes('tool_calls') || (keys.length === 1 && tools.find(keys[0] ?? ''))) {
    return callsInJson(text, { tools, known: true })
  }
  // A tool that takes a name and arguments is not meant by every call that has them.
  const tool = keys.some((key) => NAME_KEYS.includes(key)) ? undefined : fitting(keys, tools)
  return tool === undefined ? undefined : [{ name: tool, json: text }]
}

/** The one tool that takes these arguments and needs no others; of several, the one that needs the most of them. */
function fitting(keys: readonly string[], tools: ToolBook): string | undefined {
  const fit = tools.names.flatMap((name) => {
    const tool = tools.find(name)
    if (!tool || keys.length === 0) return []
    const required = requiredOf(tool)
    const isKnown = (key: string): boolean => key in propertiesOf(tool) || DESCRIPTIVE.has(key)
    const fits = keys.every(isKnown) && required.every((key) => keys.includes(key))
    return fits ? [{ name, needs: required.length }] : []
  })
  const most = Math.max(...fit.map(({ needs }) => needs))
  const best = fit.filter(({ needs }) => needs === most && needs > 0)
  return best.length === 1 ? best[0]?.name : undefined
}
