/** The person's terminal: raw while the shell has it, put back at the end, stopped and continued with Covey. */
import type { Surface } from './helper.ts'
import { MAIN_SCREEN, RESET_SCREEN, startWatcher } from './watcher.ts'

type Taking = {
  readonly pid: number
  onKeys(bytes: Buffer): void
  onResize(columns: number, rows: number): void
  onGone(): void
}

export type Terminal = {
  readonly surface: Surface
  write(bytes: Buffer): void
  /** A line of ours before the next prompt. */
  note(text: string): void
  take(taking: Taking): void
  /** A full-screen program has it, or has left it. */
  screen(isAlternate: boolean): void
  /** `needsReset`: the shell did not end by itself. */
  giveBack(needsReset: boolean): void
}

const NEWLINE = 0x0a

export function openTerminal(input: NodeJS.ReadStream, output: NodeJS.WriteStream): Terminal {
  const watcher = startWatcher(input)
  const pieces = gathering(output)
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
    write(text) {
      pieces.flush()
      output.write(text)
    },
  }
  return {
    surface,
    write(bytes) {
      if (bytes.length === 0) return
      isAtStart = bytes[bytes.length - 1] === NEWLINE
      pieces.write(bytes)
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
      pieces.flush()
      release()
      if (needsReset || isAlternate) output.write((isAlternate ? MAIN_SCREEN : '') + RESET_SCREEN)
      watcher?.dismiss()
    },
  }
}

/**
 * A pty gives 4 KiB at a time. A piece that comes by itself is written at once, so that no key waits; of a flood many are
 * written together.
 */
function gathering(output: NodeJS.WriteStream): { write(bytes: Buffer): void; flush(): void } {
  let queue: Buffer[] = []
  let size = 0
  let timer: NodeJS.Timeout | undefined
  let writtenAt = 0
  const flush = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (size === 0) return
    const whole = queue.length === 1 ? queue[0] : Buffer.concat(queue, size)
    queue = []
    size = 0
    if (whole) output.write(whole)
    writtenAt = performance.now()
  }
  return {
    flush,
    write(bytes) {
      queue.push(bytes)
      size += bytes.length
      if (size >= MAX_GATHERED || (!timer && performance.now() - writtenAt > FLOOD_MS)) flush()
      else timer ??= setTimeout(flush, FLOOD_MS)
    },
  }
}

const MAX_GATHERED = 65_536
/** Pieces that follow each other faster than this are a flood. */
const FLOOD_MS = 1

function attach(input: NodeJS.ReadStream, output: NodeJS.WriteStream, taking: Taking): () => void {
  const raw = (isRaw: boolean): void => {
    if (input.isTTY) input.setRawMode(isRaw)
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
    resize()
  }
  raw(true)
  input.on('data', taking.onKeys)
  input.on('end', taking.onGone)
  input.on('error', taking.onGone)
  input.resume()
  output.on('resize', resize)
  process.on('SIGTSTP', stop)
  process.on('SIGCONT', resume)
  return () => {
    input.off('data', taking.onKeys)
    input.off('end', taking.onGone)
    input.off('error', taking.onGone)
    output.off('resize', resize)
    process.off('SIGTSTP', stop)
    process.off('SIGCONT', resume)
    raw(false)
    input.pause()
  }
}
