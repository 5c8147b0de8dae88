import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadSecretKey } from '../../src/guard/secrets/store.ts'
import { ensureFolder } from '../../src/lib/ensure-folder.ts'
import { tempProject } from '../support/project.ts'

test('a folder is made with those above it, and may be there already', async () => {
  const root = await tempProject()

  await ensureFolder(join(root, 'a', 'b'))
  await Promise.all([ensureFolder(join(root, 'a', 'b')), ensureFolder(join(root, 'a', 'c'))])

  expect(await readdir(join(root, 'a'))).toEqual(['b', 'c'])
})

test('a file where a folder should be is named', async () => {
  const root = await tempProject({ a: '' })

  await expect(ensureFolder(join(root, 'a'))).rejects.toThrow(/^Cannot use .*\/a: /)
  await expect(ensureFolder(join(root, 'a', 'b'))).rejects.toThrow(/^Cannot use .*\/a\/b: /)
})

test.skipIf(process.platform !== 'linux')('where no folder can be made at all, that is said', async () => {
  await expect(ensureFolder('/proc/none/such')).rejects.toThrow(/^Cannot use \/proc\/none: /)
})

test('a key is the same for all who ask at once, and leaves nothing beside it', async () => {
  const root = await tempProject()
  const path = join(root, 'keys', 'secrets')

  const keys = await Promise.all(Array.from({ length: 8 }, () => loadSecretKey(path)))

  expect(new Set(keys.map((key) => Buffer.from(key).toString('hex'))).size).toBe(1)
  expect(await readFile(path)).toEqual(Buffer.from(keys[0]!))
  expect((await readdir(join(root, 'keys'))).toSorted()).toEqual(['secrets', 'secrets.lock'])
})

test('a key that was cut short is named, not used', async () => {
  const root = await tempProject()
  const path = join(root, 'secrets')
  await writeFile(path, 'short')

  await expect(loadSecretKey(path)).rejects.toThrow(/^Cannot use .*secrets: it should hold 32 bytes/)
})
