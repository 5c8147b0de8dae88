/** A fake vLLM: `/v1/models` with `max_model_len`, `/version`, and OpenAI's API. */
import { createFakeModel, type FakeQuirks } from './fake-model.ts'
import { listen, openAiError, type FakeServer } from './listen.ts'
import { openAiRoutes } from './openai-routes.ts'

export function startVllm(quirks: FakeQuirks = {}): Promise<FakeServer> {
  const { model: id = 'test-model', window = 8_192 } = quirks
  return listen({
    quirks,
    errorBody: openAiError,
    routes: {
      ...openAiRoutes(createFakeModel(quirks)),
      'GET /version': () => ({ json: { version: '0.15.0' } }),
      'GET /v1/models': () => ({
        json: {
          object: 'list',
          data: [
            { id, object: 'model', created: 1, owned_by: 'vllm', root: `org/${id}`, max_model_len: window },
          ],
        },
      }),
    },
  })
}
