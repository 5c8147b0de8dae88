/**
 * A text as a QR code for a terminal: byte mode, error correction L, versions 1 to 6, always mask 0. Enough for an
 * invitation; nothing where the text is too long. Pure.
 */

/** Nothing where the text does not fit. */
export function drawQr(text: string): string | undefined {
  const modules = toQr(text)
  return modules && draw(modules)
}

type Modules = readonly (readonly boolean[])[]

/** Data bytes, correction bytes of each block, number of blocks; by version. */
const VERSIONS = [
  [19, 7, 1],
  [34, 10, 1],
  [55, 15, 1],
  [80, 20, 1],
  [108, 26, 1],
  [136, 18, 2],
] as const

/** Dark modules, row by row. */
export function toQr(text: string): Modules | undefined {
  const bytes = Buffer.from(text, 'utf8')
  const version = VERSIONS.findIndex(([capacity]) => bytes.length + 2 <= capacity) + 1
  const shape = VERSIONS[version - 1]
  if (!shape || bytes.length > 255) return undefined
  const [capacity, correction, blocks] = shape
  const codewords = interleave(toData(bytes, capacity), correction, blocks)
  const grid = new Grid(version)
  grid.write(codewords)
  return grid.modules
}

/** Mode 4 bits, length 8 bits, the bytes, an end of 4 bits, and padding: 4 + 8 + 4 bits shift every byte by half. */
function toData(bytes: Buffer, capacity: number): Buffer {
  const data = Buffer.alloc(capacity)
  const nibbles = [
    4,
    bytes.length >> 4,
    bytes.length & 15,
    ...[...bytes].flatMap((byte) => [byte >> 4, byte & 15]),
    0,
  ]
  for (let at = 0; at < nibbles.length; at += 2)
    data[at / 2] = ((nibbles[at] ?? 0) << 4) | (nibbles[at + 1] ?? 0)
  for (let at = nibbles.length / 2, pad = 0xec; at < capacity; at++, pad ^= 0xec ^ 0x11) data[at] = pad
  return data
}

function interleave(data: Buffer, correction: number, blocks: number): Buffer {
  const size = data.length / blocks
  const parts = Array.from({ length: blocks }, (_, index) => data.subarray(index * size, (index + 1) * size))
  const checks = parts.map((part) => remainder(part, correction))
  return Buffer.concat([weave(parts, size), weave(checks, correction)])
}

const weave = (parts: readonly Uint8Array[], size: number): Buffer =>
  Buffer.from(Array.from({ length: size }, (_, at) => parts.map((part) => part[at] ?? 0)).flat())

/** Reed-Solomon over GF(256) with x^8 + x^4 + x^3 + x^2 + 1: the rest of a division by the generator. */
export function remainder(data: Uint8Array, degree: number): Uint8Array {
  const generator = generatorOf(degree)
  const rest = new Uint8Array(degree)
  for (const byte of data) {
    const factor = byte ^ (rest[0] ?? 0)
    rest.copyWithin(0, 1)
    rest[degree - 1] = 0
    for (let at = 0; at < degree; at++) rest[at] = (rest[at] ?? 0) ^ times(generator[at] ?? 0, factor)
  }
  return rest
}

function generatorOf(degree: number): Uint8Array {
  const result = new Uint8Array(degree)
  result[degree - 1] = 1
  let root = 1
  for (let power = 0; power < degree; power++) {
    for (let at = 0; at < degree; at++) result[at] = times(result[at] ?? 0, root) ^ (result[at + 1] ?? 0)
    root = times(root, 2)
  }
  return result
}

function times(one: number, other: number): number {
  let product = 0
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >> 7) * 0x11d)
    product ^= ((other >> bit) & 1) * one
  }
  return product
}

/** The square: what is always there first, then the bits in its zigzag. */
class Grid {
  readonly modules: boolean[][]
  readonly #isFixed: boolean[][]
  readonly #size: number

  constructor(version: number) {
    this.#size = 17 + 4 * version
    const square = () =>
      Array.from({ length: this.#size }, () => Array.from({ length: this.#size }, () => false))
    this.modules = square()
    this.#isFixed = square()
    this.#drawTiming()
    const end = this.#size - 4
    for (const [x, y] of [
      [3, 3],
      [end, 3],
      [3, end],
    ] as const)
      this.#drawRings(x, y, 4)
    if (version > 1) this.#drawRings(this.#size - 7, this.#size - 7, 2)
    this.#drawFormat()
  }

  write(codewords: Buffer): void {
    let at = 0
    for (const [x, y] of this.#zigzag()) {
      if (this.#isFixed[y]?.[x]) continue
      const bit = ((codewords[at >> 3] ?? 0) >> (7 - (at & 7))) & 1
      at++
      this.#set(x, y, (bit === 1) !== ((x + y) % 2 === 0))
    }
  }

  /** Two columns at a time from the right, up and down in turn, without the column of the timing. */
  *#zigzag(): Generator<readonly [number, number]> {
    let isUp = true
    for (let right = this.#size - 1; right > 0; right -= 2, isUp = !isUp) {
      if (right === 6) right = 5
      for (let step = 0; step < this.#size; step++) {
        const y = isUp ? this.#size - 1 - step : step
        yield [right, y]
        yield [right - 1, y]
      }
    }
  }

  #drawTiming(): void {
    for (let at = 0; at < this.#size; at++) {
      this.#fix(6, at, at % 2 === 0)
      this.#fix(at, 6, at % 2 === 0)
    }
  }

  /** A finder with its light border (4), or an alignment pattern (2). */
  #drawRings(x: number, y: number, reach: number): void {
    for (let dy = -reach; dy <= reach; dy++) {
      for (let dx = -reach; dx <= reach; dx++) {
        const ring = Math.max(Math.abs(dx), Math.abs(dy))
        this.#fix(x + dx, y + dy, reach === 4 ? ring !== 2 && ring !== 4 : ring !== 1)
      }
    }
  }

  /** Level L with mask 0, already with its correction: 111011111000100. */
  #drawFormat(): void {
    const last = this.#size - 1
    for (let at = 0; at < 15; at++) {
      const isDark = ((FORMAT >> at) & 1) === 1
      const [x, y] = FIRST_COPY[at] ?? [0, 0]
      this.#fix(x, y, isDark)
      if (at < 8) this.#fix(last - at, 8, isDark)
      else this.#fix(8, last - 14 + at, isDark)
    }
    this.#fix(8, this.#size - 8, true)
  }

  #fix(x: number, y: number, isDark: boolean): void {
    if (x < 0 || y < 0 || x >= this.#size || y >= this.#size) return
    this.#set(x, y, isDark)
    const row = this.#isFixed[y]
    if (row) row[x] = true
  }

  #set(x: number, y: number, isDark: boolean): void {
    const row = this.modules[y]
    if (row) row[x] = isDark
  }
}

const FORMAT = 0b111011111000100

/** Around the upper left finder, the last bit first. */
const FIRST_COPY: readonly (readonly [number, number])[] = [
  ...[0, 1, 2, 3, 4, 5, 7, 8].map((y) => [8, y] as const),
  ...[7, 5, 4, 3, 2, 1, 0].map((x) => [x, 8] as const),
]

const QUIET = 2

/** Two rows to a line, light on dark terminals and dark on light ones read the same to a camera. */
function draw(modules: Modules): string {
  const isDark = (x: number, y: number) => modules[y]?.[x] ?? false
  const lines: string[] = []
  for (let y = -QUIET; y < modules.length + QUIET; y += 2) {
    let line = ''
    for (let x = -QUIET; x < modules.length + QUIET; x++)
      line += BLOCKS[(isDark(x, y) ? 2 : 0) + (isDark(x, y + 1) ? 1 : 0)]
    lines.push(`\u001B[30;107m${line}\u001B[0m`)
  }
  return `${lines.join('\n')}\n`
}

const BLOCKS = [' ', '\u2584', '\u2580', '\u2588']
