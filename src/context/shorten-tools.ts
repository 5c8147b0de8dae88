/** Tools told in fewer words, in stages: what a tool is for goes last, its name and the shape of its input never. */
import { isObject } from '../lib/json.ts'
import { clip } from '../lib/text.ts'
import type { JsonSchema, ToolSchema } from '../protocol/model.ts'
import { oneLine } from './call-label.ts'

export type ShortTools = { readonly tools: readonly ToolSchema[]; readonly shortened: readonly string[] }

/** The mildest stage that fits; the strictest where none does. */
export function shortenTools(
  tools: readonly ToolSchema[],
  fits: (tools: readonly ToolSchema[]) => boolean,
): ShortTools {
  let candidate: ShortTools = { tools, shortened: [] }
  for (const stage of stages) {
    if (tools.length === 0 || fits(candidate.tools)) return candidate
    candidate = { tools: tools.map(stage.shorten), shortened: stage.what }
  }
  return candidate
}

type Stage = { readonly what: readonly string[]; readonly shorten: (tool: ToolSchema) => ToolSchema }

const stages: readonly Stage[] = [
  { what: ['tool descriptions'], shorten: (tool) => shortened(tool, 240, Number.POSITIVE_INFINITY) },
  {
    what: ['tool descriptions', 'parameter descriptions'],
    shorten: (tool) => shortened(tool, 160, 60),
  },
  { what: ['tool descriptions', 'parameter descriptions'], shorten: (tool) => shortened(tool, 80, 0) },
]

function shortened(tool: ToolSchema, own: number, inner: number): ToolSchema {
  const { description } = tool
  return {
    ...tool,
    ...(description !== undefined && { description: firstWords(description, own) }),
    parameters: inner === Number.POSITIVE_INFINITY ? tool.parameters : shortSchema(tool.parameters, inner),
  }
}

/** The first sentence says what it is; the rest are rules for large models. */
export function firstWords(text: string, length: number): string {
  const line = oneLine(text)
  if (line.length <= length) return line
  const sentence = /^.*?[.!?](?= |$)/.exec(line)?.[0] ?? line
  return clip(sentence, length)
}

const shortSchema = (schema: JsonSchema, length: number): JsonSchema =>
  shortValue(schema, length) as JsonSchema

function shortValue(value: unknown, length: number, isPropertyMap = false): unknown {
  if (Array.isArray(value)) return value.map((item) => shortValue(item, length))
  if (!isObject(value)) return value
  const entries = Object.entries(value).flatMap(([key, inner]) => {
    // A parameter may be called `description`; only the word of the schema itself is shortened.
    if (isPropertyMap || typeof inner !== 'string' || key !== 'description')
      return [[key, shortValue(inner, length, !isPropertyMap && key === 'properties')]]
    return length === 0 ? [] : [[key, firstWords(inner, length)]]
  })
  return Object.fromEntries(entries)
}
