/**
 * Tokens from one sequence. What of the prompt lies in its cache is kept, the rest is evaluated in pieces small enough to
 * be stopped between; then one token after the other, until the model ends, the limit is reached or `signal` aborts.
 * While a token is turned into text and sent, the engine already works on the next.
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
  /** Filled as the tokens come, before the next one is chosen: penalties look at it. */
  readonly written: Token[]
  readonly limits: ReplyLimits
}

/** Where a reply ends that the model does not end itself. */
export type ReplyLimits = { readonly stops: readonly string[]; readonly maxTokens: number }

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
  { slot, batching, options, written, limits }: GenerationInput,
  signal: AbortSignal,
): AsyncGenerator<Token, void> {
  // Any token may complete a stop text; one begun behind it would be waited for in vain.
  const isAhead = limits.stops.length === 0
  const numbered = { ...options, evaluationPriority: priorityOf(slot.number) }
  const tokens = slot.sequence.evaluateWithMetadata(last, {}, numbered)
  let isWriting = false
  try {
    let coming = tokens.next()
    for (;;) {
      const step = await coming
      if (step.done) return
      const { token } = step.value
      if (!isWriting) batching.begin()
      isWriting = true
      const isLast = written.push(token) >= limits.maxTokens || signal.aborted
      if (isAhead && !isLast) coming = begun(tokens)
      yield token
      if (isLast || signal.aborted) return
      if (!isAhead) coming = tokens.next()
    }
  } finally {
    // Waits for the token in the works.
    await tokens.return()
    if (isWriting) batching.end()
  }
}

/** A token that may never be waited for, nor its failure. */
function begun<T>(tokens: AsyncGenerator<T, void>): Promise<IteratorResult<T, void>> {
  const coming = tokens.next()
  coming.catch(() => {})
  return coming
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
