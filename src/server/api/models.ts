/** `GET /v1/models`: every model and agent there is, in a shape that OpenAI's and Anthropic's clients both read. */
import { z } from 'zod'
import { AGENT } from '../sessions/agent.ts'
import type { ApiParts } from './ask.ts'
import { defineProblem, ProblemError } from '../http/errors.ts'
import type { ServedModel } from '../parts.ts'
import { defineRoute, type Route } from '../http/route.ts'

const ModelEntry = z.strictObject({
  id: z.string(),
  object: z.literal('model'),
  created: z.int(),
  owned_by: z.string(),
  context_window: z.int(),
  capabilities: z.strictObject({
    tools: z.boolean(),
    vision: z.boolean(),
    embeddings: z.boolean(),
    /** It runs tools itself; a request must bring none. */
    agent: z.boolean(),
  }),
  type: z.literal('model'),
  display_name: z.string(),
  created_at: z.string(),
})
type ModelEntry = z.infer<typeof ModelEntry>

const ModelList = z.strictObject({
  object: z.literal('list'),
  data: z.array(ModelEntry),
  has_more: z.literal(false),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
})

export const modelsRoutes = (parts: ApiParts): readonly Route[] => [
  defineRoute({
    method: 'GET',
    path: '/v1/models',
    scope: 'chat',
    summary: 'The models and agents that can be asked.',
    reply: ModelList,

    async handle() {
      const data = entriesOf(parts)
      const ends = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null }
      return { kind: 'json', body: { object: 'list', data, has_more: false, ...ends } }
    },
  }),
  defineRoute({
    method: 'GET',
    // Ids hold slashes.
    path: '/v1/models/*',
    scope: 'chat',
    summary: 'One model.',
    reply: ModelEntry,

    async handle({ params }) {
      const id = params['*'] ?? ''
      const entry = entriesOf(parts).find((candidate) => candidate.id === id)
      if (entry) return { kind: 'json', body: entry }
      const message = `The model ${id} does not exist; GET /v1/models lists the available ones.`
      throw new ProblemError(defineProblem(404, 'model_not_found', message, { param: 'model' }))
    },
  }),
]

/** Models first, then the agents that stand on the default one. */
export function servedModels({ models, agents }: Pick<ApiParts, 'models' | 'agents'>): readonly Entry[] {
  const served = models.list()
  const [context] = served
  if (!context) return []
  const names = [AGENT, ...agents.profiles.map((profile) => `${AGENT}:${profile}`)]
  const standing = names.map((id) => ({ ...context, id, ownedBy: 'covey', embeddings: false, agent: true }))
  return [...served.map((model) => ({ ...model, agent: false })), ...standing]
}

export type Entry = ServedModel & { readonly agent: boolean }

const entriesOf = (parts: ApiParts): readonly ModelEntry[] => servedModels(parts).map(toEntry)

const toEntry = ({ id, ownedBy, created, capabilities, embeddings, agent }: Entry): ModelEntry => ({
  id,
  object: 'model',
  created,
  owned_by: ownedBy,
  context_window: capabilities.window,
  capabilities: { tools: !agent, vision: capabilities.vision, embeddings, agent },
  type: 'model',
  display_name: id,
  created_at: new Date(created * 1000).toISOString(),
})
