/**
 * Log probabilities of a reply that is written. They are read afterwards, a few tokens at a time: asking while it
 * writes sorts the whole vocabulary at every token. So text that comes with them comes at the end.
 */
import type { ControlledEvaluateInputItem, LlamaContextSequence, Token } from 'node-llama-cpp'
import type { ModelEvent, TokenChance } from '../protocol/model.ts'
import { keepCommonStart } from './generate.ts'

type WrittenTokens = {
  /** The prompt and the reply. */
  readonly tokens: readonly Token[]
  /** How many of them are the prompt. */
  readonly prompt: number
  /** Of each token of the reply. */
  readonly texts: readonly string[]
  /** How many alternatives are reported for each. */
  readonly top: number
  textOf(token: Token): string
}

/** A token outside these is reported as the least of them; the rest has negligible weight. */
const AMONG = { temperature: 1, topK: 1024, topP: 1, minP: 0 }
/** Every token that is asked for keeps a number for each word of the vocabulary until its piece is read. */
const PIECE = 32

/**
 * One for each token of the reply. Nothing else may run on the sequence, which holds the same afterwards unless
 * `signal` aborts.
 */
export async function chancesIn(
  sequence: LlamaContextSequence,
  { tokens, prompt, texts, top, textOf }: WrittenTokens,
  signal: AbortSignal,
): Promise<readonly TokenChance[]> {
  await keepCommonStart(sequence, tokens.slice(0, prompt))
  // The probabilities of a token are found at the one before it.
  await sequence.evaluateWithoutGeneratingNewTokens(tokens.slice(sequence.nextTokenIndex, prompt - 1))
  const chances: TokenChance[] = []
  while (sequence.nextTokenIndex < tokens.length - 1 && !signal.aborted) {
    const from = sequence.nextTokenIndex
    const piece = tokens.slice(from, Math.min(from + PIECE, tokens.length - 1))
    const results = await sequence.controlledEvaluate(piece.map(asked))
    for (const [offset, result] of results.entries()) {
      const likeliest = [...(result?.next.probabilities ?? [])]
      const at = from + offset + 1
      chances.push({
        token: texts[at - prompt] ?? '',
        logprob: logprobOf(tokens[at], likeliest),
        top: likeliest
          .slice(0, top)
          .map(([token, share]) => ({ token: textOf(token), logprob: Math.log(share) })),
      })
    }
  }
  return chances
}

const asked = (token: Token): ControlledEvaluateInputItem => [
  token,
  { generateNext: { probabilities: true, options: AMONG } },
]

/** `likeliest` is in order. */
const logprobOf = (token: Token | undefined, likeliest: readonly (readonly [Token, number])[]): number =>
  Math.log(likeliest.find(([one]) => one === token)?.[1] ?? likeliest.at(-1)?.[1] ?? Number.MIN_VALUE)

/**
 * Behind each text the chances of its tokens. A reader may leave things out, but tells the rest in the order it came.
 */
export function* withChances(
  events: readonly ModelEvent[],
  chances: readonly TokenChance[],
): Generator<ModelEvent> {
  const text = chances.map(({ token }) => token).join('')
  let read = 0
  let next = { index: 0, start: 0 }
  for (const event of events) {
    yield event
    if (event.type !== 'text-delta' && event.type !== 'reasoning-delta') continue
    const at = text.indexOf(event.text, read)
    if (at < 0) continue
    read = at + event.text.length
    const first = skip(chances, next, (end) => end <= at)
    next = skip(chances, first, (_, start) => start < read)
    const told = chances.slice(first.index, next.index)
    if (told.length > 0 && event.type === 'text-delta') yield { type: 'logprobs', tokens: told }
  }
}

/** A token and where its text begins. */
type TokenStart = { readonly index: number; readonly start: number }

function skip(
  chances: readonly TokenChance[],
  from: TokenStart,
  isBefore: (end: number, start: number) => boolean,
): TokenStart {
  let { index, start } = from
  for (let chance = chances[index]; chance; chance = chances[index]) {
    if (!isBefore(start + chance.token.length, start)) break
    start += chance.token.length
    index++
  }
  return { index, start }
}
