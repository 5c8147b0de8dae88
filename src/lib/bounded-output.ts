/**
 * Output of any size in fixed memory: the first and the last bytes are kept, the middle is counted. A program that prints
 * ten gigabytes, or one line of one gigabyte, costs the same as any other.
 */
import { cleanOutput } from './text.ts'

/** `text` says itself where something was left out. */
export type Taken = { readonly text: string; readonly omittedBytes: number }

const KEPT = 256 * 1024

export class BoundedOutput {
  #head: Buffer | undefined
  #headLength = 0
  /** A ring: `#tailLength` counts every byte that came after the head, its last `KEPT` are still there. */
  #tail: Buffer | undefined
  #tailLength = 0

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
    this.#head = this.#tail = undefined
    this.#headLength = this.#tailLength = 0
    if (omittedBytes === 0) return { text: toText(Buffer.concat([head, tail])), omittedBytes }
    const text = `${toText(head)}\n[… ${omittedBytes} bytes left out …]\n${toText(tail)}`
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
