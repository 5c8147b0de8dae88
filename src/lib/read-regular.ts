/**
 * Reading a file that another party controls: never through a link at its name, never from a device or a pipe, never
 * more than asked for. A project may hold `.git/index -> /dev/zero`, and opening a pipe would wait for ever.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { open } from 'node:fs/promises'

export type RegularFile = { readonly bytes: Buffer; readonly mode: number }

const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** Nothing for what is missing, no regular file, unreadable or larger than `maxBytes`. */
export function readRegularSync(path: string, maxBytes: number): RegularFile | undefined {
  let handle: number | undefined
  try {
    handle = openSync(path, FLAGS)
    const info = fstatSync(handle)
    if (!info.isFile() || info.size > maxBytes) return undefined
    const buffer = Buffer.alloc(Math.min(maxBytes, info.size) + 1)
    let length = 0
    for (let read = -1; read !== 0 && length < buffer.length; length += read) {
      read = readSync(handle, buffer, length, buffer.length - length, length)
    }
    // It grew meanwhile.
    if (length > info.size) return undefined
    return { bytes: buffer.subarray(0, length), mode: info.mode & 0o7777 }
  } catch {
    return undefined
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}

/** The same without blocking others. Rejects with the system's error for what cannot be opened. */
export async function readRegular(path: string, maxBytes: number): Promise<RegularFile | undefined> {
  const handle = await open(path, FLAGS)
  try {
    const info = await handle.stat()
    if (!info.isFile() || info.size > maxBytes) return undefined
    const buffer = Buffer.alloc(Math.min(maxBytes, info.size) + 1)
    let length = 0
    for (let read = -1; read !== 0 && length < buffer.length; length += read) {
      read = (await handle.read(buffer, length, buffer.length - length, length)).bytesRead
    }
    if (length > info.size) return undefined
    return { bytes: buffer.subarray(0, length), mode: info.mode & 0o7777 }
  } finally {
    await handle.close()
  }
}
