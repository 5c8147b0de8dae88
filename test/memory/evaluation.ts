/** How often the fact that answers a question is among the first five. */
import type { NamedEmbedder } from '../../src/memory/meaning.ts'
import { openMemory } from '../../src/memory/store.ts'
import { distractors } from './distractors.ts'
import { fillMemory } from './fill.ts'
import type { Pair } from './questions.ts'

export type Evaluation = {
  /** Of each group, the share of questions that found their fact. */
  readonly shares: readonly number[]
  readonly missed: readonly (readonly Pair[])[]
  /** Facts that could have been found. */
  readonly living: number
}

export async function recallAtFive(
  path: string,
  groups: readonly (readonly Pair[])[],
  among: number,
): Promise<Evaluation> {
  await fillFor(path, groups, among)
  return evaluate(path, groups)
}

export async function fillFor(
  path: string,
  groups: readonly (readonly Pair[])[],
  among: number,
): Promise<void> {
  const facts = groups.flat().map(({ fact }) => fact)
  await fillMemory(path, 'shop', scattered(facts, distractors(among)))
}

/** The same memory may be asked several times, each time with another embedder. */
export async function evaluate(
  path: string,
  groups: readonly (readonly Pair[])[],
  embedder?: NamedEmbedder,
): Promise<Evaluation> {
  const memory = await openMemory({
    path,
    project: 'shop',
    refuse: async () => undefined,
    now: Date.now,
    warn: () => {},
    ...(embedder && { embedder }),
  })
  const missed = await Promise.all(
    groups.map(async (pairs) => {
      const hits = await Promise.all(
        pairs.map(async ({ fact, question }) =>
          (await memory.recall(question)).some((found) => found.fact.text === fact),
        ),
      )
      return pairs.filter((_, index) => !hits[index])
    }),
  )
  const living = (await memory.list()).filter(({ supersededBy }) => supersededBy === undefined).length
  await memory.close()
  return { living, missed, shares: groups.map((pairs, index) => 1 - missed[index]!.length / pairs.length) }
}

/** What is looked for is neither the oldest nor the newest. */
function scattered(facts: readonly string[], others: readonly string[]): readonly string[] {
  const step = Math.max(1, Math.floor(others.length / facts.length))
  return [
    ...facts.flatMap((fact, index) => [...others.slice(index * step, (index + 1) * step), fact]),
    ...others.slice(facts.length * step),
  ]
}
