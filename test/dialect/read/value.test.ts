import { describe, expect, it } from 'vitest'
import { castValue } from '../../../src/dialect/read/value.ts'

describe('a value between tags', () => {
  it.each([
    ['a text', { type: 'string' }, '42', '42'],
    ['a text with blanks', { type: 'string' }, ' x ', ' x '],
    ['an integer', { type: 'integer' }, ' 42 ', 42],
    ['a number', { type: 'number' }, '1.5', 1.5],
    ['a boolean', { type: 'boolean' }, 'true', true],
    ['a boolean of Python', { type: 'boolean' }, 'True', true],
    ['a list', { type: 'array' }, '["a", 1]', ['a', 1]],
    ['a list of Python', { type: 'array' }, "['a', 'b']", ['a', 'b']],
    ['an object', { type: 'object' }, '{"a": 1}', { a: 1 }],
    ['a text or a number, being a number', { type: ['string', 'number'] }, '42', 42],
    ['a text or a number, being a text', { type: ['string', 'number'] }, '42 apples', '42 apples'],
    ['a text or nothing, being nothing', { type: ['string', 'null'] }, 'null', null],
    [
      'an integer or nothing, being nothing',
      { anyOf: [{ type: 'integer' }, { type: 'null' }] },
      'None',
      null,
    ],
    ['anything', {}, '42', '42'],
  ])('is %s as the schema says', (_title, schema, text, value) => {
    expect(castValue(text, { schema })).toEqual(value)
  })

  it('is what its tag says where the schema is silent', () => {
    expect(castValue('42', { schema: undefined, attributes: 'string="false"' })).toBe(42)
    expect(castValue('42', { schema: undefined, attributes: 'type="number"' })).toBe(42)
    expect(castValue('42', { schema: { type: 'integer' }, attributes: 'string="true"' })).toBe('42')
    expect(castValue('42', { schema: undefined, json: true })).toBe(42)
    expect(castValue('words', { schema: undefined, json: true })).toBe('words')
  })

  it('stays a text where it does not fit', () => {
    expect(castValue('many', { schema: { type: 'integer' } })).toBe('many')
  })
})
