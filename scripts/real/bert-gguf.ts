/** A sentence-embedding model of the BERT family, from safetensors to GGUF: F32, as llama.cpp's own conversion names it. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type GgufValue, type Tensor, toGguf } from '../../test/embedded/support/write-gguf.ts'

type Config = {
  readonly hidden_size: number
  readonly intermediate_size: number
  readonly num_attention_heads: number
  readonly num_hidden_layers: number
  readonly max_position_embeddings: number
  readonly type_vocab_size: number
  readonly layer_norm_eps: number
}

/** `folder` holds config.json, vocab.txt and model.safetensors. */
export async function bertToGguf(folder: string, name: string): Promise<Buffer> {
  const config = JSON.parse(await readFile(join(folder, 'config.json'), 'utf8')) as Config
  const words = (await readFile(join(folder, 'vocab.txt'), 'utf8')).replace(/\n$/, '').split('\n')
  return toGguf(metadata(config, words, name), toTensors(await readFile(join(folder, 'model.safetensors'))))
}

const NORMAL = 1
const CONTROL = 3
const MEAN_POOLING = 1

function metadata(config: Config, words: readonly string[], name: string): Record<string, GgufValue> {
  const isControl = (word: string): boolean => /^\[(?:PAD|UNK|CLS|SEP|MASK)\]$/.test(word)
  const id = (word: string): GgufValue => ({ uint32: words.indexOf(word) })
  return {
    'general.architecture': 'bert',
    'general.name': name,
    'bert.context_length': { uint32: config.max_position_embeddings },
    'bert.embedding_length': { uint32: config.hidden_size },
    'bert.feed_forward_length': { uint32: config.intermediate_size },
    'bert.block_count': { uint32: config.num_hidden_layers },
    'bert.attention.head_count': { uint32: config.num_attention_heads },
    'bert.attention.layer_norm_epsilon': { float32: config.layer_norm_eps },
    'bert.attention.causal': false,
    'bert.pooling_type': { uint32: MEAN_POOLING },
    'tokenizer.ggml.model': 'bert',
    'tokenizer.ggml.token_type_count': { uint32: config.type_vocab_size },
    'tokenizer.ggml.tokens': { strings: words.map((word) => (isControl(word) ? word : spaced(word))) },
    'tokenizer.ggml.token_type': { int32s: words.map((word) => (isControl(word) ? CONTROL : NORMAL)) },
    'tokenizer.ggml.bos_token_id': id('[CLS]'),
    'tokenizer.ggml.eos_token_id': id('[SEP]'),
    'tokenizer.ggml.unknown_token_id': id('[UNK]'),
    'tokenizer.ggml.seperator_token_id': id('[SEP]'),
    'tokenizer.ggml.padding_token_id': id('[PAD]'),
    'tokenizer.ggml.cls_token_id': id('[CLS]'),
    'tokenizer.ggml.mask_token_id': id('[MASK]'),
  }
}

/** BERT marks what continues a word, llama.cpp what begins one. */
const spaced = (word: string): string => (word.startsWith('##') ? word.slice(2) : `\u2581${word}`)

type Stored = {
  readonly dtype: string
  readonly shape: readonly number[]
  readonly data_offsets: readonly [number, number]
}

function toTensors(bytes: Buffer): Tensor[] {
  const length = Number(bytes.readBigUInt64LE(0))
  const start = 8 + length
  const header = JSON.parse(bytes.toString('utf8', 8, start)) as Record<string, Stored>
  return Object.entries(header).flatMap(([key, { dtype, shape, data_offsets: range }]) => {
    const name = ggufName(key)
    if (name === undefined || dtype !== 'F32') return []
    const [from, to] = range
    const values = new Float32Array(Uint8Array.from(bytes.subarray(start + from, start + to)).buffer)
    return [{ name, shape: shape.toReversed(), values }]
  })
}

const WHOLE: Readonly<Record<string, string>> = {
  'embeddings.word_embeddings': 'token_embd',
  'embeddings.position_embeddings': 'position_embd',
  'embeddings.token_type_embeddings': 'token_types',
  'embeddings.LayerNorm': 'token_embd_norm',
}
const IN_LAYER: Readonly<Record<string, string>> = {
  'attention.self.query': 'attn_q',
  'attention.self.key': 'attn_k',
  'attention.self.value': 'attn_v',
  'attention.output.dense': 'attn_output',
  'attention.output.LayerNorm': 'attn_output_norm',
  'intermediate.dense': 'ffn_up',
  'output.dense': 'ffn_down',
  'output.LayerNorm': 'layer_output_norm',
}

/** Undefined for what embeddings do not need: the pooler, the list of positions. */
function ggufName(key: string): string | undefined {
  const [, stem = '', kind] = /^(.*)\.(weight|bias)$/.exec(key) ?? []
  const [, layer, part = ''] = /^encoder\.layer\.(\d+)\.(.*)$/.exec(stem) ?? []
  const name = layer === undefined ? WHOLE[stem] : IN_LAYER[part] && `blk.${layer}.${IN_LAYER[part]}`
  return name && `${name}.${kind}`
}
