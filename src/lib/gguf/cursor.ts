/**
 * A place in the bytes of a GGUF header. Reads nothing that lies outside the file, and says so by name; where only the
 * bytes at hand end, `HeaderTooShort` asks for more of them.
 */
import { AppError } from '../../protocol/error.ts'

export class HeaderTooShort extends Error {}

export class GgufCursor {
  readonly size: number
  readonly #bytes: Buffer
  readonly #path: string
  at = 0

  /** `bytes` is the beginning of a file of `size` bytes. */
  constructor(bytes: Buffer, size: number, path: string) {
    this.#bytes = bytes
    this.size = size
    this.#path = path
  }

  fail(what: string): never {
    throw new AppError(
      'model-unavailable',
      `${this.#path} is not a usable GGUF file: ${what}. Download it again.`,
    )
  }

  /** Past `length` bytes; where they began. */
  skip(length: number, what: string): number {
    const start = this.at
    const end = start + length
    if (!Number.isSafeInteger(end) || end > this.size) this.fail(`${what} reaches past its end`)
    if (end > this.#bytes.length) throw new HeaderTooShort()
    this.at = end
    return start
  }

  ascii(length: number): string {
    const start = this.skip(length, 'its beginning')
    return this.#bytes.toString('latin1', start, start + length)
  }

  uint32(): number {
    return this.#bytes.readUInt32LE(this.skip(4, 'its header'))
  }

  /** A 64-bit number of things, each of which takes at least a byte of the file. */
  count(what: string, most: number = this.size): number {
    const value = this.#bytes.readBigUInt64LE(this.skip(8, 'its header'))
    if (value > BigInt(most)) this.fail(`it claims ${value} ${what}`)
    return Number(value)
  }

  string(what: string, longest: number): string {
    const length = this.count(`bytes in ${what}`)
    if (length > longest) this.fail(`${what} is ${length} bytes long`)
    const start = this.skip(length, what)
    return this.#bytes.toString('utf8', start, start + length)
  }

  /** One of the strings of a list that was walked through before. */
  stringIn(list: number, index: number): string {
    const back = this.at
    this.at = list
    for (let passed = 0; passed < index; passed++) this.skip(this.count('bytes'), 'a token')
    const found = this.string('a token', 65_535)
    this.at = back
    return found
  }

  number(type: number, size: number): number {
    const at = this.skip(size, 'its header')
    if (type === 6) return this.#bytes.readFloatLE(at)
    if (type === 12) return this.#bytes.readDoubleLE(at)
    if (type === 10) return Number(this.#bytes.readBigUInt64LE(at))
    if (type === 11) return Number(this.#bytes.readBigInt64LE(at))
    const signed = type === 1 || type === 3 || type === 5
    return signed ? this.#bytes.readIntLE(at, size) : this.#bytes.readUIntLE(at, size)
  }
}
