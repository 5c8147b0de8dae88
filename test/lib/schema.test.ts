import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { coerce, toToolSchema, typesOf } from '../../src/lib/schema.ts'

const object = (
  properties: Record<string, unknown>,
): { type: string; properties: Record<string, unknown> } => ({
  type: 'object',
  properties,
})

describe('bending values towards a schema', () => {
  it('leaves alone what fits', () => {
    const value = { path: 'a', count: 3 }

    const bent = coerce(value, object({ path: { type: 'string' }, count: { type: 'integer' } }))

    expect(bent).toEqual({ value, changed: false })
    expect(bent.value).toBe(value)
  })

  it.each([
    ['a number in a string', { type: 'integer' }, '12', 12],
    ['a fraction in a string', { type: 'number' }, ' 1.5 ', 1.5],
    ['a yes', { type: 'boolean' }, 'yes', true],
    ['a Python False', { type: 'boolean' }, 'False', false],
    ['a number for a text', { type: 'string' }, 7, '7'],
    ['one value for a list', { type: 'array', items: { type: 'string' } }, 'a', ['a']],
    ['a list in a string', { type: 'array', items: { type: 'integer' } }, '["1", 2]', [1, 2]],
    ['an object in a string', object({ a: { type: 'integer' } }), '{"a": "1"}', { a: 1 }],
    ['a null in a string', { type: ['integer', 'null'] }, 'None', null],
  ])('takes %s', (_title, schema, value, expected) => {
    expect(coerce(value, schema)).toEqual({ value: expected, changed: true })
  })

  it.each([
    ['a fraction for an integer', { type: 'integer' }, '1.5'],
    ['a word for a number', { type: 'number' }, 'many'],
    ['a word for an object', object({}), 'words'],
    ['a number too large to keep', { type: 'integer' }, '12345678901234567890'],
  ])('keeps %s as it is, for validation to refuse', (_title, schema, value) => {
    expect(coerce(value, schema)).toEqual({ value, changed: false })
  })

  it('folds the names of parameters and drops a null that means "not given"', () => {
    const schema = object({ file_path: { type: 'string' }, limit: { type: 'integer' } })

    expect(coerce({ filePath: 'a', limit: null }, schema).value).toEqual({ file_path: 'a' })
  })
})

it('knows the types of alternatives', () => {
  expect(typesOf({ anyOf: [{ type: 'string' }, { type: ['integer', 'null'] }] })).toEqual([
    'string',
    'integer',
    'null',
  ])
  expect(typesOf({})).toEqual([])
})

it('shows a tool without what costs tokens and helps no one', () => {
  const input = z.object({ path: z.string().describe('A path'), from: z.int().positive().default(1) })

  expect(toToolSchema({ name: 'read', description: 'Reads.', input })).toEqual({
    name: 'read',
    description: 'Reads.',
    parameters: {
      type: 'object',
      properties: { path: { type: 'string', description: 'A path' }, from: { type: 'integer' } },
      required: ['path'],
    },
  })
})
