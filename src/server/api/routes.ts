/** Every route by which a model or an agent can be asked. */
import type { ApiParts } from './ask.ts'
import { chatRoute } from '../openai/chat.ts'
import { completionsRoute } from '../openai/completions.ts'
import { embeddingsRoutes } from '../openai/embeddings.ts'
import { messagesRoutes } from '../anthropic/messages.ts'
import { modelsRoutes } from './models.ts'
import { ollamaRoutes } from '../ollama/routes.ts'
import { responsesRoute } from '../openai/responses.ts'
import { createResponseService, responseServiceRoutes } from '../openai/responses-service.ts'
import { createFairQueue, type FairQueue } from '../http/queue.ts'
import type { Route } from '../http/route.ts'

export type ApiRoutesParts = Omit<ApiParts, 'queue'> & {
  /** Absent = one of its own. */
  readonly queue?: FairQueue
}

export function apiRoutes(given: ApiRoutesParts): readonly Route[] {
  const queue = given.queue ?? createFairQueue({ slots: (model) => given.models.slots(model) })
  const parts: ApiParts = { ...given, queue }
  const responses = createResponseService()
  return [
    chatRoute(parts),
    responsesRoute(parts, responses),
    ...responseServiceRoutes(responses),
    ...messagesRoutes(parts),
    completionsRoute(parts),
    ...embeddingsRoutes(parts),
    ...modelsRoutes(parts),
    ...ollamaRoutes(parts),
  ]
}
