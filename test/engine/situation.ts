/** What a detector is shown, for tests: a prompt, and whatever of the situation matters to one of them. */
import { readDemands } from '../../src/engine/detectors/demands.ts'
import type { Situation } from '../../src/engine/detectors/detector.ts'
import { findDue } from '../../src/engine/detectors/due.ts'
import type { CallRecord } from '../../src/engine/trace.ts'
import { type Sketch, traceOf } from './record.ts'

const toolNames = ['list_files', 'read_file', 'search_text', 'edit_file', 'write_file', 'run_command']

export type Scene = Partial<Omit<Situation, 'due' | 'demands'>> & {
  /** Calls the run made so far. */
  readonly calls?: readonly Sketch[]
  /** Files that exist. */
  readonly files?: readonly string[]
}

export function situationFor(prompt: string, { calls = [], files = [], ...more }: Scene = {}): Situation {
  const records: readonly CallRecord[] = traceOf(calls).calls
  const demands = readDemands(prompt)
  const due = findDue({
    demands,
    calls: records,
    exists: (path) => files.includes(path),
    isKnown: () => false,
  })
  return {
    prompt,
    demands,
    due,
    usedTools: records.length > 0,
    talked: records.length > 0,
    toolNames,
    mayAct: true,
    results: records.slice(-3).map(({ text }) => text),
    ...more,
  }
}
