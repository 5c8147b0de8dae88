/** The code index over real folders, through the real guard. */
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { type CodeIndex, type CodeIndexOptions, openCodeIndex } from '../../../src/memory/code/open-index.ts'
import { projectFiles } from '../../../src/memory/project-files.ts'
import { createSearchCode } from '../../../src/memory/code/search.ts'
import type { Tool } from '../../../src/protocol/tool.ts'
import { tempProject, toolContext } from '../../support/project.ts'
import { tempDatabase } from '../memories.ts'

const opened: CodeIndex[] = []
afterAll(() => opened.splice(0).forEach((index) => index.close()))

async function openIndex(options: Partial<CodeIndexOptions> = {}): Promise<CodeIndex> {
  const index = await openCodeIndex({ warn: () => {}, ...options })
  opened.push(index)
  return index
}

const shop = {
  'src/cart.ts':
    '/** Sums the prices. */\nexport function cartTotal(items: Item[]): number {\n  return sum(items.map((item) => item.price))\n}\n\nexport class Cart {\n  add(item: Item) {\n    this.items.push(item)\n  }\n}\n',
  'src/mail.py': 'def send_invoice(order):\n    """Mails the invoice as PDF."""\n    return post(order)\n',
  'docs/cart.md': '# The cart\n\nThe total of the cart is computed on the server.\n',
  '.gitignore': 'dist/\n',
  'dist/cart.js': 'function cartTotal() {}\n',
  '.env': 'CART_TOTAL_KEY=1\n',
}

function asker(tool: Tool, root: string): (query: string, path?: string) => Promise<readonly string[]> {
  const context = toolContext(root)
  return async (query, path = '.') => (await tool.run({ query, path }, context)).text.split('\n')
}

const citations = (lines: readonly string[]): readonly string[] =>
  lines.flatMap((line) => /^([^\s:]+:\d+):/.exec(line)?.[1] ?? [])

describe('search_code', () => {
  test('answers with places and a line or two of each, best first', async () => {
    const root = await tempProject(shop)
    const ask = asker(createSearchCode(await openIndex()), root)

    const lines = await ask('sum of the cart prices')

    expect(lines.slice(0, 2)).toEqual([
      'src/cart.ts:2: export function cartTotal(items: Item[]): number {',
      '    return sum(items.map((item) => item.price))',
    ])
  })

  test('never shows ignored or unreadable files', async () => {
    const root = await tempProject(shop)
    const ask = asker(createSearchCode(await openIndex()), root)

    const lines = await ask('cartTotal CART_TOTAL_KEY')

    expect(citations(lines).map((place) => place.split(':')[0])).not.toContain('dist/cart.js')
    expect(lines.join('\n')).not.toContain('.env')
  })

  test('is confined to a folder, a glob or a type', async () => {
    const root = await tempProject(shop)
    const ask = asker(createSearchCode(await openIndex()), root)

    expect(citations(await ask('cart total', 'docs'))).toEqual(['docs/cart.md:1'])
    expect(citations(await ask('cart total', 'src/*.ts'))[0]).toBe('src/cart.ts:2')
    expect(citations(await ask('cart type:class'))).toEqual(['src/cart.ts:6'])
    expect(citations(await ask('invoice type:py'))).toEqual(['src/mail.py:1'])
  })

  test('says what to do where there is nothing', async () => {
    const ask = asker(createSearchCode(await openIndex()), await tempProject(shop))

    expect(await ask('zebra')).toEqual(['Nothing found for "zebra". Try other words, or search_text.'])
    await expect(ask(' type:py ')).rejects.toThrow('query is empty')
  })

  test('knows edits, renames, deletions and new files at once', async () => {
    const root = await tempProject(shop)
    const ask = asker(createSearchCode(await openIndex()), root)
    await ask('anything')

    await writeFile(join(root, 'src/cart.ts'), '// moved\n\nexport function grandTotal() {\n  return 1\n}\n')
    await rename(join(root, 'src/mail.py'), join(root, 'src/post.py'))
    await rm(join(root, 'docs/cart.md'))
    await mkdir(join(root, 'lib'))
    await writeFile(join(root, 'lib/zebra.ts'), 'export const zebra = () => 1\n')

    expect(citations(await ask('grand total'))).toEqual(['src/cart.ts:3'])
    expect(citations(await ask('cart total prices')).filter((place) => /docs|:2$/.test(place))).toEqual([])
    expect(citations(await ask('send invoice'))).toEqual(['src/post.py:1'])
    expect(citations(await ask('zebra'))).toEqual(['lib/zebra.ts:1'])
  })
})

describe('the index', () => {
  test('reads a file again only when it changed', async () => {
    const root = await tempProject(shop)
    const index = await openIndex()
    const real = projectFiles(toolContext(root))
    const old = { mtimeMs: 1_000, bytes: 10 }
    const read: string[] = []
    const files = {
      ...real,
      stamp: async (path: string) => (await real.stamp(path)) && old,
      read: (path: string, signal: AbortSignal) => {
        read.push(path)
        return real.read(path, signal)
      },
    }
    const signal = new AbortController().signal

    const first = await index.update(files, signal)
    const readFirst = read.splice(0).length
    await index.update(files, signal)

    expect(first).toEqual({ indexed: readFirst, waiting: 0 })
    expect(read).toEqual([])
  })

  test('stops when its time is up and goes on at the next question', async () => {
    const root = await tempProject(shop)
    const index = await openIndex({ limits: { ms: 0 } })
    const files = projectFiles(toolContext(root))
    const signal = new AbortController().signal

    const first = await index.update(files, signal)
    const second = await index.update(files, signal, { ms: 60_000 })

    expect(first.indexed).toBe(0)
    expect(second).toEqual({ indexed: first.waiting, waiting: 0 })
  })

  test('knows after a question that was broken off what it knew before, and learns the rest later', async () => {
    const root = await tempProject(shop)
    const index = await openIndex()
    const real = projectFiles(toolContext(root))
    const old = async (path: string) => (await real.stamp(path)) && { mtimeMs: 1_000, bytes: 10 }
    const breaking = new AbortController()
    const files = {
      ...real,
      stamp: old,
      read: async (path: string, signal: AbortSignal) => {
        breaking.abort()
        return real.read(path, signal)
      },
    }
    await index.update(files, breaking.signal)
    const signal = new AbortController().signal
    const ask = (text: string) => index.search({ text, limit: 1 }, { ...real, stamp: old }, signal)
    const first = await ask('send invoice')

    await expect(index.update(real, AbortSignal.abort())).rejects.toThrow()
    const known = await index.use((database) => database.rows('SELECT path FROM file'))

    expect(first.places).toMatchObject([{ path: 'src/mail.py', line: 1 }])
    expect(known.length).toBeGreaterThanOrEqual(3)
  })

  test('leaves out lock files of package managers, not code about locks', async () => {
    const root = await tempProject({
      'src/file-lock.ts': 'export function acquireZebra() {}\n',
      'yarn.lock': 'zebra@1\n',
      'package-lock.json': '{"zebra": 1}\n',
      'pnpm-lock.yaml': 'zebra: 1\n',
    })

    const lines = await asker(createSearchCode(await openIndex()), root)('zebra')

    expect(citations(lines)).toEqual(['src/file-lock.ts:1'])
  })

  test('forgets the words of what is gone', async () => {
    const root = await tempProject({ 'a.ts': 'export const zebra = 1\n', 'b.ts': 'export const lion = 1\n' })
    const index = await openIndex()
    const files = projectFiles(toolContext(root))
    const signal = new AbortController().signal
    const terms = () =>
      index.use((database) =>
        database.rows<{ term: string }>('SELECT term FROM chunk_term').map(({ term }) => term),
      )
    await index.update(files, signal)
    const before = await terms()

    await rm(join(root, 'a.ts'))
    await index.update(files, signal)

    expect([before.includes('zebra'), (await terms()).includes('zebra')]).toEqual([true, false])
    expect(await terms()).toContain('lion')
  })

  test('that is damaged is built anew', async () => {
    const path = tempDatabase()
    const root = await tempProject(shop)
    await writeFile(path, 'no database'.repeat(1000))
    const warnings: string[] = []
    const index = await openIndex({ path, warn: (message) => warnings.push(message) })

    expect(citations(await asker(createSearchCode(index), root)('cart total'))[0]).toBe('src/cart.ts:2')
    expect(warnings).toHaveLength(1)
    expect(readdirSync(dirname(path)).some((name) => name.includes('.damaged-'))).toBe(true)
  })

  test('that lost a file under its feet names no place that is not there', async () => {
    const root = await tempProject(shop)
    const index = await openIndex()
    const real = projectFiles(toolContext(root))
    const signal = new AbortController().signal
    await index.update(real, signal)
    await writeFile(join(root, 'src/mail.py'), 'nothing = 1\n')
    const frozen = {
      ...real,
      stamp: async () => ({ mtimeMs: 0, bytes: 0 }),
      list: async () => ({ paths: [], isPartial: true }),
    }

    expect((await index.search({ text: 'send invoice', limit: 5 }, frozen, signal)).places).toEqual([])
  })
})
