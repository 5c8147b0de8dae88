/**
 * The first words of a reply. Some prompts end in the middle of a marker, so that the reply begins behind it: with a
 * recipient (Functionary, Harmony), with the name of a tool whose marker was dropped, or with reasoning.
 */
import type { Draft } from './call.ts'
import { readPythonLines } from './bare-python.ts'
import { applyControl, settle } from './calls.ts'
import { readHarmonyHeader } from './harmony-header.ts'
import type { Step } from './input.ts'
import { pythonName, readPythonCall } from './python-calls.ts'
import type { Reading } from './state.ts'
import { readArgumentsJson } from './section.ts'
import { readWholeReply } from './whole-reply.ts'

const STEPS = 'Here are my reasoning steps:'

export function* readStart(reading: Reading): Step<void> {
  const { input, options } = reading
  const habits = options.hint?.habits ?? []
  if (habits.includes('steps') && (yield* input.takePast([STEPS])) !== undefined) {
    reading.channel = 'reasoning'
    return
  }
  if (reading.channel === 'reasoning') return
  if (yield* input.take('all\n')) return reading.sink.atMarker()
  if (((yield* input.starts(' to=')) || (yield* input.starts('to='))) && (yield* isHeader(reading))) {
    input.mark()
    const said = yield* readHarmonyHeader(input, reading.context)
    yield* applyControl(reading, said, { raw: input.unmark(), place: reading.sink.place })
    return
  }
  if (options.tools.names.length === 0) return
  yield* skipRole(reading)
  yield* readWholeReply(reading)
  yield* readNamedStart(reading)
  yield* readPythonLines(reading)
}

/** `assistant: {...}`: the label of the template, written once more in front of a call. */
function* skipRole({ input }: Reading): Step<void> {
  for (const label of ['assistant:', 'Assistant:']) {
    if (!(yield* input.starts(label))) continue
    const [, call] = /^\w+:\s*(\{)/.exec(yield* input.peek(label.length + 4)) ?? []
    if (call !== undefined) yield* input.takePast([label])
  }
}

function* isHeader({ input }: Reading): Step<boolean> {
  return /^\s?to=[\w.-]+\s*(?:<\||json)/.test(yield* input.peek(120))
}

/** `read_file\n{...}` and `read_file[ARGS]{...}`: the marker in front was part of the prompt, or was dropped. */
function* readNamedStart(reading: Reading): Step<void> {
  const { input, options, sink } = reading
  const name = yield* input.anyOf(options.tools.names)
  if (name === undefined) return
  const separator = yield* input.anyOf(['[ARGS]', '\n{'], name.length)
  const python = options.hint?.habits.includes('python') && (yield* pythonName(input)) === name
  if (separator === undefined && !python) return
  const place = sink.place
  input.mark()
  const drafts: Draft[] = []
  if (python) drafts.push(yield* readPythonCall(input, options.tools))
  else {
    input.consume(name.length + (separator === '[ARGS]' ? separator.length : 0))
    yield* input.skipSpace()
    drafts.push(yield* readArgumentsJson(input, name, reading.context))
  }
  yield* settle(reading, { drafts, raw: input.unmark(), place, manner: 'marker' })
  if (python) yield* readMoreLines(reading)
}

/** Olmo writes one call per line. */
function* readMoreLines(reading: Reading): Step<void> {
  const { input, options, sink } = reading
  for (;;) {
    const space = yield* input.space()
    const name = yield* pythonName(input, space)
    if (name === undefined || !options.tools.find(name)) return
    input.consume(space)
    input.mark()
    const drafts = [yield* readPythonCall(input, options.tools)]
    yield* settle(reading, { drafts, raw: input.unmark(), place: sink.place, manner: 'marker' })
  }
}

/** `>>>name\n{...}` and `>>>all\n`; the arrows are consumed. */
export function* readRecipient(reading: Reading): Step<void> {
  const { input, options, sink } = reading
  if (sink.place.code || reading.channel === 'reasoning') {
    reading.say('>>>')
    return
  }
  if (yield* input.take('all\n')) return sink.atMarker()
  const line = /^([\w.-]{1,128})\n\s*\{/.exec(yield* input.peek(160))
  const name = line?.[1]
  const known = name !== undefined && (options.tools.find(name) || options.hint?.habits.includes('recipient'))
  if (name === undefined || !known) {
    reading.say('>>>')
    return
  }
  const place = sink.place
  input.mark('>>>')
  input.consume(name.length)
  yield* input.skipSpace()
  const draft = yield* readArgumentsJson(input, name, { ...reading.context, stops: ['\n>>>'] })
  yield* settle(reading, { drafts: [draft], raw: input.unmark(), place, manner: 'marker' })
}
