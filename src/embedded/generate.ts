/**
 * Tokens from one sequence. What of the prompt lies in its cache is kept, the rest is evaluated in pieces small enough to
 * be stopped between; then one token after the other, until the model ends, the limit is reached or `signal` aborts.
 */
import { randomInt } from 'node:crypto'
import type {
  LlamaContextSequence,
  LlamaGrammarEvaluationState,
  SequenceEvaluateOptions,
  Token,
} from 'node-llama-cpp'
import type { ModelRequest } from '../protocol/model.ts'
import { type Batching, priorityOf } from './batching.ts'
import type { Slot } from './weights.ts'
import { defined } from '../lib/object.ts'

export type Sampling = {
  readonly temperature?: number
  readonly topK?: number
  readonly topP?: number
  readonly minP?: number
  readonly repeatPenalty?: number
}

export type Generation = {
  readonly tokens: AsyncGenerator<Token, void>
  /** How much of the prompt was in the cache; known once the first token is there. */
  cached(): number
}

export type GenerationInput = {
  readonly slot: Pick<Slot, 'sequence' | 'number'>
  readonly batching: Batching
  readonly prompt: readonly Token[]
  readonly options: SequenceEvaluateOptions
}

export function startGeneration(input: GenerationInput, signal: AbortSignal): Generation {
  let cached = 0
  return {
    cached: () => cached,
    tokens: (async function* () {
      const { sequence } = input.slot
      cached = await keepCommonStart(sequence, input.prompt)
      const last = await evaluateStart(sequence, input.prompt, signal)
      if (!signal.aborted) yield* writeTokens(last, input, signal)
    })(),
  }
}

async function* writeTokens(
  last: Token[],
  { slot, batching, options }: GenerationInput,
  signal: AbortSignal,
): AsyncGenerator<Token, void> {
  const numbered = { ...options, evaluationPriority: priorityOf(slot.number) }
  let isWriting = false
  try {
    for await (const { token } of slot.sequence.evaluateWithMetadata(last, {}, numbered)) {
      if (!isWriting) batching.begin()
      isWriting = true
      yield token
      if (signal.aborted) return
    }
  } finally {
    if (isWriting) batching.end()
  }
}

/** Tokens that are evaluated in one go: a cancel has to wait for them. */
const PIECE = 512

/** Forgets what differs from the prompt; how many of its tokens need not be evaluated. */
export async function keepCommonStart(
  sequence: LlamaContextSequence,
  prompt: readonly Token[],
): Promise<number> {
  const { firstDifferentIndex } = sequence.compareContextTokens([...prompt])
  // The last token is always evaluated: only that gives the next.
  const common = Math.min(firstDifferentIndex, prompt.length - 1)
  // Recurrent and sliding-window models cannot forget; they go back to a checkpoint and on from there.
  const repeated = Math.max(0, sequence.getRestoreToPrefixIndexEvaluationSize(common))
  if (common < sequence.nextTokenIndex) {
    await sequence.eraseContextTokenRanges([{ start: common, end: sequence.nextTokenIndex }])
  }
  return common - repeated
}

/** All but the last piece of what is missing; returns that piece. */
async function evaluateStart(
  sequence: LlamaContextSequence,
  prompt: readonly Token[],
  signal: AbortSignal,
): Promise<Token[]> {
  const lastPiece = sequence.needsCheckpoints ? 1 : PIECE
  while (prompt.length - sequence.nextTokenIndex > lastPiece && !signal.aborted) {
    const from = sequence.nextTokenIndex
    const to = Math.min(from + PIECE, prompt.length - 1)
    await sequence.evaluateWithoutGeneratingNewTokens(prompt.slice(from, to))
  }
  // The next prompt of this conversation shares everything up to here.
  if (sequence.needsCheckpoints && !signal.aborted) await sequence.takeCheckpoint()
  return prompt.slice(sequence.nextTokenIndex)
}

/** How far back penalties look. */
const PENALTY_TOKENS = 64

export type SamplingParts = {
  readonly sampling: Sampling
  readonly grammar: LlamaGrammarEvaluationState | undefined
  /** What was written so far. */
  readonly written: readonly Token[]
}

type SamplingWish = Pick<
  ModelRequest,
  'temperature' | 'topP' | 'repeatPenalty' | 'presencePenalty' | 'frequencyPenalty' | 'seed'
>

export function toEvaluateOptions(
  request: SamplingWish,
  { sampling, grammar, written }: SamplingParts,
): SequenceEvaluateOptions {
  const { temperature, seed, presencePenalty = 0, frequencyPenalty = 0 } = request
  const { topK, minP } = sampling
  const topP = request.topP ?? sampling.topP
  const penalty = request.repeatPenalty ?? sampling.repeatPenalty ?? 1
  const isPunished = penalty !== 1 || presencePenalty !== 0 || frequencyPenalty !== 0
  return {
    temperature: temperature ?? sampling.temperature ?? 0,
    // The library's own default is the second of the clock: workers asked together would all say the same.
    seed: seed ?? randomInt(2 ** 31),
    ...defined({ topK, topP, minP }),
    ...(isPunished && {
      repeatPenalty: {
        penalty,
        presencePenalty,
        frequencyPenalty,
        punishTokens: () => written.slice(-PENALTY_TOKENS),
      },
    }),
    ...defined({ grammarEvaluationState: grammar }),
  }
}
