import { execFileSync } from 'node:child_process'
import { ftruncateSync, writeSync } from 'node:fs'
import { appendFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type JsonlDisk, openJsonl, readJsonl } from '../../../src/lib/jsonl/file.ts'
import { runs } from '../../support/runs.ts'

let folder: string
let count = 0

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'covey-jsonl-'))
})

afterAll(() => rm(folder, { recursive: true }))

/** Everything a real disk does, except that nothing waits for it: thousands of cases run in seconds. */
const hastyDisk: JsonlDisk = {
  write: (descriptor, bytes) => writeSync(descriptor, bytes),
  truncate: ftruncateSync,
  sync: async () => {},
}

const newPath = () => join(folder, `${++count}.jsonl`)

async function open(path: string, disk: JsonlDisk = hastyDisk) {
  const records: unknown[] = []
  const opened = await openJsonl(path, (record) => records.push(record), disk)
  return { ...opened, records }
}

/** What is found at the next opening. */
async function reopen(path: string) {
  const { file, ...found } = await open(path)
  await file.close()
  return found
}

async function write(path: string, records: readonly object[]): Promise<Buffer> {
  const { file } = await open(path)
  for (const record of records) file.append(record)
  await file.close()
  return readFile(path)
}

async function collect<T>(batches: AsyncIterable<readonly T[]>): Promise<T[]> {
  const collected: T[] = []
  for await (const batch of batches) collected.push(...batch)
  return collected
}

/** All the lists that lack one record. */
const withOneLost = (records: readonly object[]) => records.map((_, lost) => records.toSpliced(lost, 1))

const record = fc.record({ text: fc.string({ unit: 'binary' }), n: fc.integer() })
const lineStarts = (bytes: Buffer): number[] => [
  0,
  ...Array.from(bytes.entries()).flatMap(([at, byte]) => (byte === 10 ? [at + 1] : [])),
]

describe('a file that nothing happened to', () => {
  test('gives back what was appended, over several openings', async () => {
    const path = newPath()
    const records = [
      { a: 1 },
      { text: 'two\nlines "quoted" \u2028 \ud800' },
      { nested: { sum: 'x', list: [null] } },
    ]

    for (const each of records) await write(path, [each])

    expect(await reopen(path)).toEqual({ records, damage: [], tornBytes: 0 })
    expect(await collect(readJsonl(path))).toEqual(records)
  })

  test('is plain JSON, one record a line, for its owner only', async () => {
    const path = newPath()

    const text = (await write(path, [{ type: 'message' }])).toString()

    expect(JSON.parse(text)).toEqual({
      sum: expect.stringMatching(/^[0-9a-f]{8}$/),
      seq: 1,
      record: { type: 'message' },
    })
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  })

  test('is read as it was when the reading began', async () => {
    const { file } = await open(newPath())
    file.append({ n: 1 })

    const reading = file.read()
    file.append({ n: 2 })

    expect(await collect(reading)).toEqual([{ n: 1 }])
    await file.close()
  })

  test('records that span many reads come back whole', async () => {
    const path = newPath()
    const records = [{ text: 'é'.repeat(300_000) }, { text: 'short' }, { text: 'x'.repeat(600_000) }]

    await write(path, records)

    expect((await reopen(path)).records).toEqual(records)
  })

  test('a record no reader could hold is refused and leaves nothing behind', async () => {
    const path = newPath()
    const { file } = await open(path)

    expect(() => file.append({ text: 'x'.repeat(65 * 1_048_576) })).toThrow('too large')

    file.append({ n: 1 })
    await file.close()
    expect((await reopen(path)).records).toEqual([{ n: 1 }])
  })
})

describe('a torn tail', () => {
  test('cut at any byte, the whole records before the cut are kept and the next append is readable', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 4 }), fc.nat(), async (records, cut) => {
        const path = newPath()
        const bytes = await write(path, records)
        const end = cut % (bytes.length + 1)
        await writeFile(path, bytes.subarray(0, end))
        // A line that only lacks its line end is whole.
        const kept = lineStarts(bytes).filter((start) => start > 0 && start - 1 <= end).length

        const reopened = await open(path)
        reopened.file.append({ next: true })
        await reopened.file.close()

        expect(reopened.records).toEqual(records.slice(0, kept))
        expect(await reopen(path)).toEqual({
          records: [...records.slice(0, kept), { next: true }],
          damage: [],
          tornBytes: 0,
        })
        await rm(path)
      }),
      { numRuns: runs(40, 150) },
    )
  })

  test('what is cut off is kept aside', async () => {
    const path = newPath()
    await write(path, [{ n: 1 }])
    await appendFile(path, '{"sum":"0000')

    const { tornBytes } = await reopen(path)

    expect(tornBytes).toBe(12)
    expect(await readFile(`${path}.torn`, 'utf8')).toBe('{"sum":"0000\n')
  })

  test('a reader beside the writer passes over the unfinished line', async () => {
    const path = newPath()
    await write(path, [{ n: 1 }])
    await appendFile(path, '{"sum":"0000')

    expect(await collect(readJsonl(path))).toEqual([{ n: 1 }])
    expect((await readdir(folder)).includes(`${count}.jsonl.torn`)).toBe(false)
  })
})

describe('damage', () => {
  test('a flipped bit costs at most one record, is reported, and the next append is readable', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(record, { minLength: 2, maxLength: 4 }),
        fc.nat(),
        fc.nat(7),
        async (records, at, bit) => {
          const path = newPath()
          const bytes = await write(path, records)
          const place = at % bytes.length
          bytes[place] = bytes[place]! ^ (1 << bit)
          await writeFile(path, bytes)

          const reopened = await open(path)
          reopened.file.append({ next: true })
          await reopened.file.close()

          expect(withOneLost(records)).toContainEqual(reopened.records)
          expect(reopened.damage.length + reopened.tornBytes).toBeGreaterThan(0)
          expect((await reopen(path)).records).toEqual([...reopened.records, { next: true }])
          await rm(path)
        },
      ),
      { numRuns: runs(40, 150) },
    )
  })

  test('in the middle is named with its place', async () => {
    const path = newPath()
    const [first, second, third] = (await write(path, [{ n: 1 }, { n: 2 }, { n: 3 }]))
      .toString()
      .trimEnd()
      .split('\n')
    await writeFile(path, `${first}\n${second!.replace('"n":2', '"n":7')}\n${third}\n`)

    const { records, damage } = await reopen(path)

    expect(records).toEqual([{ n: 1 }, { n: 3 }])
    expect(damage).toEqual([
      { offset: first!.length + 1, bytes: second!.length, why: 'the checksum does not match' },
    ])
  })

  test('a line that is missing altogether is noticed', async () => {
    const path = newPath()
    const [first, , third] = (await write(path, [{ n: 1 }, { n: 2 }, { n: 3 }])).toString().split('\n')
    await writeFile(path, `${first}\n${third}\n`)

    const { records, damage } = await reopen(path)

    expect(records).toEqual([{ n: 1 }, { n: 3 }])
    expect(damage).toEqual([{ offset: first!.length + 1, bytes: 0, why: 'expected record 2, found 3' }])
  })

  test('a record fused to a torn one is still found', async () => {
    const path = newPath()
    const [first, second] = (await write(path, [{ n: 1 }, { n: 2 }])).toString().split('\n')
    await writeFile(path, `${first!.slice(0, 30)}${second}\n`)

    const { records, damage } = await reopen(path)

    expect(records).toEqual([{ n: 2 }])
    expect(damage).toHaveLength(1)
  })

  test('any bytes at all can be opened and appended to', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        const path = newPath()
        await writeFile(path, bytes)

        const { file, records } = await open(path)
        file.append({ next: true })
        await file.close()

        expect(records).toEqual([])
        expect((await reopen(path)).records).toEqual([{ next: true }])
        await rm(path)
      }),
      { numRuns: runs(30, 100) },
    )
  })

  test('a line longer than any record is passed over in bounded memory', async () => {
    const path = newPath()
    for (let mebibyte = 0; mebibyte < 70; mebibyte++) await appendFile(path, 'x'.repeat(1_048_576))
    await appendFile(path, '\n')
    await write(path, [{ n: 1 }])

    const { records, damage } = await reopen(path)

    expect(records).toEqual([{ n: 1 }])
    expect(damage).toEqual([{ offset: 0, bytes: 70 * 1_048_576, why: 'the checksum does not match' }])
    await rm(path)
  })
})

describe('a disk that refuses', () => {
  const refusal = (code: string) => Object.assign(new Error(code), { code })

  /** Has room for so many bytes; then writes are short, then refused. Cutting may be refused as well. */
  function smallDisk(room: number, code = 'ENOSPC') {
    const state = { room, refusesToCut: false }
    const disk: JsonlDisk = {
      write(descriptor, bytes) {
        if (state.room <= 0) throw refusal(code)
        const written = writeSync(descriptor, bytes.subarray(0, state.room))
        state.room -= written
        return written
      },
      truncate(descriptor, length) {
        if (state.refusesToCut) throw refusal('EIO')
        ftruncateSync(descriptor, length)
      },
      sync: async () => {},
    }
    return { state, disk }
  }

  test('full at any byte: a named error, no fused line, and it goes on when there is space again', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(400),
        fc.boolean(),
        fc.constantFrom('ENOSPC', 'EROFS', 'EDQUOT', 'EIO'),
        async (room, refusesToCut, code) => {
          const path = newPath()
          const { state, disk } = smallDisk(room, code)
          const { file } = await open(path, disk)
          state.refusesToCut = refusesToCut
          const kept: object[] = []
          for (let n = 0; n < 8; n++) {
            try {
              file.append({ n, text: 'twenty-four characters..' })
              kept.push({ n, text: 'twenty-four characters..' })
            } catch (error) {
              expect(error).toMatchObject({
                name: 'AppError',
                message: expect.stringMatching(/^Cannot use .*jsonl: /),
              })
            }
          }
          // Where not even the failed line can be cut off again, a reader may see it until the next append.
          const whileFull = refusesToCut ? kept : await collect(readJsonl(path))

          state.room = 10_000
          state.refusesToCut = false
          file.append({ next: true })
          await file.close()

          expect(whileFull).toEqual(kept)
          expect(await reopen(path)).toEqual({
            records: [...kept, { next: true }],
            damage: [],
            tornBytes: 0,
          })
          await rm(path)
        },
      ),
      { numRuns: runs(40, 150) },
    )
  })

  test('sync answers with a named error and can be tried again', async () => {
    let isBroken = true
    const disk: JsonlDisk = {
      ...hastyDisk,
      sync: async () => {
        if (isBroken) throw refusal('EIO')
      },
    }
    const { file } = await open(newPath(), disk)
    file.append({ n: 1 })

    await expect(file.sync()).rejects.toThrow('the disk reported an error')
    isBroken = false
    await file.sync()
    await file.close()
  })

  test('a folder that cannot be used is named', async () => {
    await expect(open(join(folder, 'missing', 'log.jsonl'))).rejects.toThrow(/Cannot use .*missing/)
  })

  test.runIf(canMount())('a real full disk behaves the same', async () => {
    const mount = await mkdtemp(join(folder, 'full-'))
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', mount])
    try {
      const path = join(mount, 'log.jsonl')
      const records: unknown[] = []
      const { file } = await openJsonl(path, () => {})
      const fill = () => {
        for (let n = 0; n < 1000; n++) {
          const each = { n, text: 'x'.repeat(3000) }
          file.append(each)
          records.push(each)
        }
      }

      await writeFile(join(mount, 'ballast'), 'x'.repeat(16_000))
      expect(fill).toThrow('no space is left on the disk')
      await rm(join(mount, 'ballast'))
      file.append({ next: true })
      await file.sync()
      await file.close()

      expect(records.length).toBeGreaterThan(5)
      expect(await collect(readJsonl(path))).toEqual([...records, { next: true }])
    } finally {
      execFileSync('umount', [mount])
    }
  })
})

function canMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  try {
    execFileSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
