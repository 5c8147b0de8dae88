/** What `npm pack` would put into the package, and what it would pull in besides. */
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { packageFile } from '../../src/lib/package-files.ts'

type Manifest = {
  readonly files: readonly string[]
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  readonly optionalDependencies: Readonly<Record<string, string>>
}

const manifest = JSON.parse(await readFile(packageFile('package.json'), 'utf8')) as Manifest

/** By the rules of `files`: npm would compress the weights to answer the same question. */
function isPacked(path: string): boolean {
  const isUnder = (entry: string): boolean => path === entry || path.startsWith(`${entry}/`)
  const left = manifest.files.filter((entry) => entry.startsWith('!')).map((entry) => entry.slice(1))
  const taken = ['README.md', 'LICENSE', ...manifest.files.filter((entry) => !entry.startsWith('!'))]
  return existsSync(packageFile(path)) && taken.some(isUnder) && !left.some(isUnder)
}

async function packedPages(): Promise<readonly string[]> {
  const top = (await readdir(packageFile('.'))).filter((name) => name.endsWith('.md'))
  const folders = manifest.files.filter((entry) => /^[a-z]+$/.test(entry) && entry !== 'dist')
  const below = await Promise.all(
    folders.map(async (folder) =>
      (await readdir(packageFile(folder), { recursive: true })).map((name) => `${folder}/${name}`),
    ),
  )
  return [...top, ...below.flat()].filter((path) => path.endsWith('.md') && isPacked(path))
}

test('every relative link in the packed pages leads to a packed file', async () => {
  const pages = await packedPages()

  const dead: string[] = []
  for (const page of pages) {
    const text = (await readFile(packageFile(page), 'utf8')).replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, '')
    for (const [, target = ''] of text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)) {
      if (/^[a-z]+:/.test(target)) continue
      if (!isPacked(join(dirname(page), target))) dead.push(`${page}: ${target}`)
    }
  }

  expect(pages).toContain('README.md')
  expect(pages).toContain('docs/config.md')
  expect(dead).toEqual([])
})

test('the package brings one build of the engine, the database and the pty per platform, and no graphics cards', () => {
  const { dependencies, devDependencies, optionalDependencies } = manifest
  const engine = devDependencies['node-llama-cpp']
  const database = devDependencies['libsql']
  const pty = devDependencies['@lydell/node-pty']

  expect(Object.keys(dependencies).toSorted()).toEqual([
    '@huggingface/jinja',
    '@vscode/ripgrep',
    'jiti',
    'zod',
  ])
  expect(optionalDependencies).toEqual({
    '@libsql/darwin-arm64': database,
    '@libsql/darwin-x64': database,
    '@libsql/linux-arm64-gnu': database,
    '@libsql/linux-x64-gnu': database,
    '@libsql/win32-x64-msvc': database,
    '@lydell/node-pty-darwin-arm64': pty,
    '@lydell/node-pty-darwin-x64': pty,
    '@lydell/node-pty-linux-arm64': pty,
    '@lydell/node-pty-linux-x64': pty,
    '@node-llama-cpp/linux-arm64': engine,
    '@node-llama-cpp/linux-x64': engine,
    '@node-llama-cpp/mac-arm64-metal': engine,
    '@node-llama-cpp/mac-x64': engine,
    '@node-llama-cpp/win-x64': engine,
  })
})

test('what the package names as its own is there', () => {
  for (const path of ['LICENSE', 'config.schema.json', 'models/covey-nano.gguf.sha256', 'prompts/system.md'])
    expect(existsSync(packageFile(path)), path).toBe(true)
})
