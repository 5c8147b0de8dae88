/**
 * What a vote has to know of our own tools: their defaults, their paths, and what a call of them does to the world.
 * Pure.
 */
import { z } from 'zod'
import { CALL_TOOL, innerInput } from '../lib/inner-call.ts'
import { findTool } from '../lib/read-call.ts'
import type { ToolSchema } from '../protocol/model.ts'
import type { Access, Tool } from '../protocol/tool.ts'
import type { Effect, VotingTool } from '../protocol/vote.ts'

export function toVotingTools(tools: readonly Tool[]): readonly VotingTool[] {
  return tools.map((tool) => ({
    name: tool.name,
    parameters: parametersOf(tool),
    paths: tool.paths ?? [],
    effect: carefully((input) =>
      effectOf(tool.name === CALL_TOOL ? innerAccess(input, tools) : tool.access(input)),
    ),
  }))
}

/** Only a way to write the call inside it; what that is may not be known, so it may write. */
function innerAccess(value: unknown, tools: readonly Tool[]): readonly Access[] {
  const inner = innerInput(value)
  const tool = inner && findTool(inner.name, tools)
  return tool ? tool.access(inner.input) : [{ kind: 'write', target: '' }]
}

/** The same object in every turn: what is made out of it is kept by it. */
const known = new WeakMap<Tool, VotingTool['parameters']>()

function parametersOf(tool: Tool): VotingTool['parameters'] {
  const parameters = known.get(tool) ?? z.toJSONSchema(tool.input, { io: 'input', unrepresentable: 'any' })
  known.set(tool, parameters)
  return parameters
}

/** Those of a request; of the client's own tools only the schema is known. */
export function joinTools(own: readonly VotingTool[], asked: readonly ToolSchema[]): readonly VotingTool[] {
  const names = new Set(own.map(({ name }) => name))
  return [...own, ...asked.filter(({ name }) => !names.has(name))]
}

/** Arguments come unparsed here; what a tool cannot read it may well write. */
const carefully =
  (effect: (input: unknown) => Effect) =>
  (input: unknown): Effect => {
    try {
      return effect(input)
    } catch {
      return 'write'
    }
  }

function effectOf(access: readonly Access[]): Effect {
  if (access.some(({ kind, target }) => kind === 'run' && CANNOT_BE_UNDONE.test(target))) return 'destroy'
  return access.some(({ kind }) => kind === 'write' || kind === 'run') ? 'write' : 'read'
}

/** Rather one too many: it only costs another opinion. Whether a command may run is the guard's business. */
const CANNOT_BE_UNDONE = new RegExp(
  [
    String.raw`\b(?:rm|rmdir|unlink|shred|dd|mkfs\S*|truncate|kill|pkill|killall|shutdown|reboot)\b`,
    String.raw`\bgit\s+(?:push|reset|clean|checkout|restore|rebase|stash\s+(?:drop|clear)|branch\s+-D)\b`,
    String.raw`\b(?:drop\s+(?:table|database)|delete\s+from)\b|\bpublish\b|\s--force\b`,
    // A redirection that replaces a file.
    String.raw`(?:^|[^>&\d])>(?![>&]|\s*/dev/null)`,
  ].join('|'),
  'i',
)
