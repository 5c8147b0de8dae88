/** A fake LM Studio: `/api/v0/models` beside OpenAI's API. Paths it does not know are answered with 200. */
import { createFakeModel, type FakeQuirks } from './fake-model.ts'
import { listen, openAiError, type FakeServer } from './listen.ts'
import { openAiRoutes } from './openai-routes.ts'

export function startLmStudio(quirks: FakeQuirks = {}): Promise<FakeServer> {
  const { model: id = 'test-model', vision, window = 8_192, largestWindow = 32_768 } = quirks
  const unexpected = () => ({ json: { error: 'Unexpected endpoint or method.' } })
  return listen({
    quirks,
    errorBody: openAiError,
    routes: {
      ...Object.fromEntries(
        [
          'GET /props',
          'GET /api/ps',
          'GET /api/tags',
          'GET /api/version',
          'GET /version',
          'POST /api/show',
        ].map((route) => [route, unexpected]),
      ),
      ...openAiRoutes(createFakeModel(quirks)),
      'GET /v1/models': () => ({
        json: { object: 'list', data: [{ id, object: 'model', created: 1, owned_by: 'organization_owner' }] },
      }),
      'GET /api/v0/models': () => ({
        json: {
          object: 'list',
          data: [
            {
              id,
              object: 'model',
              type: vision ? 'vlm' : 'llm',
              arch: 'qwen2',
              quantization: 'Q4_K_M',
              state: 'loaded',
              max_context_length: largestWindow,
              loaded_context_length: window,
              capabilities: ['tool_use'],
            },
          ],
        },
      }),
    },
  })
}
