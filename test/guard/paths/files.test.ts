import { execFileSync } from 'node:child_process'
import { chmod, mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createFiles } from '../../../src/guard/paths/files.ts'
import { tempProject } from '../../support/project.ts'
import { raceAgainstSwaps } from '../swap-race.ts'

describe('reading', () => {
  test('the whole text comes back byte for byte', async () => {
    const text = '\uFEFFgrüße 🦆\r\nno end'
    const files = createFiles({ root: await tempProject({ 'a.txt': text }) })

    expect(await files.read('a.txt')).toBe(text)
  })

  test('an absolute path inside the project is as good as a relative one', async () => {
    const root = await tempProject({ 'src/a.txt': 'hello' })

    expect(await createFiles({ root }).read(join(root, 'src/a.txt'))).toBe('hello')
  })

  test.each([
    ['missing.txt', 'tool-failed', 'missing-path', /missing.txt does not exist/],
    ['folder', 'tool-failed', undefined, /is a folder; use list_files/],
    ['photo.png', 'tool-failed', undefined, /is a binary file \(4 bytes\)/],
    ['latin.txt', 'tool-failed', undefined, /is not UTF-8 text/],
    ['huge.txt', 'tool-failed', undefined, /has 1\.5 MiB, the limit is 1 MiB/],
    ['pipe', 'tool-failed', undefined, /is not a regular file/],
    ['a.txt/b', 'tool-failed', undefined, /one of its parents is a file/],
    ['../outside.txt', 'permission-denied', 'denied', /lies outside the project/],
    ['/etc/passwd', 'permission-denied', 'denied', /lies outside the project/],
    ['.env', 'permission-denied', 'denied', /may hold secrets/],
    ['leak', 'permission-denied', 'denied', /lies outside the project/],
  ])('%s is refused in words', async (path, code, failure, message) => {
    const root = await tempProject({
      'a.txt': 'hello',
      'folder/x': '',
      'photo.png': new Uint8Array([1, 0, 2, 0]),
      'latin.txt': new Uint8Array([0x67, 0x72, 0xfc, 0xdf]),
      'huge.txt': 'x'.repeat(1.5 * 1024 * 1024),
      '.env': 'A=1',
    })
    execFileSync('bash', ['-c', 'mkfifo pipe'], { cwd: root })
    await symlink('/etc/hostname', join(root, 'leak'))

    const error = await createFiles({ root })
      .read(path)
      .catch((thrown: unknown) => thrown)

    expect(error).toMatchObject({
      code,
      details: failure ? { failure } : {},
      message: expect.stringMatching(message),
    })
  })

  test('a governance file can be read', async () => {
    const root = await tempProject({ 'AGENTS.md': 'be kind' })

    expect(await createFiles({ root }).read('AGENTS.md')).toBe('be kind')
  })
})

describe('streaming', () => {
  const bytesOf = async (stream: AsyncIterable<Uint8Array>): Promise<Buffer> => {
    const pieces: Uint8Array[] = []
    for await (const piece of stream) pieces.push(piece)
    return Buffer.concat(pieces)
  }

  test('gives the bytes of a file of any size, binary ones too', async () => {
    const content = Buffer.alloc(
      3_000_000,
      Uint8Array.from({ length: 251 }, (_, index) => index),
    )
    const files = createFiles({ root: await tempProject({ 'big.bin': content }) })

    expect((await bytesOf(files.stream('big.bin'))).equals(content)).toBe(true)
  })

  test('closes the file when the reader leaves early', async () => {
    const root = await tempProject({ 'a.txt': 'x'.repeat(1_000_000) })
    const opened = async (): Promise<number> => {
      const all = (await readdir('/proc/self/fd')).map((fd) =>
        readlink(`/proc/self/fd/${fd}`).catch(() => ''),
      )
      return (await Promise.all(all)).filter((path) => path.startsWith(root)).length
    }

    for await (const piece of createFiles({ root }).stream('a.txt')) {
      expect(piece.length).toBeLessThan(1_000_000)
      expect(await opened()).toBe(1)
      break
    }

    expect(await opened()).toBe(0)
  })

  test.each([
    ['folder', /is a folder/],
    ['missing', /does not exist/],
    ['../outside', /outside the project/],
    ['.env', /may hold secrets/],
    ['link', /may hold secrets/],
    ['closed/x', /denies it/],
  ])('%s is refused as for reading', async (path, message) => {
    const root = await tempProject({ 'folder/x': '', '.env': 'A=1', 'closed/x': '' })
    await symlink('.env', join(root, 'link'))
    const files = createFiles({ root, rules: [{ tool: '*', pattern: 'closed', verdict: 'deny' }] })

    await expect(bytesOf(files.stream(path))).rejects.toThrow(message)
  })
})

describe('writing', () => {
  test('missing parents are made', async () => {
    const root = await tempProject()

    await createFiles({ root }).write('a/b/c.txt', 'hello')

    expect(await readFile(join(root, 'a/b/c.txt'), 'utf8')).toBe('hello')
  })

  test('the mode bits of an existing file stay', async () => {
    const root = await tempProject({ 'run.sh': 'echo 1' })
    await chmod(join(root, 'run.sh'), 0o750)

    await createFiles({ root }).write('run.sh', 'echo 2')

    expect((await stat(join(root, 'run.sh'))).mode & 0o777).toBe(0o750)
    expect(await readFile(join(root, 'run.sh'), 'utf8')).toBe('echo 2')
  })

  test('a link inside the project stays a link; the file behind it is written', async () => {
    const root = await tempProject({ 'real.txt': 'old' })
    await symlink('real.txt', join(root, 'link.txt'))

    await createFiles({ root }).write('link.txt', 'new')

    expect(await readlink(join(root, 'link.txt'))).toBe('real.txt')
    expect(await readFile(join(root, 'real.txt'), 'utf8')).toBe('new')
  })

  test.each([
    ['../escape.txt', /outside the project/],
    ['link/new.txt', /outside the project/],
    ['.git/hooks/pre-commit', /decides what runs later/],
    ['.env.local', /may hold secrets/],
  ])('%s is not written', async (path, message) => {
    const base = await tempProject({ 'project/a.txt': '', 'outside/b.txt': '' })
    const root = join(base, 'project')
    await symlink('../outside', join(root, 'link'))

    await expect(createFiles({ root }).write(path, 'x')).rejects.toMatchObject({
      code: 'permission-denied',
      details: { failure: 'denied' },
      message: expect.stringMatching(message),
    })
  })

  test('a folder is not replaced by a file', async () => {
    const root = await tempProject({ 'folder/a': '' })

    await expect(createFiles({ root }).write('folder', 'x')).rejects.toThrow(
      'folder is a folder; use list_files.',
    )
  })

  test('a folder that is swapped for a link a thousand times never lets a write out', async () => {
    expect(await raceAgainstSwaps(1000)).toEqual(['kept'])
  })
})

describe('folders', () => {
  test('names come sorted, folders with a slash', async () => {
    const root = await tempProject({ 'b.txt': '', 'a/x': '', '.hidden': '' })

    expect(await createFiles({ root }).list('.')).toEqual(['.hidden', 'a/', 'b.txt'])
  })

  test('a file or nothing cannot be listed', async () => {
    const root = await tempProject({ 'a.txt': '' })
    const files = createFiles({ root })

    await expect(files.list('a.txt')).rejects.toThrow(/it is a file and not a folder/)
    await expect(files.list('gone')).rejects.toMatchObject({ details: { failure: 'missing-path' } })
  })

  test('an existing file is reported by kind; a missing one is undefined', async () => {
    const root = await tempProject({ 'a.txt': 'hello' })
    await mkdir(join(root, 'sub'))
    await chmod(join(root, 'a.txt'), 0o640)
    const files = createFiles({ root })

    expect(await files.info('a.txt')).toEqual({ kind: 'file', bytes: 5, mode: 0o640 })
    expect((await files.info('sub'))?.kind).toBe('folder')
    expect(await files.info('gone/deeper')).toBeUndefined()
    expect(await files.info('a.txt/deeper')).toBeUndefined()
  })

  test('a file can be removed, a missing one not', async () => {
    const root = await tempProject()
    await writeFile(join(root, 'a.txt'), '')
    const files = createFiles({ root })

    await files.remove('a.txt')

    expect(await files.info('a.txt')).toBeUndefined()
    await expect(files.remove('a.txt')).rejects.toMatchObject({ details: { failure: 'missing-path' } })
  })
})

test('a session that has written its share writes no more, and what it wrote stays', async () => {
  const root = await tempProject()
  const files = createFiles({ root, quotaBytes: 10 })

  await files.write('a.txt', '12345')
  await files.write('b.txt', '12345')

  await expect(files.write('c.txt', '1')).rejects.toThrow('which is its limit')
  expect((await readdir(root)).toSorted()).toEqual(['a.txt', 'b.txt'])
})
