import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ByteSource, type Found, type JsonlDamage, scan, toLine } from '../../../src/lib/jsonl/scan.ts'
import { runs } from '../../support/runs.ts'

/** A file in memory that hands out at most `step` bytes at a time. */
const inMemory = (bytes: Buffer, step: number): ByteSource => ({
  async read(buffer, offset, length, position) {
    const part = bytes.subarray(position, position + Math.min(length, step))
    buffer.set(part, offset)
    return { bytesRead: part.length }
  },
})

async function read(bytes: Buffer, step: number) {
  const records: unknown[] = []
  const damage: JsonlDamage[] = []
  let tail: { readonly offset: number; readonly bytes: number } | undefined
  const take = (found: Found): void => {
    if (found.kind === 'damage') damage.push(found.damage)
    else if (found.kind === 'record') records.push(found.record)
    else if (found.whole) records.push(found.whole.record)
    else tail = { offset: found.offset, bytes: found.bytes }
  }
  for await (const batch of scan(inMemory(bytes, step), bytes.length)) batch.forEach(take)
  return { records, damage, tail }
}

const record = fc.record({ text: fc.string({ unit: 'binary' }), sum: fc.string() })
const records = fc.array(record, { minLength: 1, maxLength: 5 })
const step = fc.integer({ min: 1, max: 300 })

test('cut at any byte, every whole record before the cut is read and the rest is named', async () => {
  await fc.assert(
    fc.asyncProperty(records, fc.nat(), step, async (all, cut, size) => {
      const lines = all.map((each, index) => toLine(index + 1, each))
      const bytes = Buffer.concat(lines)
      const end = cut % (bytes.length + 1)
      let offset = 0
      // A line that only lacks its line end is whole.
      const whole = lines.filter((line) => (offset += line.length) <= end + 1)
      const start = Buffer.concat(whole).length

      const found = await read(bytes.subarray(0, end), size)

      expect(found).toEqual({
        records: all.slice(0, whole.length),
        damage: [],
        tail: start < end ? { offset: start, bytes: end - start } : undefined,
      })
    }),
    { numRuns: runs(300, 6_000) },
  )
})

test('a flipped bit costs exactly the record it hits and is noticed', async () => {
  await fc.assert(
    fc.asyncProperty(records, fc.nat(), fc.nat(7), step, async (all, at, bit, size) => {
      const bytes = Buffer.concat(all.map((each, index) => toLine(index + 1, each)))
      const place = at % bytes.length
      const lost = bytes.subarray(0, place).filter((byte) => byte === 10).length
      bytes[place] = bytes[place]! ^ (1 << bit)

      const found = await read(bytes, size)

      expect(found.records).toEqual(all.toSpliced(lost, 1))
      expect(found.damage.length > 0 || found.tail !== undefined).toBe(true)
    }),
    { numRuns: runs(300, 6_000) },
  )
})
