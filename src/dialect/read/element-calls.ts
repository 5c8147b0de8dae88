/** Arguments as nested elements, every tag behind a prefix of its own: MiniMax M3. */
import type { ToolSchema } from '../../protocol/model.ts'
import { isObject } from '../../lib/json.ts'
import { typesOf } from '../../lib/schema.ts'
import { CUT_OFF } from './call.ts'
import type { Input, Step } from './input.ts'
import { cutOrNothing, isName, MAX_HEADER } from './items.ts'
import type { ItemReader } from './section.ts'
import { MAX_CALL, parseHeader } from './tagged.ts'
import { castValue } from './value.ts'

const MAX_DEPTH = 64

type Element = { readonly name: string; readonly text: string; readonly children: readonly Element[] }

export const elementItem = (prefix: string): ItemReader =>
  function* (input, context) {
    const header = yield* input.until(['>', '\n'], MAX_HEADER)
    const { name } = parseHeader(header.text)
    if (header.stop !== '>' || !isName(name)) return cutOrNothing(input, header.text)
    input.consume(1)
    const root = yield* readElement(input, { name: 'invoke', prefix, depth: 0 })
    if (!root) return [{ name, problem: CUT_OFF }]
    const tool = context.tools.find(name)
    return [{ name, values: objectFrom(root, tool?.parameters) }]
  }

function* readElement(
  input: Input,
  { name, prefix, depth }: { name: string; prefix: string; depth: number },
): Step<Element | undefined> {
  const children: Element[] = []
  let text = ''
  for (;;) {
    const piece = yield* input.until([prefix, `</${name}>`], MAX_CALL)
    text += piece.text
    if (piece.stop === undefined || depth > MAX_DEPTH) return undefined
    yield* input.take(prefix)
    if (yield* input.take(`</${name}>`)) return { name, text, children }
    const tag = yield* input.until(['>'], MAX_HEADER)
    if (tag.stop === undefined) return undefined
    input.consume(1)
    // A closing tag of something else: the model lost count.
    if (tag.text.startsWith('</')) return { name, text, children }
    const child = yield* readElement(input, {
      name: tag.text.replace(/^</, '').trim(),
      prefix,
      depth: depth + 1,
    })
    if (!child) return undefined
    children.push(child)
  }
}

function valueFrom(element: Element, schema: Record<string, unknown> | undefined): unknown {
  const types = schema ? typesOf(schema) : []
  const mayBeList = types.length === 0 || types.includes('array')
  const isList =
    mayBeList && element.children.length > 0 && element.children.every((child) => child.name === 'item')
  if (isList || (types.includes('array') && element.children.length > 0)) {
    const items = isObject(schema?.['items']) ? schema['items'] : undefined
    return element.children.map((child) => valueFrom(child, items))
  }
  if (element.children.length > 0) return objectFrom(element, schema)
  if (types.includes('array') && element.text.trim() === '') return []
  if (types.includes('object') && element.text.trim() === '') return {}
  return castValue(element.text, { schema })
}

function objectFrom(element: Element, schema: Record<string, unknown> | undefined): Record<string, unknown> {
  const properties = propertiesIn(schema)
  return Object.fromEntries(
    element.children.map((child) => {
      const property = properties[child.name]
      return [child.name, valueFrom(child, isObject(property) ? property : undefined)]
    }),
  )
}

/** The properties of an object schema, those of its alternatives included. */
function propertiesIn(
  schema: Record<string, unknown> | ToolSchema['parameters'] | undefined,
): Record<string, unknown> {
  const alternatives = [schema?.['anyOf'], schema?.['oneOf']].flat().filter(isObject)
  const own = isObject(schema?.['properties']) ? schema['properties'] : {}
  return Object.assign({}, ...alternatives.map(propertiesIn), own) as Record<string, unknown>
}
