import { describe, expect, test } from 'vitest'
import { findSyntaxProblem, outlineOf, shapeOf } from '../../src/lib/syntax.ts'

describe('a broken file is named with its line', () => {
  test.each([
    ['a.js', 'const a = 1\nfunction b( {\n}\n', 2],
    ['a.mjs', 'export const a = [1, 2\n', 1],
    ['a.ts', 'let a: number = 1\nlet b: = 2\n', 2],
    ['a.tsx', 'const a = <b>text\n', 1],
    ['a.py', 'x = 1\ndef f(a)\n    return 1\n', 2],
    ['a.json', '{\n  "a": 1,\n  "b" 2\n}\n', 3],
    ['a.css', 'a { color: red\n', 1],
    ['a.go', 'package a\nfunc f( {}\n', 2],
    ['a.rs', 'fn a() {}\nfn b() { let x = ; }\n', 2],
    ['a.java', 'class A {\n  void f( {}\n}\n', 2],
    ['a.cpp', 'int main() {\n  return (1;\n}\n', 2],
    ['a.rb', 'def a\n  1\n', 1],
    ['a.php', '<?php\nfunction a( {\n', 2],
    ['a.sh', 'echo 1\nif true; then echo 2\n', 3],
  ])('%s', async (path, text, line) => {
    expect((await findSyntaxProblem(path, text))?.line).toBe(line)
  })
})

describe('a whole file has no problem', () => {
  test.each([
    ['a.ts', 'export const f = async <T>(x: T): Promise<T> => x\n'],
    ['a.tsx', 'export const A = () => <p title="x">hi</p>\n'],
    ['a.js', '#!/usr/bin/env node\nfor await (const x of y) console.log(`${x}`)\n'],
    ['a.py', 'match x:\n    case [1, *rest]:\n        print(f"{rest!r:>{width}}")\n'],
    ['a.json', '\uFEFF{"a": [1, 2]}'],
    ['a.c', '#include <stdio.h>\nint main(void) { return 0; }\n'],
    ['tsconfig.json', '{ // comments are fine here\n}'],
    ['a.unknown', 'if ((('],
    ['empty.py', ''],
    ['huge.js', '('.repeat(300_000)],
  ])('%s', async (path, text) => {
    expect(await findSyntaxProblem(path, text)).toBeUndefined()
  })
})

test('an outline names what a file defines, two levels deep', async () => {
  const python =
    'import os\n\ndef load(path):\n    def inner(): pass\n\nclass Store:\n    def get(self):\n        pass\n'

  expect(await outlineOf('a.py', python)).toEqual([
    { line: 3, text: 'def load(path):' },
    { line: 6, text: 'class Store:' },
    { line: 7, text: 'def get(self):' },
  ])
})

test('functions in constants are part of the outline, other constants are not', async () => {
  const source = 'const limit = 3\nexport const add = (a, b) => a + b\nexport class A {\n  run() {}\n}\n'

  expect(await outlineOf('a.js', source)).toEqual([
    { line: 2, text: 'export const add = (a, b) => a + b' },
    { line: 3, text: 'export class A {' },
    { line: 4, text: 'run() {}' },
  ])
})

test('a file without a grammar has no outline', async () => {
  expect(await outlineOf('a.txt', 'class A')).toEqual([])
})

describe('the shape of a text', () => {
  const isSame = async (path: string, one: string, other: string) => {
    const shapes = await Promise.all([shapeOf(path, one), shapeOf(path, other)])
    expect(shapes).not.toContain(undefined)
    return shapes[0] === shapes[1]
  }

  test.each([
    ['a.ts', 'const a = 1\nf(a)\n', 'const a=1\n\n\n  f( a )'],
    ['a.js', 'if (a) { b() }', 'if (a) {\n\tb()\n}\n'],
    ['a.py', 'def f(a):\n    return a\n', 'def f( a ):\n\n  return a'],
    ['a.go', 'package a\nfunc f() { g() }\n', 'package a\n\nfunc f() {\n\tg()\n}\n'],
    ['a.css', 'a{color:red}', 'a {\n  color: red\n}\n'],
  ])('is the same where only the layout differs: %s', async (path, one, other) => {
    expect(await isSame(path, one, other)).toBe(true)
  })

  test.each([
    ['a name', 'a.ts', 'f(a)', 'f(b)'],
    ['a blank in a string', 'a.ts', 'f("a b")', 'f("a  b")'],
    ['a blank in a template', 'a.ts', 'f(` ${a}`)', 'f(`${a}`)'],
    ['a blank in a regular expression', 'a.js', 'f(/a b/)', 'f(/a  b/)'],
    ['a blank in JSX', 'a.tsx', 'const a = <b>x {y}</b>', 'const a = <b>x{y}</b>'],
    ['an operator', 'a.js', 'a + b', 'a - b'],
    ['indentation that means something', 'a.py', 'if a:\n  b()\n  c()\n', 'if a:\n  b()\nc()\n'],
    ['where a line ends a statement', 'a.js', 'return\na', 'return a'],
    ['an empty part of a loop', 'a.js', 'for (a;;) b()', 'for (;a;) b()'],
  ])('is another for %s', async (_, path, one, other) => {
    expect(await isSame(path, one, other)).toBe(false)
  })

  test.each([
    ['no grammar knows', 'a.txt', 'a'],
    ['is broken', 'a.js', 'f('],
    ['is huge', 'a.js', 'f()\n'.repeat(100_000)],
  ])('is not known of a text that %s', async (_, path, text) => {
    expect(await shapeOf(path, text)).toBeUndefined()
  })
})
