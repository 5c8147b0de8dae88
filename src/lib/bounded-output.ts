/**
 * Output of any size in fixed memory: the first and the last bytes are kept, and of the middle the lines that look like
 * failures where those are wanted; the rest is counted. A program that prints ten gigabytes, or one line of one gigabyte,
 * costs the same as any other.
 */
import { TellingLines } from './output/telling-lines.ts'
import { cleanOutput } from './text.ts'

/** `text` says itself where something was left out. */
export type Taken = { readonly text: string; readonly omittedBytes: number }

const KEPT = 256 * 1024
/** Between the lines that were kept of the middle and the end of the output. */
const END_OF_KEPT = '[… end of the lines kept of them …]'

export class BoundedOutput {
  #head: Buffer | undefined
  #headLength = 0
  /** A ring: `#tailLength` counts every byte that came after the head, its last `KEPT` are still there. */
  #tail: Buffer | undefined
  #tailLength = 0
  readonly #keepsFailures: boolean
  #telling: TellingLines | undefined

  constructor({ keepsFailures = false }: { readonly keepsFailures?: boolean } = {}) {
    this.#keepsFailures = keepsFailures
  }

  add(bytes: Uint8Array): void {
    const room = KEPT - this.#headLength
    if (room > 0) {
      this.#head ??= Buffer.allocUnsafe(KEPT)
      this.#head.set(bytes.subarray(0, room), this.#headLength)
      this.#headLength += Math.min(room, bytes.length)
    }
    if (bytes.length > room) this.#addToTail(bytes.subarray(room))
  }

  #addToTail(bytes: Uint8Array): void {
    this.#tail ??= Buffer.allocUnsafe(KEPT)
    if (this.#keepsFailures) {
      this.#telling ??= new TellingLines()
      this.#telling.add(bytes, this.#tailLength)
    }
    const kept = bytes.subarray(Math.max(0, bytes.length - KEPT))
    this.#tailLength += bytes.length - kept.length
    const at = this.#tailLength % KEPT
    const untilEnd = kept.subarray(0, KEPT - at)
    this.#tail.set(untilEnd, at)
    this.#tail.set(kept.subarray(untilEnd.length), 0)
    this.#tailLength += kept.length
  }

  /** Everything since the last call, as plain text. */
  take(): Taken {
    const head = this.#head?.subarray(0, this.#headLength) ?? Buffer.alloc(0)
    const tail = this.#tailBytes()
    const omittedBytes = this.#tailLength - tail.length
    const telling = this.#telling?.upTo(omittedBytes) ?? []
    this.#telling = undefined
    this.#head = this.#tail = undefined
    this.#headLength = this.#tailLength = 0
    if (omittedBytes === 0) return { text: toText(Buffer.concat([head, tail])), omittedBytes }
    const kept = telling.length > 0 ? `${telling.join('\n')}\n${END_OF_KEPT}\n` : ''
    const text = `${toText(head)}\n[… ${omittedBytes} bytes left out …]\n${kept}${toText(tail)}`
    return { text, omittedBytes }
  }

  #tailBytes(): Buffer {
    if (!this.#tail) return Buffer.alloc(0)
    if (this.#tailLength <= KEPT) return this.#tail.subarray(0, this.#tailLength)
    const start = this.#tailLength % KEPT
    return Buffer.concat([this.#tail.subarray(start), this.#tail.subarray(0, start)])
  }
}

const toText = (bytes: Buffer): string => cleanOutput(bytes.toString('utf8'))
