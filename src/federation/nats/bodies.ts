/**
 * Bodies of any size: small ones travel in the message, large ones wait in the object store and are deleted by
 * the caller. What a dead caller leaves behind, the broker drops by age.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { ObjectStore } from '@nats-io/obj'
import { TimeoutError } from '@nats-io/transport-node'
import { AppError } from '../../protocol/error.ts'
import { MAX_BODY } from './job.ts'

/** Brokers refuse messages above 1 MB, if they are not told otherwise; half of it leaves room for the header. */
export const MAX_INLINE = 512 * 1024
const MAX_CHUNK = 128 * 1024

/** `object` is its name in the object store, if it is too large for a message. */
export type Packed = { readonly inline: Uint8Array; readonly object?: string }

export type Bodies = {
  /** What goes into one message, in bytes. */
  readonly maxInline: number
  pack(name: string, body: Uint8Array): Promise<Packed>
  /** Nothing where it is gone or too large. */
  unpack(packed: Packed): Promise<Uint8Array | undefined>
  remove(object: string): Promise<void>
}

export type BodySizes = {
  readonly maxInline: number
  /** The largest message that this broker takes. */
  readonly maxPayload: number
}

export function openBodies(store: ObjectStore, sizes: BodySizes): Bodies {
  const maxInline = Math.min(sizes.maxInline, sizes.maxPayload / 2)
  const max_chunk_size = Math.floor(Math.min(MAX_CHUNK, sizes.maxPayload / 2))
  return {
    maxInline,
    async pack(name, body) {
      if (body.length > MAX_BODY) throw tooLarge(body.length)
      if (body.length <= maxInline) return { inline: body }
      await store.putBlob({ name, options: { max_chunk_size } }, body)
      return { inline: new Uint8Array(), object: name }
    },
    async unpack({ inline, object }) {
      if (object === undefined) return inline
      const info = await store.info(object)
      if (!info || info.deleted || info.options?.link || info.size > MAX_BODY) return undefined
      return read(store, object)
    },
    async remove(object) {
      await store.delete(object)
    },
  }
}

/**
 * Others may write to the store: an entry that names more bytes than it says, bytes that are not there, or that leads
 * elsewhere is no body.
 */
async function read(store: ObjectStore, object: string): Promise<Uint8Array | undefined> {
  const found = await store.get(object)
  if (!found) return undefined
  found.error.catch(() => undefined)
  const reader = found.data.getReader()
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for (;;) {
      const { done, value } = await within(reader.read(), CHUNK_MS)
      if (done) return Buffer.concat(chunks)
      bytes += value.length
      if (bytes > MAX_BODY) return undefined
      chunks.push(value)
    }
  } catch (error) {
    if (error instanceof TimeoutError) throw error
    return undefined
  } finally {
    reader.cancel().catch(() => undefined)
  }
}

/** For one chunk, over a slow line. */
const CHUNK_MS = 20_000

async function within<T>(work: Promise<T>, ms: number): Promise<T> {
  const control = new AbortController()
  const late = delay(ms, undefined, { signal: control.signal, ref: false }).then((): never => {
    throw new Error(`nothing came for ${ms} ms`)
  })
  late.catch(() => undefined)
  try {
    return await Promise.race([work, late])
  } finally {
    control.abort()
  }
}

const tooLarge = (bytes: number): AppError => {
  const megabytes = Math.ceil(bytes / 2 ** 20)
  const message = `${megabytes} MB are too much for another machine; at most ${MAX_BODY / 2 ** 20} go.`
  return new AppError('model-unavailable', message)
}
