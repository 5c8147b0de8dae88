import { describe, expect, test } from 'vitest'
import { drawQr, remainder, toQr } from '../../src/federation/qr.ts'

describe('a QR code', () => {
  test('corrects as the standard says: "HELLO WORLD" of the tutorials, version 1-M', () => {
    const data = [32, 91, 11, 120, 209, 114, 220, 77, 67, 64, 236, 17, 236, 17, 236, 17]

    expect([...remainder(Uint8Array.from(data), 10)]).toEqual([196, 35, 39, 119, 235, 215, 231, 226, 93, 23])
  })

  test.each([
    ['a', 21],
    ['a'.repeat(17), 21],
    ['a'.repeat(18), 25],
    ['a'.repeat(78), 33],
    ['a'.repeat(134), 41],
  ])('of %j has %i modules a side', (text, size) => {
    const modules = toQr(text)

    expect(modules).toHaveLength(size)
    expect(modules?.every((row) => row.length === size)).toBe(true)
  })

  test('is not made of what does not fit', () => {
    expect(drawQr('a'.repeat(135))).toBeUndefined()
  })

  test.each(['covey1-abc', 'x'.repeat(60), 'y'.repeat(100)])(
    'of one block says what was put in: %s',
    (text) => {
      expect(readBack(toQr(text) ?? [])).toBe(text)
    },
  )

  test('is drawn two rows to a line, with a light border', () => {
    const lines = (drawQr('a') ?? '').trimEnd().split('\n')

    expect(lines).toHaveLength(13)
    expect(lines[0]).toBe(`\u001B[30;107m${' '.repeat(25)}\u001B[0m`)
  })
})

/** Reads as a scanner would: unmasks, follows the zigzag, takes the bytes. For versions of one block. */
function readBack(modules: readonly (readonly boolean[])[]): string {
  const size = modules.length
  const bits: number[] = []
  let isUp = true
  for (let right = size - 1; right > 0; right -= 2, isUp = !isUp) {
    if (right === 6) right = 5
    for (let step = 0; step < size; step++) {
      const y = isUp ? size - 1 - step : step
      const columns = [right, right - 1].filter((x) => !isFixed(x, y, size))
      bits.push(...columns.map((x) => Number((modules[y]?.[x] ?? false) !== ((x + y) % 2 === 0))))
    }
  }
  const number = (from: number, count: number) => Number.parseInt(bits.slice(from, from + count).join(''), 2)
  expect(number(0, 4)).toBe(4)
  const length = number(4, 8)
  return Buffer.from(Array.from({ length }, (_, at) => number(12 + 8 * at, 8))).toString('utf8')
}

function isFixed(x: number, y: number, size: number): boolean {
  const isFinder = (x < 9 && y < 9) || (x < 9 && y >= size - 8) || (x >= size - 8 && y < 9)
  const isAligned = size > 21 && Math.abs(x - (size - 7)) <= 2 && Math.abs(y - (size - 7)) <= 2
  return isFinder || isAligned || x === 6 || y === 6
}
