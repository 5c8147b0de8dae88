import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeAtomic } from '../../src/lib/atomic-write.ts'

const newFolder = () => mkdtemp(join(tmpdir(), 'covey-atomic-'))
const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)

test('a new file has its content, the asked mode and no company', async () => {
  const folder = await newFolder()

  await writeAtomic(join(folder, 'a.json'), '{"n":1}', { mode: 0o600 })

  expect(await readFile(join(folder, 'a.json'), 'utf8')).toBe('{"n":1}')
  expect(await modeOf(join(folder, 'a.json'))).toBe('600')
  expect(await readdir(folder)).toEqual(['a.json'])
})

test('a replaced file keeps its mode bits', async () => {
  const path = join(await newFolder(), 'run.sh')
  await writeFile(path, 'old')
  await chmod(path, 0o755)

  await writeAtomic(path, Buffer.from('new'))

  expect(await readFile(path, 'utf8')).toBe('new')
  expect(await modeOf(path)).toBe('755')
})

test('a link is replaced, and what it pointed to stays as it is', async () => {
  const folder = await newFolder()
  await writeFile(join(folder, 'target'), 'theirs')
  await symlink(join(folder, 'target'), join(folder, 'link'))

  await writeAtomic(join(folder, 'link'), 'ours')

  expect((await lstat(join(folder, 'link'))).isFile()).toBe(true)
  expect(await readFile(join(folder, 'target'), 'utf8')).toBe('theirs')
})

test('a reader sees the old content or the new one, never a mixture', async () => {
  const path = join(await newFolder(), 'state')
  const contents = ['a'.repeat(100_000), 'b'.repeat(50_000)]
  await writeAtomic(path, contents[0]!)

  const seen = new Set<string>()
  const writing = (async () => {
    for (let turn = 1; turn <= 20; turn++) await writeAtomic(path, contents[turn % 2]!)
  })()
  const reading = (async () => {
    for (let turn = 1; turn <= 200; turn++) seen.add(await readFile(path, 'utf8'))
  })()
  await Promise.all([writing, reading])

  expect(contents).toEqual(expect.arrayContaining([...seen]))
})

test('a failed replacement names the path and leaves nothing behind', async () => {
  const folder = await newFolder()
  await mkdir(join(folder, 'taken', 'full'), { recursive: true })

  await expect(writeAtomic(join(folder, 'taken'), 'x')).rejects.toThrow(`Cannot use ${join(folder, 'taken')}`)
  await expect(writeAtomic(join(folder, 'no', 'where'), 'x')).rejects.toThrow(
    `Cannot use ${join(folder, 'no', 'where')}`,
  )

  expect(await readdir(folder)).toEqual(['taken'])
})
