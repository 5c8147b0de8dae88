/** What memory and the code index bring to a session. What they stand on is opened and closed by the app. */
import type { Equipment } from '../protocol/equipment.ts'
import type { Exec, Files } from '../protocol/tool.ts'
import type { CodeIndex } from './code/open-index.ts'
import { projectFiles } from './project-files.ts'
import { createRecall, createRemember } from './remember.ts'
import { repoMapSources } from './code/map.ts'
import { createSearchCode } from './code/search.ts'
import { memorySource } from './source.ts'
import type { Memory } from './store.ts'

export type MemoryEquipmentParts = {
  /** Absent = switched off. */
  readonly memory?: Memory
  /** Absent = switched off. */
  readonly index?: CodeIndex
  /** Draw a map of the project where the window has room for one. */
  readonly repoMap: boolean
  /** The session's own, as the guard made them. */
  readonly files: Files
  /** Secrets hidden: a question may be answered by an arm on another machine. */
  outgoing(text: string): Promise<string>
  readonly exec: Exec
  /** Of the arm that would answer now. */
  readonly window: number
  countTokens(text: string): number
}

export function memoryEquipment(parts: MemoryEquipmentParts): Equipment {
  const { index, repoMap, window, countTokens } = parts
  const memory = parts.memory && askedCleanly(parts.memory, parts.outgoing)
  const tools = [
    ...(memory ? [createRemember(memory), createRecall(memory)] : []),
    ...(index ? [createSearchCode(index)] : []),
  ]
  return {
    tools: () => tools,
    sources: [
      ...(index && repoMap ? repoMapSources({ index, files: projectFiles(parts), window, countTokens }) : []),
      ...(memory ? [memorySource({ memory, countTokens })] : []),
    ],
    close: async () => {},
  }
}

const askedCleanly = (memory: Memory, outgoing: MemoryEquipmentParts['outgoing']): Memory => ({
  ...memory,
  recall: async (query, options) => memory.recall(await outgoing(query), options),
})
