/**
 * A client's tools in two stages, for when even their shortest form does not fit: some are shown, the others only listed
 * by name in the system text and called through one tool. Which are shown follows from what never changes while a
 * conversation grows, so that the list stays as it is; calls of listed tools are shown to the model as it wrote them.
 */
import { isObject } from '../lib/json.ts'
import type { Message, ToolCall } from '../protocol/message.ts'
import type { ModelRequest, ToolSchema } from '../protocol/model.ts'
import { estimateTokens, fixedTokens } from './count.ts'
import { firstWords } from './shorten-tools.ts'
import { CALL_TOOL } from '../lib/inner-call.ts'

export type StagedTools = {
  readonly tools: readonly ToolSchema[]
  /** Stands at the end of the system text. */
  readonly listing: string
  /** Of both, in estimated tokens. */
  readonly tokens: number
  /** The tool that calls the listed ones: `{name, arguments}`. */
  readonly callTool: string
  /** The conversation as this list of tools has it. */
  written(messages: readonly Message[]): readonly Message[]
}

export type StageWish = {
  /** What tools and listing may take, in estimated tokens. */
  readonly limit: number
  /** Shown before all others. */
  readonly wanted: ReadonlySet<string>
  /** Shown in any case: servers refuse a choice of what they are not shown. */
  readonly chosen?: string | undefined
}

/** As many as fit are shown, the wanted first, then in the client's order; that order also stays in the list. */
export function stageTools(tools: readonly ToolSchema[], { limit, wanted, chosen }: StageWish): StagedTools {
  const callTool = unusedName(tools)
  const none = staged(tools, new Set(), callTool)
  const order = tools.toSorted((a, b) => Number(wanted.has(b.name)) - Number(wanted.has(a.name)))
  const shown = new Set<string>()
  let left = limit - none.tokens
  for (const tool of order) {
    const growth = growthOf(tool)
    if (growth > left && tool.name !== chosen) continue
    left -= growth
    shown.add(tool.name)
  }
  return staged(tools, shown, callTool)
}

/** Sizes of parts do not add up exactly: marks that meet are counted together, and each part is rounded. */
const SEAM = 2

const growthOf = (tool: ToolSchema): number =>
  estimateTokens(JSON.stringify(tool)) - estimateTokens(lineFor(tool)) + SEAM

function staged(tools: readonly ToolSchema[], shown: ReadonlySet<string>, callTool: string): StagedTools {
  const listed = tools.filter(({ name }) => !shown.has(name))
  const names = new Set(listed.map(({ name }) => name))
  const listing = listingOf(listed.map(lineFor), callTool)
  const visible = [...tools.filter(({ name }) => shown.has(name)), callToolSchema(callTool)]
  return {
    tools: visible,
    listing,
    callTool,
    tokens: fixedTokens('', visible, estimateTokens) + estimateTokens(listing),
    written: (messages) => messages.map((message) => withWrittenCalls(message, names, callTool)),
  }
}

/** Those that the choice or the person's first words name. Later words do not count: the list would change with them. */
export function wantedTools({ tools, toolChoice, messages }: ModelRequest): ReadonlySet<string> {
  const chosen = typeof toolChoice === 'object' ? [toolChoice.name] : []
  const words = messages.find(({ role }) => role === 'user')?.text ?? ''
  const said = new Set(words.match(/[\w.-]*\w/g))
  return new Set([...chosen, ...tools.map(({ name }) => name).filter((name) => said.has(name))])
}

function unusedName(tools: readonly ToolSchema[]): string {
  const taken = new Set(tools.map(({ name }) => name))
  let name = CALL_TOOL
  for (let suffix = 2; taken.has(name); suffix++) name = `${CALL_TOOL}_${suffix}`
  return name
}

const callToolSchema = (name: string): ToolSchema => ({
  name,
  description: 'Call one of the listed tools.',
  parameters: {
    type: 'object',
    properties: { name: { type: 'string' }, arguments: { type: 'object' } },
    required: ['name', 'arguments'],
  },
})

const listingOf = (lines: readonly string[], callTool: string): string =>
  [
    `More tools, with their arguments ("?": may be left out). Use them with ${callTool}: ` +
      '{"name": "TOOL", "arguments": {...}}',
    ...lines,
  ].join('\n')

const PURPOSE = 60
const MOST_ARGUMENTS = 8

function lineFor({ name, description, parameters }: ToolSchema): string {
  const purpose = description === undefined ? '' : `: ${firstWords(description, PURPOSE)}`
  return `- ${name}(${argumentsOf(parameters).join(', ')})${purpose}`
}

function argumentsOf({ properties, required }: ToolSchema['parameters']): readonly string[] {
  const needed = new Set<unknown>(Array.isArray(required) ? required : [])
  const names = isObject(properties) ? Object.keys(properties) : []
  const shown = names
    .toSorted((a, b) => Number(needed.has(b)) - Number(needed.has(a)))
    .slice(0, MOST_ARGUMENTS)
  return [
    ...shown.map((name) => (needed.has(name) ? name : `${name}?`)),
    ...(names.length > shown.length ? ['...'] : []),
  ]
}

function withWrittenCalls(message: Message, listed: ReadonlySet<string>, callTool: string): Message {
  if (message.role !== 'assistant' || !message.calls.some(({ name }) => listed.has(name))) return message
  const calls = message.calls.map((call) => (listed.has(call.name) ? writtenCall(call, callTool) : call))
  return { ...message, calls }
}

/** The arguments keep their bytes; what is no object goes in as text. */
function writtenCall(call: ToolCall, callTool: string): ToolCall {
  const given = call.input.trim() || '{}'
  const inner = given.startsWith('{') ? given : JSON.stringify(given)
  return { ...call, name: callTool, input: `{"name": ${JSON.stringify(call.name)}, "arguments": ${inner}}` }
}
