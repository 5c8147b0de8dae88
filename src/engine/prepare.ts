/** From what the model wrote to a tool and its arguments, or to the words that tell it what was wrong. Pure. */
import type { FailureCode } from '../protocol/error.ts'
import type { ToolCall } from '../protocol/message.ts'
import type { PromptOptions } from '../protocol/session-api.ts'
import { type Access, isReadOnly, type Tool } from '../protocol/tool.ts'
import { canonicalJson, isObject, readJson } from '../lib/json.ts'
import { resolveName } from '../lib/nearest.ts'
import { parseArguments } from './arguments.ts'
import { salvageWrite } from './cut-call.ts'
import { isAllowed } from './offer.ts'
import { unknownTool } from './unknown-tool.ts'

export type Ready = {
  readonly kind: 'ready'
  readonly call: ToolCall
  readonly tool: Tool
  readonly input: unknown
  readonly key: string
  readonly readOnly: boolean
  /** Something had to be mended before it could run. */
  readonly repaired: boolean
  /** Said to the model in front of the result. */
  readonly remark?: string
}

type Hopeless = {
  readonly kind: 'hopeless'
  readonly call: ToolCall
  readonly key: string
  readonly code: FailureCode
  readonly text: string
  /** Where it was found out before it got this far: the tool that was meant, and the path it asked for. */
  readonly tool?: string
  readonly path?: string
}

export type Prepared = Ready | Hopeless

export type PrepareInput = {
  readonly tools: readonly Tool[]
  readonly options: PromptOptions
  /** The output limit was reached while this call was written. */
  readonly atLimit: boolean
}

export function prepareCall(call: ToolCall, { tools, options, atLimit }: PrepareInput): Prepared {
  const meant = unwrap(call)
  const usable = tools.filter(({ name }) => isAllowed(name, options))
  const names = usable.map(({ name }) => name)
  const name = resolveName(meant.name, names)
  const tool = usable.find((candidate) => candidate.name === name)
  if (!tool) return hopeless(call, 'unknown-tool', unknownTool(meant.name, names))
  if (atLimit && !isWhole(meant.input)) return prepareCut(call, meant, tool)

  const parsed = parseArguments(meant, tool)
  if (!parsed.ok) return hopeless(call, 'bad-arguments', parsed.text)
  return ready(call, { tool, input: parsed.input, repaired: parsed.repaired || tool.name !== call.name })
}

/** Of a cut write the complete lines are worth keeping; any other cut call is never run. */
function prepareCut(call: ToolCall, meant: ToolCall, tool: Tool): Prepared {
  const saved = tool.name === 'write_file' ? salvageWrite(meant.input) : undefined
  const parsed = saved && parseArguments({ ...meant, input: JSON.stringify(saved) }, tool)
  if (!parsed?.ok) {
    return hopeless(call, 'cut', 'The call was cut off by the output limit and was not run. Make it shorter.')
  }
  const remark =
    '[cut off by the output limit: only the complete lines were written; add the rest with append: true]'
  return ready(call, { tool, input: parsed.input, repaired: true, remark })
}

type ReadyParts = Pick<Ready, 'tool' | 'input' | 'repaired' | 'remark'>

function ready(call: ToolCall, parts: ReadyParts): Ready {
  const { tool, input } = parts
  return {
    kind: 'ready',
    call,
    key: callKey(tool.name, input),
    readOnly: isReadOnly(accessOf(tool, input)),
    ...parts,
  }
}

const hopeless = (call: ToolCall, code: FailureCode, text: string): Hopeless => ({
  kind: 'hopeless',
  call,
  key: callKey(call.name, call.input),
  code,
  text,
})

export const callKey = (name: string, input: unknown): string => `${name} ${canonicalJson(input)}`

export const accessOf = (tool: Tool, input: unknown): readonly Access[] => tool.access(input)

/** `call_tool {name, arguments}` is only a way to write the call inside it. */
function unwrap(call: ToolCall): ToolCall {
  if (resolveName(call.name, ['call_tool']) === undefined) return call
  const reading = readJson(call.input)
  if (!reading.ok || !isObject(reading.value) || typeof reading.value['name'] !== 'string') return call
  const { name, arguments: inner = {} } = reading.value
  return { ...call, name: String(name), input: typeof inner === 'string' ? inner : JSON.stringify(inner) }
}

function isWhole(input: string): boolean {
  try {
    JSON.parse(input)
    return true
  } catch {
    return false
  }
}
