import { constants, open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { containPath } from './contain.ts'

/** The start of a file of the project as bytes, one more than asked for when there is more; nothing if it is out of reach. */
export const readBytesInside =
  (root: string) =>
  async (path: string, maxBytes: number): Promise<Uint8Array | undefined> => {
    const { ok, real } = await containPath(resolve(root, path), { roots: [root], operation: 'read' })
    if (!ok || real === undefined) return undefined
    const handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
      () => undefined,
    )
    if (!handle) return undefined
    try {
      const info = await handle.stat()
      if (!info.isFile()) return undefined
      const { size } = info
      const buffer = Buffer.alloc(Math.min(size, maxBytes + 1))
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0)
      return buffer.subarray(0, bytesRead)
    } catch {
      return undefined
    } finally {
      await handle.close()
    }
  }
