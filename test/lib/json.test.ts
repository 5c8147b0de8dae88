import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson, hasOpenString, jsonParts, readJson } from '../../src/lib/json.ts'

describe('reading JSON', () => {
  it('takes valid text as it is', () => {
    expect(readJson(' {"a": [1, null]} ')).toEqual({ ok: true, value: { a: [1, null] }, repaired: false })
  })

  it.each([
    ['a fence', '```json\n{"a": 1}\n```', { a: 1 }],
    ['a trailing comma', '{"a": [1, 2,],}', { a: [1, 2] }],
    ['single quotes', "{'a': 'it\\'s'}", { a: "it's" }],
    ['bare keys', '{a: 1, b_c: "x"}', { a: 1, b_c: 'x' }],
    ['Python literals', '{"a": True, "b": None}', { a: true, b: null }],
    ['comments', '{"a": 1 /* one */, // two\n"b": 2}', { a: 1, b: 2 }],
    ['raw newlines', '{"a": "x\ny\tz"}', { a: 'x\ny\tz' }],
    ['missing brackets', '{"a": [1, {"b": 2', { a: [1, { b: 2 }] }],
    ['quotes inside a string', '{"a": "say "hi" now"}', { a: 'say "hi" now' }],
  ])('repairs %s', (_title, text, value) => {
    expect(readJson(text)).toEqual({ ok: true, value, repaired: true })
  })

  it('closes an open string unless disabled', () => {
    const text = '{"content": "half'

    expect(readJson(text)).toMatchObject({ ok: true, value: { content: 'half' } })
    expect(readJson(text, { closeStrings: false })).toEqual({ ok: false, reason: 'a string is never closed' })
  })

  it('repairs raw newlines in a text of any length', () => {
    const line = 'a line of text\n'.repeat(50_000)

    expect(readJson(`{"content": "${line}"}`)).toEqual({ ok: true, value: { content: line }, repaired: true })
  })

  it.each(['', '   ', '{{{', '<html>', '\u0000'])('refuses %j with a reason', (text) => {
    const reading = readJson(text)

    expect(reading.ok || reading.reason).not.toBe('')
  })

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(() => readJson(text)).not.toThrow()
      }),
    )
  })
})

describe('the parts of JSON', () => {
  it('are the members of an object, as they were written', () => {
    expect(jsonParts('{"a" : {"x": 1.50},  "b\\n": [ "}" , 2 ]}')).toEqual([
      { key: 'a', text: '{"x": 1.50}' },
      { key: 'b\n', text: '[ "}" , 2 ]' },
    ])
  })

  it('are the elements of a list', () => {
    expect(jsonParts(' [1, "a,b", [2, 3], {}] ')).toEqual([
      { text: '1' },
      { text: '"a,b"' },
      { text: '[2, 3]' },
      { text: '{}' },
    ])
  })

  it('put together give the value again', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const parts = jsonParts(JSON.stringify(value, null, 2))

        const read = Object.fromEntries(parts.map(({ key, text }) => [key, JSON.parse(text) as unknown]))

        expect(canonicalJson(read)).toBe(canonicalJson(JSON.parse(JSON.stringify(value))))
      }),
    )
  })
})

it('knows an open string from a closed one', () => {
  expect(hasOpenString('{"a": "x')).toBe(true)
  expect(hasOpenString('{"a": "x\\"')).toBe(true)
  expect(hasOpenString('{"a": "x\\\\"')).toBe(false)
})

it('writes equal values as equal text', () => {
  expect(canonicalJson({ b: [{ d: 1, c: 2 }], a: null })).toBe(
    canonicalJson({ a: null, b: [{ c: 2, d: 1 }] }),
  )
})
