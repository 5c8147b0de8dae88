/** A small JSON file of this person's decisions: private, replaced as a whole, read again before every change. */
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { z } from 'zod'
import { AppError, errorMessage } from '../protocol/error.ts'
import { errnoOf, writeAtomic } from '../lib/atomic-write.ts'
import { ensureFolder } from '../lib/ensure-folder.ts'

export type JsonFile<T> = {
  /** As it was when last read or written. */
  value(): T
  /** Another process may have changed the file since: `change` gets what is in it now. */
  update(change: (now: T) => T): Promise<void>
}

export async function openJsonFile<T>(path: string, schema: z.ZodType<T>, empty: T): Promise<JsonFile<T>> {
  const read = async (): Promise<T> => {
    const text = await readFile(path, 'utf8').catch((error: unknown) => {
      if (errnoOf(error) === 'ENOENT') return undefined
      throw new AppError('config-invalid', `${path} cannot be read: ${errorMessage(error)}`, { cause: error })
    })
    return text === undefined ? empty : parse(path, text, schema)
  }
  let value: T = await read()
  let last: Promise<unknown> = Promise.resolve()
  const write = async (change: (now: T) => T): Promise<void> => {
    value = change(await read())
    await ensureFolder(dirname(path))
    await writeAtomic(path, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
  }
  return {
    value: () => value,
    update: (change) => {
      const written = last.then(() => write(change))
      last = written.catch(() => undefined)
      return written
    },
  }
}

function parse<T>(path: string, text: string, schema: z.ZodType<T>): T {
  try {
    return schema.parse(JSON.parse(text))
  } catch (error) {
    const message = `${path} is damaged; correct it, or delete it to be asked again.`
    throw new AppError('config-invalid', message, { cause: error })
  }
}
