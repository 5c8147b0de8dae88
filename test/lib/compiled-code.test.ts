import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openCompiledCode } from '../../src/lib/compiled-code.ts'
import { tempProject } from '../support/project.ts'

/** Two chunks that require each other, as the bundler writes them: `module.exports` is set before anything is required. */
async function twoChunks(): Promise<{ main: string; file: string; folder: string }> {
  const folder = await tempProject({
    'main.js':
      "module.exports={get name(){return 'main'},greet:()=>other.hello()};const other=require('./other.js')",
    'other.js':
      "module.exports={hello:()=>`hello ${main.name} ${require('node:path').basename(__filename)}`};const main=require('./main.js')",
  })
  return { main: join(folder, 'main.js'), file: join(folder, 'compiled', 'code'), folder }
}

type Main = { greet(): string }
const greet = (code: { load(path: string): unknown }, path: string): string =>
  (code.load(path) as Main).greet()

test('chunks that require each other are loaded, with and without compiled code', async () => {
  const { main, file } = await twoChunks()
  const first = openCompiledCode(file, 1)

  const greetings = [greet(first, main)]
  first.keep()
  const written = statSync(file).ino
  const second = openCompiledCode(file, 1)
  greetings.push(greet(second, main))
  second.keep()

  expect(greetings).toEqual(['hello main other.js', 'hello main other.js'])
  expect(statSync(file).ino).toEqual(written)
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('a chunk imports packages that are ES modules', async () => {
  const folder = await tempProject({
    'main.js': "module.exports={find:async()=>typeof (await module.importPackage('@vscode/ripgrep')).rgPath}",
  })

  const { find } = openCompiledCode(join(folder, 'code')).load(join(folder, 'main.js')) as {
    find(): Promise<string>
  }

  expect(await find()).toBe('string')
})

test('a damaged file is not run: the chunks are compiled again and kept', async () => {
  const { main, file } = await twoChunks()
  const first = openCompiledCode(file, 1)
  greet(first, main)
  first.keep()
  const good = readFileSync(file)
  const bytes = Buffer.from(good)
  for (let at = bytes.indexOf('\n') + 100; at < bytes.length; at += 50) bytes[at] = (bytes[at] ?? 0) ^ 255
  writeFileSync(file, bytes)

  const damaged = openCompiledCode(file, 1)
  const greeting = greet(damaged, main)
  damaged.keep()

  expect(greeting).toBe('hello main other.js')
  expect(readFileSync(file).length).toBe(good.length)
  expect(readFileSync(file).equals(bytes)).toBe(false)
})

test('a small command writes nothing, and files of older builds go', async () => {
  const { main, file, folder } = await twoChunks()
  const small = openCompiledCode(file)
  greet(small, main)
  small.keep()
  expect(readdirSync(folder).toSorted()).toEqual(['main.js', 'other.js'])

  for (const build of ['a', 'b', 'c', 'd', 'e', 'f']) {
    const code = openCompiledCode(join(folder, 'compiled', build), 1)
    greet(code, main)
    code.keep()
  }

  expect(readdirSync(join(folder, 'compiled'))).toHaveLength(4)
  expect(readdirSync(join(folder, 'compiled'))).toContain('f')
})
