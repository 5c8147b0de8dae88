/** The list of tensors in a GGUF header: whether each lies inside the file, and how much there is of them. */
import type { GgufCursor } from './cursor.ts'

export type TensorTotals = { readonly tensors: number; readonly parameters: number }

const MAX_TENSORS = 100_000
const MAX_DIMENSIONS = 4
const LONGEST_NAME = 64

export function readTensors(cursor: GgufCursor, count: number, alignment: number): TensorTotals {
  if (count > MAX_TENSORS) cursor.fail(`it claims ${count} tensors`)
  if (!isPowerOfTwo(alignment)) cursor.fail(`its alignment is ${alignment}`)
  const tensors = Array.from({ length: count }, () => readTensor(cursor))
  const names = new Set(tensors.map(({ name }) => name))
  if (names.size < tensors.length) cursor.fail('two of its tensors have the same name')
  const start = Math.ceil(cursor.at / alignment) * alignment
  for (const { name, offset, bytes } of tensors) {
    if (offset % alignment !== 0) cursor.fail(`the tensor "${name}" is not aligned`)
    const missing = start + offset + bytes - cursor.size
    if (missing > 0) cursor.fail(`${missing} bytes of the tensor "${name}" are missing`)
  }
  return { tensors: count, parameters: tensors.reduce((sum, { elements }) => sum + elements, 0) }
}

const isPowerOfTwo = (value: number): boolean =>
  value >= 1 && value <= 1 << 20 && Number.isInteger(Math.log2(value))

type Tensor = {
  readonly name: string
  readonly offset: number
  readonly elements: number
  /** What it takes in the file; at least one byte where its type is not known. */
  readonly bytes: number
}

function readTensor(cursor: GgufCursor): Tensor {
  const name = cursor.string('the name of a tensor', LONGEST_NAME)
  const dimensions = cursor.uint32()
  if (dimensions < 1 || dimensions > MAX_DIMENSIONS)
    cursor.fail(`the tensor "${name}" has ${dimensions} dimensions`)
  const shape = Array.from({ length: dimensions }, () =>
    cursor.count(`elements in "${name}"`, Number.MAX_SAFE_INTEGER),
  )
  const elements = shape.reduce((product, length) => product * length, 1)
  if (elements < 1 || !Number.isSafeInteger(elements))
    cursor.fail(`the tensor "${name}" has ${elements} elements`)
  const [block, bytes] = BLOCKS[cursor.uint32()] ?? [elements, 1]
  if ((shape[0] ?? 0) % block !== 0 && block !== elements)
    cursor.fail(`the rows of "${name}" do not fill whole blocks`)
  const offset = cursor.count(`bytes before "${name}"`, Number.MAX_SAFE_INTEGER)
  return { name, offset, elements, bytes: (elements / block) * bytes }
}

/** Elements and bytes of one block, by ggml's number of the type. */
const BLOCKS: Readonly<Record<number, readonly [number, number]>> = {
  0: [1, 4], // F32
  1: [1, 2], // F16
  2: [32, 18], // Q4_0
  3: [32, 20],
  6: [32, 22],
  7: [32, 24],
  8: [32, 34], // Q8_0
  9: [32, 36],
  10: [256, 84], // Q2_K
  11: [256, 110],
  12: [256, 144],
  13: [256, 176],
  14: [256, 210],
  15: [256, 292],
  16: [256, 66], // IQ2_XXS
  17: [256, 74],
  18: [256, 98],
  19: [256, 50],
  20: [32, 18],
  21: [256, 110],
  22: [256, 82],
  23: [256, 136],
  24: [1, 1], // I8
  25: [1, 2],
  26: [1, 4],
  27: [1, 8],
  28: [1, 8], // F64
  29: [256, 56], // IQ1_M
  30: [1, 2], // BF16
  34: [256, 54], // TQ1_0
  35: [256, 66],
  39: [32, 17], // MXFP4
}
