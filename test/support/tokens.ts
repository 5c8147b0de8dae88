/** Requests as tokens (o200k), the way they go over the wire: tools and messages as JSON. */
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { emit } from '../../src/context/emit.ts'
import type { EmissionMode } from '../../src/protocol/arm.ts'
import type { ModelRequest, ToolSchema } from '../../src/protocol/model.ts'

export const tokensOf = (text: string): number => encode(text).length

export const toolsAsJson = (tools: readonly ToolSchema[]): string =>
  JSON.stringify(tools.map((tool) => ({ type: 'function', function: tool })))

/** The text a JSON-dumping server would prefill; a request that only grew is a prefix of the next. */
export const requestText = (request: ModelRequest, mode: EmissionMode = { base: 'tool-role' }): string =>
  toolsAsJson(request.tools) +
  emit(request, mode)
    .map((message) => JSON.stringify(message))
    .join('\n')

export const requestTokens = (request: ModelRequest): number => tokensOf(requestText(request))

/** Characters two texts share at their start. */
export function sharedStart(a: string, b: string): number {
  let index = 0
  while (index < a.length && index < b.length && a[index] === b[index]) index++
  return index
}
