/** Much output through `covey shell`: byte for byte, with flat memory behind a terminal that does not read. */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pty from '@lydell/node-pty'
import { expect, onTestFinished, test } from 'vitest'
import { createMarkReader, type Mark } from '../../src/shell/output/marks.ts'
import { openPty } from '../../src/shell/pty.ts'
import { coveyProgram } from '../support/program.ts'
import { tempProject } from '../support/project.ts'
import { emptyHome } from '../support/run.ts'
import { missing } from './scene.ts'

const isLinux = process.platform === 'linux'
const KEY = '0123456789abcdef0123456789abcdef'
const env = { PATH: process.env['PATH'] ?? '' }

/** What a program prints through the reader of the pty and the reader of marks. */
async function printed(script: string, cwd: string) {
  const passed: Buffer[] = []
  const marks: Mark[] = []
  const onData = createMarkReader(KEY, {
    bytes: (bytes) => void passed.push(Buffer.from(bytes)),
    mark: (mark) => void marks.push(mark),
    screen: () => undefined,
  })
  const launch = { file: '/bin/sh', args: ['-c', script], env }
  const child = await openPty(launch, { cwd, columns: 80, rows: 24, onData })
  const end = await child.ended
  return { end, marks, bytes: Buffer.concat(passed) }
}

test.skipIf(!isLinux)(
  '20 MB of any bytes with letters and marks cut anywhere arrive as they are',
  async () => {
    const letters = Buffer.from('ä€😀\r\n')
    const mark = Buffer.from(`\u001B]133;D;${KEY};3\u0007`)
    const parts = Array.from({ length: 4000 }, () => [
      randomBytes(5000 + Math.floor(Math.random() * 100)),
      letters,
      mark,
    ])
    const cwd = await tempProject({})
    await writeFile(join(cwd, 'bytes'), Buffer.concat([...parts.flat(), letters]))

    const seen = await printed('stty raw; cat bytes; exit 7', cwd)

    const wanted = Buffer.concat([...parts.flatMap(([random, text]) => [random, text] as Buffer[]), letters])
    expect(seen.end).toEqual({ exitCode: 7 })
    expect(seen.marks).toEqual(Array.from({ length: 4000 }, () => ({ kind: 'D', status: 3 })))
    expect(seen.bytes.equals(wanted)).toBe(true)
  },
)

test.skipIf(!isLinux)('the last bytes before the end are never lost', async () => {
  const cwd = await tempProject({})
  const sizes = Array.from({ length: 60 }, (_, round) => 1 + round * 337)

  for (const size of sizes) {
    const seen = await printed(`stty raw; head -c ${size} /dev/zero; printf END`, cwd)

    expect(seen.bytes.length).toBe(size + 3)
    expect(seen.bytes.subarray(-3).toString()).toBe('END')
  }
})

const residentMb = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024

async function openCovey() {
  const home = await emptyHome()
  const folder = String(home['HOME'])
  await writeFile(join(folder, '.bash_profile'), "PS1='ready> '\n")
  await writeFile(join(folder, 'replies.jsonl'), '')
  const words = [...coveyProgram, 'shell', '--model', `scripted:${join(folder, 'replies.jsonl')}`]
  const child = pty.spawn(process.execPath, words, {
    cwd: folder,
    env: { ...home, ...env, SHELL: '/bin/bash', TERM: 'xterm', LANG: 'C.UTF-8' } as Record<string, string>,
    encoding: null,
  })
  onTestFinished(() => child.kill('SIGKILL'))
  const seen = { tail: '', letters: 0 }
  child.onData((data: unknown) => {
    const bytes = data as Buffer
    seen.tail = (seen.tail + bytes.toString('latin1')).slice(-5000)
    for (const byte of bytes) if (byte === LETTER) seen.letters++
  })
  await expect.poll(() => seen.tail).toContain('ready> ')
  const ended = new Promise((resolve) => child.onExit(resolve))
  return { child, seen, folder, ended }
}

/** How far `cat` is in its file. */
const position = (folder: string): number => {
  const pid = readFileSync(join(folder, 'pid'), 'utf8').trim()
  return Number(/^pos:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/fdinfo/3`, 'utf8'))?.[1])
}

/** Once it has been the same for a second. */
async function settled(read: () => number): Promise<number> {
  let [last, times] = [read(), 0]
  while (times < 10) {
    await new Promise((resolve) => setTimeout(resolve, 100))
    const now = read()
    times = now === last ? times + 1 : 0
    last = now
  }
  return last
}

const SIZE = 30_000_000
const LETTER = 0x51

test.skipIf(!isLinux || missing('bash'))(
  'a terminal that does not read stops the program; memory stays, nothing is lost',
  async () => {
    const { child, seen, folder, ended } = await openCovey()
    await writeFile(join(folder, 'letters'), 'Q'.repeat(SIZE))
    child.write(`sh -c 'echo $$ > pid; exec cat letters'; echo do""ne\r`)
    await expect.poll(() => seen.letters).toBeGreaterThan(1_000_000)
    const before = residentMb(child.pid)

    child.pause()
    // Covey waits in its write and reads nothing from the shell: `cat` reads nothing from the file either.
    const read = await settled(() => position(folder))
    const paused = residentMb(child.pid)
    child.resume()
    await expect.poll(() => seen.tail).toMatch(/done\r\n(?:.|\n)*ready> /)
    const after = residentMb(child.pid)
    child.write('exit\r')
    await ended

    expect(read).toBeLessThan(SIZE)
    expect(paused - before).toBeLessThan(40)
    expect(after - before).toBeLessThan(40)
    expect(seen.letters).toBe(SIZE)
  },
)
