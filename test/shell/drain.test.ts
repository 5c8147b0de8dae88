/** What passes between the two terminals: read on after a large piece, written at once, all of it and in order. */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createDrain } from '../../src/shell/drain.ts'
import { openPty } from '../../src/shell/pty.ts'
import { createWriter, type TerminalOutput } from '../../src/shell/terminal.ts'
import { tempProject } from '../support/project.ts'

const isLinux = process.platform === 'linux'
const note = isLinux ? '' : ' (skipped: only Linux is read so)'

/** A named pipe stands for the terminal: neither end blocks. */
async function pipe() {
  const path = join(await tempProject({}), 'pipe')
  execFileSync('mkfifo', [path])
  const reading = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const writing = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
  return { reading, writing }
}

/** Everything that is there now. */
function readAll(fd: number): Buffer {
  const pieces: Buffer[] = []
  try {
    for (;;) {
      const piece = Buffer.alloc(65_536)
      const size = readSync(fd, piece)
      if (size === 0) break
      pieces.push(piece.subarray(0, size))
    }
  } catch {
    // Nothing more at the moment.
  }
  return Buffer.concat(pieces)
}

test.skipIf(!isLinux)(
  `after a large piece the rest is read at once, after a small one nothing${note}`,
  async () => {
    const { reading, writing } = await pipe()
    const drain = createDrain({ fd: reading, isInOrder: () => true })
    const [large, small, rest] = [randomBytes(4095), Buffer.from('k'), randomBytes(30_000)]

    writeSync(writing, rest)
    const afterSmall = Buffer.from(drain(small))
    const afterLarge = Buffer.from(drain(large))
    const atTheEnd = Buffer.from(drain(large))
    closeSync(writing)
    const closed = Buffer.from(drain(large))

    expect(afterSmall).toEqual(small)
    expect(afterLarge).toEqual(Buffer.concat([large, rest]))
    expect([atTheEnd, closed]).toEqual([large, large])
  },
)

test.skipIf(!isLinux)(`a batch has a limit, and what the stream still holds comes first${note}`, async () => {
  const { reading, writing } = await pipe()
  let isInOrder = false
  const drain = createDrain({ fd: reading, isInOrder: () => isInOrder })
  const [piece, rest] = [randomBytes(60_000), randomBytes(60_000)]

  writeSync(writing, rest)
  const behind = Buffer.from(drain(piece))
  isInOrder = true
  const batch = Buffer.from(drain(piece))

  expect(behind.equals(piece)).toBe(true)
  expect(batch.length).toBeLessThan(80_000)
  expect(Buffer.concat([batch, readAll(reading)]).equals(Buffer.concat([piece, rest]))).toBe(true)
})

test.skipIf(!isLinux)(
  `a terminal that is behind gets the rest through the stream, in order${note}`,
  async () => {
    const { reading, writing } = await pipe()
    const stream = new Socket({ fd: writing, readable: false, writable: true })
    onTestFinished(() => void stream.destroy())
    const write = createWriter(Object.assign(stream, { fd: writing }) as unknown as TerminalOutput)
    const pieces = [1000, 150_000, 40_000, 7].map((size) => randomBytes(size))
    const wanted = Buffer.concat(pieces)

    const taken = pieces.map((piece) => {
      const shared = Buffer.from(piece)
      const isReady = write(shared)
      // The buffer is used again for what comes next.
      shared.fill(0)
      return isReady
    })
    const drained = once(stream, 'drain')
    const read: Buffer[] = []
    while (Buffer.concat(read).length < wanted.length) {
      read.push(readAll(reading))
      await new Promise((resolve) => setImmediate(resolve))
    }
    await drained
    const again = write(Buffer.from('more'))

    expect(taken).toEqual([true, false, false, false])
    expect(Buffer.concat(read).equals(wanted)).toBe(true)
    expect([again, readAll(reading).toString()]).toEqual([true, 'more'])
  },
)

test.skipIf(!isLinux)(
  `a program that prints much and ends: every byte arrives, then its end${note}`,
  async () => {
    const bytes = randomBytes(1_000_000)
    const cwd = await tempProject({})
    await writeFile(join(cwd, 'bytes'), bytes)
    const seen: Buffer[] = []

    const args = ['-c', 'stty raw; cat bytes; exit 7']
    const env = { PATH: process.env['PATH'] ?? '' }
    const onData = (piece: Buffer): void => void seen.push(Buffer.from(piece))
    const pty = await openPty({ file: '/bin/sh', args, env }, { cwd, columns: 80, rows: 24, onData })

    expect(await pty.ended).toEqual({ exitCode: 7 })
    expect(Buffer.concat(seen).equals(bytes)).toBe(true)
  },
)
