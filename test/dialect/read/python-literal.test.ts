import { describe, expect, it } from 'vitest'
import { parsePythonCall } from '../../../src/dialect/read/python-literal.ts'

describe('a call in Python', () => {
  it.each([
    ['f()', [], {}],
    ['f("a", 1)', ['a', 1], {}],
    ["f(a='x', b=-1.5e3, c=1_000)", [], { a: 'x', b: -1500, c: 1000 }],
    ['f(a=True, b=false, c=None, d=null)', [], { a: true, b: false, c: null, d: null }],
    ['f(a=[1, (2, 3), {"k": "v", 4: 5}])', [], { a: [1, [2, 3], { k: 'v', '4': 5 }] }],
    ['f(a="""x "y"\nz""")', [], { a: 'x "y"\nz' }],
    [String.raw`f(a="\n\t\\\"\x41\u00e9\U0001f98a\q")`, [], { a: '\n\t\\"Aé🦊\\q' }],
    [String.raw`f(a=r"\n")`, [], { a: String.raw`\n` }],
    ['f(a="x" "y")', [], { a: 'xy' }],
    ['f(\n  a=1,\n)', [], { a: 1 }],
    ['module.f(a=1)', [], { a: 1 }],
  ])('is read: %s', (text, positional, named) => {
    expect(parsePythonCall(text)).toEqual({ name: text.slice(0, text.indexOf('(')), positional, named })
  })

  it.each([
    'f(',
    'f(a=)',
    'f(a=b)',
    'f(a=1 b=2)',
    'f(a=g())',
    'f(a=1+1)',
    'f(a="x)',
    'f() or g()',
    '1',
    '',
    'f(a={[]: 1})',
  ])('is refused when it is more than literals: %s', (text) => {
    expect(parsePythonCall(text)).toBeUndefined()
  })

  it('is refused when it is nested without end', () => {
    expect(parsePythonCall(`f(a=${'['.repeat(10_000)}`)).toBeUndefined()
  })
})
