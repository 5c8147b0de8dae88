/** What must never happen: that undoing takes away a person's own work, or says it did what it did not. */
import {
  chmod,
  cp,
  link,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { containPath } from '../../src/guard/paths/contain.ts'
import { diskBlobs, pruneDaily } from '../../src/undo/blobs.ts'
import { tempProject } from '../support/project.ts'
import { open, openIn } from './bench.ts'
import { until } from '../support/wait.ts'

describe('a file that was there before the run', () => {
  test('stays when a command stops ignoring it, and that is said', async () => {
    const bench = await open({ '.gitignore': 'notes.txt\nout/\n', 'notes.txt': 'mine', 'out/a.js': 'built' })

    await bench.run('r1', () => bench.shell('rm .gitignore; echo more >> notes.txt; echo new > new.txt'))
    const { restored, uncovered } = await bench.undo.undo()

    expect(restored).toEqual(['.gitignore'])
    expect(uncovered).toEqual(['3 files seen only now, such as new.txt, that may be yours'])
    expect(await bench.read('notes.txt')).toBe('minemore\n')
    expect(await bench.read('out/a.js')).toBe('built')
  })

  test('stays when it is moved here out of an ignored folder', async () => {
    const bench = await open({ '.gitignore': 'out/\n', 'out/a.js': 'the only copy' })
    // Younger than a tick of the clock that stamps files, it could as well have been made by the command.
    await new Promise((resolve) => setTimeout(resolve, 50))

    await bench.run('r1', () => bench.shell('mv out/a.js b.js'))
    await bench.undo.undo()

    expect(await bench.read('b.js')).toBe('the only copy')
  })

  test('stays when the look before a command was cut short and the process was killed', async () => {
    let isBeyond = true
    const list = async () => (isBeyond ? undefined : ['a.txt', 'b.txt'])
    const dead = await open({ 'a.txt': 'mine', 'b.txt': 'mine too' }, { list })
    await dead.undo.begin({ runId: 'r1', at: 1, prompt: 'x' })
    const command = dead.shell(`touch started; while [ ! -e ${dead.session}/over ]; do sleep 0.05; done`)
    await until(async () => (await dead.read('started')) !== undefined)
    isBeyond = false

    const alive = await openIn(dead.root, dead.session, { list })
    const { restored, uncovered } = await alive.undo.undo()

    expect(restored).toEqual([])
    expect(uncovered).toContain('what the command that was interrupted had changed')
    expect(await alive.read('a.txt')).toBe('mine')
    expect(await alive.read('b.txt')).toBe('mine too')
    await writeFile(join(dead.session, 'over'), '')
    await command
  })

  test('is not undone where it was written after a command that was killed with us', async () => {
    const dead = await open({ 'a.txt': 'one', 'b.txt': 'one' })
    await dead.undo.begin({ runId: 'r1', at: 1, prompt: 'x' })
    await dead.exec.start('echo two > a.txt; touch done; sleep 60')
    await until(async () => (await dead.read('done')) !== undefined)
    // Its last sign of life is an hour old; the person went on working.
    const session = `${dead.session}-killed`
    await cp(dead.session, session, { recursive: true })
    const hourAgo = new Date(Date.now() - 3_600_000)
    await utimes(join(session, 'undo-files.json'), hourAgo, hourAgo)
    await writeFile(join(dead.root, 'b.txt'), 'my own work')

    const alive = await openIn(dead.root, session)
    const { restored, uncovered } = await alive.undo.undo()

    expect(restored).toEqual([])
    expect(uncovered).toContain('b.txt, which was changed afterwards')
    expect(await alive.read('b.txt')).toBe('my own work')
    await rm(session, { recursive: true })
  })

  test('is not blamed on a command when the look before it failed', async () => {
    let isBroken = false
    let failures = 0
    const list = async () => {
      if (isBroken) {
        failures++
        throw new Error('no ripgrep now')
      }
      return ['a.txt', 'mine.txt']
    }
    const bench = await open({ 'a.txt': '0', 'mine.txt': '0' }, { list })

    await bench.run('r1', async () => {
      await bench.shell('echo 1 > a.txt')
      await writeFile(join(bench.root, 'mine.txt'), 'my own work')
      isBroken = true
      const command = bench.shell('touch begun; sleep 0.2')
      await until(async () => failures > 0 && (await bench.read('begun')) !== undefined)
      isBroken = false
      await command
    })
    await bench.undo.undo()

    expect(await bench.read('mine.txt')).toBe('my own work')
    expect(await bench.read('a.txt')).toBe('0')
  })

  test('keeps a mode that the person gave it', async () => {
    const bench = await open({ 'run.sh': 'one' })
    await bench.run('r1', ({ files }) => files.write('run.sh', 'two'))
    await chmod(join(bench.root, 'run.sh'), 0o755)

    await bench.undo.undo()

    expect(await bench.read('run.sh')).toBe('one')
    expect((await stat(join(bench.root, 'run.sh'))).mode & 0o777).toBe(0o755)
  })

  test('comes back with redo, also where its content was let go meanwhile', async () => {
    const bench = await open({})
    await bench.run('r1', ({ files }) => files.write('new.txt', 'new'))
    await rm(join(bench.session, 'contents'), { recursive: true })

    await bench.undo.undo()
    await bench.undo.redo()

    expect(await bench.read('new.txt')).toBe('new')
  })
})

describe('a file of another shape', () => {
  const follow = (root: string) => async (path: string) => {
    const { real } = await containPath(join(root, path), { roots: [root], operation: 'read' })
    return real ?? join(root, path)
  }

  test('a file that became a folder is a file again, and a folder that became a file a folder', async () => {
    const bench = await open({ a: 'file', 'd/x.txt': 'x', 'd/y.txt': 'y' })

    await bench.run('r1', () => bench.shell('rm a; mkdir a; echo b > a/b; rm -r d; echo d > d'))
    const { conflicts } = await bench.undo.undo()
    const undone = [await bench.read('a'), await bench.read('d/x.txt'), await bench.read('d/y.txt')]
    await bench.undo.redo()

    expect(conflicts).toEqual([])
    expect(undone).toEqual(['file', 'x', 'y'])
    expect([await bench.read('a/b'), await bench.read('d')]).toEqual(['b\n', 'd\n'])
  })

  test('a link in the place of a file is a conflict, and what it leads to is not written', async () => {
    const root = await tempProject({ 'a.txt': 'mine' })
    const session = await tempProject({})
    const bench = await openIn(root, session, { place: follow(root) })

    await bench.run('r1', () => bench.shell('rm a.txt; ln -s elsewhere.txt a.txt'))
    const { restored, conflicts } = await bench.undo.undo()

    expect(restored).toEqual([])
    expect(conflicts).toMatchObject([{ path: 'a.txt', why: 'a link leads elsewhere' }])
    expect(await readFile(String(conflicts[0]?.kept), 'utf8')).toBe('mine')
    expect(await bench.read('elsewhere.txt')).toBeUndefined()
  })

  test('what is written through a link is put back where it really lies', async () => {
    const root = await tempProject({ 'lib/a.txt': 'one' })
    await symlink('lib', join(root, 'src'))
    const bench = await openIn(root, await tempProject({}), { place: follow(root) })

    await bench.run('r1', async ({ files }) => {
      await bench.shell('true')
      await files.write('src/a.txt', 'two')
      await bench.shell('true')
    })
    const { restored, conflicts } = await bench.undo.undo()

    expect({ restored, conflicts }).toEqual({ restored: ['lib/a.txt'], conflicts: [] })
    expect(await bench.read('lib/a.txt')).toBe('one')
  })

  test('a folder that was moved is where it was', async () => {
    const bench = await open({ 'd/a.txt': 'a', 'd/e/b.txt': 'b' })

    await bench.run('r1', () => bench.shell('mv d moved'))
    const { conflicts } = await bench.undo.undo()

    expect(conflicts).toEqual([])
    expect(await readdir(bench.root, { recursive: true })).toEqual(['d', 'd/a.txt', 'd/e', 'd/e/b.txt'])
  })

  test('names with spaces, dashes, quotes and CRLF contents are put back byte by byte', async () => {
    const names = ['-rf', 'a b', "it's", 'ü\u0301', '$(x)', 'x'.repeat(200)]
    const bench = await open(Object.fromEntries(names.map((name) => [name, 'one\r\ntwo\r\n'])))

    await bench.run('r1', () => bench.shell('for name in ./*; do echo changed > "$name"; done'))
    await bench.undo.undo()

    expect(await Promise.all(names.map(bench.read))).toEqual(names.map(() => 'one\r\ntwo\r\n'))
  })

  test('a hard link outside the project keeps what it has', async () => {
    const outside = await tempProject({ 'other.txt': 'one' })
    const bench = await open({})
    await link(join(outside, 'other.txt'), join(bench.root, 'a.txt'))

    await bench.run('r1', () => bench.shell('echo two > a.txt'))
    await bench.undo.undo()

    expect(await bench.read('a.txt')).toBe('one')
    expect(await readFile(join(outside, 'other.txt'), 'utf8')).toBe('two\n')
  })
})

describe('what a run wrote', () => {
  test('to an ignored file between two commands is taken back', async () => {
    const bench = await open({ '.gitignore': 'out/\n', 'out/a.txt': 'one' })

    await bench.run('r1', async ({ files }) => {
      await bench.shell('true > x')
      await files.write('out/a.txt', 'two')
      await files.write('out/new.txt', 'new')
      await bench.shell('true > y')
    })
    const { conflicts } = await bench.undo.undo()

    expect(conflicts).toEqual([])
    expect(await bench.read('out/a.txt')).toBe('one')
    expect(await bench.read('out/new.txt')).toBeUndefined()
  })

  test('is taken back where the same command made more files than can be looked at', async () => {
    const bench = await open({ 'a.txt': 'one' }, { limits: { files: 5 } })

    await bench.run('r1', () => bench.shell('echo two > a.txt; touch 1 2 3 4 5 6'))
    const { restored, uncovered } = await bench.undo.undo()

    expect(restored).toEqual(['a.txt'])
    expect(uncovered).toEqual([expect.stringContaining('too many files')])
  })

  test('cannot be taken back while the run goes on', async () => {
    const bench = await open({ 'a.txt': 'one' })
    await bench.undo.begin({ runId: 'r1', at: 1, prompt: 'x' })
    await bench.files.write('a.txt', 'two')

    await expect(bench.undo.undo()).rejects.toMatchObject({ code: 'session-busy' })
    await bench.undo.end()
  })
})

describe('undo that did not come to its end', () => {
  test('what the disk refused is asked for again, and only then is the run undone', async () => {
    const bench = await open({ 'd/a.txt': 'one', 'b.txt': 'one' })
    await bench.run('r1', async ({ files }) => {
      await files.write('b.txt', 'two')
      await files.remove('d/a.txt')
    })
    await rm(join(bench.root, 'd'), { recursive: true, force: true })
    await writeFile(join(bench.root, 'd'), 'in the way')

    const refused = await bench.undo.undo()
    await rm(join(bench.root, 'd'))
    const again = await bench.undo.undo()

    expect(refused).toMatchObject({ restored: ['b.txt'], conflicts: [{ path: 'd/a.txt' }] })
    expect(again).toMatchObject({ restored: ['b.txt', 'd/a.txt'], conflicts: [] })
    expect(await bench.read('d/a.txt')).toBe('one')
    await expect(bench.undo.undo()).rejects.toThrow('nothing to undo')
  })

  test('a run below another one is a conflict, and can be named again once the other is undone', async () => {
    const bench = await open({ 'a.txt': '0' })
    await bench.run('run-1a', ({ files }) => files.write('a.txt', '1'))
    await bench.run('run-2b', ({ files }) => files.write('a.txt', '2'))

    const early = await bench.undo.undo('1a')
    await bench.undo.undo('2b')
    const late = await bench.undo.undo('run-1')

    expect(early).toMatchObject({ restored: [], conflicts: [{ path: 'a.txt' }] })
    expect(late).toMatchObject({ restored: ['a.txt'], conflicts: [] })
    expect(await bench.read('a.txt')).toBe('0')
  })

  test('several runs that were undone are done again in the order they were made', async () => {
    const bench = await open({ 'a.txt': '0' })
    await bench.run('r1', ({ files }) => files.write('a.txt', '1'))
    await bench.run('r2', ({ files }) => files.write('a.txt', '2'))
    await bench.undo.undo()
    await bench.undo.undo()

    const seen = []
    for (const _ of [1, 2]) seen.push((await bench.undo.redo()).runId, await bench.read('a.txt'))

    expect(seen).toEqual(['r1', '1', 'r2', '2'])
    await expect(bench.undo.redo()).rejects.toThrow('nothing to redo')
  })

  test.each(['', 'r', 'run-', 'other'])('no run is guessed from "%s"', async (wish) => {
    const bench = await open({ 'a.txt': '0' })
    await bench.run('run-11', ({ files }) => files.write('a.txt', '1'))
    await bench.run('run-12', ({ files }) => files.write('a.txt', '2'))

    await expect(bench.undo.undo(wish)).rejects.toMatchObject({ code: 'config-invalid' })
    expect(await bench.read('a.txt')).toBe('2')
  })
})

test('where the disk keeps no version a tool does not write; a command runs, and is said not to be covered', async () => {
  const root = await tempProject({ 'a.txt': 'mine' })
  const session = await tempProject({ full: 'no folder can be made below a file' })
  const bench = await openIn(root, session, { folders: { session, contents: join(session, 'full', 'undo') } })

  await bench.run('r1', async ({ files }) => {
    await expect(files.write('a.txt', 'changed')).rejects.toMatchObject({ code: 'storage-failed' })
    await bench.shell('echo made > b.txt')
  })
  const { restored, uncovered } = await bench.undo.undo()

  expect([await bench.read('a.txt'), await bench.read('b.txt')]).toEqual(['mine', 'made\n'])
  expect(restored).toEqual([])
  expect(uncovered[0]).toContain('what commands changed: Cannot use')
})

test('a folder with too many files is not listed before every command', async () => {
  let lists = 0
  const list = async () => void lists++
  const bench = await open({ 'a.txt': '0' }, { list })

  await bench.run('r1', async () => {
    for (const _ of [1, 2, 3]) await bench.shell('echo 1 > a.txt')
  })

  expect(lists).toBe(1)
})

test('contents of an unused project go after a month, those in use stay', async () => {
  const projects = await tempProject({})
  const [old, used] = [diskBlobs(join(projects, 'old')), diskBlobs(join(projects, 'used'))]
  const hash = await old.put(Buffer.from('old'))
  const kept = await used.put(Buffer.from('used'))
  const longAgo = Date.now() / 1000 - 31 * 86_400
  await utimes(join(projects, 'old', hash.slice(0, 2), hash.slice(2)), longAgo, longAgo)

  await pruneDaily(projects)

  expect(await old.get(hash)).toBeUndefined()
  expect(Buffer.from((await used.get(kept)) ?? []).toString()).toBe('used')
})

test('two sessions in one folder each take back their own', async () => {
  const root = await tempProject({ 'a.txt': '0', 'b.txt': '0' })
  const [one, other] = [await openIn(root, await tempProject({})), await openIn(root, await tempProject({}))]
  await one.undo.begin({ runId: 'one', at: 1, prompt: 'x' })
  await other.undo.begin({ runId: 'other', at: 2, prompt: 'y' })
  await one.files.write('a.txt', 'one')
  await other.files.write('b.txt', 'other')
  await one.shell('echo c > c.txt')
  await other.shell('echo d > d.txt')
  await one.undo.end()
  await other.undo.end()

  const { restored } = await one.undo.undo()

  expect(restored.toSorted()).toEqual(['a.txt', 'c.txt'])
  expect([await one.read('b.txt'), await one.read('d.txt')]).toEqual(['other', 'd\n'])
})

test('subagents that write side by side are one run', async () => {
  const bench = await open({ 'a.txt': '0' })
  const names = Array.from({ length: 8 }, (_, index) => `f${index}.txt`)

  await bench.run('r1', ({ files }) =>
    Promise.all([
      ...names.map((name) => files.write(name, name)),
      bench.shell('echo 1 > a.txt'),
      bench.shell('echo x > x.txt'),
    ]),
  )
  const { restored } = await bench.undo.undo()

  expect(restored.toSorted()).toEqual(['a.txt', ...names, 'x.txt'])
  expect(await readdir(bench.root)).toEqual(['a.txt'])
  expect(await bench.read('a.txt')).toBe('0')
})

test('a project that was moved has nothing to undo, and nothing of it is touched', async () => {
  const bench = await open({ 'a.txt': 'one' })
  await bench.run('r1', ({ files }) => files.write('a.txt', 'two'))
  const moved = `${bench.root}-moved`
  await rename(bench.root, moved)
  await mkdir(bench.root)
  await writeFile(join(bench.root, 'a.txt'), 'another project')

  const { restored, conflicts } = await bench.undo.undo()

  expect(restored).toEqual([])
  expect(conflicts).toMatchObject([{ path: 'a.txt', why: 'it was changed since' }])
  expect(await bench.read('a.txt')).toBe('another project')
  await rm(moved, { recursive: true })
})
