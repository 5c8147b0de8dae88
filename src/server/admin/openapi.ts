/** The description of the API, made from the routes themselves: what is not registered is not described. */
import { z } from 'zod'
import { defineRoute, type ErrorShape, type Route } from '../http/route.ts'

/** How errors look, by the API a route belongs to; the tests hold every error reply against these. */
export const errorSchemas = {
  openai: z.strictObject({
    error: z.strictObject({
      message: z.string().min(1),
      type: z.string().min(1),
      param: z.string().nullable(),
      code: z.string().nullable(),
    }),
  }),
  anthropic: z.strictObject({
    type: z.literal('error'),
    error: z.strictObject({ type: z.string().min(1), message: z.string().min(1) }),
    request_id: z.string(),
  }),
  ollama: z.strictObject({ error: z.string().min(1) }),
} as const satisfies Readonly<Record<ErrorShape, z.ZodType>>

/** A route that describes the others and itself. */
export function openapiRoute(routes: readonly Route[], version: string): Route {
  const route: Route = defineRoute({
    method: 'GET',
    path: '/openapi.json',
    scope: 'chat',
    summary: 'This description',
    reply: z.looseObject({ openapi: z.string(), paths: z.looseObject({}) }),
    handle: async () => ({ kind: 'json', body: describe([...routes, route], version) }),
  })
  return route
}

function describe(routes: readonly Route[], version: string): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const route of routes) {
    const path = toTemplate(route.path)
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeRoute(route) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Covey', version, description: 'Models and agents on this machine.' },
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        key: { type: 'apiKey', in: 'header', name: 'x-api-key' },
      },
      schemas: {
        Error: toSchema(errorSchemas.openai),
        AnthropicError: toSchema(errorSchemas.anthropic),
        OllamaError: toSchema(errorSchemas.ollama),
      },
    },
  }
}

const errorNames = { openai: 'Error', anthropic: 'AnthropicError', ollama: 'OllamaError' } as const

function describeRoute({ path, scope, summary, body, reply, errors = 'openai' }: Route): object {
  const parameters = namesIn(path).map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const error = { $ref: `#/components/schemas/${errorNames[errors]}` }
  return {
    summary,
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: jsonContent(toSchema(body, 'input')) } }),
    responses: {
      200: { description: summary, ...(reply && { content: jsonContent(toSchema(reply)) }) },
      default: { description: 'Refused or failed', content: jsonContent(error) },
    },
    security: scope === 'open' ? [] : [{ bearer: [] }, { key: [] }],
    ...(scope !== 'open' && { 'x-covey-scope': scope }),
  }
}

const jsonContent = (schema: object) => ({ 'application/json': { schema } })

function toSchema(schema: z.ZodType, io: 'input' | 'output' = 'output'): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return rest
}

const toTemplate = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}').replace('*', '{rest}')

const namesIn = (path: string): readonly string[] =>
  Array.from(toTemplate(path).matchAll(/\{(\w+)\}/g), ([, name = '']) => name)
