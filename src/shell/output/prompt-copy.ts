/** The prompt as bash last printed it: a question's line is erased by bash, and is written again with it. */
import { cleanControl } from '../../lib/clean.ts'

const MAX_SIZE = 16 * 1024

export class PromptCopy {
  #pieces: Buffer[] | undefined
  #size = 0
  #above = ''
  #last = ''

  begin(): void {
    this.#pieces = []
    this.#size = 0
  }

  write(bytes: Buffer): void {
    if (!this.#pieces || this.#size > MAX_SIZE) return
    this.#pieces.push(Buffer.from(bytes))
    this.#size += bytes.length
  }

  end(): void {
    if (!this.#pieces || this.#size > MAX_SIZE) return
    const text = Buffer.concat(this.#pieces).toString()
    this.#pieces = undefined
    const cut = text.lastIndexOf('\n') + 1
    this.#above = text.slice(0, cut)
    this.#last = text.slice(cut)
  }

  /** The lines of the prompt before its last one, which bash does not draw again by itself. */
  above(): Buffer {
    return Buffer.from(this.#above)
  }

  withLine(line: string): Buffer {
    return Buffer.from(`${this.#last}${cleanControl(line).replaceAll('\n', '\r\n')}\r\n`)
  }
}
