/**
 * Which of a few answers a model would give, read from the probabilities of the next token without writing anything.
 * Several fields are asked in one pass: each label is looked up right behind the text that asks for it.
 */
import type { ControlledEvaluateInputItem, LlamaContextSequence, Token } from 'node-llama-cpp'
import { sum } from '../context/count.ts'
import { AppError } from '../protocol/error.ts'
import { keepCommonStart } from './generate.ts'
import type { Tokenizer } from './tokenizer.ts'

export type LabelField = {
  /** Put behind the prompt, after the fields before it; may hold control tokens. */
  readonly after: string
  /** The possible answers; no two may begin with the same token. */
  readonly labels: readonly string[]
}

/** For each field, how likely each of its labels is; the labels of a field sum to one. */
export async function scoreFields(
  sequence: LlamaContextSequence,
  prompt: readonly Token[],
  { fields, tokenizer }: { readonly fields: readonly LabelField[]; readonly tokenizer: Tokenizer },
): Promise<number[][]> {
  const tokens = [...prompt]
  const asked = fields.map(({ after, labels }) => {
    tokens.push(...tokenizer.encode({ text: after, control: true }, false))
    return { at: tokens.length - 1, labels: firstTokens(labels, tokenizer) }
  })
  const places = new Set(asked.map(({ at }) => at))
  await keepCommonStart(sequence, tokens.slice(0, Math.min(...places) + 1))
  // A recurrent model has gone on from a checkpoint by itself: what it says it must repeat is done.
  const known = sequence.nextTokenIndex
  const input = tokens
    .slice(known)
    .map((token, index): ControlledEvaluateInputItem =>
      places.has(known + index) ? [token, { generateNext: { probabilities: true } }] : token,
    )
  const results = await sequence.controlledEvaluate(input)
  return asked.map(({ at, labels }) => {
    const probabilities = results[at - known]?.next.probabilities
    return normalised(labels.map((label) => probabilities?.get(label) ?? 0))
  })
}

function firstTokens(labels: readonly string[], tokenizer: Tokenizer): Token[] {
  const tokens = labels.flatMap((text) => tokenizer.encode({ text, control: true }, false).slice(0, 1))
  if (new Set(tokens).size === labels.length) return tokens
  throw new AppError('request-invalid', `The labels ${labels.join(', ')} do not begin with different tokens.`)
}

function normalised(values: readonly number[]): number[] {
  const total = sum(values)
  return values.map((value) => (total > 0 ? value / total : 1 / values.length))
}
