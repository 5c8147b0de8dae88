import { describe, expect, it } from 'vitest'
import { families } from '../../../src/dialect/all.ts'
import { buildGrammar } from '../../../src/dialect/grammar/write.ts'
import type { JsonSchema, ToolSchema } from '../../../src/protocol/model.ts'
import { accepts, parseGbnf } from '../../support/gbnf.ts'
import { tools } from '../support.ts'

const tool = (parameters: JsonSchema): ToolSchema => ({ name: 'act', parameters })

const object = (properties: Record<string, unknown>, required = Object.keys(properties)): JsonSchema => ({
  type: 'object',
  properties,
  required,
})

/** Whether the arguments of a call are allowed, in Hermes's shape. */
function allows(parameters: JsonSchema, input: unknown): boolean {
  const { grammar } = buildGrammar([tool(parameters)], { dialect: 'hermes', choice: 'required' })
  const json = JSON.stringify(input, null, 1)
    .replace(/\n\s*/g, ' ')
    .replace(/([{[]) /g, '$1')
    .replace(/ ([}\]])/g, '$1')
  return accepts(parseGbnf(grammar), `<tool_call>\n{"name": "act", "arguments": ${json}}\n</tool_call>`)
}

describe('the grammar of a family', () => {
  it.each(families)('allows what $name writes, and nothing for a tool that does not exist', (family) => {
    const { grammar } = buildGrammar(tools, { dialect: family.name, choice: 'required' })
    const parsed = parseGbnf(grammar)
    const command = { id: 'call-1', name: 'run_command', input: '{"command": "ls"}' }

    expect(accepts(parsed, family.write(command))).toBe(true)
    expect(accepts(parsed, 'Just words.')).toBe(false)
    if (family.name !== 'cmd')
      expect(accepts(parsed, family.write({ ...command, name: 'fly_away' }))).toBe(false)
  })

  it.each(families)('allows several calls of $name in a row', (family) => {
    const { grammar } = buildGrammar(tools, { dialect: family.name, choice: 'required' })
    const written = family.write({ id: 'call-1', name: 'run_command', input: '{"command": "ls"}' })

    expect(accepts(parseGbnf(grammar), `${written}\n${written}`)).toBe(true)
    const calls = (count: number): string => Array.from({ length: count }, () => written).join('\n')
    expect([calls(8), calls(9)].map((text) => accepts(parseGbnf(grammar), text))).toEqual([true, false])
  })

  it('is lazy where the model may also answer: it begins at the marker', () => {
    const auto = buildGrammar(tools, { dialect: 'hermes', choice: 'auto' })

    expect(auto.trigger).toBe('<tool_call>')
    expect(
      accepts(parseGbnf(auto.grammar), '<tool_call>\n{"name": "list_files", "arguments": {}}\n</tool_call>'),
    ).toBe(true)
  })

  it('holds from the first token where a call is required', () => {
    const required = buildGrammar(tools, { dialect: 'qwen-xml', choice: 'required' })

    expect(required.trigger).toBeUndefined()
  })

  it('allows one tool only when it is named', () => {
    const { grammar } = buildGrammar(tools, { dialect: 'mistral', choice: { name: 'list_files' } })
    const parsed = parseGbnf(grammar)

    expect(accepts(parsed, '[TOOL_CALLS]list_files[ARGS]{}')).toBe(true)
    expect(accepts(parsed, '[TOOL_CALLS]run_command[ARGS]{"command": "ls"}')).toBe(false)
  })

  it('refuses a tool that is not there', () => {
    expect(() => buildGrammar(tools, { dialect: 'hermes', choice: { name: 'fly_away' } })).toThrow(/fly_away/)
  })
})

describe('a schema as a grammar', () => {
  it('wants required members in their order and leaves out optional ones', () => {
    const schema = object({ a: { type: 'string' }, b: { type: 'integer' }, c: { type: 'boolean' } }, ['a'])

    expect(allows(schema, { a: 'x' })).toBe(true)
    expect(allows(schema, { a: 'x', c: true })).toBe(true)
    expect(allows(schema, { a: 'x', b: 3, c: true })).toBe(true)
    expect(allows(schema, { b: 3 })).toBe(false)
  })

  it('lets all members be optional', () => {
    const schema = object({ a: { type: 'string' }, b: { type: 'null' } }, [])

    expect(allows(schema, {})).toBe(true)
    expect(allows(schema, { b: null })).toBe(true)
    expect(allows(schema, { a: 'x', b: null })).toBe(true)
  })

  it('keeps integers free of fractions and exponents', () => {
    const schema = object({ n: { type: 'integer' } })

    expect(allows(schema, { n: -12 })).toBe(true)
    expect(allows(schema, { n: 1.5 })).toBe(false)
  })

  it('knows enums, constants, alternatives and lists of types', () => {
    const schema = object({
      mode: { enum: ['fast', 'slow'] },
      version: { const: 2 },
      limit: { anyOf: [{ type: 'integer' }, { type: 'array', items: { type: 'string' } }] },
      label: { type: ['string', 'null'] },
    })

    expect(allows(schema, { mode: 'fast', version: 2, limit: ['a'], label: null })).toBe(true)
    expect(allows(schema, { mode: 'other', version: 2, limit: 1, label: null })).toBe(false)
  })

  it('counts the items of a short list', () => {
    const schema = object({ list: { type: 'array', items: { type: 'integer' }, minItems: 1, maxItems: 2 } })

    expect(allows(schema, { list: [1, 2] })).toBe(true)
    expect(allows(schema, { list: [] })).toBe(false)
    expect(allows(schema, { list: [1, 2, 3] })).toBe(false)
  })

  it('follows references, and gives up on those that lead back to themselves', () => {
    const schema: JsonSchema = {
      ...object({ tree: { $ref: '#/$defs/tree' } }),
      $defs: { tree: object({ label: { type: 'string' }, child: { $ref: '#/$defs/tree' } }, ['label']) },
    }

    expect(allows(schema, { tree: { label: 'a' } })).toBe(true)
    expect(allows(schema, { tree: { label: 'a', child: { anything: ['goes'] } } })).toBe(true)
  })

  it('leaves pattern, format and long limits to validation', () => {
    const schema = object({
      id: { type: 'string', pattern: '^(a|b)+$', format: 'uuid' },
      text: { type: 'string', maxLength: 1_000_000 },
      list: { type: 'array', items: { type: 'string' }, maxItems: 100_000 },
    })

    expect(allows(schema, { id: 'zzz', text: 'any', list: ['x', 'y'] })).toBe(true)
  })

  it('holds short limits of length', () => {
    const schema = object({ code: { type: 'string', maxLength: 3 } })

    expect(allows(schema, { code: 'abc' })).toBe(true)
    expect(allows(schema, { code: 'abcd' })).toBe(false)
  })

  it('ends bare text at its closing tag and nowhere else', () => {
    const { grammar } = buildGrammar(tools, { dialect: 'qwen-xml', choice: { name: 'run_command' } })
    const parsed = parseGbnf(grammar)
    const call = (value: string): string =>
      `<tool_call>\n<function=run_command>\n<parameter=command>\n${value}\n</parameter>\n</function>\n</tool_call>`

    expect(accepts(parsed, call('a < b <<< </x> \n</p'))).toBe(true)
    expect(accepts(parsed, call('a\n</parameter>b'))).toBe(false)
  })
})
