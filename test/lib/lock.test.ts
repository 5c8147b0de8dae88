import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { acquireLock } from '../../src/lib/lock.ts'
import { childProgram } from '../support/child.ts'

const newFolder = () => mkdtemp(join(tmpdir(), 'covey-lock-'))
const busy = (pid: number) => `held by ${pid}`

async function holder(folder: string) {
  const child = spawn(process.execPath, [
    await childProgram(new URL('hold-lock.ts', import.meta.url)),
    folder,
  ])
  await once(child.stdout, 'data')
  return child
}

test('a second holder in one process is refused until the first lets go', async () => {
  const folder = await newFolder()
  const lock = await acquireLock(folder, busy)

  await expect(acquireLock(folder, busy)).rejects.toMatchObject({
    code: 'session-busy',
    message: `held by ${process.pid}`,
  })

  await lock.release()
  await (await acquireLock(folder, busy)).release()
  expect(await readdir(folder)).toEqual([])
})

test('a living process keeps its lock; that of a killed one is taken over', async () => {
  const folder = await newFolder()
  const child = await holder(folder)

  await expect(acquireLock(folder, busy)).rejects.toThrow(`held by ${child.pid}`)

  child.kill('SIGKILL')
  await once(child, 'exit')
  const lock = await acquireLock(folder, busy)

  expect(await readdir(folder)).toEqual([expect.stringContaining(`lock-${process.pid}-`)])
  await lock.release()
})

test.runIf(process.platform === 'linux')(
  'a pid that belongs to another process by now holds nothing',
  async () => {
    const folder = await newFolder()
    await writeFile(join(folder, `lock-${process.ppid}-1-1`), '')

    const lock = await acquireLock(folder, busy)

    expect(await readdir(folder)).toHaveLength(1)
    await lock.release()
  },
)

test('a file left under our own recycled pid holds nothing', async () => {
  const folder = await newFolder()
  await writeFile(join(folder, `lock-${process.pid}-0-1`), '')

  const lock = await acquireLock(folder, busy)

  expect(await readdir(folder)).toHaveLength(1)
  await lock.release()
})

test('of many who try at once at most one gets it', async () => {
  const folder = await newFolder()

  const tries = await Promise.allSettled(Array.from({ length: 20 }, () => acquireLock(folder, busy)))

  const winners = tries.filter(({ status }) => status === 'fulfilled')
  expect(winners.length).toBeLessThanOrEqual(1)
  expect(await readdir(folder)).toHaveLength(winners.length)
})

test('a folder that is not there is named', async () => {
  await expect(acquireLock(join(await newFolder(), 'none'), busy)).rejects.toThrow(/Cannot use .*none/)
})
