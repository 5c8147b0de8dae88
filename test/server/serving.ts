/** What an app hands to the server, with played runs and one route in the place of the model APIs. */
import { defineRoute } from '../../src/server/http/route.ts'
import type { Serving } from '../../src/server/serving.ts'
import { sessionParts, talkative } from './session-server.ts'

export function testServing(folder: string, parts: Partial<Serving> = {}): Serving {
  return {
    routes: [
      defineRoute({
        method: 'GET',
        path: '/v1/models',
        scope: 'chat',
        summary: 'Models',
        handle: async () => ({ kind: 'json', body: { object: 'list', data: [] } }),
      }),
    ],
    models: ['covey/auto', 'covey/nano'],
    sessions: sessionParts(folder, talkative),
    workspace: '/project, permission ask, sandboxed',
    checks: [],
    audit: () => {},
    log: { info: () => {}, warn: () => {}, error: () => {} },
    warnings: [],
    close: async () => {},
    ...parts,
  }
}
