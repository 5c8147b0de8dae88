/**
 * Which tools nano is shown: eight lines by the kind of request, the same whether the client has these tools or not. Tools
 * it was never told about take the place of lines the client has nothing for, when their words are those of the request.
 * Pure.
 */
import type { Category } from '../../protocol/tool.ts'
import type { ToolSchema } from '../../protocol/model.ts'
import { CALL_TOOL } from '../../lib/inner-call.ts'
import { isObject } from '../../lib/json.ts'
import { typesOf } from '../../lib/schema.ts'
import { clip } from '../../lib/text.ts'
import { type Bindings, bindTools, isReachable } from '../client/bindings.ts'
import { propertiesOf } from '../client/tools.ts'
import { wordsOf } from '../request/spans.ts'
import { type NanoParameter, type NanoTool, nanoTools, offers, type ParameterKind } from './tools.ts'
import { stopWords } from '../request/words.ts'

export type OfferInput = {
  readonly category: Category | 'answer'
  readonly request: string
  /** What the run offers. */
  readonly tools: readonly ToolSchema[]
  /** Tools of the program itself: what is missing there was left out on purpose. */
  readonly guarded?: boolean
}

export type Offer = {
  /** The lines nano reads. */
  readonly shown: readonly NanoTool[]
  /** Those of them the client has a tool for. */
  readonly callable: readonly NanoTool[]
  readonly bindings: Bindings
}

export function offerNano({ category, request, tools, guarded = false }: OfferInput): Offer {
  const bindings = bindTools(tools)
  const own = offers[category].flatMap((name) => nanoTools.get(name) ?? [])
  const bound = new Set(Array.from(bindings.values(), ({ name }) => name))
  const foreign = likely(
    tools.filter((schema) => !bound.has(schema.name) && isPlain(schema)),
    request,
  )
  const shown = withForeign(own, foreign, bindings)
  const isThere = (name: string): boolean => (guarded ? bindings.has(name) : isReachable(name, bindings))
  const callable = shown.filter((tool) => isThere(tool.name) || foreign.includes(tool))
  return { shown, callable, bindings }
}

/** As many lines as before: a foreign tool takes the line of its own name, else the last that leads nowhere. */
function withForeign(own: readonly NanoTool[], foreign: readonly NanoTool[], bindings: Bindings): NanoTool[] {
  const lines = [...own]
  for (const tool of foreign) {
    const same = lines.findIndex(({ name }) => name === tool.name)
    const at =
      same >= 0 ? same : lines.findLastIndex((line) => !bindings.has(line.name) && !foreign.includes(line))
    if (at >= 0) lines[at] = tool
  }
  return lines
}

const MOST_PARAMETERS = 6

/** Few parameters, none of them an object. `call_tool` only leads to tools that are offered by name here. */
const isPlain = (schema: ToolSchema): boolean => {
  const properties = Object.values(propertiesOf(schema))
  const isObjectFree = properties.every(
    (property) => !isObject(property) || !typesOf(property).includes('object'),
  )
  return schema.name !== CALL_TOOL && isObjectFree && properties.length <= MOST_PARAMETERS
}

/** Foreign tools that share a word with the request, the most words first. */
function likely(tools: readonly ToolSchema[], request: string): NanoTool[] {
  const asked = tellingWords(request)
  return tools
    .map((schema) => ({
      schema,
      shared: [...tellingWords(textOf(schema))].filter((word) => asked.has(word)).length,
    }))
    .filter(({ shared }) => shared > 0)
    .toSorted((a, b) => b.shared - a.shared)
    .map(({ schema }) => toNanoTool(schema))
}

const textOf = ({ name, description = '' }: ToolSchema): string =>
  `${name.replaceAll(/[^\p{L}\p{N}]+/gu, ' ')} ${description}`

const tellingWords = (text: string): Set<string> =>
  new Set(
    wordsOf(text.toLowerCase())
      .map((word) => word.replace(/s$/, ''))
      .filter((word) => word.length >= 3 && !stopWords.has(word)),
  )

const LONGEST_LINE = 80

function toNanoTool(schema: ToolSchema): NanoTool {
  const { required } = schema.parameters
  const needed = Array.isArray(required) ? required : []
  const [sentence = ''] = (schema.description ?? '').split(/(?<=[.!?])\s|\n/)
  return {
    name: schema.name,
    line: clip(sentence.replace(/\.$/, ''), LONGEST_LINE),
    parameters: Object.entries(propertiesOf(schema)).map(([name, property]) =>
      toParameter(name, property, needed.includes(name)),
    ),
  }
}

function toParameter(name: string, property: unknown, required: boolean): NanoParameter {
  const schema = isObject(property) ? property : {}
  const values: readonly unknown[] = Array.isArray(schema['enum']) ? schema['enum'] : []
  const choices = values.filter((value) => typeof value === 'string')
  return { name, required, choices, kind: choices.length > 0 ? 'choice' : kindOf(name, typesOf(schema)) }
}

function kindOf(name: string, types: readonly string[]): ParameterKind {
  if (types.includes('boolean')) return 'flag'
  if (types.includes('integer') || types.includes('number')) return 'number'
  if (/(?:^|_)(?:path|file|folder|dir|directory)$/i.test(name)) return 'path'
  return /(?:^|_)(?:url|uri)$/i.test(name) ? 'url' : 'text'
}
