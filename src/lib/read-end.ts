import { open } from 'node:fs/promises'

const MOST_BYTES = 128 * 1024

/** The last lines of a file that grows; the first of them may be cut. Empty without a file. */
export async function readEnd(path: string): Promise<readonly string[]> {
  const file = await open(path, 'r').catch(() => undefined)
  if (!file) return []
  try {
    const { size } = await file.stat()
    const from = Math.max(0, size - MOST_BYTES)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from)
    return buffer.subarray(0, bytesRead).toString('utf8').split('\n')
  } finally {
    await file.close()
  }
}
