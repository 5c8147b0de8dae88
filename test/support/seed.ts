/**
 * All chance in the tests comes from one seed. `test/support/setup.ts` chooses and prints it: the same for every run of a
 * commit, another one for the next commit. `COVEY_TEST_SEED` repeats a run.
 */
import { createCipheriv, createHash } from 'node:crypto'

export const seed = Number(process.env['COVEY_TEST_SEED'] ?? 1)

/** Numbers from 0 to 1; the same for the same name. */
export function seededRandom(name: string): () => number {
  let state = createHash('sha256').update(`${seed} ${name}`).digest().readUInt32LE()
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Some of the list, each once, in their order. */
export function seededSlice<Item>(list: readonly Item[], count: number, name: string): readonly Item[] {
  const next = seededRandom(name)
  const ranks = list.map((item, index) => ({ item, index, rank: next() }))
  const chosen = ranks.toSorted((a, b) => a.rank - b.rank).slice(0, count)
  return chosen.toSorted((a, b) => a.index - b.index).map(({ item }) => item)
}

let made = 0

/** As random bytes are: every call gives others. */
export function seededBytes(size: number): Buffer {
  const key = createHash('sha256').update(`${seed} bytes ${made++}`).digest()
  return createCipheriv('chacha20', key, Buffer.alloc(16)).update(Buffer.alloc(size))
}
