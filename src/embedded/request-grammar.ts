/**
 * The grammar of one request, as GBNF. A required call is constrained from its first token; where the model may also just
 * answer, any text may stand before the family's marker, and from the marker on only a valid call.
 */
import type { Family } from '../dialect/families/family.ts'
import { buildGrammar, type Grammar } from '../dialect/grammar/write.ts'
import { Rules } from '../dialect/grammar/rules.ts'
import type { ModelRequest } from '../protocol/model.ts'

export function requestGrammar(request: ModelRequest, dialect: Family): string | undefined {
  const { tools, toolChoice = 'auto', responseFormat, values } = request
  if (toolChoice !== 'auto' && toolChoice !== 'none') {
    return buildGrammar(tools, { dialect, choice: toolChoice, values }).grammar
  }
  if (responseFormat?.type === 'json') {
    const rules = new Rules()
    return rules.toGrammar(rules.json({ name: 'answer', parameters: responseFormat.schema ?? {} }))
  }
  if (tools.length === 0 || toolChoice === 'none') return undefined
  return afterText(buildGrammar(tools, { dialect, choice: 'auto', values }))
}

/** A bracket alone is no marker: prose is full of them. */
const SHORTEST_TRIGGER = 3

/** The library has no lazy grammars; text that cannot hold the marker says the same. */
function afterText({ grammar, trigger = '' }: Grammar): string | undefined {
  if (trigger.length < SHORTEST_TRIGGER) return undefined
  const rules = new Rules()
  const before = rules.toGrammar(`${rules.textUntil(trigger)} (calls)?`)
  return before + grammar.replace(/^root ::=/, 'calls ::=')
}
