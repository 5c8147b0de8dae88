/**
 * Tools as a GBNF grammar: a call is then valid by construction. `required` holds from the first token; `auto` starts at
 * the family's marker (lazy), so that the model may also just answer.
 */
import type { ToolSchema } from '../protocol/model.ts'
import { Rules } from './grammar-rules.ts'
import type { Shape } from './shape.ts'

export type Grammar = {
  readonly grammar: string
  /** Constrain only from here on. Absent: from the first token. */
  readonly trigger?: string
}

export type GrammarChoice = 'auto' | 'required' | { readonly name: string }

export function shapeGrammar(tools: readonly ToolSchema[], shape: Shape, choice: GrammarChoice): Grammar {
  const wanted = typeof choice === 'object' ? tools.filter(({ name }) => name === choice.name) : tools
  const grammar = toGrammar(wanted, shape)
  return choice === 'auto' ? { grammar, trigger: shape.trigger } : { grammar }
}

/** One or more calls, of any of the tools. */
export function toGrammar(tools: readonly ToolSchema[], shape: Shape): string {
  const rules = new Rules()
  const calls = tools.map((tool, index) => rules.define(`call-${index}`, shape.grammar(tool, rules)))
  const call = rules.define('call', calls.join(' | '))
  return rules.toGrammar(`${call} ("\\n"? ${call})*`)
}
