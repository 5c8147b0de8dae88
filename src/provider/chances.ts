/**
 * Log probabilities as servers report them. Parsed by hand: they come with every token, and a server with a
 * format of its own must not end the reply.
 */
import { isObject } from '../lib/json.ts'
import type { TokenChance } from '../protocol/model.ts'

/** The list of the chat API; llama.cpp and Ollama use the same form in their own APIs. */
export const readChances = (content: unknown): readonly TokenChance[] =>
  listOf(content).flatMap((entry) => {
    const own = toShare(entry)
    const alternatives = isObject(entry) ? listOf(entry['top_logprobs']) : []
    return own ? [{ ...own, top: alternatives.flatMap((one) => toShare(one) ?? []) }] : []
  })

/** The parallel lists of the legacy text API. */
export function readLegacyChances(logprobs: unknown): readonly TokenChance[] {
  if (!isObject(logprobs)) return []
  const shares = listOf(logprobs['token_logprobs'])
  const tops = listOf(logprobs['top_logprobs'])
  return listOf(logprobs['tokens']).flatMap((token, index) => {
    const own = toShare({ token, logprob: shares[index] })
    return own ? [{ ...own, top: topOf(tops[index]) }] : []
  })
}

const topOf = (top: unknown): TokenChance['top'] =>
  isObject(top) ? Object.entries(top).flatMap(([token, logprob]) => toShare({ token, logprob }) ?? []) : []

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

function toShare(entry: unknown): { readonly token: string; readonly logprob: number } | undefined {
  if (!isObject(entry)) return undefined
  const { token, logprob } = entry
  return typeof token === 'string' && typeof logprob === 'number' ? { token, logprob } : undefined
}
