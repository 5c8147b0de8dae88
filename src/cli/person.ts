/** A person at the terminal, whatever stdin is: questions go to /dev/tty, or to the standard streams where both are one. */
import { closeSync, openSync } from 'node:fs'
import { createInterface, type Interface } from 'node:readline/promises'
import { ReadStream, WriteStream } from 'node:tty'

export type Person = {
  /** One line; throws when the input has ended. */
  ask(question: string, signal: AbortSignal): Promise<string>
  close(): void
}

/** Nothing where there is no terminal to ask at. */
export async function openPerson(): Promise<Person | undefined> {
  let input: ReadStream | undefined
  let output: WriteStream | undefined
  let lines: Interface | undefined
  try {
    closeSync(openSync('/dev/tty', 'r+'))
  } catch {
    return undefined
  }
  return {
    async ask(question, signal) {
      input ??= new ReadStream(openSync('/dev/tty', 'r'))
      output ??= new WriteStream(openSync('/dev/tty', 'w'))
      // No line editing of its own: the terminal has one, and needs no escape codes for it.
      lines ??= createInterface({ input, output, terminal: false })
      return lines.question(question, { signal })
    },
    close() {
      lines?.close()
      input?.destroy()
      output?.destroy()
    },
  }
}
