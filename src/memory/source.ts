/** What is remembered about a prompt, in front of it: at most five facts in few tokens, or nothing at all. */
import type { Source } from '../protocol/source.ts'
import { clip } from '../lib/text.ts'
import type { Fact } from './fact.ts'
import type { Memory, Recalled } from './store.ts'

export type MemorySourceParts = {
  readonly memory: Pick<Memory, 'recall' | 'used'>
  countTokens(text: string): number
}

export const memorySource = ({ memory, countTokens }: MemorySourceParts): Source => ({
  name: 'memory',
  place: 'run',
  async contribute(prompt) {
    // A memory that cannot be read is no reason not to talk; its tools say what is wrong with it.
    const recalled = await memory.recall(prompt).catch(() => [])
    const facts = withinBudget(relevant(recalled), countTokens)
    if (facts.length === 0) return undefined
    await memory.used(facts)
    return [HEADING, ...facts.map(toLine)].join('\n')
  },
})

const HEADING = '[remembered from earlier sessions; may be out of date]'
const MAX_TOKENS = 300
/** A longer fact is read with `recall`. */
const MAX_CHARACTERS = 400

/** Below this a fact shares words with the prompt, but not its subject. */
const RELEVANT = 0.3

const relevant = (recalled: readonly Recalled[]): readonly Fact[] =>
  recalled.filter(({ relevance }) => relevance >= RELEVANT).map(({ fact }) => fact)

function withinBudget(facts: readonly Fact[], countTokens: (text: string) => number): readonly Fact[] {
  let used = countTokens(`${HEADING}\n`)
  return facts.filter((fact) => {
    const cost = countTokens(`${toLine(fact)}\n`)
    if (used + cost > MAX_TOKENS) return false
    used += cost
    return true
  })
}

const toLine = ({ kind, text }: Fact): string =>
  `- ${kind === 'fact' ? '' : `${kind}: `}${clip(text, MAX_CHARACTERS)}`
