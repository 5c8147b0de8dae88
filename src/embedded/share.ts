/**
 * How sure a model was of what it has written. The reply is read once more, in one go, and looked at only where something
 * was decided: asking at every token while it writes takes many times what writing takes, with a large vocabulary.
 */
import type { ControlledEvaluateInputItem, LlamaContextSequence, Token } from 'node-llama-cpp'
import { type Choice, shareOf } from './choice.ts'
import { keepCommonStart } from './generate.ts'

type Written = {
  /** The prompt and the reply. */
  readonly tokens: readonly Token[]
  /** How many of them are the prompt. */
  readonly prompt: number
  readonly choices: readonly Choice[]
  textOf(token: Token): string
}

/** Sorting the whole vocabulary takes long, and what is behind these weighs nothing. */
const AMONG = { temperature: 1, topK: 64, topP: 1, minP: 0 }
/** Making text of a token takes longer than finding it. */
const WORTH_READING = 0.001

/**
 * The least share of all choices, 0-1; nothing where there were none. Nothing else may run on the sequence, which holds
 * the same afterwards.
 */
export async function leastShareIn(
  sequence: LlamaContextSequence,
  { tokens, prompt, choices, textOf }: Written,
): Promise<number | undefined> {
  const [first] = choices
  if (!first) return undefined
  await keepCommonStart(sequence, tokens.slice(0, prompt + first.index))
  const known = sequence.nextTokenIndex
  const places = new Set(choices.map(({ index }) => prompt + index - 1))
  // The last token was not evaluated while it was written either, and may be one too many for the window.
  const input = tokens
    .slice(known, -1)
    .map((token, offset): ControlledEvaluateInputItem =>
      places.has(known + offset) ? [token, { generateNext: { probabilities: true, options: AMONG } }] : token,
    )
  const results = await sequence.controlledEvaluate(input)
  const shares = choices.map((choice) => {
    const at = prompt + choice.index
    const likeliest = [...(results[at - 1 - known]?.next.probabilities ?? [])]
    const candidates = likeliest
      .filter(([token, share]) => share >= WORTH_READING || token === tokens[at])
      .map(([token, share]) => ({ text: textOf(token), share, isChosen: token === tokens[at] }))
    return shareOf(choice, candidates)
  })
  return Math.min(1, ...shares)
}
