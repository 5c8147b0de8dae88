/**
 * The user message of a run: what precedes the person's words (sources, output of their commands), the words themselves,
 * and images. It is stored as it is composed; nothing is added to it later. Whatever is too long is kept elsewhere and
 * folded, so that a pasted log cannot overflow the window.
 */
import type { UserMessage } from '../protocol/message.ts'
import type { StoredResult } from '../protocol/tool.ts'
import { type Budget, fairShare } from './budget.ts'
import type { CountTokens } from './count.ts'
import { leftOutText } from '../lib/result-lines.ts'
import { cutEnd, cutMiddle } from './cut.ts'
import { withExecOutput } from './exec-output.ts'
import { findImages, type ReadBytes } from './images.ts'
import type { Section } from './sources.ts'

/** Keeps a long text where `read_result` finds it; nothing where nothing may be kept. */
type StoreText = (label: string, text: string) => Promise<StoredResult | undefined>

export type ComposeInput = {
  readonly prompt: Pick<UserMessage, 'text' | 'images'>
  /** What the run's sources contributed. */
  readonly sections: readonly Section[]
  /** As taken from the buffer; empty when there is none. */
  readonly execOutput: string
  readonly budget: Budget
  readonly count: CountTokens
  readonly vision: boolean
  readonly readBytes: ReadBytes
  readonly store: StoreText
}

export type Composed = { readonly message: UserMessage; readonly warnings: readonly string[] }

export async function composePrompt(input: ComposeInput): Promise<Composed> {
  const { prompt, budget, vision, readBytes } = input
  const { sections, output } = await preceding(input)
  const words = await fold('user message', prompt.text, budget.prompt, input)
  const found = await findImages(prompt.text, vision, readBytes)
  const images = [...(prompt.images ?? []), ...found.images]
  return {
    message: {
      role: 'user',
      text: [...sections, withExecOutput(output, words)].join('\n\n'),
      ...(images.length > 0 && { images }),
    },
    warnings: found.warnings,
  }
}

/** Everything in front of the person's words, together within its share. */
async function preceding(
  input: ComposeInput,
): Promise<{ readonly sections: readonly string[]; readonly output: string }> {
  const { sections, execOutput, budget, count } = input
  const texts = [...sections.map(({ text }) => text), execOutput]
  const share = fairShare(texts.map(count), budget.preceding)
  return {
    sections: sections.map(({ name, text }) =>
      cutEnd(text, share, count, (omitted) => `[${omitted} tokens of ${name} left out]`),
    ),
    output: await fold('exec output', execOutput, share, input),
  }
}

/** Head and tail as a command's output would be shown, the whole stored. */
async function fold(
  label: string,
  text: string,
  limit: number,
  { count, store }: Pick<ComposeInput, 'count' | 'store'>,
): Promise<string> {
  if (count(text) <= limit) return text
  const stored = await store(label, text)
  if (!stored) return cutMiddle(text, limit, count)
  return cutMiddle(text, limit, count, (omitted) => leftOutText(omitted, stored.id))
}
