/** The tools a reply may call: found by the name a model writes, with what their schemas say about parameters. */
import type { JsonSchema, ToolSchema } from '../../protocol/model.ts'
import { isObject } from '../../lib/json.ts'
import { resolveName } from '../../lib/nearest.ts'
import { mayNameTool, meantTool } from '../../lib/tool-names.ts'
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
  readonly #meant = new Map<string, ToolSchema | undefined>()

  constructor(tools: readonly ToolSchema[]) {
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]))
    this.names = [...this.#tools.keys()]
  }

  /** The tool called `name`, differences of spelling folded. */
  find(name: string): ToolSchema | undefined {
    return this.#tools.get(name) ?? this.#lookUp(name, this.#found, resolveName)
  }

  /**
   * The tool that `name` stands for in other agents too (`bash`, `view_file`). Only for text that has the shape of a call: in
   * prose and code such a name is an ordinary word.
   */
  meant(name: string): ToolSchema | undefined {
    return this.find(name) ?? this.#lookUp(name, this.#meant, meantTool)
  }

  /** Whether this is the beginning of a name by which one of them may be meant. */
  mayName(begun: string): boolean {
    return mayNameTool(begun, this.names)
  }

  #lookUp(
    name: string,
    known: Map<string, ToolSchema | undefined>,
    resolve: (name: string, names: readonly string[]) => string | undefined,
  ): ToolSchema | undefined {
    if (name.length > 200) return undefined
    if (!known.has(name)) {
      if (known.size > 1000) known.clear()
      const resolved = resolve(name, this.names)
      known.set(name, resolved === undefined ? undefined : this.#tools.get(resolved))
    }
    return known.get(name)
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
