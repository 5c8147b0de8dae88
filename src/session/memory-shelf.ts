/** Sessions that leave no trace: the same records, in memory, until the process ends. */
import { AppError } from '../protocol/error.ts'
import type { Results } from '../protocol/tool.ts'
import { type LogRecord, replay, type SessionLog } from './log.ts'
import { memoryResults } from './results.ts'
import type { Shelf } from './shelf.ts'

type MemorySession = { readonly log: MemoryLog; results: Results; isOpen: boolean }

export function memoryShelf(): Shelf {
  const sessions = new Map<string, MemorySession>()
  const requireFree = (id: string): MemorySession => {
    const session = sessions.get(id)
    if (!session || session.isOpen)
      throw new AppError('session-busy', `Session ${id} is already open here; fork it`)
    return session
  }

  return {
    list: async () => Array.from(sessions, ([id, { log }]) => replay(id, log.records()).info),
    has: async (id) => sessions.has(id),
    async make(id) {
      if (sessions.has(id)) return false
      sessions.set(id, { log: new MemoryLog(), results: memoryResults(), isOpen: false })
      return true
    },
    async open(id) {
      const session = requireFree(id)
      session.isOpen = true
      const close = async () => {
        session.isOpen = false
      }
      const { log, results } = session
      return { replay: replay(id, log.records()), log, results, damage: [], close }
    },
    async *records(id) {
      yield sessions.get(id)?.log.records() ?? []
    },
    isOpen: async (id) => sessions.get(id)?.isOpen ?? false,
    async copyBelongings(from, to) {
      const [source, copy] = [sessions.get(from), sessions.get(to)]
      // Shared, not copied: results never change, and handles in the copied messages stay right.
      if (source && copy) copy.results = source.results
    },
    async remove(id) {
      requireFree(id)
      sessions.delete(id)
    },
    sweep: async () => {},
  }
}

/** The most the kept events of one session may take, in characters; the older half leaves first. */
const MAX_EVENTS = 16 * 1_048_576
/** The most that was said may take; what a compaction replaced leaves then. */
const MAX_SAID = 64 * 1_048_576

const SAID = new Set<LogRecord['type']>(['message', 'composed', 'history'])

/** Records are kept as text, so that they cannot be changed later, as on disk. */
class MemoryLog implements SessionLog {
  #lines: { readonly text: string; readonly type: LogRecord['type'] }[] = []
  #eventSize = 0
  #saidSize = 0

  append(record: LogRecord): void {
    const { type } = record
    const text = JSON.stringify(record)
    this.#lines.push({ text, type })
    if (type === 'event') this.#eventSize += text.length
    if (SAID.has(type)) this.#saidSize += text.length
    if (this.#eventSize > MAX_EVENTS) this.#forgetEvents()
    if (type === 'history' && this.#saidSize > MAX_SAID) this.#forgetReplaced()
  }

  async sync(): Promise<void> {}

  read(): AsyncGenerator<readonly LogRecord[]> {
    return inOneBatch(this.records())
  }

  records(): LogRecord[] {
    return this.#lines.map(({ text }) => JSON.parse(text) as LogRecord)
  }

  #forgetEvents(): void {
    const enough = this.#eventSize / 2
    this.#lines = this.#lines.filter(({ text, type }) => {
      if (type !== 'event' || this.#eventSize <= enough) return true
      this.#eventSize -= text.length
      return false
    })
  }

  /** The last line is all of the conversation now. */
  #forgetReplaced(): void {
    const last = this.#lines.at(-1)
    this.#lines = this.#lines.filter((line) => line === last || !SAID.has(line.type))
    this.#saidSize = last?.text.length ?? 0
  }
}

async function* inOneBatch(records: readonly LogRecord[]): AsyncGenerator<readonly LogRecord[]> {
  yield records
}
