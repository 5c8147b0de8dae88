/**
 * Which tools nano is shown: at most eight lines, chosen by the kind of request out of those the run offers. Tools it was
 * never told about take the free lines when their words are those of the request. Pure.
 */
import type { Category } from '../protocol/tool.ts'
import type { ToolSchema } from '../protocol/model.ts'
import { isObject } from '../lib/json.ts'
import { typesOf } from '../lib/schema.ts'
import { clip } from '../lib/text.ts'
import { wordsOf } from './nano-spans.ts'
import { type NanoParameter, type NanoTool, nanoTools, offers, type ParameterKind } from './nano-tools.ts'
import { stopWords } from './nano-words.ts'

const MOST_TOOLS = 8

export type OfferInput = {
  readonly category: Category | 'answer'
  readonly request: string
  /** What the run offers. */
  readonly tools: readonly ToolSchema[]
}

export function offerNano({ category, request, tools }: OfferInput): NanoTool[] {
  const schemas = new Map(tools.map((schema) => [schema.name, schema]))
  const known = offers[category].flatMap((name) => toKnown(nanoTools.get(name), schemas.get(name)))
  const foreign = tools.filter((schema) => !nanoTools.has(schema.name) && isPlain(schema))
  return [...known, ...likely(foreign, request)].slice(0, MOST_TOOLS)
}

const MOST_PARAMETERS = 6

/** Few parameters, none of them an object. `call_tool` only leads to tools that are offered by name here. */
const isPlain = (schema: ToolSchema): boolean => {
  const properties = Object.values(propertiesOf(schema))
  const isObjectFree = properties.every(
    (property) => !isObject(property) || !typesOf(property).includes('object'),
  )
  return schema.name !== 'call_tool' && isObjectFree && properties.length <= MOST_PARAMETERS
}

/** Another tool may stand behind a known name: it is shown with the parameters it has. */
function toKnown(tool: NanoTool | undefined, schema: ToolSchema | undefined): NanoTool[] {
  if (!tool || !schema) return []
  const names = Object.keys(propertiesOf(schema))
  const parameters = tool.parameters.filter(({ name }) => names.includes(name))
  const isWhole = tool.parameters.every(({ name, required }) => !required || names.includes(name))
  return isWhole ? [{ ...tool, parameters }] : [toNanoTool(schema)]
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

const propertiesOf = ({ parameters }: ToolSchema): Record<string, unknown> =>
  isObject(parameters['properties']) ? parameters['properties'] : {}

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
