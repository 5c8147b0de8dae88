import { describe, expect, test } from 'vitest'
import { drawQr, toQr } from '../../src/federation/qr.ts'

const QUIET = 2

describe('a QR code', () => {
  test.each([
    ['a', 21],
    ['a'.repeat(17), 21],
    ['a'.repeat(18), 25],
    ['a'.repeat(78), 33],
    ['a'.repeat(134), 41],
  ])('of %j has %i modules a side', (text, size) => {
    const modules = toQr(text)

    expect(modules).toHaveLength(size + 2 * QUIET)
    expect(modules?.every((row) => row.length === size + 2 * QUIET)).toBe(true)
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

/** Reads as a scanner would: finds the mask, follows the zigzag, takes the bytes. For versions of one block. */
function readBack(drawn: readonly (readonly boolean[])[]): string {
  const modules = drawn.slice(QUIET, -QUIET).map((row) => row.slice(QUIET, -QUIET))
  const size = modules.length
  const isMasked = maskOf(modules)
  const bits: number[] = []
  let isUp = true
  for (let right = size - 1; right > 0; right -= 2, isUp = !isUp) {
    if (right === 6) right = 5
    for (let step = 0; step < size; step++) {
      const y = isUp ? size - 1 - step : step
      const columns = [right, right - 1].filter((x) => !isFixed(x, y, size))
      bits.push(...columns.map((x) => Number((modules[y]?.[x] ?? false) !== isMasked(x, y))))
    }
  }
  const number = (from: number, count: number) => Number.parseInt(bits.slice(from, from + count).join(''), 2)
  expect(number(0, 4)).toBe(4)
  const length = number(4, 8)
  return Buffer.from(Array.from({ length }, (_, at) => number(12 + 8 * at, 8))).toString('utf8')
}

/** Three bits of the format beside the upper left finder name the mask; the format itself is masked with 101. */
function maskOf(modules: readonly (readonly boolean[])[]): (x: number, y: number) => boolean {
  const [high, middle, low] = [2, 3, 4].map((x) => Number(modules[8]?.[x] ?? false))
  const masks: readonly ((x: number, y: number) => boolean)[] = [
    (x, y) => (x + y) % 2 === 0,
    (_, y) => y % 2 === 0,
    (x) => x % 3 === 0,
    (x, y) => (x + y) % 3 === 0,
    (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
    (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
    (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
    (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
  ]
  const number = (((high ?? 0) << 2) | ((middle ?? 0) << 1) | (low ?? 0)) ^ 0b101
  return masks[number] ?? (() => false)
}

function isFixed(x: number, y: number, size: number): boolean {
  const isFinder = (x < 9 && y < 9) || (x < 9 && y >= size - 8) || (x >= size - 8 && y < 9)
  const isAligned = size > 21 && Math.abs(x - (size - 7)) <= 2 && Math.abs(y - (size - 7)) <= 2
  return isFinder || isAligned || x === 6 || y === 6
}
