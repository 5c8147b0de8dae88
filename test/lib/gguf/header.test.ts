import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readGguf } from '../../../src/lib/gguf/header.ts'
import { AppError } from '../../../src/protocol/error.ts'
import { CHATML, writeTinyModel } from '../../embedded/support/tiny-gguf.ts'
import { type GgufValue, text, toGguf, uint32, uint64 } from '../../embedded/support/write-gguf.ts'
import { runs } from '../../support/runs.ts'

let folder: string
let whole: Buffer

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'covey-gguf-'))
  await writeTinyModel(join(folder, 'whole.gguf'))
  whole = await readFile(join(folder, 'whole.gguf'))
})

afterAll(() => rm(folder, { recursive: true }))

let count = 0
async function read(bytes: Uint8Array) {
  const path = join(folder, `${count++}.gguf`)
  await writeFile(path, bytes)
  return readGguf(path)
}

test('the header of a model tells what is needed of it', async () => {
  const header = await readGguf(join(folder, 'whole.gguf'))

  expect(header).toEqual({
    bytes: whole.length,
    architecture: 'llama',
    name: 'tiny',
    contextLength: 4096,
    layers: 2,
    tensors: 21,
    parameters: 128_064,
    chatTemplate: CHATML,
    tokenizer: 'gpt2',
    bos: { id: 416, text: '<|im_start|>' },
    eos: { id: 417, text: '<|im_end|>' },
  })
})

test('a header longer than the first read is read on', async () => {
  const long = { strings: Array.from({ length: 90_000 }, (_, index) => `token number ${index}`) }

  const header = await read(
    toGguf(
      {
        'general.architecture': 'llama',
        'tokenizer.ggml.tokens': long,
        'tokenizer.ggml.eos_token_id': { uint32: 89_999 },
      },
      [],
    ),
  )

  expect(header.eos).toEqual({ id: 89_999, text: 'token number 89999' })
})

test('a file that is not there is an error that names it', async () => {
  await expect(readGguf(join(folder, 'missing.gguf'))).rejects.toThrow(
    /missing\.gguf cannot be opened: ENOENT/,
  )
})

const llama: Record<string, GgufValue> = { 'general.architecture': 'llama' }
const tensor = (name: string) => ({ name, shape: [32], values: new Float32Array(32) })
const head = (...rest: Buffer[]) => Buffer.concat([Buffer.from('GGUF'), uint32(3), ...rest])
const huge = 2n ** 63n

describe('refused with what is wrong:', () => {
  test.each<[string, () => Uint8Array, string]>([
    ['an empty file', () => Buffer.alloc(0), 'it is only 0 bytes long'],
    [
      'another kind of file',
      () => Buffer.from('PK\u0003\u0004 a zip file, by its name'),
      'it does not begin with "GGUF"',
    ],
    [
      'version 1',
      () => Buffer.concat([Buffer.from('GGUF'), uint32(1), uint64(0), uint64(0)]),
      'its version is 1',
    ],
    [
      'big-endian',
      () => Buffer.concat([Buffer.from('GGUF'), Buffer.from([0, 0, 0, 3]), uint64(0), uint64(0)]),
      'big-endian machines',
    ],
    ['no architecture', () => toGguf({}, []), 'it names no architecture'],
    ['too many tensors', () => head(uint64(huge), uint64(0)), 'it claims 9223372036854775808 tensors'],
    ['too many keys', () => head(uint64(0), uint64(huge)), 'metadata keys'],
    ['an endless key', () => head(uint64(0), uint64(1), uint64(huge)), 'bytes in a metadata key'],
    [
      'a key past the end',
      () => head(uint64(0), uint64(1), uint64(20), Buffer.from('short')),
      'reaches past its end',
    ],
    [
      'an unknown type',
      () => toGguf({ ...llama, x: { type: 99, bytes: uint64(0) } }, []),
      '"x" has the unknown type 99',
    ],
    [
      'an endless list',
      () => toGguf({ ...llama, x: { type: 9, bytes: Buffer.concat([uint32(4), uint64(huge)]) } }, []),
      'elements of "x"',
    ],
    [
      'a list of lists',
      () => toGguf({ ...llama, x: { type: 9, bytes: Buffer.concat([uint32(9), uint64(1)]) } }, []),
      '"x" is a list of the unknown type 9',
    ],
    [
      'a key twice',
      () => head(uint64(0), uint64(2), ...[1, 2].map(() => Buffer.concat([text('a'), uint32(4), uint32(1)]))),
      'the key "a" occurs twice',
    ],
    [
      'an odd alignment',
      () => toGguf({ ...llama, 'general.alignment': { uint32: 3 } }, []),
      'its alignment is 3',
    ],
    ['a tensor twice', () => toGguf(llama, [tensor('a'), tensor('a')]), 'have the same name'],
    [
      'a long tensor name',
      () => toGguf(llama, [tensor('a'.repeat(65))]),
      'the name of a tensor is 65 bytes long',
    ],
    ['no elements', () => toGguf(llama, [{ ...tensor('a'), shape: [0] }]), 'has 0 elements'],
    ['too many elements', () => toGguf(llama, [{ ...tensor('a'), shape: [2 ** 30, 2 ** 30] }]), '"a" has'],
    [
      'five dimensions',
      () => toGguf(llama, [{ ...tensor('a'), shape: [1, 1, 1, 1, 32] }]),
      'has 5 dimensions',
    ],
    [
      'a shape beyond its data',
      () => toGguf(llama, [{ ...tensor('a'), shape: [64] }]),
      '128 bytes of the tensor "a"',
    ],
  ])('%s', async (_, bytes, message) => {
    const error = await read(bytes()).catch((thrown: unknown) => thrown)

    expect(error).toBeInstanceOf(AppError)
    expect(error).toMatchObject({ code: 'model-unavailable', message: expect.stringContaining(message) })
  })
})

test('a file cut off anywhere is refused', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: whole.length - 1 }), async (length) => {
      await expect(read(whole.subarray(0, length))).rejects.toMatchObject({ code: 'model-unavailable' })
    }),
    { numRuns: runs(30, 100) },
  )
})

test('whatever bytes are changed, the header is read or refused, and nothing else happens', async () => {
  const change = fc.record({ at: fc.integer({ min: 0, max: 9_000 }), byte: fc.integer({ min: 0, max: 255 }) })

  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), async (changes) => {
      const bytes = Buffer.from(whole)
      for (const { at, byte } of changes) bytes[at] = byte

      const outcome = await read(bytes).catch((error: unknown) => error)

      if (outcome instanceof Error) expect(outcome).toBeInstanceOf(AppError)
    }),
    { numRuns: runs(50, 200) },
  )
})
