/**
 * Bodies of any size: small ones travel in the message, large ones wait in the object store and are taken away by
 * whoever asked. What is left behind by somebody who died, the broker drops by age.
 */
import type { ObjectStore } from '@nats-io/obj'
import { AppError } from '../protocol/error.ts'
import { MAX_BODY } from './nats-job.ts'

/** Brokers refuse messages above 1 MB; half of it leaves room for the header. */
export const MAX_INLINE = 512 * 1024

type Packed = { readonly inline: Uint8Array; readonly object?: string }

export type Bodies = {
  pack(name: string, body: Uint8Array): Promise<Packed>
  /** Nothing where it is gone or too large. */
  unpack(packed: Packed): Promise<Uint8Array | undefined>
  remove(object: string): Promise<void>
}

export const openBodies = (store: ObjectStore, maxInline: number = MAX_INLINE): Bodies => ({
  async pack(name, body) {
    if (body.length > MAX_BODY) {
      const megabytes = Math.ceil(body.length / 2 ** 20)
      throw new AppError(
        'request-invalid',
        `${megabytes} MB are too much for another machine; at most 32 go.`,
      )
    }
    if (body.length <= maxInline) return { inline: body }
    await store.putBlob({ name, options: { max_chunk_size: 128 * 1024 } }, body)
    return { inline: new Uint8Array(), object: name }
  },
  async unpack({ inline, object }) {
    if (object === undefined) return inline
    const info = await store.info(object)
    if (!info || info.deleted || info.size > MAX_BODY) return undefined
    return (await store.getBlob(object)) ?? undefined
  },
  async remove(object) {
    await store.delete(object)
  },
})
