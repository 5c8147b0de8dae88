/** The tools of memory: keeping a fact, and looking for one. */
import { z } from 'zod'
import { defineTool, type Tool } from '../protocol/tool.ts'
import type { Fact } from './fact.ts'
import type { Added, Memory } from './store.ts'

export const createRemember = (memory: Pick<Memory, 'add'>): Tool =>
  defineTool({
    name: 'remember',
    description: 'Keep a fact for later sessions',
    category: 'memory',
    input: z.object({ text: z.string() }),
    access: () => [{ kind: 'store', target: 'the memory' }],

    async run({ text }) {
      return describe(await memory.add({ text, source: 'model' }))
    },
  })

function describe({ fact, outcome, replaced }: Added): string {
  if (outcome === 'known') return `Known already, as ${fact.id}.`
  const instead = replaced.length > 0 ? ` It takes the place of ${replaced.join(', ')}.` : ''
  return `Remembered as ${fact.id} (${fact.kind}).${instead}`
}

export const createRecall = (memory: Pick<Memory, 'recall' | 'used'>): Tool =>
  defineTool({
    name: 'recall',
    description: 'Search kept facts',
    category: 'memory',
    input: z.object({ query: z.string() }),

    async run({ query }, { signal }) {
      const facts = (await memory.recall(query, { signal })).map(({ fact }) => fact)
      if (facts.length === 0) return 'Nothing is remembered about that.'
      await memory.used(facts)
      return facts.map(toLine).join('\n')
    },
  })

const toLine = ({ id, kind, text, addedAt }: Fact): string =>
  `${id} [${kind}, ${new Date(addedAt).toISOString().slice(0, 10)}] ${text}`
