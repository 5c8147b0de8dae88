/** The bytes of a GGUF v3 file, written by hand so that a test can also write one that is wrong. */

export type GgufValue =
  | string
  | boolean
  | { readonly uint32: number }
  | { readonly float32: number }
  | { readonly strings: readonly string[] }
  | { readonly int32s: readonly number[] }
  /** The bytes of a value of any type, right or wrong. */
  | { readonly type: number; readonly bytes: Uint8Array }

export type Tensor = {
  readonly name: string
  readonly shape: readonly number[]
  readonly values: Float32Array
}

const ALIGNMENT = 32

export function toGguf(metadata: Readonly<Record<string, GgufValue>>, tensors: readonly Tensor[]): Buffer {
  const entries = Object.entries(metadata).map(([key, value]) =>
    Buffer.concat([text(key), valueBytes(value)]),
  )
  let offset = 0
  const infos = tensors.map(({ name, shape, values }) => {
    const at = offset
    offset += padded(values.byteLength)
    return Buffer.concat([text(name), uint32(shape.length), ...shape.map(uint64), uint32(0), uint64(at)])
  })
  const head = Buffer.concat([
    Buffer.from('GGUF'),
    uint32(3),
    uint64(tensors.length),
    uint64(entries.length),
    ...entries,
    ...infos,
  ])
  return Buffer.concat([pad(head), ...tensors.map(({ values }) => pad(Buffer.from(values.buffer)))])
}

export const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

export const uint64 = (value: number | bigint): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes
}

export const text = (value: string): Buffer => {
  const bytes = Buffer.from(value)
  return Buffer.concat([uint64(bytes.length), bytes])
}

function valueBytes(value: GgufValue): Buffer {
  if (typeof value === 'string') return Buffer.concat([uint32(8), text(value)])
  if (typeof value === 'boolean') return Buffer.concat([uint32(7), Buffer.from([value ? 1 : 0])])
  if ('uint32' in value) return Buffer.concat([uint32(4), uint32(value.uint32)])
  if ('float32' in value)
    return Buffer.concat([uint32(6), Buffer.from(Float32Array.of(value.float32).buffer)])
  if ('strings' in value) return list(8, value.strings.map(text))
  if ('int32s' in value) return list(5, value.int32s.map(uint32))
  return Buffer.concat([uint32(value.type), value.bytes])
}

const list = (type: number, items: readonly Buffer[]): Buffer =>
  Buffer.concat([uint32(9), uint32(type), uint64(items.length), ...items])

const padded = (length: number): number => Math.ceil(length / ALIGNMENT) * ALIGNMENT

const pad = (bytes: Buffer): Buffer =>
  Buffer.concat([bytes, Buffer.alloc(padded(bytes.length) - bytes.length)])
