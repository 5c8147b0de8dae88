/** Many facts at once: one transaction instead of one for each. */
import { openDatabase } from '../../src/memory/database.ts'
import { draftFact } from '../../src/memory/fact.ts'
import { FACT_SCHEMA, FACT_VERSION, writeFact } from '../../src/memory/fact-table.ts'

export async function fillMemory(path: string, project: string, texts: readonly string[]): Promise<void> {
  const kept = await openDatabase({
    path,
    schema: FACT_SCHEMA,
    version: FACT_VERSION,
    durability: 'normal',
    warn: () => {},
  })
  await kept.use((database) =>
    database.transact(() => {
      for (const text of texts)
        writeFact(database, draftFact({ text }), { project, source: 'person', now: 1 })
    }),
  )
  kept.close()
}
