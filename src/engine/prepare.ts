/** From what the model wrote to a tool and its arguments, or to the words that tell it what was wrong. Pure. */
import type { EditForm } from '../protocol/edit-form.ts'
import type { FailureCode } from '../protocol/error.ts'
import type { ToolCall } from '../protocol/message.ts'
import type { PromptOptions } from '../protocol/session-api.ts'
import { type Access, isReadOnly, type Tool } from '../protocol/tool.ts'
import { canonicalJson, hasOpenString } from '../lib/json.ts'
import { resolveName } from '../lib/nearest.ts'
import { clip } from '../lib/text.ts'
import { meantTool } from '../lib/tool-names.ts'
import { facesOf } from '../lib/tool-form.ts'
import { type ParsedArguments, parseArguments } from './arguments.ts'
import { salvageWrite } from './cut-call.ts'
import { isAllowed } from './offer.ts'
import { inOurForm } from './other-form.ts'
import { unknownTool } from './unknown-tool.ts'
import { innerCall } from '../lib/inner-call.ts'

export type Ready = {
  readonly kind: 'ready'
  readonly call: ToolCall
  readonly tool: Tool
  readonly input: unknown
  readonly key: string
  readonly readOnly: boolean
  /** The call had to be repaired before it could run. */
  readonly repaired: boolean
  /** Said to the model in front of the result. */
  readonly remark?: string
  /** The path must not exist: what of the call was cut off may have said what to do with a file that does. */
  readonly onlyNew?: boolean
}

export type Hopeless = {
  readonly kind: 'hopeless'
  readonly call: ToolCall
  readonly key: string
  readonly code: FailureCode
  readonly text: string
  /** The tool that was meant, where one was, and the path it asked for. */
  readonly tool?: string
  readonly path?: string
}

export type Prepared = Ready | Hopeless

export type PrepareInput = {
  readonly tools: readonly Tool[]
  readonly options: PromptOptions
  /** How the arm that wrote the call was asked to write edits. */
  readonly editForm?: EditForm
  /** The output limit was reached while this call was written. */
  readonly atLimit: boolean
}

export function prepareCall(call: ToolCall, { tools, options, editForm, atLimit }: PrepareInput): Prepared {
  const usable = tools.filter(({ name }) => isAllowed(name, options))
  const names = usable.map(({ name }) => name)
  const inner = innerCall(call)
  const meant = inOurForm(inner, names)
  const name = meantTool(meant.name, names)
  const found = usable.find((candidate) => candidate.name === name)
  if (!found) return hopeless(call, 'unknown-tool', unknownTool(meant.name, names))
  if (atLimit && !isWhole(call.input)) return prepareCut(call, found)

  // Reading the wrapper has closed a string that was left open: what is written must not end there unnoticed.
  const isTorn = found.category === 'write' && hasOpenString(call.input)
  const { tool, parsed } = parseInForm(isTorn ? call : meant, facesOf(found, editForm))
  if (!parsed.ok) return hopeless(call, 'bad-arguments', parsed.text, tool)
  const ran = asItRan({ call, inner }, { ...meant, name: tool.name, input: parsed.written ?? meant.input })
  const isOther = resolveName(meant.name, [tool.name]) === undefined
  const remark = [isOther ? otherName(meant.name, tool) : undefined, parsed.ignored]
    .filter(Boolean)
    .join('\n')
  return ready(ran, {
    tool,
    input: parsed.input,
    repaired: parsed.written !== undefined || tool.name !== call.name || meant !== inner,
    ...(remark && { remark }),
  })
}

/** In the first face of the tool that takes the arguments; what none takes is explained by the one that was shown. */
function parseInForm(call: ToolCall, faces: readonly Tool[]): { tool: Tool; parsed: ParsedArguments } {
  const readings = faces.map((tool) => ({ tool, parsed: parseArguments(call, tool) }))
  const fitting = readings.find(({ parsed }) => parsed.ok) ?? readings[0]
  if (!fitting) throw new Error(`${call.name} has no form to be read in`)
  return fitting
}

const otherName = (written: string, { name }: Tool): string => `[${clip(written, 40)} is ${name} here]`

/** The call as the conversation keeps it: what ran, written as it should have been. What was right keeps its bytes. */
function asItRan({ call, inner }: { call: ToolCall; inner: ToolCall }, ran: ToolCall): ToolCall {
  if (ran.name === inner.name && ran.input === inner.input) return call
  if (call === inner) return ran
  return { ...call, input: JSON.stringify({ name: ran.name, arguments: JSON.parse(ran.input) }) }
}

/** Of a cut write the complete lines are worth keeping; any other cut call is never run, nor one inside `call_tool`. */
function prepareCut(call: ToolCall, tool: Tool): Prepared {
  const saved = tool.name === 'write_file' ? salvageWrite(call.input) : undefined
  const parsed = saved && parseArguments({ ...call, input: JSON.stringify(saved) }, tool)
  if (!parsed?.ok) {
    return hopeless(call, 'cut', CUT, tool)
  }
  const remark =
    '[cut off by the output limit: only the complete lines were written; add the rest with append: true]'
  const ran = { ...call, name: tool.name, input: JSON.stringify(saved) }
  return ready(ran, { tool, input: parsed.input, repaired: true, remark, onlyNew: !saved?.append })
}

const CUT = 'The call was cut off by the output limit and was not run. Make it shorter.'

type ReadyParts = Pick<Ready, 'tool' | 'input' | 'repaired' | 'remark' | 'onlyNew'>

function ready(call: ToolCall, parts: ReadyParts): Ready {
  const { tool, input } = parts
  return {
    kind: 'ready',
    call,
    key: callKey(tool.name, input),
    readOnly: touchesNothing(tool, input),
    ...parts,
  }
}

/** A tool that cannot say what it would touch runs alone; the guard asks it again and tells the model what is wrong. */
function touchesNothing(tool: Tool, input: unknown): boolean {
  try {
    return isReadOnly(accessOf(tool, input))
  } catch {
    return false
  }
}

const hopeless = (call: ToolCall, code: FailureCode, text: string, tool?: Tool): Hopeless => ({
  kind: 'hopeless',
  call,
  key: callKey(call.name, call.input),
  code,
  text,
  ...(tool && { tool: tool.name }),
})

export const callKey = (name: string, input: unknown): string => `${name} ${canonicalJson(input)}`

export const accessOf = (tool: Tool, input: unknown): readonly Access[] => tool.access(input)

function isWhole(input: string): boolean {
  try {
    JSON.parse(input)
    return true
  } catch {
    return false
  }
}
