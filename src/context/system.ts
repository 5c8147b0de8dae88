/**
 * The system text: rendered once per session and never changed, because a changed byte here costs the whole cached
 * prefix. Nothing that changes while a session goes on may come in.
 */
import { type Budget, fairShare } from './budget.ts'
import type { CountTokens } from './count.ts'
import { cutEnd } from './cut.ts'
import type { Section } from './sources.ts'

export type SystemInput = {
  /** Who the model is: the text of prompts/system.md. */
  readonly identity: string
  /** How to call tools, for arms that get them as text. */
  readonly instructions?: string
  /** Project notes, then the list of skills. */
  readonly sections: readonly Section[]
  readonly budget: Budget
  /** What the tools of a request take beside this text. */
  readonly toolTokens: number
  readonly count: CountTokens
}

/** A model that has read this much of instructions follows none of them. */
const MOST_TOKENS = 2000

export function renderSystem(input: SystemInput): string {
  const { identity, instructions = '', sections, budget, toolTokens, count } = input
  const own = [identity.trim(), instructions.trim()].filter(Boolean).join('\n\n')
  const room = Math.min(budget.fixed - toolTokens, MOST_TOKENS) - count(own)
  const titled = sections.map((section) => ({ ...section, text: `# ${section.name}\n${section.text}` }))
  const share = fairShare(
    titled.map(({ text }) => count(text)),
    room - titled.length,
  )
  return [own, ...titled.map((section) => cutSection(section, share, count))].filter(Boolean).join('\n\n')
}

function cutSection({ name, text }: Section, share: number, count: CountTokens): string {
  const isFile = name.includes('.')
  const how = isFile ? `; read_file ${name} shows it` : ''
  return cutEnd(text, share, count, (omitted) => `[${omitted} tokens of ${name} left out${how}]`)
}
