/**
 * Tools as a GBNF grammar: a call is then valid by construction. `required` holds from the first token; `auto` starts at
 * the family's marker (lazy), so that the model may also just answer.
 */
import { AppError } from '../../protocol/error.ts'
import type { KnownValues } from '../../protocol/known-values.ts'
import type { ToolSchema } from '../../protocol/model.ts'
import { requireFamily } from '../all.ts'
import type { Family } from '../families/family.ts'
import { toGrammar } from './shape.ts'

export type Grammar = {
  readonly grammar: string
  /** Constrain only from here on. Absent: from the first token. */
  readonly trigger?: string
}

export type GrammarOptions = {
  readonly dialect: string | Family
  readonly choice: 'auto' | 'required' | { readonly name: string }
  /** What arguments may be beyond what their schemas say. */
  readonly values?: KnownValues | undefined
}

export function buildGrammar(
  tools: readonly ToolSchema[],
  { dialect, choice, values }: GrammarOptions,
): Grammar {
  const { shape } = typeof dialect === 'string' ? requireFamily(dialect) : dialect
  const wanted = typeof choice === 'object' ? tools.filter(({ name }) => name === choice.name) : tools
  if (wanted.length === 0) {
    const which = typeof choice === 'object' ? `no tool is called ${choice.name}` : 'there are no tools'
    throw new AppError(
      'request-invalid',
      `A grammar for calls needs a tool, but ${which}. Ask without a grammar.`,
    )
  }
  const grammar = toGrammar(wanted, shape, values)
  return choice === 'auto' ? { grammar, trigger: shape.trigger } : { grammar }
}
