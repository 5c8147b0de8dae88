/**
 * A file that is not complete yet, in a folder of its own: the bytes, and a note of which of them are there. The note is
 * written after its bytes are safely on the disk, so that it never claims too much, whatever ends this process.
 */
import { type FileHandle, open, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { storageError, writeAtomic } from '../lib/atomic-write.ts'

/** What a partial file belongs to; the bytes of another one are of no use. */
export type Identity = {
  readonly size: number
  /** Changes with the content; where a server sends none, only a sha256 can vouch for what was kept. */
  readonly etag: string
  readonly chunkBytes: number
}

export type Chunk = {
  readonly start: number
  readonly length: number
  /** From its start on. */
  written: number
}

export type PartialFile = {
  readonly chunks: readonly Chunk[]
  /** Bytes already there. */
  written(): number
  write(chunk: Chunk, bytes: Uint8Array): Promise<void>
  /** Makes what was written so far survive. */
  save(): Promise<void>
  close(): Promise<void>
}

export const dataFile = (folder: string): string => join(folder, 'data')
const noteFile = (folder: string): string => join(folder, 'progress.json')

const Note = z.object({
  size: z.int().min(0),
  etag: z.string(),
  chunkBytes: z.int().positive(),
  written: z.array(z.int().min(0)),
})

/** How much of the file is in the folder, without touching it. */
export async function keptBytes(folder: string, identity: Identity): Promise<number> {
  return (await readNote(folder, identity)).reduce((sum, written) => sum + written, 0)
}

/** Goes on where an earlier download of the same file stopped, and begins anew where it was another one. */
export async function openPartial(folder: string, identity: Identity): Promise<PartialFile> {
  const kept = await readNote(folder, identity)
  if (kept.length === 0) await discard(folder)
  const chunks = toChunks(identity, kept)
  const handle = await openData(folder, kept.length === 0 ? 'w' : 'r+')
  let saving: Promise<void> = Promise.resolve()
  const save = async (): Promise<void> => {
    const written = chunks.map((chunk) => chunk.written)
    await handle.datasync()
    await writeAtomic(noteFile(folder), JSON.stringify({ ...identity, written }))
  }
  return {
    chunks,
    written: () => chunks.reduce((sum, { written }) => sum + written, 0),
    async write(chunk, bytes) {
      await writeAll(handle, bytes, chunk.start + chunk.written)
      chunk.written += bytes.length
    },
    // One after the other: an older note must not replace a newer one.
    save: () => (saving = saving.then(save)),
    close: () => handle.close(),
  }
}

/** The note first: one that outlives its bytes would claim what is not there. */
export async function discard(folder: string): Promise<void> {
  await rm(noteFile(folder), { force: true })
  await rm(dataFile(folder), { force: true })
}

/** Bytes there of each chunk; none at all where there is nothing to go on from. */
async function readNote(folder: string, identity: Identity): Promise<readonly number[]> {
  const text = await readFile(noteFile(folder), 'utf8').catch(() => '{}')
  const note = Note.safeParse(parseQuietly(text)).data
  const chunks = toChunks(identity, [])
  const isSame =
    note?.size === identity.size && note.etag === identity.etag && note.chunkBytes === identity.chunkBytes
  if (!isSame || note.written.length !== chunks.length) return []
  const kept = note.written.map((written, index) => Math.min(written, chunks[index]?.length ?? 0))
  const size = await stat(dataFile(folder)).then(
    (data) => data.size,
    () => 0,
  )
  const isThere = chunks.every(({ start }, index) => kept[index] === 0 || start + (kept[index] ?? 0) <= size)
  return isThere ? kept : []
}

function parseQuietly(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const toChunks = ({ size, chunkBytes }: Identity, kept: readonly number[]): Chunk[] =>
  Array.from({ length: Math.ceil(size / chunkBytes) }, (_, index) => ({
    start: index * chunkBytes,
    length: Math.min(chunkBytes, size - index * chunkBytes),
    written: kept[index] ?? 0,
  }))

export async function openData(folder: string, flags: 'w' | 'r+'): Promise<FileHandle> {
  try {
    return await open(dataFile(folder), flags, 0o644)
  } catch (error) {
    throw storageError(dataFile(folder), error)
  }
}

/** A full disk writes less than it was given, or nothing. */
export async function writeAll(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    try {
      const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done)
      if (bytesWritten === 0) throw new Error('it takes nothing more; free some space and try again')
      done += bytesWritten
    } catch (error) {
      throw storageError('the model folder', error)
    }
  }
}
