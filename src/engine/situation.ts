/** What stood around a reply, gathered for the detectors: the person's demands, what the run did about them, what it saw. */
import type { Message } from '../protocol/message.ts'
import { readDemands } from './detectors/demands.ts'
import type { Situation } from './detectors/detector.ts'
import { findDue } from './detectors/due.ts'
import type { LoopParts, Offer } from './parts.ts'
import type { RunState } from './run-state.ts'

/** How many results back a quote may come from. */
const RECENT = 3

export async function situationOf(run: RunState, parts: LoopParts, offer: Offer): Promise<Situation> {
  const { prompt, options, toolAccess } = parts
  const demands = readDemands(prompt)
  const { files } = toolAccess.context
  const there = await Promise.all(demands.paths.map(({ path }) => files.info(path).catch(() => undefined)))
  const existing = new Set(
    demands.paths.filter((_, index) => there[index] !== undefined).map(({ path }) => path),
  )
  const shown = shownIn(run.messages, prompt)
  const evidence = shownIn(
    run.messages.filter((message) => message.role === 'user' && message.text.endsWith(prompt)),
    prompt,
  )
  const results = run.messages.flatMap((message) => (message.role === 'tool' ? [message.text] : []))
  return {
    prompt,
    demands,
    due: goesOn(run.messages)
      ? { missing: [], wrote: true }
      : findDue({
          demands,
          calls: run.calls,
          exists: (path) => existing.has(path),
          isKnown: (path) => shown.includes(path),
          isEvidence: (path) => evidence.includes(`\n[${path}:`),
        }),
    usedTools: run.calls.length > 0,
    talked: results.length > 0,
    toolNames: offer.tools.map(({ name }) => name),
    mayAct: offer.tools.length > 0 && options.toolChoice !== 'none',
    results: results.slice(-RECENT),
  }
}

/** The run before it was interrupted: what that one did is not in this one's trace, and counts. */
function goesOn(messages: readonly Message[]): boolean {
  const prompt = messages.findLastIndex((message) => message.role === 'user' && message.origin === undefined)
  const before = messages[prompt - 1]
  return before !== undefined && (before.role !== 'assistant' || before.flag === 'cut')
}

/** All the conversation holds beside the words of the prompt itself. */
const shownIn = (messages: readonly Message[], prompt: string): string =>
  messages
    .map((message) => {
      if (message.role === 'assistant') return message.calls.map(({ input }) => input).join('\n')
      return message.role === 'user' ? message.text.replace(prompt, '') : message.text
    })
    .join('\n')
