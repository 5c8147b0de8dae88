/**
 * Nano's tokens as bytes. llama.cpp's own way from tokens to text drops spaces before punctuation, which would spoil what
 * was copied letter by letter; and a reply is so short that it need not be read while it is written.
 */
import { isObject } from '../../lib/json.ts'
import { AppError } from '../../protocol/error.ts'
import { tokenBytes } from '../../embedded/byte-letters.ts'
import { loadEngine } from '../../embedded/llama.ts'

export type Vocabulary = { toText(tokens: readonly number[]): string }

/** llama.cpp's mark for tokens that are not made of text. */
const CONTROL = 3

export async function readVocabulary(path: string): Promise<Vocabulary> {
  const { library } = await loadEngine()
  const { metadata } = await library.readGgufFileInfo(path, {
    sourceType: 'filesystem',
    readTensorInfo: false,
    ignoreKeys: ['tokenizer.ggml.merges'],
    logWarnings: false,
  })
  const tokenizer: unknown = metadata.tokenizer
  const ggml = isObject(tokenizer) && isObject(tokenizer['ggml']) ? tokenizer['ggml'] : {}
  const { tokens, token_type: types } = ggml
  if (!Array.isArray(tokens) || !Array.isArray(types)) {
    throw new AppError(
      'model-unavailable',
      `${path} holds no vocabulary; make the file again with nano/export.py.`,
    )
  }
  const bytes = tokens.map((token, index) => toBytes(String(token), types[index] === CONTROL))
  return {
    toText: (written) => Buffer.concat(written.map((token) => bytes[token] ?? Buffer.alloc(0))).toString(),
  }
}

const toBytes = (token: string, isControl: boolean): Buffer =>
  (isControl ? undefined : tokenBytes(token)) ?? Buffer.from(token)
