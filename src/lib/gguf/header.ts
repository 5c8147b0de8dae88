/**
 * The header of a GGUF file, read and bounded before anything native sees it: a model file comes from strangers, and the
 * C++ reader has had holes. Every length and offset is checked against the size of the file; nothing is allocated because
 * the file says so.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { AppError, errorMessage } from '../../protocol/error.ts'
import { GgufCursor, HeaderTooShort } from './cursor.ts'
import { readTensors, type TensorTotals } from './tensors.ts'

type GgufToken = { readonly id: number; readonly text: string }

export type GgufHeader = TensorTotals & {
  readonly bytes: number
  readonly architecture: string
  readonly name?: string
  /** Tokens it was trained on. */
  readonly contextLength?: number
  readonly layers?: number
  readonly chatTemplate?: string
  readonly tokenizer?: string
  readonly bos?: GgufToken
  readonly eos?: GgufToken
}

/** Real headers with 256,000 tokens and their merges take 15 MB. */
const FIRST_READ = 1 << 20
const LONGEST_HEADER = 256 << 20

/** Throws `model-unavailable` when the file cannot be read or is not what it claims to be. */
export async function readGguf(path: string): Promise<GgufHeader> {
  const file = await openModel(path)
  try {
    const { size } = await file.stat()
    for (let length = FIRST_READ; ; length *= 4) {
      const bytes = await readStart(file, Math.min(length, size, LONGEST_HEADER))
      const header = tryParse(new GgufCursor(bytes, size, path))
      if (header) return header
      if (bytes.length >= Math.min(size, LONGEST_HEADER)) throw unusable(path, 'its header does not end')
    }
  } finally {
    await file.close()
  }
}

async function openModel(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r')
  } catch (error) {
    throw new AppError('model-unavailable', `The model ${path} cannot be opened: ${errorMessage(error)}.`, {
      cause: error,
    })
  }
}

async function readStart(file: FileHandle, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length)
  const { bytesRead } = await file.read(bytes, 0, length, 0)
  return bytes.subarray(0, bytesRead)
}

const unusable = (path: string, what: string): AppError =>
  new AppError('model-unavailable', `${path} is not a usable GGUF file: ${what}. Download it again.`)

/** Nothing when the bytes at hand end before the header does. */
function tryParse(cursor: GgufCursor): GgufHeader | undefined {
  try {
    return parse(cursor)
  } catch (error) {
    if (error instanceof HeaderTooShort) return undefined
    throw error
  }
}

const MAX_KEYS = 10_000

/** Magic, version and two counts. */
const SHORTEST_FILE = 24

function parse(cursor: GgufCursor): GgufHeader {
  if (cursor.size < SHORTEST_FILE) cursor.fail(`it is only ${cursor.size} bytes long`)
  if (cursor.ascii(4) !== 'GGUF') cursor.fail('it does not begin with "GGUF"')
  requireVersion(cursor)
  const tensorCount = cursor.count('tensors')
  const metadata = readMetadata(cursor, cursor.count('metadata keys', MAX_KEYS))
  const architecture = metadata.text('general.architecture')
  if (architecture === undefined) return cursor.fail('it names no architecture')
  const totals = readTensors(cursor, tensorCount, metadata.number('general.alignment') ?? 32)
  return {
    bytes: cursor.size,
    architecture,
    ...totals,
    ...optional('name', metadata.text('general.name')),
    ...optional('contextLength', metadata.number(`${architecture}.context_length`)),
    ...optional('layers', metadata.number(`${architecture}.block_count`)),
    ...optional('chatTemplate', metadata.text('tokenizer.chat_template')),
    ...optional('tokenizer', metadata.text('tokenizer.ggml.model')),
    ...optional('bos', metadata.token('tokenizer.ggml.bos_token_id')),
    ...optional('eos', metadata.token('tokenizer.ggml.eos_token_id')),
  }
}

function requireVersion(cursor: GgufCursor): void {
  const version = cursor.uint32()
  if (version === 2 || version === 3) return
  if (version === 0x02000000 || version === 0x03000000) cursor.fail('it is written for big-endian machines')
  cursor.fail(`its version is ${version}; 2 and 3 are known`)
}

const optional = <Key extends string, Value>(key: Key, value: Value | undefined): { [K in Key]?: Value } =>
  (value === undefined ? {} : { [key]: value }) as { [K in Key]?: Value }

type Metadata = {
  text(key: string): string | undefined
  number(key: string): number | undefined
  /** The token whose number stands under `key`. */
  token(key: string): GgufToken | undefined
}

const STRING = 8
const ARRAY = 9
/** Bytes of the types that have a fixed size, by type number. */
const SIZES: Readonly<Record<number, number>> = {
  0: 1,
  1: 1,
  2: 2,
  3: 2,
  4: 4,
  5: 4,
  6: 4,
  7: 1,
  10: 8,
  11: 8,
  12: 8,
}

function readMetadata(cursor: GgufCursor, keys: number): Metadata {
  const values = new Map<string, string | number>()
  const seen = new Set<string>()
  let tokens: { readonly at: number; readonly count: number } | undefined
  for (let index = 0; index < keys; index++) {
    const key = cursor.string('a metadata key', 65_535)
    if (seen.has(key)) cursor.fail(`the key "${key}" occurs twice`)
    seen.add(key)
    const type = cursor.uint32()
    if (type === ARRAY) {
      const list = skipArray(cursor, key)
      if (key === 'tokenizer.ggml.tokens' && list.type === STRING) tokens = list
    } else values.set(key, readScalar(cursor, type, key))
  }
  const read = <Kind extends 'string' | 'number'>(key: string, kind: Kind) => {
    const value = values.get(key)
    return typeof value === kind ? (value as Kind extends 'string' ? string : number) : undefined
  }
  return {
    text: (key) => read(key, 'string'),
    number: (key) => read(key, 'number'),
    token(key) {
      const id = read(key, 'number')
      if (id === undefined || !tokens || id < 0 || id >= tokens.count) return undefined
      return { id, text: cursor.stringIn(tokens.at, id) }
    },
  }
}

/** Past the elements; what is needed of a list is read again from its place. */
function skipArray(cursor: GgufCursor, key: string): { type: number; at: number; count: number } {
  const type = cursor.uint32()
  const count = cursor.count(`elements of "${key}"`)
  const at = cursor.at
  const size = SIZES[type]
  if (size !== undefined) cursor.skip(count * size, `"${key}"`)
  else if (type === STRING)
    for (let index = 0; index < count; index++) cursor.skip(cursor.count(`bytes of "${key}"`), `"${key}"`)
  else cursor.fail(`"${key}" is a list of the unknown type ${type}`)
  return { type, at, count }
}

const LONGEST_TEXT = 16 << 20

function readScalar(cursor: GgufCursor, type: number, key: string): string | number {
  if (type === STRING) return cursor.string(`"${key}"`, LONGEST_TEXT)
  const size = SIZES[type]
  if (size === undefined) return cursor.fail(`"${key}" has the unknown type ${type}`)
  return cursor.number(type, size)
}
