/**
 * Messages over a pipe: four bytes of length, most significant first, then JSON in UTF-8. JSON keeps every text whole,
 * and the length keeps what the other side prints from being taken for a message.
 */
import { AppError } from '../../protocol/error.ts'

/** More than any interpreter of ours says at once; a larger announcement is a protocol error. */
const MAX_BYTES = 4 * 1024 * 1024
const HEADER = 4

export function toFrame(message: unknown): Uint8Array {
  const body = Buffer.from(JSON.stringify(message))
  const header = Buffer.alloc(HEADER)
  header.writeUInt32BE(body.length)
  return Buffer.concat([header, body])
}

/** Throws on bytes that are no frame; what stands unfinished at the end is dropped. */
export async function* readFrames(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> {
  let waiting: Uint8Array[] = []
  let length = 0
  let needed = HEADER
  for await (const piece of bytes) {
    waiting.push(piece)
    length += piece.length
    if (length < needed) continue
    let rest = Buffer.concat(waiting)
    for (;;) {
      needed = rest.length < HEADER ? HEADER : HEADER + bodyLength(rest)
      if (rest.length < needed) break
      yield toMessage(rest.subarray(HEADER, needed))
      rest = rest.subarray(needed)
    }
    waiting = [rest]
    length = rest.length
  }
}

function bodyLength(bytes: Buffer): number {
  const length = bytes.readUInt32BE(0)
  if (length <= MAX_BYTES) return length
  throw new AppError('tool-failed', `A message of ${length} bytes was announced, which is invalid.`)
}

function toMessage(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8')) as unknown
  } catch (error) {
    throw new AppError('tool-failed', 'Received invalid JSON instead of a message.', {
      cause: error,
    })
  }
}
