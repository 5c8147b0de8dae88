import { describe, expect, test } from 'vitest'
import { findSyntaxProblem, outlineOf } from '../../src/lib/syntax.ts'

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
