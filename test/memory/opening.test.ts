/** Memory and index as the program opens them: neither keeps the other from working. */
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { appPaths } from '../../src/config/paths.ts'
import { Config } from '../../src/config/schema.ts'
import { openMemories } from '../../src/app/memory.ts'
import { tempProject } from '../support/project.ts'
import { emptyHome } from '../support/run.ts'

async function context() {
  const env = await emptyHome()
  const warnings: string[] = []
  return {
    config: Config.parse({}),
    paths: appPaths(env, process.platform),
    env,
    root: await tempProject(),
    incognito: false,
    warn: (text: string) => void warnings.push(text),
    warnings,
  }
}

test('without a place for the index facts are still remembered', async () => {
  const { warnings, ...parts } = await context()
  await mkdir(parts.paths.dataFolder, { recursive: true })
  await writeFile(join(parts.paths.dataFolder, 'code'), 'a file where a folder should be')

  const { memory, index, close } = await openMemories(parts)

  expect(await memory?.add({ text: 'The port is 80', source: 'person' })).toMatchObject({ outcome: 'stored' })
  expect(index).toBeUndefined()
  expect(warnings).toEqual([expect.stringMatching(/^code is not indexed: Cannot use .*code/)])
  await close()
})

test('without a place for facts code is still found', async () => {
  const { warnings, ...parts } = await context()
  const path = join(parts.paths.dataFolder, 'memory.db')
  await mkdir(join(path, 'in the way'), { recursive: true })

  const { memory, index, close } = await openMemories(parts)

  expect([memory, index !== undefined]).toEqual([undefined, true])
  expect(warnings).toEqual([expect.stringMatching(/^nothing is remembered: Cannot use .*memory\.db/)])
  await close()
})

test('incognito leaves no file behind', async () => {
  const { warnings, ...parts } = await context()

  const { memory, close } = await openMemories({ ...parts, incognito: true })
  await memory?.add({ text: 'The port is 80', source: 'person' })
  await close()

  expect([existsSync(parts.paths.dataFolder), warnings]).toEqual([false, []])
})
