/**
 * A fake llama-cpp-python: OpenAI's API and a page about itself. No usage in streams, no calls read out of replies, and a
 * stream that is refused is an empty one.
 */
import { createFakeModel, type FakeQuirks, Refusal } from './fake-model.ts'
import { type Answer, type Body, listen, type FakeServer, type Routes } from './listen.ts'
import { openAiRoutes } from './openai-routes.ts'

const CHAT = 'POST /v1/chat/completions'

export function startLlamaCppPython(quirks: FakeQuirks = {}): Promise<FakeServer> {
  const { model: id = 'test-model' } = quirks
  const routes = openAiRoutes(createFakeModel({ ...quirks, textCalls: true }))
  return listen({
    quirks,
    errorBody: ({ status, message }) => ({
      error: { message, type: status < 500 ? 'invalid_request_error' : 'internal_server_error', code: null },
    }),
    routes: {
      ...routes,
      [CHAT]: (body) => withoutUsage(refusedQuietly(routes, body)),
      'GET /openapi.json': () => ({
        json: { openapi: '3.1.0', info: { title: '🦙 llama.cpp Python API', version: '0.3.36' } },
      }),
      'GET /v1/models': () => ({
        json: { object: 'list', data: [{ id, object: 'model', owned_by: 'me', permissions: [] }] },
      }),
    },
  })
}

function refusedQuietly(routes: Routes, body: Body): Answer {
  const answer = routes[CHAT]
  if (!answer) throw new Refusal(404, 'not found')
  if (isKnownFormat(body)) {
    try {
      return answer(body)
    } catch (error) {
      if (body['stream'] !== true || !(error instanceof Refusal)) throw error
      return { as: 'sse', lines: [] }
    }
  }
  throw new Refusal(
    500,
    "1 validation error:\n  {'type': 'literal_error', 'loc': ('body', 'response_format', 'type')}",
  )
}

const isKnownFormat = ({ response_format: format }: Body): boolean =>
  (format as { type?: string } | undefined)?.type !== 'json_schema'

function withoutUsage(answer: Answer): Answer {
  if (!('completion' in answer)) return answer
  const { usage: _, ...completion } = answer.completion
  return { completion }
}
