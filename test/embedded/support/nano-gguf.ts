/** Nano's vocabulary with random weights: it says nothing sensible, but under the grammar everything it says is legal. */
import { readFileSync, writeFileSync } from 'node:fs'
import { contract } from './nano-data.ts'
import { type GgufValue, type Tensor, toGguf } from './write-gguf.ts'

const WIDTH = 64
const HEADS = 2
const HIDDEN = 96

export function writeRandomNano(path: string, { name = 'covey-nano', seed = 1 } = {}): void {
  writeFileSync(path, toGguf(metadataOf(name), tensorsOf(seed)))
}

const merges = (
  JSON.parse(readFileSync(new URL('../../../nano/tokenizer.json', import.meta.url), 'utf8')) as {
    merges: [string, string][]
  }
).merges

/** The bytes in the order of their letters, one token per merge, the special ones last: as nano/tokenizer.py numbers them. */
const tokens = [
  ...byteLetters().toSorted((a, b) => (a < b ? -1 : 1)),
  ...merges.map(([left, right]) => left + right),
  ...contract.special_tokens,
]

function byteLetters(): string[] {
  let next = 256
  return Array.from({ length: 256 }, (_, byte) => {
    const isVisible = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174
    return String.fromCodePoint(isVisible ? byte : next++)
  })
}

function metadataOf(name: string): Record<string, GgufValue> {
  const end = { uint32: tokens.indexOf('<|im_end|>') }
  const firstSpecial = tokens.length - contract.special_tokens.length
  return {
    'general.architecture': 'llama',
    'general.name': name,
    'llama.block_count': { uint32: 1 },
    'llama.context_length': { uint32: 2048 },
    'llama.embedding_length': { uint32: WIDTH },
    'llama.feed_forward_length': { uint32: HIDDEN },
    'llama.attention.head_count': { uint32: HEADS },
    'llama.attention.head_count_kv': { uint32: HEADS },
    'llama.attention.layer_norm_rms_epsilon': { float32: 1e-5 },
    'llama.rope.dimension_count': { uint32: WIDTH / HEADS },
    'llama.vocab_size': { uint32: tokens.length },
    'tokenizer.ggml.model': 'gpt2',
    'tokenizer.ggml.pre': 'gpt-2',
    'tokenizer.ggml.tokens': { strings: tokens },
    'tokenizer.ggml.token_type': { int32s: tokens.map((_, index) => (index < firstSpecial ? 1 : 3)) },
    'tokenizer.ggml.merges': { strings: merges.map((pair) => pair.join(' ')) },
    'tokenizer.ggml.bos_token_id': end,
    'tokenizer.ggml.eos_token_id': end,
    'tokenizer.ggml.eot_token_id': end,
    'tokenizer.ggml.add_bos_token': false,
  }
}

function tensorsOf(seed: number): Tensor[] {
  let state = seed
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 31 - 1
  }
  const matrix = (tensor: string, from: number, to: number): Tensor => ({
    name: `${tensor}.weight`,
    shape: [from, to],
    values: Float32Array.from({ length: from * to }, () => random() / Math.sqrt(from)),
  })
  const norm = (tensor: string): Tensor => ({
    name: `${tensor}.weight`,
    shape: [WIDTH],
    values: new Float32Array(WIDTH).fill(1),
  })
  return [
    matrix('token_embd', WIDTH, tokens.length),
    norm('blk.0.attn_norm'),
    norm('blk.0.ffn_norm'),
    ...['attn_q', 'attn_k', 'attn_v', 'attn_output'].map((part) => matrix(`blk.0.${part}`, WIDTH, WIDTH)),
    matrix('blk.0.ffn_gate', WIDTH, HIDDEN),
    matrix('blk.0.ffn_up', WIDTH, HIDDEN),
    matrix('blk.0.ffn_down', HIDDEN, WIDTH),
    norm('output_norm'),
  ]
}
