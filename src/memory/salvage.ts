/** What can still be read of a damaged memory, carried over fact by fact; whatever cannot is passed over. */
import type { Database } from './database.ts'
import { draftFact, type FactDraft } from './fact.ts'
import { type FactRow, lastFactId, type FactSource, raiseFactId, writeFact } from './fact-table.ts'

/** A file of which this much is lost is not walked through number by number to its end. */
const MAX_UNREADABLE = 100_000

/** Old ids are not given again. */
export function salvageFacts(broken: Database, fresh: Database, now: number): void {
  const last = readOr(() => lastFactId(broken), 0)
  // Where not even the last id can be read, minutes since 1970 are beyond all of them.
  raiseFactId(fresh, last || Math.floor(now / 60_000))
  fresh.transact(() => {
    let unreadable = 0
    for (let id = nextId(broken, 1); id <= last && unreadable < MAX_UNREADABLE; id = nextId(broken, id + 1)) {
      const found = readOr(() => readLiving(broken, id), undefined)
      if (!found) unreadable++
      for (const { draft, place } of found ?? []) writeFact(fresh, draft, place)
    }
  })
}

/** The first existing id from this one on; this one itself if unknown. */
const nextId = (broken: Database, from: number): number =>
  readOr(() => {
    const [found] = broken.rows<{ id: number | null }>('SELECT min(id) AS id FROM fact WHERE id >= ?', from)
    return found?.id ?? Number.POSITIVE_INFINITY
  }, from)

/** One fact, or none where it was superseded. */
function readLiving(
  broken: Database,
  id: number,
): readonly { readonly draft: FactDraft; readonly place: FactSource }[] {
  return broken.rows<FactRow>('SELECT * FROM fact WHERE id = ? AND superseded_by IS NULL', id).map((row) => ({
    draft: draftFact(row),
    place: { project: row.project, source: row.source, now: row.added_at },
  }))
}

function readOr<T>(read: () => T, otherwise: T): T {
  try {
    return read()
  } catch {
    return otherwise
  }
}
