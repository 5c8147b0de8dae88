/**
 * Which tool of the client stands behind each tool nano knows. Nano always decides between the same lines, whatever a client
 * offers: how many there are must say nothing about the answer. A call is then written for the tool the client has under
 * this name or another (`bash` for run_command, `file_path` for path), and cannot be made where there is none. Pure.
 */
import { foldName, meansParameter } from '../../lib/argument-names.ts'
import { isObject } from '../../lib/json.ts'
import { describeCall } from '../../lib/schema.ts'
import { meantTool } from '../../lib/tool-names.ts'
import type { ToolSchema } from '../../protocol/model.ts'
import type { NanoCall } from './run.ts'
import { hasCommand, toCommand } from './shell-form.ts'
import { CHANGE_LINE, type NanoTool, nanoTools } from './tools.ts'

type Binding = {
  /** The client's tool. */
  readonly name: string
  /** Its parameter for each of nano's that it has. */
  readonly keys: ReadonlyMap<string, string>
}

/** By the name of nano's tool. */
export type Bindings = ReadonlyMap<string, Binding>

/** Search by meaning: what others call a search looks for text. A listed line is changed by an edit. */
const OWN_KINDS = new Set(['search_code', CHANGE_LINE])

export function bindTools(tools: readonly ToolSchema[]): Bindings {
  const names = [...nanoTools.keys()]
  const common = names.filter((name) => !OWN_KINDS.has(name))
  const candidates = tools.flatMap((schema) => {
    const own = nanoTools.get(schema.name) ?? nanoTools.get(meantTool(schema.name, common) ?? '')
    const keys = own && keysFor(own, schema)
    return own && keys ? [{ own: own.name, name: schema.name, keys }] : []
  })
  return new Map(
    names.flatMap((own) => {
      const found = candidates.filter((candidate) => candidate.own === own)
      const bound = found.find(({ name }) => name === own) ?? (found.length === 1 ? found[0] : undefined)
      return bound ? [[own, bound] as const] : []
    }),
  )
}

/** Nothing where a parameter that either side must have has no counterpart. */
function keysFor(tool: NanoTool, schema: ToolSchema): ReadonlyMap<string, string> | undefined {
  const theirs = Object.keys(propertiesOf(schema))
  const keys = new Map<string, string>()
  for (const { name } of tool.parameters) {
    const free = theirs.filter((key) => ![...keys.values()].includes(key))
    const key =
      free.find((candidate) => foldName(candidate) === foldName(name)) ??
      free.find((candidate) => meansParameter(candidate, name))
    if (key !== undefined) keys.set(name, key)
  }
  const isWhole = tool.parameters.every(({ name, required }) => !required || keys.has(name))
  return isWhole && canFill(schema, [...keys.values()]) ? keys : undefined
}

function canFill({ name, parameters }: ToolSchema, keys: readonly string[]): boolean {
  const required: readonly unknown[] = Array.isArray(parameters['required']) ? parameters['required'] : []
  const filled = describeCall(Object.fromEntries(keys.map((key) => [key, ''])), parameters, name)
  return required.every((key) => typeof key === 'string' && key in filled)
}

export const propertiesOf = ({ parameters }: ToolSchema): Record<string, unknown> =>
  isObject(parameters['properties']) ? parameters['properties'] : {}

/** A tool that writes a file whole needs no leave to replace one. */
const NEEDLESS = new Set(['overwrite'])

/** The call as the client's tool takes it; nothing where the client has no such tool, or not with these arguments. */
export function toClientCall({ name, input }: NanoCall, bindings: Bindings): NanoCall | undefined {
  const binding = bindings.get(name)
  const command = binding ? undefined : toCommand({ name, input })
  if (!binding && command !== undefined && name !== 'run_command')
    return toClientCall({ name: 'run_command', input: { command } }, bindings)
  if (!binding) return undefined
  const entries: [string, unknown][] = []
  for (const [parameter, value] of Object.entries(input)) {
    const key = binding.keys.get(parameter)
    if (key !== undefined) entries.push([key, value])
    else if (!NEEDLESS.has(parameter)) return undefined
  }
  return { name: binding.name, input: Object.fromEntries(entries) }
}

/** Whether the client has the tool, or a shell in which its work is one plain command. */
export const isReachable = (name: string, bindings: Bindings): boolean =>
  bindings.has(name) || (bindings.has('run_command') && hasCommand(name))

/** A call of the conversation in nano's own words. */
export function toNanoCall(call: NanoCall, bindings: Bindings): NanoCall {
  for (const [own, { name, keys }] of bindings) {
    if (name !== call.name) continue
    const names = new Map(Array.from(keys, ([parameter, key]) => [key, parameter]))
    return {
      name: own,
      input: Object.fromEntries(
        Object.entries(call.input).map(([key, value]) => [names.get(key) ?? key, value]),
      ),
    }
  }
  return call
}
