/** What a session says to its model before anybody asks anything. */
import type { Config } from '../config/schema.ts'
import { budgetFor } from '../context/budget.ts'
import { loadPrompt } from '../context/prompts.ts'
import { frozenSource, gatherSections, noteSources, onceSource, situationSource } from '../context/sources.ts'
import { renderSystem } from '../context/system.ts'
import { offerTools, type ToolMode } from '../engine/offer.ts'
import type { Lease } from '../protocol/arm.ts'
import type { Source } from '../protocol/source.ts'
import type { Message } from '../protocol/message.ts'
import type { Files, Tool } from '../protocol/tool.ts'

/** What is known when a session opens. */
export type Words = {
  readonly lastTime: string | undefined
  readonly instructions: string | undefined
  /** What was said before this process. */
  readonly history: readonly Message[]
}

export function sourcesOf(
  files: Files,
  { lastTime, instructions }: Omit<Words, 'history'>,
): readonly Source[] {
  const read = (path: string) => files.read(path).catch(() => undefined)
  return [
    ...(instructions ? [frozenSource('instructions', instructions)] : []),
    ...noteSources(read),
    situationSource(read, () => new Date()),
    ...(lastTime ? [onceSource('last session', lastTime)] : []),
  ]
}

export const toolMode = ({ engine }: Config): ToolMode => engine.tools

export type SystemParts = {
  readonly config: Config
  /** Replaces the built-in text. */
  readonly system?: string
  readonly promptsFolder: string
  measure(): Lease
}

/** Rendered once per session; nothing in it may change while the session goes on. */
export async function systemText(
  parts: SystemParts,
  sources: readonly Source[],
  tools: readonly Tool[],
): Promise<string> {
  const lease = parts.measure()
  const count = (text: string) => lease.countTokens(text)
  const offered = offerTools({ mode: toolMode(parts.config), tools, options: {} }, lease, [])
  return renderSystem({
    identity: parts.system ?? (await loadPrompt('system.md', parts.promptsFolder)),
    sections: await gatherSections(sources, 'frozen', ''),
    budget: budgetFor(lease.arm.capabilities.window),
    toolTokens: count(JSON.stringify(offered.tools)),
    count,
  })
}
