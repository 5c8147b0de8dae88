/**
 * All tools of one session: the built-in ones, the one that starts subagents, and what memory, plans, skills and
 * servers bring.
 */
import { posix } from 'node:path'
import type { Config } from '../config/schema.ts'
import { prepareCall } from '../engine/prepare.ts'
import { isObject, readJson } from '../lib/json.ts'
import type { Message, ToolCall } from '../protocol/message.ts'
import type { Equipment } from '../protocol/equipment.ts'
import type { Files, Tool } from '../protocol/tool.ts'
import { withLessons } from '../memory/lesson.ts'
import { createLocks, serialised } from '../subagents/locks.ts'
import { createSpawnSubagents, type RunChild } from '../subagents/spawn.ts'
import { builtinTools } from '../tools/all.ts'

export type SessionToolsParts = {
  readonly config: Config
  readonly equipment: Equipment
  readonly runChild: RunChild
  /** Whether the model is offered it. */
  isOffered(tool: Tool): boolean
  /** What was said before this process: files it shows need not be read again. */
  readonly history: readonly Message[]
  /** Where proposed patches are kept. */
  readonly patches: () => Promise<Files>
  /** Tools of another machine in the place of those here. */
  readonly exchange?: (local: readonly Tool[]) => readonly Tool[]
}

/** Made for each session: some tools remember what the session did. */
export function sessionTools(parts: SessionToolsParts): () => readonly Tool[] {
  const { config, equipment, runChild, isOffered, history, patches, exchange = (tools) => tools } = parts
  const { checks, exec } = config
  const limits = { usualMs: exec.timeout_s * 1000, longMs: exec.long_timeout_s * 1000 }
  const locks = createLocks()
  // A server's tool may replace another one; every name is unique.
  const list = (): readonly Tool[] => [
    ...new Map([...builtins, ...equipment.tools()].map((tool) => [tool.name, tool])).values(),
  ]
  const canRemember = equipment.tools().some(({ name }) => name === 'remember')
  const seen = pathsReadIn(history)
  const own = exchange(builtinTools({ list: () => list().filter(isOffered), checks, limits, patches, seen }))
  const builtins = [
    ...(canRemember ? withLessons(own) : own)
      .map((tool) => equipment.around?.(tool) ?? tool)
      .map((tool) => serialised(tool, locks)),
    createSpawnSubagents({ runChild }),
  ]
  return list
}

/** The files that read_file showed in a conversation. */
function pathsReadIn(history: readonly Message[]): Set<string> {
  const shown = new Set(
    history.flatMap((message) => (message.role === 'tool' && message.ok ? [message.callId] : [])),
  )
  const calls = history.flatMap((message) => (message.role === 'assistant' ? message.calls : []))
  const paths = calls.flatMap(({ id, name, input }) => {
    const reading = name === 'read_file' && shown.has(id) ? readJson(input) : undefined
    const path = reading?.ok && isObject(reading.value) ? reading.value['path'] : undefined
    return typeof path === 'string' ? [posix.normalize(path)] : []
  })
  return new Set(paths)
}

export type Understood = { readonly call: ToolCall; readonly isRepaired: boolean }

/** A call as the engine would read it, repaired where that is safe. */
export function understand(call: ToolCall, tools: readonly Tool[]): Understood | undefined {
  const prepared = prepareCall(call, { tools, options: {}, atLimit: false })
  if (prepared.kind === 'hopeless') return undefined
  const { tool, input, repaired } = prepared
  return { call: { ...call, name: tool.name, input: JSON.stringify(input) }, isRepaired: repaired }
}
