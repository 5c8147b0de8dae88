/** A family from its data: what every dialect can do follows from its shape and its markers. */
import type { DialectWriter } from '../../protocol/dialect.ts'
import type { ToolSchema } from '../../protocol/model.ts'
import type { Family, Habit, Marker } from './family.ts'
import { toGrammar } from '../grammar/shape.ts'
import type { Shape } from '../read/shape.ts'

export type FamilyData = {
  readonly name: string
  readonly models: RegExp
  readonly shape: Shape
  readonly markers: readonly Marker[]
  readonly result: DialectWriter['result']
  /** For models that need another description of the tools. */
  readonly show?: (tools: readonly ToolSchema[]) => string
  readonly habits?: readonly Habit[]
}

export const defineFamily = ({ habits = [], show, ...data }: FamilyData): Family => ({
  ...data,
  habits,
  proposesOnly: show !== undefined,
  write: (call) => data.shape.write(call),
  show: show ?? ((tools) => showTools(tools, data.shape)),
  grammar: (tools) => toGrammar(tools, data.shape),
})

const EXAMPLE = { id: 'call-1', name: 'tool_name', input: '{"parameter": "value"}' }

/** For a model whose template does not show tools: what there is, and how this family calls it. */
function showTools(tools: readonly ToolSchema[], shape: Shape): string {
  const lines = tools.map(({ name, description, parameters }) =>
    JSON.stringify({ name, description, parameters }),
  )
  return `# Tools\n\n${lines.join('\n')}\n\nTo call a tool, write:\n${shape.write(EXAMPLE)}`
}
