/** Calls written as lines of text: `Action:` / `Action Input:` (ReAct) and `TOOL:` / `ARGUMENTS:`. */
import type { ToolSchema } from '../../protocol/model.ts'
import type { Draft } from './call.ts'
import { CUT_OFF, TOO_LONG } from './call.ts'
import { MAX_RUN, settle } from './calls.ts'
import type { Input, Step } from './input.ts'
import { callsInJson } from './json-calls.ts'
import { scanJson } from './json-scan.ts'
import { toDraft } from './python-calls.ts'
import { parsePythonCall } from './python-literal.ts'
import type { Reading } from './state.ts'
import { onlyWrapperOpen } from './section.ts'
import { MAX_CALL } from './tagged.ts'
import { propertiesOf, requiredOf } from './tool-book.ts'

type LineForm = {
  readonly name: readonly string[]
  readonly input: readonly string[]
  readonly ends: readonly string[]
}

const REACT: LineForm = {
  name: ['Action:'],
  input: ['Action Input:', 'Action input:', 'Action_Input:', 'Input:'],
  ends: ['\nObservation', '\nThought:', '\nAction:', '\nFinal Answer:'],
}
const PLAIN: LineForm = {
  name: ['TOOL:', 'Tool:'],
  input: ['ARGUMENTS:', 'Arguments:', 'ARGS:', 'Args:', 'INPUT:', 'PARAMETERS:', 'Parameters:'],
  ends: ['\nTOOL:', '\nTool:', '\n\n'],
}
const MAX_LINE = 200

/** What begins a line that names the tool. */
export const LINE_OPENERS: readonly string[] = [...REACT.name, ...PLAIN.name]

const formOf = (opener: string): LineForm => (REACT.name.includes(opener) ? REACT : PLAIN)

/** Behind `Action:` or `TOOL:`, already consumed, at the start of a line. */
export function* readLineCalls(reading: Reading, opener: string): Step<void> {
  const { input, sink } = reading
  const form = formOf(opener)
  const place = sink.place
  if (place.code || reading.channel === 'reasoning' || !/^[\s*_]*$/.test(place.prefix) || !reading.try()) {
    reading.say(opener)
    return
  }
  input.mark(opener)
  const first = yield* readLineCall(reading, opener)
  if (!first) {
    reading.say(input.unmark())
    return
  }
  const drafts = [...first]
  let length = input.raw.length
  while (drafts.length < MAX_RUN && reading.try() && (yield* input.takePast(form.name)) !== undefined) {
    const more = yield* readLineCall(reading, opener)
    if (!more) break
    drafts.push(...more)
    length = input.raw.length
  }
  const raw = input.unmark()
  const run = yield* settle(reading, { drafts, raw: raw.slice(0, length), place, manner: 'bare' })
  reading.say(raw.slice(length))
  // What follows a call as its observation is the model's invention.
  if (run && form === REACT && (yield* input.anyPast(['Observation:'])) !== undefined) yield* dropRest(input)
}

/** The call behind `opener`, which is consumed. */
export function* readLineCall(reading: Reading, opener: string): Step<readonly Draft[] | undefined> {
  const { input, options } = reading
  const form = formOf(opener)
  if (form === REACT && (yield* input.anyPast(['```', '[', '{'])) !== undefined)
    return yield* readActionList(reading)
  const labels = [...form.input, ...form.input.map((text) => `**${text}**`)]
  // The arguments may follow on the same line.
  const line = (yield* input.until(['\n', ...labels.map((label) => ` ${label}`)], MAX_LINE)).text
    .replace(/[*`"'\s]+$/g, '')
    .replace(/^[*`"'\s]+/, '')
  const inline = parsePythonCall(line)
  if (inline && options.tools.meant(inline.name)) return [toDraft(inline, options.tools)]
  const tool = options.tools.meant(line.replace(/\(\)$/, ''))
  if (!tool) return undefined
  const label = yield* input.takePast(labels)
  if (label !== undefined) return [yield* readArguments(input, tool, form)]
  return requiredOf(tool).length === 0 && form === REACT ? [{ name: tool.name, json: '{}' }] : undefined
}

/** Command-R: a fenced list of calls behind `Action:`. `directly_answer` means that nothing is called. */
function* readActionList(reading: Reading): Step<readonly Draft[] | undefined> {
  const { input, options } = reading
  yield* input.takePast(['```json', '```'])
  yield* input.skipSpace()
  const [first] = yield* input.peek(1)
  if (first !== '[' && first !== '{') return undefined
  const extent = yield* scanJson(input, { stops: ['```'], limit: MAX_CALL })
  yield* input.takePast(['```'])
  if (extent.end === 'cut' && !onlyWrapperOpen(extent)) return [{ problem: CUT_OFF }]
  const drafts = callsInJson(extent.text, { tools: options.tools, known: false })
  return drafts?.filter(({ name }) => !/^directly[-_]answer$/.test(name ?? ''))
}

function* readArguments(input: Input, tool: ToolSchema, form: LineForm): Step<Draft> {
  yield* input.takePast(['```json', '```'])
  yield* input.skipSpace()
  if (yield* input.starts('{')) {
    const extent = yield* scanJson(input, { stops: form.ends, limit: MAX_CALL })
    yield* input.takePast(['```'])
    if (extent.end === 'long') return { name: tool.name, problem: TOO_LONG }
    return extent.end === 'cut'
      ? { name: tool.name, problem: CUT_OFF }
      : { name: tool.name, json: extent.text }
  }
  const { text, long } = yield* input.until(form.ends, MAX_CALL)
  return long ? { name: tool.name, problem: TOO_LONG } : fromPlainText(text.trim(), tool)
}

/** One bare text is the value of the one parameter the tool must have. */
function fromPlainText(text: string, tool: ToolSchema): Draft {
  const required = requiredOf(tool)
  const only = required.length === 1 ? required[0] : Object.keys(propertiesOf(tool))[0]
  const single = required.length === 1 || Object.keys(propertiesOf(tool)).length === 1
  if (text === '' && required.length > 0) return { name: tool.name, problem: CUT_OFF }
  if (text === '' || /^(?:none|null|\{\s*\})$/i.test(text)) return { name: tool.name, json: '{}' }
  if (single && only !== undefined)
    return { name: tool.name, values: { [only]: text.replace(/^(["'`])(.*)\1$/s, '$2') } }
  return { name: tool.name, json: text }
}

function* dropRest(input: Input): Step<void> {
  do input.consume(input.text.length - input.at)
  while (yield* input.more())
}
