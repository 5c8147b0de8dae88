/**
 * A small private JSON file that the command line and a running server both change. Every change is made under a lock
 * on what the file says by then, and replaces it as a whole; a reader sees the old one or the new one.
 */
import { statSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { z } from 'zod'
import { errnoOf, storageError, writeAtomic } from '../lib/atomic-write.ts'
import { waitForLock } from '../lib/lock.ts'
import { AppError } from '../protocol/error.ts'

export type Shelf<State> = {
  /** Looked at again whenever the file changed. */
  read(): Promise<State>
  /** Returns what `change` does beside the state it gives back. */
  update<Result>(change: (state: State) => readonly [State, Result]): Promise<Result>
}

export type ShelfParts<State> = {
  readonly path: string
  readonly schema: z.ZodType<State>
  readonly empty: State
}

export function openShelf<State>({ path, schema, empty }: ShelfParts<State>): Shelf<State> {
  let known: { readonly stamp: string; readonly state: State } | undefined
  const read = async (): Promise<State> => {
    const stamp = stampOf(path)
    if (known?.stamp !== stamp) known = { stamp, state: await load(path, schema, empty) }
    return known.state
  }
  return {
    read,
    async update(change) {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      const lock = await waitForLock(path)
      try {
        const before = await load(path, schema, empty)
        const [after, result] = change(before)
        if (after !== before) {
          await writeAtomic(path, `${JSON.stringify(after, null, 2)}\n`, { mode: 0o600 })
        }
        return result
      } finally {
        await lock.release()
      }
    },
  }
}

/** Another file has another inode: replacing it within one tick of the clock is noticed too. */
function stampOf(path: string): string {
  try {
    const info = statSync(path, { bigint: true, throwIfNoEntry: false })
    return info ? `${info.ino}-${info.mtimeNs}-${info.size}` : ''
  } catch (error) {
    throw storageError(path, error)
  }
}

async function load<State>(path: string, schema: z.ZodType<State>, empty: State): Promise<State> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw storageError(path, error)
  })
  if (text === undefined) return empty
  try {
    return schema.parse(JSON.parse(text))
  } catch (error) {
    const message = `${path} is damaged; correct it, or delete it and pair your machines again.`
    throw new AppError('config-invalid', message, { cause: error })
  }
}
