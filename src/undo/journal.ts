/**
 * What each run did to which file, as records in the order it happened, written before the file is. Where a run
 * touched a file several times, what counts is what the file was first and what it was last. Pure but for the file at
 * the end.
 */
import { z } from 'zod'
import { type JsonlFile, openJsonl } from '../lib/jsonl/file.ts'
import type { FileVersion } from '../protocol/undo.ts'
import { defined } from '../lib/object.ts'

const version = z.object({ hash: z.string().regex(/^[0-9a-f]{64}$/), mode: z.int().min(0).max(0o7777) })
const runId = z.string()

const recordSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('run'), runId, at: z.number(), prompt: z.string() }),
  z.object({
    type: z.literal('change'),
    runId,
    path: z.string().min(1),
    before: version.exactOptional(),
    after: version.exactOptional(),
  }),
  /** Something that may have changed and whose earlier content was not saved. */
  z.object({ type: z.literal('uncovered'), runId, what: z.string() }),
  /** A command is under way, and what it changes is not known before it ends. */
  z.object({ type: z.literal('command-start'), runId }),
  z.object({ type: z.literal('command-end'), runId }),
  z.object({ type: z.literal('undone'), runId, at: z.number().exactOptional() }),
  z.object({ type: z.literal('redone'), runId }),
])

export type JournalRecord = z.output<typeof recordSchema>

export type FileChange = {
  readonly path: string
  readonly before?: FileVersion
  readonly after?: FileVersion
}

export type JournalRun = {
  readonly runId: string
  readonly at: number
  readonly prompt: string
  readonly changes: readonly FileChange[]
  readonly uncovered: readonly string[]
  readonly isUndone: boolean
  readonly undoneAt?: number
  /** A command of it never told its end. */
  readonly isOpen: boolean
}

export interface Journal {
  /** Before the first record of a run. */
  open(): Promise<void>
  append(record: JournalRecord): void
  records(): readonly JournalRecord[]
  close(): Promise<void>
}

export function memoryJournal(): Journal {
  const records: JournalRecord[] = []
  return {
    open: async () => {},
    append: (record) => void records.push(record),
    records: () => records,
    close: async () => {},
  }
}

/**
 * One writer at a time: the session's own lock sees to that. What cannot be read is passed over. Until it is opened
 * the file does not exist, and neither do records.
 */
export function diskJournal(path: string): Journal {
  const records: JournalRecord[] = []
  let file: JsonlFile | undefined
  return {
    async open() {
      if (file) return
      const opened = await openJsonl(path, (found) => {
        const read = recordSchema.safeParse(found)
        if (read.success) records.push(read.data)
      })
      file = opened.file
    },
    append(record) {
      if (!file) throw new Error('a journal is opened before it is written')
      file.append(record)
      records.push(record)
    },
    records: () => records,
    async close() {
      await file?.sync()
      await file?.close()
      file = undefined
    },
  }
}

/** Runs that changed something, or may have; oldest first. */
export function toRuns(records: readonly JournalRecord[]): readonly JournalRun[] {
  const runs = new Map<string, Gathering>()
  for (const record of records) {
    const run = runs.get(record.runId) ?? newRun(record.runId)
    runs.set(record.runId, run)
    take(run, record)
  }
  return [...runs.values()].map(toRun).filter(({ changes, uncovered, isOpen }) => {
    return changes.length > 0 || uncovered.length > 0 || isOpen
  })
}

type Gathering = Omit<JournalRun, 'changes' | 'uncovered'> & {
  at: number
  prompt: string
  isUndone: boolean
  undoneAt?: number
  isOpen: boolean
  readonly changes: Map<string, FileChange>
  readonly uncovered: Set<string>
}

const newRun = (id: string): Gathering => ({
  runId: id,
  at: 0,
  prompt: '',
  isUndone: false,
  isOpen: false,
  changes: new Map(),
  uncovered: new Set(),
})

function take(run: Gathering, record: JournalRecord): void {
  if (record.type === 'run') {
    run.at = record.at
    run.prompt = record.prompt
  } else if (record.type === 'change') {
    const { path, before, after } = record
    const first = run.changes.get(path)
    const start = first ? first.before : before
    run.changes.set(path, { path, ...defined({ before: start, after }) })
  } else if (record.type === 'uncovered') run.uncovered.add(record.what)
  else if (record.type === 'command-start') run.isOpen = true
  else if (record.type === 'command-end') run.isOpen = false
  else {
    run.isUndone = record.type === 'undone'
    if (record.type === 'undone') run.undoneAt = record.at ?? 0
    else delete run.undoneAt
  }
}

const toRun = ({ changes, uncovered, ...run }: Gathering): JournalRun => ({
  ...run,
  changes: [...changes.values()].filter(({ before, after }) => !isSame(before, after)),
  uncovered: [...uncovered],
})

const isSame = (one: FileVersion | undefined, other: FileVersion | undefined): boolean =>
  one?.hash === other?.hash && one?.mode === other?.mode
