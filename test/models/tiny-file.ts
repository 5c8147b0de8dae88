import { toGguf } from '../embedded/support/write-gguf.ts'

/** The smallest GGUF file that can be read. */
export const tinyFile = (name = 'tiny'): Buffer =>
  toGguf(
    { 'general.architecture': 'llama', 'general.name': name, 'llama.context_length': { uint32: 4096 } },
    [{ name: 'token_embd.weight', shape: [32, 2], values: new Float32Array(64) }],
  )
