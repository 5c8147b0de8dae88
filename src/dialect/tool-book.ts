/** The tools a reply may call: found by the name a model writes, with what their schemas say about parameters. */
import type { JsonSchema, ToolSchema } from '../protocol/model.ts'
import { isObject } from '../lib/json.ts'
import { resolveName } from '../lib/nearest.ts'
import { Repair } from './repair.ts'

const WRITING_TOOLS = new Set(['write_file', 'edit_file', 'apply_patch'])
/** What is written, and what is run: half a command does something else than the whole one. */
const WRITING_PARAMETERS = ['content', 'new', 'patch', 'command', 'code']

export class ToolBook {
  /** Arguments of this reply are read through this. */
  readonly json = new Repair()
  readonly names: readonly string[]
  readonly #tools: ReadonlyMap<string, ToolSchema>
  readonly #found = new Map<string, ToolSchema | undefined>()

  constructor(tools: readonly ToolSchema[]) {
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]))
    this.names = [...this.#tools.keys()]
  }

  /** The tool that is meant by `name`, differences of spelling folded. */
  find(name: string): ToolSchema | undefined {
    const exact = this.#tools.get(name)
    if (exact) return exact
    if (name.length > 200) return undefined
    if (!this.#found.has(name)) {
      if (this.#found.size > 1000) this.#found.clear()
      const resolved = resolveName(name, this.names)
      this.#found.set(name, resolved === undefined ? undefined : this.#tools.get(resolved))
    }
    return this.#found.get(name)
  }
}

export function propertiesOf(tool: ToolSchema | undefined): Record<string, unknown> {
  const properties = tool?.parameters['properties']
  return isObject(properties) ? properties : {}
}

export function propertyOf(tool: ToolSchema | undefined, key: string): JsonSchema | undefined {
  const properties = propertiesOf(tool)
  const property = properties[key] ?? properties[resolveName(key, Object.keys(properties)) ?? '']
  return isObject(property) ? property : undefined
}

export function requiredOf(tool: ToolSchema): readonly string[] {
  const required = tool.parameters['required']
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []
}

/** A tool that writes or runs what it is given must never get a text with its end missing. */
export const isWriting = (tool: ToolSchema | undefined): boolean =>
  tool !== undefined &&
  (WRITING_TOOLS.has(tool.name) || WRITING_PARAMETERS.some((name) => name in propertiesOf(tool)))
