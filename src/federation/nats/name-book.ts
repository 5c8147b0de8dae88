/**
 * What machines on the broker are called here. A name is a claim of the machine; the first one is kept for its id, on
 * disk, so that no machine takes the name of another later. A paired machine is called as when it was paired.
 */
import { join } from 'node:path'
import { z } from 'zod'
import { openShelf } from '../shelf.ts'

export type NameBook = {
  /** The name that was kept for this id; this one, if there was none. Never fails. */
  pin(id: string, claimed: string): Promise<string>
  /** In words: what a person does so that another name counts. */
  readonly howToChange: string
}

const bookSchema = z.strictObject({
  version: z.literal(1),
  names: z.record(z.string().regex(/^[0-9a-f]{64}$/), z.string().max(200)),
})

const MAX_NAMES = 1_000

/** `paired` knows those that were paired. */
export function openNameBook(
  dataFolder: string,
  paired: (id: string) => Promise<string | undefined>,
): NameBook & { list(): Promise<Readonly<Record<string, string>>> } {
  const path = join(dataFolder, 'nats-names.json')
  const shelf = openShelf({ path, schema: bookSchema, empty: { version: 1, names: {} } })
  const keep = (id: string, claimed: string) =>
    shelf.update((book) => {
      const known = book.names[id]
      if (known !== undefined || Object.keys(book.names).length >= MAX_NAMES) return [book, known ?? claimed]
      return [{ ...book, names: { ...book.names, [id]: claimed } }, claimed]
    })
  return {
    pin: async (id, claimed) =>
      (await paired(id).catch(() => undefined)) ?? (await keep(id, claimed).catch(() => claimed)),
    list: async () => (await shelf.read()).names,
    howToChange: `To take the new name, remove its line from ${path}.`,
  }
}

/** For as long as the program runs. */
export function createNameBook(): NameBook {
  const names = new Map<string, string>()
  return {
    async pin(id, claimed) {
      const name = names.get(id) ?? claimed
      names.set(id, name)
      return name
    },
    howToChange: 'Start this program again to take the new name.',
  }
}
