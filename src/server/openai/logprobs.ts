/** Log probabilities in the three forms in which OpenAI's APIs tell them. */
import { z } from 'zod'
import type { TokenChance } from '../../protocol/model.ts'

/** More than this OpenAI does not tell either. */
export const MOST_ALTERNATIVES = 20

const Share = z.strictObject({ token: z.string(), logprob: z.number(), bytes: z.array(z.int()) })

export const TokenLogprob = Share.extend({ top_logprobs: z.array(Share) })
export type TokenLogprob = z.infer<typeof TokenLogprob>

export const ChatLogprobs = z.strictObject({ content: z.array(TokenLogprob), refusal: z.null() })

export const LegacyLogprobs = z.strictObject({
  tokens: z.array(z.string()),
  token_logprobs: z.array(z.number()),
  top_logprobs: z.array(z.record(z.string(), z.number())),
  text_offset: z.array(z.int()),
})

export type Chances = readonly TokenChance[] | undefined

export const toTokenLogprobs = (chances: Chances): TokenLogprob[] =>
  (chances ?? []).map(({ token, logprob, top }) => ({
    ...toShare({ token, logprob }),
    top_logprobs: top.map(toShare),
  }))

const toShare = ({ token, logprob }: { readonly token: string; readonly logprob: number }) => ({
  token,
  logprob,
  bytes: [...Buffer.from(token)],
})

/** Null where none were asked for. */
export const toChatLogprobs = (chances: Chances): z.infer<typeof ChatLogprobs> | null =>
  chances ? { content: toTokenLogprobs(chances), refusal: null } : null

/** `offset` is where the text of these tokens begins in the whole answer. */
export function toLegacyLogprobs(chances: Chances, offset: number): z.infer<typeof LegacyLogprobs> | null {
  if (!chances) return null
  let next = offset
  return {
    tokens: chances.map(({ token }) => token),
    token_logprobs: chances.map(({ logprob }) => logprob),
    top_logprobs: chances.map(({ top }) => Object.fromEntries(top.map((one) => [one.token, one.logprob]))),
    text_offset: chances.map(({ token }) => {
      const at = next
      next += token.length
      return at
    }),
  }
}
