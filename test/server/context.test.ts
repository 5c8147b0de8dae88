/** Health, numbers and the description of the API. */
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type HealthParts, healthRoutes } from '../../src/server/admin/health.ts'
import { createMetrics } from '../../src/server/admin/metrics.ts'
import { openapiRoute } from '../../src/server/admin/openapi.ts'
import { createSessionService } from '../../src/server/sessions/service.ts'
import { sessionRoutes } from '../../src/server/sessions/routes.ts'
import { openTestServer, send, testRoutes } from './support.ts'

async function openHealth(checks: HealthParts['checks'], told: string[] = []) {
  const metrics = createMetrics('1.2.3')
  const tell = (name: string, why: string) => void told.push(`${name}: ${why}`)
  const routes = healthRoutes({ checks, metrics, tell, timeoutMs: 50, holdMs: 0 })
  return openTestServer(routes, { metrics })
}

describe('health', () => {
  test('is one word for a client without a token', async () => {
    const open = await openHealth([{ name: 'arm', check: async () => {} }])

    const health = await send(open.port, { path: '/health' })
    const ready = await send(open.port, { path: '/ready' })

    expect([health.status, health.json()]).toEqual([200, { status: 'ok' }])
    expect([ready.status, ready.json()]).toEqual([200, { status: 'ready' }])
  })

  test('not ready says so to clients and why to the log, also when a check never ends', async () => {
    const told: string[] = []
    const open = await openHealth(
      [
        { name: 'data folder', check: async () => {} },
        { name: 'arm qwen', check: () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.7')) },
        { name: 'arm slow', check: () => new Promise(() => {}) },
      ],
      told,
    )

    const ready = await send(open.port, { path: '/ready' })
    const metrics = await open.ask({ path: '/metrics' })

    expect([ready.status, ready.text]).toEqual([503, '{"status":"not ready"}'])
    expect(told).toEqual(['arm qwen: connect ECONNREFUSED 10.0.0.7', 'arm slow: no answer in 50 ms'])
    expect(metrics.text).toContain('covey_ready{check="arm qwen"} 0')
    expect(metrics.text).toContain('covey_ready{check="data folder"} 1')
  })
})

describe('numbers', () => {
  test('need a token, by route pattern and never by what a client sent', async () => {
    const open = await openHealth([])
    await open.ask({ path: '/health' })
    await open.ask({ path: '/nowhere/secret-word' })

    const reply = await open.ask({ path: '/metrics' })
    const refused = await send(open.port, { path: '/metrics' })

    expect(reply.headers['content-type']).toContain('text/plain')
    expect(reply.text).toContain('covey_http_requests_total{method="GET",route="/health",status="200"} 1')
    expect(reply.text).toContain('covey_http_requests_total{method="GET",route="none",status="404"} 1')
    expect(reply.text).toContain('covey_info{version="1.2.3"} 1')
    expect(reply.text).not.toContain('secret-word')
    expect(refused.status).toBe(401)
  })
})

describe('the description', () => {
  const Operation = z.strictObject({
    summary: z.string().min(1),
    parameters: z
      .array(
        z.strictObject({
          name: z.string(),
          in: z.literal('path'),
          required: z.literal(true),
          schema: z.object({}),
        }),
      )
      .optional(),
    requestBody: z
      .strictObject({
        required: z.boolean(),
        content: z.record(z.literal('application/json'), z.object({ schema: z.looseObject({}) })),
      })
      .optional(),
    responses: z.record(z.string(), z.looseObject({ description: z.string().min(1) })),
    security: z.array(z.record(z.string(), z.array(z.string()))),
    'x-covey-scope': z.string().optional(),
  })
  const Description = z.strictObject({
    openapi: z.literal('3.1.0'),
    info: z.strictObject({ title: z.string(), version: z.string(), description: z.string() }),
    paths: z.record(z.string().regex(/^\//), z.partialRecord(z.enum(['get', 'post', 'delete']), Operation)),
    components: z.strictObject({ securitySchemes: z.looseObject({}), schemas: z.looseObject({}) }),
  })

  test('is valid and names every route, its body and its lock', async () => {
    const service = createSessionService({ create: never, resume: never, look: never, list: async () => [] })
    const routes = [...testRoutes(), ...sessionRoutes(service, () => {})]
    const open = await openTestServer(routes)

    const reply = await open.ask({ path: '/openapi.json' })
    await service.close()

    const description = Description.parse(reply.json())
    const described = Object.entries(description.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const registered = open.server.routes.map(
      ({ method, path }) => `${method} ${path.replace(':id', '{id}').replace('*', '{rest}')}`,
    )
    expect(described.toSorted()).toEqual(registered.toSorted())
    expect(description.paths['/v1/sessions/{id}/prompt']).toMatchObject({
      post: {
        requestBody: { content: { 'application/json': { schema: { required: ['prompt'] } } } },
        'x-covey-scope': 'tools',
      },
    })
    expect(description.paths['/health']).toMatchObject({ get: { security: [] } })
    for (const [, ref] of JSON.stringify(description).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)) {
      expect(Object.keys(description.components.schemas)).toContain(ref)
    }
  })

  test('of one route describes itself too', async () => {
    const route = openapiRoute([], '1.0.0')

    const reply = await route.handle({
      id: 'r',
      body: undefined,
      params: {},
      query: {},
      headers: {},
      client: 'c',
      scopes: [],
      signal: new AbortController().signal,
    })

    expect(reply).toMatchObject({
      kind: 'json',
      body: { paths: { '/openapi.json': { get: { summary: 'This description' } } } },
    })
  })
})

const never = () => Promise.reject(new Error('not in this test'))
