/** The person's terminal: raw while the shell has it, put back at the end, stopped and continued with Covey. */
import { spawnSync } from 'node:child_process'
import { writeSync } from 'node:fs'
import type { Surface } from './helper.ts'
import { MAIN_SCREEN, RESET_SCREEN, startWatcher } from './watcher.ts'

type Taking = {
  readonly pid: number
  onKeys(bytes: Buffer): void
  onResize(columns: number, rows: number): void
  onGone(): void
  /** After a write that returned false: the terminal takes more again. */
  onReady(): void
}

export type TerminalOutput = NodeJS.WriteStream & { readonly fd: number }

export type Terminal = {
  readonly surface: Surface
  /** False: the terminal is behind. The bytes are taken all the same, but no more should follow until `onReady`. */
  write(bytes: Buffer): boolean
  /** A line of ours before the next prompt. */
  note(text: string): void
  take(taking: Taking): void
  /** A full-screen program has it, or has left it. */
  screen(isAlternate: boolean): void
  /** `needsReset`: the shell did not end by itself. */
  giveBack(needsReset: boolean): void
}

const NEWLINE = 0x0a

export function openTerminal(input: NodeJS.ReadStream, output: TerminalOutput): Terminal {
  const watcher = startWatcher(input)
  const write = createWriter(output)
  let isAtStart = true
  let isAlternate = false
  let release = (): void => undefined
  const surface: Surface = {
    get columns() {
      return output.columns || 80
    },
    get rows() {
      return output.rows || 24
    },
    write: (text) => void output.write(text),
  }
  return {
    surface,
    write(bytes) {
      if (bytes.length === 0) return true
      isAtStart = bytes[bytes.length - 1] === NEWLINE
      return write(bytes)
    },
    note: (text) => surface.write(`${isAtStart ? '' : '\r\n'}\u001B[2m${text}\u001B[0m\r\n`),
    take(taking) {
      watcher?.watch(taking.pid)
      release = attach(input, output, taking)
    },
    screen(isNow) {
      isAlternate = isNow
      watcher?.screen(isNow)
    },
    giveBack(needsReset) {
      release()
      if (needsReset || isAlternate) output.write((isAlternate ? MAIN_SCREEN : '') + RESET_SCREEN)
      watcher?.dismiss()
    },
  }
}

/**
 * Writes to the descriptor itself, which costs a third of a write to the stream and takes the bytes before it returns. What
 * the terminal does not take now is left to the stream, which waits, or reports that the terminal is gone.
 */
export function createWriter(output: TerminalOutput): (bytes: Buffer) => boolean {
  return (bytes) => {
    const written = output.writableLength === 0 ? writeNow(output.fd, bytes) : 0
    return written === bytes.length || output.write(Buffer.from(bytes.subarray(written)))
  }
}

function writeNow(fd: number, bytes: Buffer): number {
  let written = 0
  try {
    while (written < bytes.length) written += writeSync(fd, bytes, written)
  } catch {
    // It is full and does not block, or it is gone.
  }
  return written
}

/**
 * Node's raw mode leaves output processing on. It has been done by the shell's own terminal: a second time, each line feed
 * would become a return as well, which moves the cursor of programs that draw, and the kernel would look at every byte.
 */
function stopOutputProcessing(): void {
  spawnSync('stty', ['-opost'], {
    stdio: ['inherit', 'ignore', 'ignore'],
    // In the background it would be stopped, and Covey would wait for it.
    timeout: 5_000,
    killSignal: 'SIGKILL',
  })
}

function attach(input: NodeJS.ReadStream, output: NodeJS.WriteStream, taking: Taking): () => void {
  const raw = (isRaw: boolean): void => {
    if (!input.isTTY) return
    input.setRawMode(isRaw)
    if (isRaw) stopOutputProcessing()
  }
  const resize = (): void => taking.onResize(output.columns || 80, output.rows || 24)
  const stop = (): void => {
    raw(false)
    process.kill(process.pid, 'SIGSTOP')
  }
  const resume = (): void => {
    // Set twice: what was set before the stop is remembered, though the terminal has been in other hands.
    raw(false)
    raw(true)
    // Another size for a moment: what runs there draws itself again, below or over what was written meanwhile.
    taking.onResize(output.columns || 80, (output.rows || 24) + 1)
    resize()
  }
  raw(true)
  input.on('data', taking.onKeys)
  input.on('end', taking.onGone)
  input.on('error', taking.onGone)
  input.resume()
  output.on('resize', resize)
  output.on('drain', taking.onReady)
  process.on('SIGTSTP', stop)
  process.on('SIGCONT', resume)
  return () => {
    input.off('data', taking.onKeys)
    input.off('end', taking.onGone)
    input.off('error', taking.onGone)
    output.off('resize', resize)
    output.off('drain', taking.onReady)
    process.off('SIGTSTP', stop)
    process.off('SIGCONT', resume)
    raw(false)
    input.pause()
  }
}
