/**
 * Writes a real GGUF with random weights: the Llama architecture, F32, a byte-level BPE tokenizer. It says nothing
 * sensible but behaves like a model in every other way, loads in milliseconds, and the same seed gives the same file.
 */
import { writeFile } from 'node:fs/promises'
import { createVocabulary, type Vocabulary } from './vocabulary.ts'
import { type GgufValue, toGguf, type Tensor } from './write-gguf.ts'

export type TinyModel = {
  readonly seed?: number
  readonly layers?: number
  readonly width?: number
  readonly window?: number
  readonly name?: string
  /** `false` writes none. */
  readonly chatTemplate?: string | false
  /** Tokens it likes to write. */
  readonly favours?: readonly string[]
  /** Every layer sees only so many tokens back: the architecture of Gemma 3 instead of Llama's. */
  readonly slidingWindow?: number
}

/** ChatML with tools, as Qwen and Hermes write it. */
export const CHATML = `{%- if tools %}<|im_start|>system
{% if messages[0].role == 'system' %}{{ messages[0].content }}

{% endif %}# Tools
{% for tool in tools %}{{ tool | tojson }}
{% endfor %}<|im_end|>
{% elif messages[0].role == 'system' %}<|im_start|>system
{{ messages[0].content }}<|im_end|>
{% endif %}
{%- for message in messages %}
{%- if message.role == 'user' or message.role == 'assistant' %}<|im_start|>{{ message.role }}
{{ message.content }}
{%- for call in message.tool_calls or [] %}{% if message.content or not loop.first %}
{% endif %}<tool_call>
{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}
</tool_call>{% endfor %}<|im_end|>
{% elif message.role == 'tool' %}<|im_start|>user
<tool_response>
{{ message.content }}
</tool_response><|im_end|>
{% endif %}
{%- endfor %}
{%- if add_generation_prompt %}<|im_start|>assistant
{% endif %}`

export async function writeTinyModel(path: string, model: TinyModel = {}): Promise<void> {
  const vocabulary = createVocabulary()
  await writeFile(path, toGguf(metadataOf(model, vocabulary), tensorsOf(model, vocabulary)))
}

const HEADS = 4
const KV_HEADS = 2

function metadataOf(model: TinyModel, vocabulary: Vocabulary): Record<string, GgufValue> {
  const { layers = 2, width = 64, window = 4096, slidingWindow, chatTemplate = CHATML, name = 'tiny' } = model
  const architecture = slidingWindow === undefined ? 'llama' : 'gemma3'
  const own: Record<string, GgufValue> = {
    context_length: { uint32: window },
    embedding_length: { uint32: width },
    block_count: { uint32: layers },
    feed_forward_length: { uint32: width * 2 },
    'attention.head_count': { uint32: HEADS },
    'attention.head_count_kv': { uint32: KV_HEADS },
    'attention.key_length': { uint32: width / HEADS },
    'attention.value_length': { uint32: width / HEADS },
    'attention.layer_norm_rms_epsilon': { float32: 1e-5 },
    'rope.dimension_count': { uint32: width / HEADS },
    vocab_size: { uint32: vocabulary.tokens.length },
    ...(slidingWindow !== undefined && { 'attention.sliding_window': { uint32: slidingWindow } }),
  }
  return {
    'general.architecture': architecture,
    'general.name': name,
    ...Object.fromEntries(Object.entries(own).map(([key, value]) => [`${architecture}.${key}`, value])),
    'tokenizer.ggml.model': 'gpt2',
    'tokenizer.ggml.pre': 'gpt-2',
    'tokenizer.ggml.tokens': { strings: vocabulary.tokens },
    'tokenizer.ggml.token_type': { int32s: vocabulary.types },
    'tokenizer.ggml.merges': { strings: vocabulary.merges },
    'tokenizer.ggml.bos_token_id': { uint32: vocabulary.idOf('<|im_start|>') },
    'tokenizer.ggml.eos_token_id': { uint32: vocabulary.idOf('<|im_end|>') },
    'tokenizer.ggml.add_bos_token': false,
    ...(chatTemplate !== false && { 'tokenizer.chat_template': chatTemplate }),
  }
}

function tensorsOf(model: TinyModel, { tokens, idOf }: Vocabulary): Tensor[] {
  const { layers = 2, width = 64, seed = 1, favours = [], slidingWindow } = model
  const random = gaussian(seed)
  const weights = (name: string, ...shape: [number, number]): Tensor => ({
    name: `${name}.weight`,
    shape,
    values: Float32Array.from({ length: shape[0] * shape[1] }, () => (random() * 2) / Math.sqrt(shape[0])),
  })
  const norm = (name: string, length = width): Tensor => ({
    name: `${name}.weight`,
    shape: [length],
    values: new Float32Array(length).fill(1),
  })
  const head = width / HEADS
  const block = (index: number): Tensor[] => [
    norm(`blk.${index}.attn_norm`),
    weights(`blk.${index}.attn_q`, width, width),
    weights(`blk.${index}.attn_k`, width, head * KV_HEADS),
    weights(`blk.${index}.attn_v`, width, head * KV_HEADS),
    weights(`blk.${index}.attn_output`, width, width),
    norm(`blk.${index}.ffn_norm`),
    weights(`blk.${index}.ffn_gate`, width, width * 2),
    weights(`blk.${index}.ffn_up`, width, width * 2),
    weights(`blk.${index}.ffn_down`, width * 2, width),
    ...(slidingWindow === undefined
      ? []
      : [
          norm(`blk.${index}.attn_q_norm`, head),
          norm(`blk.${index}.attn_k_norm`, head),
          norm(`blk.${index}.post_attention_norm`),
          norm(`blk.${index}.post_ffw_norm`),
        ]),
  ]
  const embedding = weights('token_embd', width, tokens.length)
  const blocks = Array.from({ length: layers }, (_, index) => block(index)).flat()
  const output = weights('output', width, tokens.length)
  // The first number of every state is the same whatever was read; only favoured tokens look at it.
  tokens.forEach((_, token) => {
    embedding.values[token * width] = 6
    output.values[token * width] = 0
  })
  for (const { name, values, shape } of blocks)
    if (/attn_output|ffn_down/.test(name)) values.fill(0, 0, shape[0])
  for (const text of favours) output.values[idOf(text) * width] = 1
  return [embedding, ...blocks, norm('output_norm'), output]
}

/** Mulberry32, summed to something like a bell curve. */
function gaussian(seed: number): () => number {
  let state = seed >>> 0
  const uniform = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return () => uniform() + uniform() + uniform() - 1.5
}
