/**
 * Reads on where the stream of a pty stops. Linux gives a pty's output in pieces of at most 4 KiB, and an event of the stream
 * for each piece costs more than its bytes. After a large piece, what follows is read directly into a buffer that is used
 * again and again.
 */
import { readSync } from 'node:fs'

export type DrainOptions = {
  readonly fd: number
  /** False while the stream itself still holds later bytes: those come first. */
  isInOrder(): boolean
}

/** A smaller piece is all there was. A key that is echoed costs no further call. */
const LARGE = 1024
/** So much at once, then keys and signals have their turn. */
const MAX_BATCH = 65_536
/** What one call may give, with room to spare. */
const MAX_PIECE = 8192

/** Takes a piece and gives it with what followed it. The result is valid until the next call. */
export function createDrain({ fd, isInOrder }: DrainOptions): (piece: Buffer) => Buffer {
  const batch = Buffer.allocUnsafeSlow(MAX_BATCH + MAX_PIECE)
  return (piece) => {
    if (piece.length < LARGE || piece.length >= MAX_BATCH || !isInOrder()) return piece
    let size = piece.copy(batch)
    for (let last = size; last >= LARGE && size < MAX_BATCH; size += last) last = readNow(fd, batch, size)
    return batch.subarray(0, size)
  }
}

/** 0 where there is nothing now, or nothing any more: the stream itself sees the end and reports it. */
function readNow(fd: number, into: Buffer, at: number): number {
  const { stackTraceLimit } = Error
  // Nothing to read is an error here, and half of its cost is the stack.
  Error.stackTraceLimit = 0
  try {
    return readSync(fd, into, at, MAX_PIECE, null)
  } catch {
    return 0
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}
