/** `read_file(path="a")` on a line of its own, without any marker: a call only of a tool that exists. */
import type { Draft } from './call.ts'
import { MAX_RUN, settle } from './calls.ts'
import type { Step } from './input.ts'
import { pythonName, readPythonCall } from './python-calls.ts'
import type { Reading } from './state.ts'
import { propertiesOf } from './tool-book.ts'

const MAX_KEY = 40

/** Whether a call may stand behind the line break at `index`; undefined while too little of the line is there. */
export function opensLine(text: string, index: number, names: readonly string[]): boolean | undefined {
  let end = index + 1
  while (end < text.length && text[end] === ' ' && end - index < 9) end++
  const start = end
  while (end < text.length && end - start < 64 && /[\w.-]/.test(text[end] ?? '')) end++
  if (end < text.length) return end > start && text[end] === '('
  const begun = text.slice(start).toLowerCase()
  return names.some((name) => name.toLowerCase().startsWith(begun)) ? undefined : false
}

/** The calls at the cursor, one in a line; nothing is consumed when there is none. */
export function* readPythonLines(reading: Reading): Step<void> {
  const { input, sink } = reading
  if (sink.inCode || reading.channel === 'reasoning' || !sink.atLineStart) return
  if (!(yield* callAhead(reading)) || !reading.try()) return
  // White space before the call is text, however much of it had arrived when the line was looked at.
  reading.say(input.consume(yield* input.space()))
  const place = sink.place
  input.mark()
  const drafts: Draft[] = []
  let length = 0
  while (drafts.length < MAX_RUN && (yield* callAhead(reading))) {
    yield* input.skipSpace()
    drafts.push(yield* readPythonCall(input, reading.options.tools))
    length = input.raw.length
  }
  const raw = input.unmark()
  yield* settle(reading, { drafts, raw: raw.slice(0, length), place, manner: 'bare' })
  reading.say(raw.slice(length))
}

/** A name from another agent is an ordinary word of code, unless its arguments are named. */
function* callAhead({ input, options: { tools } }: Reading): Step<boolean> {
  const space = yield* input.space()
  const name = yield* pythonName(input, space, (begun) => tools.mayName(begun))
  if (name === undefined || tools.find(name)) return name !== undefined
  const tool = tools.meant(name)
  if (!tool) return false
  const ahead = (yield* input.peek(space + name.length + MAX_KEY)).slice(space + name.length)
  return Object.keys(propertiesOf(tool)).includes(/^\(\s*(\w+)\s*=[^=]/.exec(ahead)?.[1] ?? '')
}
