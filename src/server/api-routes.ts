/** Every route by which a model or an agent can be asked. */
import type { ApiParts } from './api-ask.ts'
import { chatRoute } from './api-chat.ts'
import { completionsRoute } from './api-completions.ts'
import { embeddingsRoutes } from './api-embeddings.ts'
import { messagesRoutes } from './api-messages.ts'
import { modelsRoutes } from './api-models.ts'
import { ollamaRoutes } from './api-ollama.ts'
import { responsesRoute } from './api-responses.ts'
import { createResponseDesk, responseDeskRoutes } from './api-responses-desk.ts'
import { createFairQueue, type FairQueue } from './queue.ts'
import type { Route } from './route.ts'

export type ApiRoutesParts = Omit<ApiParts, 'queue'> & {
  /** Absent = one of its own. */
  readonly queue?: FairQueue
}

export function apiRoutes(given: ApiRoutesParts): readonly Route[] {
  const queue = given.queue ?? createFairQueue({ slots: (model) => given.models.slots(model) })
  const parts: ApiParts = { ...given, queue }
  const responses = createResponseDesk()
  return [
    chatRoute(parts),
    responsesRoute(parts, responses),
    ...responseDeskRoutes(responses),
    ...messagesRoutes(parts),
    completionsRoute(parts),
    ...embeddingsRoutes(parts),
    ...modelsRoutes(parts),
    ...ollamaRoutes(parts),
  ]
}
