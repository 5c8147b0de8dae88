/** One or more calls of any of the tools, as a grammar in the shape of a family. */
import type { KnownValues } from '../../protocol/known-values.ts'
import type { ToolSchema } from '../../protocol/model.ts'
import { Rules } from './rules.ts'
import type { Shape } from '../read/shape.ts'

export function toGrammar(tools: readonly ToolSchema[], shape: Shape, values?: KnownValues): string {
  const rules = new Rules(values)
  const calls = tools.map((tool, index) => rules.define(`call-${index}`, shape.grammar(tool, rules)))
  const call = rules.define('call', calls.join(' | '))
  return rules.toGrammar(`${call} ("\\n"? ${call}){0,${MOST_CALLS - 1}}`)
}

/** A tiny model that may go on calling does so until it is cut off, and then none of its calls is made. */
const MOST_CALLS = 8
