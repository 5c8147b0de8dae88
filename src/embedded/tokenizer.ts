/**
 * Text to tokens, and back while they come. A file that holds `<|im_end|>` must not end a message: only the text of the
 * template may become control tokens. llama.cpp still reads user-defined tokens such as `<tool_call>` in plain text, so
 * those the template builds on are cut in two before it sees them.
 */
import { StringDecoder } from 'node:string_decoder'
import type { LlamaModel, Token } from 'node-llama-cpp'
import { tokenBytes } from './byte-letters.ts'
import { type Segment, splitBy } from './segment.ts'

export type Tokenizer = {
  /** Matches everything that must not come from outside. Has the global flag. */
  readonly structural: RegExp
  encode(segment: Segment, isFirst: boolean): Token[]
  count(text: string): number
  /** Must stand first in every prompt, where the model wants it. */
  readonly start: Token | undefined
  decoder(): Decoder
}

/** Holds back the bytes of a character that is not complete yet. */
export type Decoder = { push(token: Token): string; end(): string }

export function createTokenizer(model: LlamaModel, chatTemplate: string): Tokenizer {
  const structural = toPattern(structuralTexts(model, chatTemplate))
  // SentencePiece puts a space before every text it is given.
  const isSpaced = model.vocabularyType === 'spm'
  const tokenize = (text: string, control: boolean, isFirst: boolean): Token[] =>
    model.tokenize(text, control, isSpaced && !isFirst ? 'trimLeadingSpace' : undefined)
  const encodePlain = (text: string, isFirst: boolean): Token[] =>
    splitBy(text, structural)
      .flatMap((piece) => (piece.matches ? inTwo(piece.text) : [piece.text]))
      .flatMap((piece, index) => tokenize(piece, false, isFirst && index === 0))
  const { bos, shouldPrependBosToken } = model.tokens
  return {
    structural,
    encode: ({ text, control }, isFirst) =>
      control ? tokenize(text, true, isFirst) : encodePlain(text, isFirst),
    count: (text) => model.tokenize(text, false).length,
    start: shouldPrependBosToken && bos !== null ? bos : undefined,
    decoder: byteDecoders(model) ?? (() => createDecoder(model, isSpaced)),
  }
}

const inTwo = (text: string): string[] => {
  const [first = '', ...rest] = text
  return [first, rest.join('')]
}

/** Control tokens, and of the user-defined ones those that mean something in this template: others are only words. */
function structuralTexts(model: LlamaModel, chatTemplate: string): string[] {
  const texts: string[] = []
  for (const token of model.iterateAllTokens()) {
    const { control, unknown, userDefined } = model.getTokenAttributes(token)
    if (!control && !unknown && !userDefined && !model.isEogToken(token)) continue
    const text = model.detokenize([token], true)
    if (/\S/.test(text) && (!userDefined || chatTemplate.includes(text))) texts.push(text)
  }
  return texts
}

function toPattern(texts: readonly string[]): RegExp {
  const sources = texts
    .toSorted((a, b) => b.length - a.length)
    .map((text) => text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&'))
  return new RegExp(sources.length === 0 ? '(?!)' : sources.join('|'), 'g')
}

/**
 * For byte-level vocabularies: llama.cpp drops the space of ` .` and of ` ,` where the file does not forbid it, in code
 * as in prose. Undefined where the vocabulary is of another kind.
 */
function byteDecoders(model: LlamaModel): (() => Decoder) | undefined {
  const texts: unknown = model.fileInfo.metadata.tokenizer?.ggml?.tokens
  if (model.vocabularyType !== 'bpe' || !Array.isArray(texts)) return undefined
  const known = new Map<Token, Buffer>()
  const bytesOf = (token: Token): Buffer => {
    const { control, unknown, userDefined } = model.getTokenAttributes(token)
    const text: unknown = texts[token]
    const isPlain = typeof text === 'string' && !control && !unknown && !userDefined
    return (isPlain ? tokenBytes(text) : undefined) ?? Buffer.from(model.detokenize([token], true))
  }
  return () => {
    const decoder = new StringDecoder('utf8')
    return {
      push(token) {
        const bytes = known.get(token) ?? bytesOf(token)
        known.set(token, bytes)
        return decoder.write(bytes)
      },
      end: () => decoder.end(),
    }
  }
}

const PARTIAL = '\uFFFD'
/** The longest character takes four bytes, each of which may be a token. */
const LONGEST_CHARACTER = 4

function createDecoder(model: LlamaModel, isSpaced: boolean): Decoder {
  let waiting: Token[] = []
  let before: Token[] = []
  const release = (text: string): string => {
    before = isSpaced ? waiting : before
    waiting = []
    return text
  }
  const read = (): string => model.detokenize(waiting, true, before)
  return {
    push(token) {
      waiting.push(token)
      const text = read()
      return text.endsWith(PARTIAL) && waiting.length < LONGEST_CHARACTER ? '' : release(text)
    },
    end: () => (waiting.length === 0 ? '' : release(read())),
  }
}
