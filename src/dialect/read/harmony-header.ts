/**
 * Harmony: every message has a header that says who it is for and in which channel it stands, then `<|message|>` and
 * its text. `to=functions.x` is a call; `analysis` is thinking; everything else is for the person.
 */
import { CUT_OFF, TOO_LONG } from './call.ts'
import type { Draft } from './call.ts'
import type { Control } from '../families/family.ts'
import type { Input, Step } from './input.ts'
import { scanJson } from './json-scan.ts'
import type { ReadContext } from './section.ts'
import { MAX_CALL } from './tagged.ts'
import { propertiesOf } from './tool-book.ts'

const MESSAGE = '<|message|>'
const ENDS = ['<|call|>', '<|end|>', '<|return|>', '<|start|>', '<|channel|>', '<|eom|>', '<|eot|>']
const MAX_HEADER = 400
const SPEAKERS = new Set(['assistant', 'user', 'self', 'all', 'system', 'developer'])

/** The cursor stands inside the header, behind the token that opened it. */
export function* readHarmonyHeader(input: Input, context: ReadContext): Step<Control> {
  const header = yield* input.until([MESSAGE], MAX_HEADER)
  if (header.stop === undefined) return input.ended ? {} : { text: header.text }
  input.consume(MESSAGE.length)
  const channel = /^.*(?:^|<\|channel\|>)\s*(analysis|commentary|final)/s.exec(header.text)?.[1]
  const recipient = /\bto=([\w.:/-]+)/.exec(header.text)?.[1]
  // Muse names the recipient only roughly; the call itself follows the header in tags.
  if ((yield* context.opening(input, yield* input.space())) !== undefined) return { channel: 'text' }
  const name = recipient === undefined ? undefined : toolName(recipient, context)
  if (name !== undefined) return { channel: 'text', drafts: yield* readMessageCall(input, name, context) }
  if (recipient !== undefined && !SPEAKERS.has(recipient)) {
    yield* input.until(ENDS, MAX_CALL)
    return { channel: 'text' }
  }
  return { channel: channel === 'analysis' || recipient === 'self' ? 'reasoning' : 'text' }
}

/** A recipient that is a tool. One that is no one we know is a tool the model made up; without tools, it is nothing. */
function toolName(recipient: string, { tools }: ReadContext): string | undefined {
  if (recipient.startsWith('functions.')) return recipient.slice('functions.'.length)
  if (SPEAKERS.has(recipient) || tools.names.length === 0) return undefined
  return tools.find(recipient)?.name ?? recipient
}

function* readMessageCall(input: Input, name: string, context: ReadContext): Step<Draft[]> {
  yield* input.skipSpace()
  const [first] = yield* input.peek(1)
  if (first !== '{') return yield* readPlainArguments(input, name, context)
  const extent = yield* scanJson(input, { stops: ENDS, limit: MAX_CALL })
  yield* input.takePast(['<|call|>'])
  if (extent.end === 'long') return [{ name, problem: TOO_LONG }]
  return [extent.end === 'cut' ? { name, problem: CUT_OFF } : { name, json: extent.text }]
}

/** Code for a tool with one parameter comes without JSON around it. */
function* readPlainArguments(input: Input, name: string, context: ReadContext): Step<Draft[]> {
  const { text, stop, long } = yield* input.until(ENDS, MAX_CALL)
  if (long) return [{ name, problem: TOO_LONG }]
  if (stop === undefined && text.trim() === '') return [{ name, problem: CUT_OFF }]
  const [only, ...more] = Object.keys(propertiesOf(context.tools.find(name)))
  if (text.trim() === '') return [{ name, json: '{}' }]
  if (only !== undefined && more.length === 0) return [{ name, values: { [only]: text } }]
  return [{ name, json: text }]
}
