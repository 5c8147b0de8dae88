import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createMark } from '../../src/lib/marked.ts'

/** One that only waits to be collected by its parent has ended. */
function isAlive(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/** The pid of a child that left the group of the process that started it. */
async function startDetached(env: Readonly<Record<string, string>>): Promise<number> {
  const parent = spawn('sh', ['-c', 'setsid sleep 60 >/dev/null 2>&1 & echo $!'], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(parent.stdout, 'data')) as [Buffer]
  return Number(line.toString())
}

test.skipIf(process.platform !== 'linux')(
  'a child that left its group ends with the mark, others stay (Linux only: /proc is read)',
  async () => {
    const mark = createMark()
    const other = createMark()
    const [marked, kept] = [await startDetached(mark.env), await startDetached(other.env)]

    await mark.end()

    await expect.poll(() => isAlive(marked)).toBe(false)
    expect(isAlive(kept)).toBe(true)
    await other.end()
    await expect.poll(() => isAlive(kept)).toBe(false)
  },
)

test('a mark that nothing carries ends at once', async () => {
  await expect(createMark().end()).resolves.toBeUndefined()
})
