/**
 * The grammar of one request, as GBNF. A required call is constrained from its first token; where the model may also just
 * answer, any text may stand before the family's marker, and from the marker on only a valid call.
 */
import type { Family } from '../dialect/family.ts'
import { type Grammar, shapeGrammar } from '../dialect/grammar.ts'
import { Rules } from '../dialect/grammar-rules.ts'
import { AppError } from '../protocol/error.ts'
import type { ModelRequest, ToolSchema } from '../protocol/model.ts'

export function requestGrammar(request: ModelRequest, { shape }: Family): string | undefined {
  const { tools, toolChoice = 'auto', responseFormat } = request
  const mayCall = tools.length > 0 && toolChoice !== 'none'
  if (mayCall && toolChoice !== 'auto') {
    if (typeof toolChoice === 'object') requireTool(tools, toolChoice.name)
    return complete(shapeGrammar(tools, shape, toolChoice).grammar)
  }
  if (responseFormat?.type === 'json') {
    const rules = new Rules()
    return rules.toGrammar(rules.json({ name: 'answer', parameters: responseFormat.schema ?? {} }))
  }
  return mayCall ? afterText(shapeGrammar(tools, shape, 'auto')) : undefined
}

function requireTool(tools: readonly ToolSchema[], name: string): void {
  if (tools.some((tool) => tool.name === name)) return
  throw new AppError('request-invalid', `The tool ${name} is asked for, but the request does not offer it.`)
}

/** A bracket alone is no marker: prose is full of them. */
const SHORTEST_TRIGGER = 3

/** llama.cpp's lazy grammars are out of reach here; text that cannot hold the marker says the same. */
function afterText({ grammar, trigger = '' }: Grammar): string | undefined {
  if (trigger.length < SHORTEST_TRIGGER) return undefined
  const rules = new Rules()
  const before = rules.toGrammar(`${rules.textUntil(trigger)} (calls)?`)
  return complete(before + grammar.replace(/^root ::=/, 'calls ::='))
}

// TEMPORARY
const complete = (g: string) => /^char ::=/m.test(g) || !/\bchar\b/.test(g) ? g : g + 'char ::= [^"\\\\\\x7F\\x00-\\x1F] | "\\\\" (["\\\\/bfnrt] | "u" [0-9a-fA-F]{4})\n'
