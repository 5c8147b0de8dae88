/**
 * A real server on loopback around scripted models: tokens, sockets and fitting are the real ones, only the answers
 * are not.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { fixedTokens, estimateTokens, messagesTokens } from '../../../src/context/count.ts'
import { fitClient } from '../../../src/context/fit-client.ts'
import type { Capabilities, Lease } from '../../../src/protocol/arm.ts'
import { AppError } from '../../../src/protocol/error.ts'
import type { Model, ModelRequest } from '../../../src/protocol/model.ts'
import { apiRoutes } from '../../../src/server/api/routes.ts'
import { createMetrics } from '../../../src/server/admin/metrics.ts'
import type { AgentParts, ModelParts } from '../../../src/server/parts.ts'
import { createFairQueue, type FairQueue } from '../../../src/server/http/queue.ts'
import { createServer } from '../../../src/server/server.ts'
import { openTokens } from '../../../src/server/http/tokens.ts'

export type HostOptions = {
  readonly capabilities?: Partial<Capabilities>
  readonly agents?: AgentParts
  readonly fit?: 'auto' | 'off'
  readonly slots?: number
  readonly embed?: ModelParts['embed']
  readonly fillIn?: ModelParts['fillIn']
}

export type ApiHost = {
  /** Without a path. */
  readonly url: string
  /** Where requests wait for their turn. */
  readonly queue: FairQueue
  /** The token of a client; `chatter` may not run tools. */
  key(client?: string): Promise<string>
  post(path: string, body: unknown, options?: PostOptions): Promise<Response>
  get(path: string, client?: string): Promise<Response>
  delete(path: string): Promise<Response>
}

type PostOptions = { readonly client?: string; readonly signal?: AbortSignal; readonly headers?: object }

/** The first model is the default one. That every lease is settled exactly once is held against every test. */
export async function startApi(
  models: Model | readonly Model[],
  options: HostOptions = {},
): Promise<ApiHost> {
  const folder = await mkdtemp(join(tmpdir(), 'covey-api-'))
  const tokens = openTokens(join(folder, 'tokens'))
  const { parts, requireSettled } = toModelParts([models].flat(), options)
  const queue = createFairQueue({ slots: parts.slots })
  const server = await createServer({
    tokens,
    audit: () => {},
    metrics: createMetrics('test'),
    isAuthOff: false,
    hosts: [],
    routes: apiRoutes({
      models: parts,
      agents: options.agents ?? noAgents,
      fit: options.fit ?? 'auto',
      queue,
      now: Date.now,
    }),
  })
  const [address] = await server.listen({ port: 0 })
  onTestFinished(async () => {
    await server.close()
    await rm(folder, { recursive: true, force: true })
    requireSettled()
  })

  const keys = new Map<string, Promise<string>>()
  const key = (client = 'tester') => {
    const known = keys.get(client) ?? tokens.add(client, client === 'chatter' ? ['chat'] : ['chat', 'tools'])
    keys.set(client, known)
    return known
  }
  const url = `http://127.0.0.1:${address!.port}`
  return {
    url,
    queue,
    key,
    post: async (path, body, { client, signal, headers } = {}) =>
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${await key(client)}`,
          'content-type': 'application/json',
          ...headers,
        },
        body: JSON.stringify(body),
        ...(signal && { signal }),
      }),
    get: async (path, client) =>
      fetch(`${url}${path}`, { headers: { authorization: `Bearer ${await key(client)}` } }),
    delete: async (path) =>
      fetch(`${url}${path}`, { method: 'DELETE', headers: { authorization: `Bearer ${await key()}` } }),
  }
}

const noAgents: AgentParts = {
  profiles: [],
  open: async () => {
    throw new AppError('request-invalid', 'There are no agents here.')
  },
}

const plainCapabilities: Capabilities = {
  window: 8192,
  windowFrom: 'configured',
  tools: 'native',
  emission: { base: 'tool-role' },
  reasoning: 'drop',
  editForm: 'whole',
  requiredChoice: false,
  prefill: false,
  vision: false,
}

function toModelParts(models: readonly Model[], options: HostOptions) {
  const capabilities = { ...plainCapabilities, ...options.capabilities }
  const settled: number[] = []
  const lease = (model: Model): Lease => {
    const index = settled.push(0) - 1
    const settle = () => void settled[index]!++
    return {
      arm: { id: model.name, local: true, capabilities },
      model,
      why: 'test',
      countTokens: estimateTokens,
      commit: settle,
      release: settle,
      toText: () => false,
    }
  }
  const parts: ModelParts = {
    list: () =>
      models.map(({ name }) => ({
        id: name,
        ownedBy: 'test',
        created: 1,
        capabilities,
        embeddings: options.embed !== undefined,
      })),
    async reserve(name) {
      const model = name === undefined ? models[0] : models.find((candidate) => candidate.name === name)
      if (!model) throw new AppError('request-invalid', `The model ${name} does not exist.`, { status: 404 })
      return lease(model)
    },
    fit: (request, { countTokens }) =>
      fitClient(request, { window: capabilities.window, count: countTokens }),
    count: countRequest,
    slots: () => options.slots ?? 16,
    ...(options.embed && { embed: options.embed }),
    ...(options.fillIn && { fillIn: options.fillIn }),
  }
  return { parts, requireSettled: () => expect(settled).toEqual(settled.map(() => 1)) }
}

const countRequest = ({ system, tools, messages }: ModelRequest): number =>
  fixedTokens(system, tools, estimateTokens) + messagesTokens(messages, { count: estimateTokens })

/** The events of a stream, `data` as it was sent. */
export async function readEvents(response: Response): Promise<{ event?: string; data: string }[]> {
  const blocks = (await response.text()).split('\n\n').filter((block) => block.includes('data: '))
  return blocks.map((block) => {
    const event = /^event: (.*)$/m.exec(block)?.[1]
    const data = [...block.matchAll(/^data: (.*)$/gm)].map((match) => match[1]).join('\n')
    return { data, ...(event !== undefined && { event }) }
  })
}

export const weatherTool = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'The weather in a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
} as const
