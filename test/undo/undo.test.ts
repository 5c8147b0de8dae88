import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createFiles } from '../../src/guard/paths/files.ts'
import { tempProject } from '../support/project.ts'
import { open, openIn } from './bench.ts'
import { runs as roundsOf } from '../support/runs.ts'

describe('what tools wrote', () => {
  test('is as it was before', async () => {
    const bench = await open({ 'a.txt': 'one\n', 'b.txt': 'two\n' })
    await bench.run('r1', async ({ files }) => {
      await files.write('a.txt', 'changed\n')
      await files.write('a.txt', 'changed twice\n')
      await files.write('new/deep/c.txt', 'three\n')
      await files.remove('b.txt')
    })

    const { restored, conflicts } = await bench.undo.undo()

    expect(restored).toEqual(['a.txt', 'new/deep/c.txt', 'b.txt'])
    expect(conflicts).toEqual([])
    expect(await bench.read('a.txt')).toBe('one\n')
    expect(await bench.read('b.txt')).toBe('two\n')
    expect((await readdir(bench.root)).toSorted()).toEqual(['a.txt', 'b.txt'])
  })

  test('comes back with redo, and goes again with undo', async () => {
    const bench = await open({ 'a.txt': 'one\n' })
    await bench.run('r1', ({ files }) => files.write('a.txt', 'two\n'))
    await bench.undo.undo()

    const { restored } = await bench.undo.redo()
    const redone = await bench.read('a.txt')
    await bench.undo.undo()

    expect(restored).toEqual(['a.txt'])
    expect(redone).toBe('two\n')
    expect(await bench.read('a.txt')).toBe('one\n')
    await expect(bench.undo.undo()).rejects.toThrow('nothing to undo')
  })

  test('keeps its mode and its bytes', async () => {
    const bench = await open({})
    const bytes = Buffer.from([0, 255, 13, 10, 128])
    await writeFile(join(bench.root, 'run.bin'), bytes)
    await chmod(join(bench.root, 'run.bin'), 0o750)
    await bench.run('r1', ({ files }) => files.write('run.bin', 'text'))

    await bench.undo.undo()

    expect(await readFile(join(bench.root, 'run.bin'))).toEqual(bytes)
    expect((await stat(join(bench.root, 'run.bin'))).mode & 0o777).toBe(0o750)
  })

  test('is undone run by run, the last first, or the one that is named', async () => {
    const bench = await open({ 'a.txt': '0', 'b.txt': '0' })
    await bench.run('first', ({ files }) => files.write('a.txt', '1'))
    await bench.run('second', ({ files }) => files.write('b.txt', '1'))
    await bench.run('looked', async ({ files }) => files.read('a.txt'))
    await bench.run('third', ({ files }) => files.write('b.txt', '2'))

    await bench.undo.undo()
    const after = await bench.read('b.txt')
    await bench.undo.undo('fir')

    expect(after).toBe('1')
    expect(await bench.read('a.txt')).toBe('0')
    expect(bench.undo.runs().map(({ runId, isUndone, paths }) => [runId, isUndone, paths])).toEqual([
      ['first', true, ['a.txt']],
      ['second', false, ['b.txt']],
      ['third', true, ['b.txt']],
    ])
  })

  test('that was changed since is left, and the earlier version is saved beside it', async () => {
    const bench = await open({ 'a.txt': 'one\n', 'b.txt': 'two\n' })
    await bench.run('r1', async ({ files }) => {
      await files.write('a.txt', 'by the run\n')
      await files.write('b.txt', 'by the run\n')
    })
    await writeFile(join(bench.root, 'a.txt'), 'by the person\n')

    const { restored, conflicts } = await bench.undo.undo()

    expect(restored).toEqual(['b.txt'])
    expect(conflicts).toEqual([{ path: 'a.txt', why: 'it was changed since', kept: expect.any(String) }])
    expect(await bench.read('a.txt')).toBe('by the person\n')
    expect(await readFile(String(conflicts[0]?.kept), 'utf8')).toBe('one\n')
  })

  test('in a file with secrets is not kept, and that is said', async () => {
    const bench = await open({ '.env': 'KEY=1\n' })
    // The guard refuses it, but a person may allow it: what counts is what is recorded before.
    await bench.run('r1', ({ files }) => files.write('.env', 'KEY=2\n').catch(() => undefined))

    expect((await bench.undo.undo()).uncovered).toEqual(['.env'])
  })

  test('is not written where the write fails', async () => {
    const bench = await open({ 'a.txt': 'one\n' })
    await bench.run('r1', ({ files }) => files.remove('missing.txt').catch(() => undefined))

    expect(bench.undo.runs()).toEqual([])
  })
})

test('whatever tools did in however many runs, undoing them all gives the first state, and redoing the last run its own', async () => {
  const path = fc.constantFrom('a.txt', 'b.txt', 'd/c.txt')
  const step = fc.record({ path, text: fc.option(fc.string(), { nil: undefined }) })
  const runs = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(runs, async (all) => {
      const bench = await open({ 'a.txt': 'a', 'd/c.txt': 'c' }, { inMemory: true })
      const contents = () => Promise.all(['a.txt', 'b.txt', 'd/c.txt'].map(bench.read))
      const states = [await contents()]
      for (const [index, steps] of all.entries()) {
        await bench.run(`r${index}`, async ({ files }) => {
          for (const { path: place, text } of steps) {
            await (text === undefined ? files.remove(place).catch(() => {}) : files.write(place, text))
          }
        })
        states.push(await contents())
      }

      for (const { isUndone } of bench.undo.runs()) if (!isUndone) await bench.undo.undo()
      expect(await contents()).toEqual(states[0])

      if (bench.undo.runs().length === 0) return
      const { runId } = await bench.undo.redo()
      expect(await contents()).toEqual(states[Number(runId.slice(1)) + 1])
    }),
    { numRuns: roundsOf(12, 40) },
  )
})

describe('what commands did', () => {
  test('is found by looking before and after', async () => {
    const bench = await open({ 'a.txt': 'one\n', 'b.txt': 'two\n', 'c.sh': 'true\n' })

    await bench.run('r1', async () => {
      await bench.shell('echo more >> a.txt; rm b.txt; mkdir -p d/e; echo new > d/e/f.txt; chmod 755 c.sh')
    })
    const { restored } = await bench.undo.undo()

    expect(restored.toSorted()).toEqual(['a.txt', 'b.txt', 'c.sh', 'd/e/f.txt'])
    expect(await bench.read('a.txt')).toBe('one\n')
    expect(await bench.read('b.txt')).toBe('two\n')
    expect((await readdir(bench.root)).toSorted()).toEqual(['a.txt', 'b.txt', 'c.sh'])
  })

  test('is distinguished from what the user did between two commands', async () => {
    const bench = await open({ 'a.txt': '0', 'mine.txt': '0' })

    await bench.run('r1', async () => {
      await bench.shell('echo 1 > a.txt')
      await writeFile(join(bench.root, 'mine.txt'), 'my own work')
      await bench.shell('echo 2 > a.txt')
    })
    const { restored } = await bench.undo.undo()

    expect(restored).toEqual(['a.txt'])
    expect(await bench.read('mine.txt')).toBe('my own work')
    expect(await bench.read('a.txt')).toBe('0')
  })

  test('joins what tools wrote in the same run', async () => {
    const bench = await open({ 'a.txt': 'zero' })

    await bench.run('r1', async ({ files }) => {
      await bench.shell('echo one > a.txt')
      await files.write('a.txt', 'two')
      await bench.shell('echo three > a.txt')
    })
    await bench.undo.undo()

    expect(await bench.read('a.txt')).toBe('zero')
  })

  test('what only reads is not looked at', async () => {
    let looks = 0
    const bench = await open(
      { 'a.txt': 'one' },
      {
        async list() {
          looks++
          return []
        },
      },
    )

    await bench.run('r1', async () => {
      await bench.shell('cat a.txt')
    })

    expect(looks).toBe(0)
  })

  test('to ignored, large and secret files is not covered; large ones are named', async () => {
    const bench = await open({ '.gitignore': 'out/\n', '.env': 'KEY=1', 'out/a.txt': 'x' })
    await writeFile(join(bench.root, 'large.bin'), Buffer.alloc(2 ** 20 + 1))

    await bench.run('r1', async () => {
      await bench.shell('echo y > out/a.txt; echo y >> large.bin; echo KEY=2 > .env; echo y > small.txt')
    })
    const { restored, uncovered } = await bench.undo.undo()

    expect(restored).toEqual(['small.txt'])
    expect(uncovered.toSorted()).toEqual(['.env', 'large.bin'])
    expect(await bench.read('out/a.txt')).toBe('y\n')
  })

  test('in a folder with too many files is said to be beyond it', async () => {
    const bench = await open({ 'a.txt': '1', 'b.txt': '2' }, { limits: { files: 1 } })

    await bench.run('r1', async ({ files }) => {
      await bench.shell('echo x > a.txt')
      await files.write('b.txt', 'y')
    })
    const { restored, uncovered } = await bench.undo.undo()

    expect(restored).toEqual(['b.txt'])
    expect(uncovered).toEqual([expect.stringContaining('too many files')])
  })

  test('in the background is looked at when the run ends, and in the next run again', async () => {
    const bench = await open({ 'a.txt': '0' })
    await bench.run('r1', async ({ exec }) => {
      await exec.start('echo 1 > a.txt; while [ ! -e go ]; do sleep 0.05; done; echo 2 > a.txt; echo > done')
      while ((await bench.read('a.txt')) !== '1\n') await new Promise((resolve) => setTimeout(resolve, 20))
    })

    await bench.run('r2', async () => {
      await writeFile(join(bench.root, 'go'), '')
      while ((await bench.read('done')) === undefined) await new Promise((resolve) => setTimeout(resolve, 20))
    })

    expect(bench.undo.runs().map(({ runId, paths }) => [runId, paths])).toEqual([
      ['r1', ['a.txt']],
      ['r2', ['a.txt', 'done', 'go']],
    ])
  })

  test('goes on where the files cannot be looked at', async () => {
    const list = async () => {
      throw new Error('no ripgrep here')
    }
    const bench = await open({ 'a.txt': '0' }, { list })

    await bench.run('r1', async () => {
      await bench.shell('echo 1 > a.txt')
    })

    expect((await bench.undo.undo()).uncovered.join()).toContain('no ripgrep here')
  })
})

test('another process takes back what a process did that was killed in the middle of a command', async () => {
  const dead = await open({ 'a.txt': 'one\n' })
  await dead.undo.begin({ runId: 'r1', at: 1, prompt: 'x' })
  await dead.files.write('b.txt', 'by a tool')
  const command = dead.shell('echo two > a.txt; sleep 1')
  while ((await dead.read('a.txt')) !== 'two\n') await new Promise((resolve) => setTimeout(resolve, 20))

  const alive = await openIn(dead.root, dead.session)
  const { restored } = await alive.undo.undo()

  expect(restored.toSorted()).toEqual(['a.txt', 'b.txt'])
  expect(await alive.read('a.txt')).toBe('one\n')
  expect(await alive.read('b.txt')).toBeUndefined()
  await command
})

test('without a folder nothing is written anywhere, and undo works as long as the session', async () => {
  const bench = await open({ 'a.txt': 'one' }, { inMemory: true })

  await bench.run('r1', async ({ files }) => {
    await files.write('a.txt', 'two')
    await bench.shell('echo three > c.txt')
  })
  await bench.undo.undo()

  expect(await bench.read('a.txt')).toBe('one')
  expect(await bench.read('c.txt')).toBeUndefined()
  expect(await readdir(bench.session)).toEqual([])
})

test('a path that leads out of the project by now is a conflict, and nothing outside is touched', async () => {
  const outside = await tempProject({ 'a.txt': 'outside' })
  const bench = await open({ 'src/a.txt': 'one' })
  const files = createFiles({ root: bench.root })
  const place = async (path: string): Promise<string> => {
    await files.info(path)
    return join(bench.root, path)
  }
  const guarded = await openIn(bench.root, bench.session, { place })
  await guarded.run('r1', ({ files: world }) => world.write('src/a.txt', 'outside'))
  await rm(join(bench.root, 'src'), { recursive: true })
  await symlink(outside, join(bench.root, 'src'))

  const { restored, conflicts } = await guarded.undo.undo()

  expect(restored).toEqual([])
  expect(conflicts).toMatchObject([{ path: 'src/a.txt' }])
  expect(await readFile(join(outside, 'a.txt'), 'utf8')).toBe('outside')
})

test('what the earlier content of a file was is not guessed where it is lost', async () => {
  const bench = await open({ 'a.txt': 'one' })
  await bench.run('r1', ({ files }) => files.write('a.txt', 'two'))
  await rm(join(bench.session, 'contents'), { recursive: true })
  await mkdir(join(bench.session, 'contents'))

  const { conflicts } = await bench.undo.undo()

  expect(conflicts).toEqual([{ path: 'a.txt', why: 'its earlier content is not kept any more' }])
  expect(await bench.read('a.txt')).toBe('two')
})
