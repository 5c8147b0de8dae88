/**
 * Append-only JSON lines that survive what disks and processes do. A line is
 * `{"sum":"<crc32 of what follows>","seq":12,"record":{...}}`: plain JSON for grep, and a flipped bit, a torn tail or a
 * lost line is noticed. Appending is one synchronous write (microseconds; the order of calls is the order on disk),
 * `sync` makes it durable. What is damaged costs its own record only; the records around it stay readable.
 */
import { fdatasync, ftruncateSync, writeSync } from 'node:fs'
import { appendFile, type FileHandle, open } from 'node:fs/promises'
import { promisify } from 'node:util'
import { AppError } from '../../protocol/error.ts'
import { storageError } from '../atomic-write.ts'
import {
  CHUNK,
  type Found,
  type JsonlDamage,
  MAX_LINE,
  readRecords,
  scan,
  type Tail,
  toLine,
} from './scan.ts'

export type JsonlFile = {
  /** On return the record is with the operating system; on a throw nothing of it is in the file. */
  append(record: object): void
  /** On return everything appended before the call is on the disk. */
  sync(): Promise<void>
  /** The records of this moment, batch by batch, without those appended meanwhile; also after the file is closed. */
  read(): AsyncGenerator<readonly unknown[]>
  close(): Promise<void>
}

export type JsonlOpened = {
  readonly file: JsonlFile
  readonly damage: readonly JsonlDamage[]
  /** Bytes of a torn last line, moved to `<path>.torn`. */
  readonly tornBytes: number
}

/** The three calls a full or broken disk refuses; tests hand in a disk that does. */
export type JsonlDisk = {
  write(descriptor: number, bytes: Uint8Array): number
  truncate(descriptor: number, length: number): void
  sync(descriptor: number): Promise<void>
}

/** Opens for appending, repairs a torn tail and passes every readable record to `onRecord`. One writer at a time. */
export async function openJsonl(
  path: string,
  onRecord: (record: unknown) => void,
  disk: JsonlDisk = realDisk,
): Promise<JsonlOpened> {
  const handle = await open(path, 'a+', 0o600).catch((error: unknown) => {
    throw storageError(path, error)
  })
  try {
    const { size } = await handle.stat()
    const damage: JsonlDamage[] = []
    let nextSeq = 1
    let tail: Tail | undefined
    const take = (found: Found): void => {
      if (found.kind === 'damage') damage.push(found.damage)
      else if (found.kind === 'tail') tail = found
      else {
        nextSeq = found.seq + 1
        onRecord(found.record)
      }
    }
    for await (const batch of scan(handle, size)) batch.forEach(take)
    const file = new AppendFile({ path, handle, disk, end: tail ? tail.offset : size, nextSeq })
    const tornBytes = tail ? await file.repair(tail, onRecord) : 0
    return { file, damage, tornBytes }
  } catch (error) {
    await handle.close()
    throw storageError(path, error)
  }
}

/** Reads without repairing, also while another process appends. A torn tail and damaged lines are passed over. */
export async function* readJsonl(
  path: string,
  end = Number.POSITIVE_INFINITY,
): AsyncGenerator<readonly unknown[]> {
  const handle = await open(path, 'r').catch((error: unknown) => {
    throw storageError(path, error)
  })
  try {
    yield* readRecords(handle, Math.min(end, (await handle.stat()).size))
  } finally {
    await handle.close()
  }
}

const realDisk: JsonlDisk = {
  write: (descriptor, bytes) => writeSync(descriptor, bytes),
  truncate: ftruncateSync,
  sync: promisify(fdatasync),
}

type AppendState = {
  readonly path: string
  readonly handle: FileHandle
  readonly disk: JsonlDisk
  /** Length of the file up to the last whole line. */
  end: number
  nextSeq: number
}

class AppendFile implements JsonlFile {
  readonly #state: AppendState
  /** A failed write left bytes behind `end` that are not cut off yet. */
  #dirty = false
  #syncedEnd = 0
  #syncing: Promise<void> = Promise.resolve()

  constructor(state: AppendState) {
    this.#state = state
  }

  append(record: object): void {
    const line = toLine(this.#state.nextSeq, record)
    if (line.length > MAX_LINE) {
      const size = `${Math.round(line.length / 1_048_576)} MiB`
      throw new AppError(
        'request-invalid',
        `One record of ${size} is too large for ${this.#state.path}; the most is 64 MiB`,
      )
    }
    this.#write(line)
    this.#state.nextSeq++
  }

  sync(): Promise<void> {
    const { path, handle, disk, end } = this.#state
    // One at a time: callers are answered in the order of their appends, and who comes late finds the work done.
    const synced = this.#syncing.then(async () => {
      if (this.#syncedEnd >= end) return
      const reached = this.#state.end
      await disk.sync(handle.fd).catch((error: unknown) => {
        throw storageError(path, error)
      })
      this.#syncedEnd = reached
    })
    this.#syncing = synced.catch(() => undefined)
    return synced
  }

  read(): AsyncGenerator<readonly unknown[]> {
    return readJsonl(this.#state.path, this.#state.end)
  }

  async close(): Promise<void> {
    await this.#syncing
    await this.#state.handle.close()
  }

  /** A last line without its line end: whole, it only lacks the end; torn, it is put aside and cut off. */
  async repair(tail: Tail, onRecord: (record: unknown) => void): Promise<number> {
    const { path, handle, disk } = this.#state
    if (tail.whole) {
      disk.write(handle.fd, Buffer.from('\n'))
      this.#state.end += tail.bytes + 1
      this.#state.nextSeq = tail.whole.seq + 1
      onRecord(tail.whole.record)
      return 0
    }
    await keepAside(handle, tail, `${path}.torn`)
    disk.truncate(handle.fd, tail.offset)
    await disk.sync(handle.fd)
    return tail.bytes
  }

  #write(line: Uint8Array): void {
    const { path, handle, disk } = this.#state
    try {
      if (this.#dirty) this.#rollBack()
      this.#dirty = true
      for (let done = 0; done < line.length;) done += disk.write(handle.fd, line.subarray(done))
      this.#dirty = false
      this.#state.end += line.length
    } catch (error) {
      this.#tryRollBack()
      throw storageError(path, error)
    }
  }

  #rollBack(): void {
    this.#state.disk.truncate(this.#state.handle.fd, this.#state.end)
    this.#dirty = false
  }

  #tryRollBack(): void {
    try {
      this.#rollBack()
    } catch {
      // Still dirty: the next append cuts the rest off before it writes, or fails in turn.
    }
  }
}

async function keepAside(handle: FileHandle, tail: Tail, path: string): Promise<void> {
  const buffer = Buffer.allocUnsafe(CHUNK)
  for (let done = 0; done < tail.bytes;) {
    const { bytesRead } = await handle.read(buffer, 0, Math.min(CHUNK, tail.bytes - done), tail.offset + done)
    if (bytesRead === 0) break
    await appendFile(path, buffer.subarray(0, bytesRead), { mode: 0o600 })
    done += bytesRead
  }
  await appendFile(path, '\n')
}
