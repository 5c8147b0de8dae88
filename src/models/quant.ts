/** Quantisations: how many bits a weight takes in each, what people call them, and which one loses less. */

/**
 * Bits per weight as llama.cpp measured them on Llama-3.1-8B. MXFP4 is gpt-oss as it is published, with what it keeps in
 * 16 bits.
 */
const BITS = {
  q2_k: 3.16,
  q3_k_m: 4.0,
  iq4_xs: 4.46,
  mxfp4: 4.63,
  q4_k_s: 4.67,
  q4_k_m: 4.89,
  q5_k_m: 5.7,
  q6_k: 6.56,
  q8_0: 8.5,
  f16: 16,
} as const

export type Quant = keyof typeof BITS

export const QUANTS = Object.keys(BITS) as readonly Quant[]

export const bitsOf = (quant: Quant): number => BITS[quant]

/**
 * How much worse than the model's best a quantisation does, in points of a catalogue entry's rank. The order is measured
 * (perplexity); the size of the steps is a judgement. MXFP4 is what the weights were trained in.
 */
export const LOSS: Readonly<Record<Quant, number>> = {
  f16: 0,
  q8_0: 0,
  mxfp4: 0,
  q6_k: 0.5,
  q5_k_m: 1,
  q4_k_m: 2,
  q4_k_s: 3,
  iq4_xs: 3,
  q3_k_m: 7,
  q2_k: 15,
}

/** What a person wrote: `Q4_K_M`, `4bit` or `4-bit` for the usual one of so many bits. Several where it is not decided. */
export function readQuant(text: string): readonly Quant[] {
  const word = text.toLowerCase().replace(/[-\s]/g, '_')
  const exact = QUANTS.find((quant) => quant === word)
  if (exact) return [exact]
  const bits = /^(\d+)_?bits?$/.exec(word)?.[1]
  return bits === undefined ? [] : (USUAL[bits] ?? [])
}

const USUAL: Readonly<Record<string, readonly Quant[]>> = {
  2: ['q2_k'],
  3: ['q3_k_m'],
  4: ['q4_k_m', 'mxfp4'],
  5: ['q5_k_m'],
  6: ['q6_k'],
  8: ['q8_0'],
  16: ['f16'],
}

/** The quantisation in the name of a GGUF file, if it says one: `Qwen3-8B-Q4_K_M.gguf`. */
export function quantInName(file: string): Quant | undefined {
  const words = file.toLowerCase().replace(/\.gguf$/, '')
  return QUANTS.find((quant) => new RegExp(`(?:^|[-._])${quant}$`).test(words))
}
