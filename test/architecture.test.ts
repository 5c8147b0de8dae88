import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { renderArchitecture } from '../scripts/architecture-docs.ts'
import { brokenRules, type Sources } from './support/architecture.ts'
import { mayImport, trace } from './support/layout.ts'

const src = fileURLToPath(new URL('../src', import.meta.url))

function readSources(): Sources {
  const files = readdirSync(src, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return Object.fromEntries(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name)
      return [path.slice(src.length + 1).replaceAll('\\', '/'), readFileSync(path, 'utf8')]
    }),
  )
}

test('src/ keeps the rules of ARCHITECTURE.md', () => {
  expect(brokenRules(readSources())).toEqual([])
})

test('ARCHITECTURE.md prints the tables that are enforced; if not, run `npm run docs:architecture`', () => {
  expect(readFileSync(new URL('../ARCHITECTURE.md', import.meta.url), 'utf8')).toBe(renderArchitecture())
})

test('the way of one request passes at most forty files, each of which is there', () => {
  const files = trace.flatMap((step) => step.files)

  expect(files.filter((file) => !(file in readSources()))).toEqual([])
  expect(new Set(files).size).toBe(files.length)
  expect(files.length).toBeLessThanOrEqual(40)
})

test('the table itself has no circle', () => {
  const sources = Object.entries(mayImport).map(([row, targets]) => {
    const file = (name: string) => (name.endsWith('.ts') ? name : `${name}/a.ts`)
    const up = row.endsWith('.ts') ? './' : '../'
    return [file(row), targets.map((target) => `import '${up}${file(target)}'`).join('\n')]
  })

  expect(brokenRules(Object.fromEntries(sources))).toEqual([])
})

describe('the checker finds', () => {
  test.each([
    ["import { x } from '../engine/loop.ts'"],
    ["import type { X } from '../engine/loop.ts'"],
    ["import { type X } from '../engine/loop.ts'"],
    ["import '../engine/loop.ts'"],
    ["import * as loop from '../engine/loop.ts'"],
    ["const loop = await import('../engine/loop.ts')"],
    ['const loop = await import(`../engine/loop.ts`)'],
    ["type Loop = typeof import('../engine/loop.ts')"],
    ["type X = import('../engine/loop.ts').X"],
    ["import loop = require('../engine/loop.ts')"],
    ["const loop = require('../engine/loop.ts')"],
    ["/* a */ import /* b */ { x }\n  from\n  '../engine/loop.ts'"],
  ])('a wrong edge written as %s', (text) => {
    expect(brokenRules({ 'tools/read-file.ts': text })).toEqual([
      'tools/read-file.ts: tools may not import engine/loop.ts',
    ])
  })

  test('no edge in comments and strings', () => {
    const text = `// import { x } from '../engine/loop.ts'\nconst text = "import '../engine/loop.ts'"`

    expect(brokenRules({ 'tools/read-file.ts': text })).toEqual([])
  })

  test.each([
    ['main.ts', "import './app/open.ts'", 'main.ts: main.ts may not import app/open.ts'],
    ['app/open.ts', "import '../client/call.ts'", 'app/open.ts: app may not import client/call.ts'],
    ['engine/loop.ts', "import '../app/open.ts'", 'engine/loop.ts: engine may not import app/open.ts'],
    ['lib/sse.ts', "import '../config/load.ts'", 'lib/sse.ts: lib may not import config/load.ts'],
    ['tools/a.ts', "import '../../prompts/a.json'", 'tools/a.ts: ../../prompts/a.json leaves src/'],
    ['protocol/a.ts', "import 'node:fs'", 'protocol/a.ts: protocol imports zod only, not node:fs'],
  ])('a wrong edge from %s by %s', (path, text, line) => {
    expect(brokenRules({ [path]: text })).toEqual([line])
  })

  test('a cycle, of types too', () => {
    const sources = {
      'lib/a.ts': "import type { B } from './b.ts'\nexport type A = B",
      'lib/b.ts': "import { c } from './c.ts'\nexport type B = typeof c",
      'lib/c.ts': "import type { A } from './a.ts'\nexport const c: A = 1",
    }

    expect(brokenRules(sources)).toEqual(['import cycle: lib/a.ts -> lib/b.ts -> lib/c.ts -> lib/a.ts'])
  })

  test.each([
    ['utils/text.ts', 'utils/text.ts: utils is not in the table of folders'],
    ['helper.ts', 'helper.ts: helper.ts is not in the table of folders'],
    [
      'tools/files/text/read.ts',
      'tools/files/text/read.ts: src/ holds room/file.ts or room/floor/file.ts, never deeper',
    ],
    ['tools/index.ts', 'tools/index.ts: no barrels; import the file itself'],
    ['plan/plan-tool.ts', 'plan/plan-tool.ts: its name begins with that of its folder'],
    ['guard/hooks/hooks.ts', 'guard/hooks/hooks.ts: its name begins with that of its folder'],
  ])('a file in the wrong place: %s', (path, line) => {
    expect(brokenRules({ [path]: '' })).toEqual([line])
  })

  test.each([
    ["export * from './b.ts'"],
    ["export { b } from './b.ts'"],
    ["export type { B } from './b.ts'"],
    ["import { b } from './b.ts'\nexport { b }"],
    ["import { b } from './b.ts'\nexport { b as c }"],
  ])('a re-export written as %s, except in index.ts', (text) => {
    expect(brokenRules({ 'lib/a.ts': text })).toEqual(['lib/a.ts: only index.ts re-exports'])
    expect(brokenRules({ 'index.ts': text.replace('./b.ts', './protocol/b.ts') })).toEqual([])
  })

  test.each([
    ['export default 1'],
    ['export default function a() {}'],
    ['export default class A {}'],
    ['const a = 1\nexport { a as default }'],
  ])('a default export written as %s', (text) => {
    expect(brokenRules({ 'lib/a.ts': text })).toEqual(['lib/a.ts: no default exports'])
  })

  test('a long file that does not say what it is, and one that is too long', () => {
    const lines = (count: number) => 'let a\n'.repeat(count)

    expect(brokenRules({ 'lib/a.ts': lines(40) })).toEqual([])
    expect(brokenRules({ 'lib/a.ts': lines(41) })).toEqual([
      'lib/a.ts: a file over 40 lines opens with a comment on what it is',
    ])
    expect(brokenRules({ 'lib/a.ts': `// What it is.\n${lines(299)}` })).toEqual([])
    expect(brokenRules({ 'main.ts': `#!/usr/bin/env node\n/** What it is. */\n${lines(299)}` })).toEqual([
      'main.ts: 301 lines; split it, 300 are the limit',
    ])
  })
})
