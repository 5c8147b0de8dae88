/** What a front end does with a session beside talking in it: switch, look up, undo, fork, export, delete, search. */
import { z } from 'zod'
import { AppError } from '../../protocol/error.ts'
import { defineRoute, type Route, type RouteRequest } from '../http/route.ts'
import type { SessionControls, SessionShelf } from '../parts.ts'
import { Done, done, find, json, mayAct, requireId, SessionId } from './routes.ts'
import type { SessionService } from './service.ts'

const Choice = z.object({ current: z.string().nullable(), list: z.array(z.string()) })
const Switches = z.object({
  arm: Choice,
  mode: Choice,
  runs: z.array(
    z.object({ runId: z.string(), prompt: z.string(), paths: z.array(z.string()), isUndone: z.boolean() }),
  ),
})
const Restored = z.object({
  prompt: z.string(),
  restored: z.array(z.string()),
  conflicts: z.array(z.object({ path: z.string(), why: z.string() })),
  uncovered: z.array(z.string()),
})
const Hits = z.object({
  data: z.array(z.object({ id: z.string(), title: z.string(), updatedAt: z.number(), excerpt: z.string() })),
})

/** As many as a list under a text box shows at most. */
const MAX_PATHS = 30
const MAX_RUNS = 20

export function controlRoutes(service: SessionService, shelf: SessionShelf): readonly Route[] {
  return [...switchRoutes(service), ...lookupRoutes(service), ...shelfRoutes(service, shelf)]
}

async function controlsOf(
  service: SessionService,
  request: Pick<RouteRequest, 'params'>,
): Promise<SessionControls> {
  const { session } = await find(service, request)
  if (session.controls) return session.controls
  throw new AppError('request-invalid', 'This session cannot be changed from here.')
}

/** What a client that may only read is shown of a session that is not open. */
const UNKNOWN: z.input<typeof Switches> = {
  arm: { current: null, list: [] },
  mode: { current: null, list: [] },
  runs: [],
}

const isClosedFor = (service: SessionService, request: Pick<RouteRequest, 'params' | 'scopes'>): boolean =>
  !mayAct(request) && !service.holds(requireId(request.params))

const switchRoutes = (service: SessionService): readonly Route[] => [
  defineRoute({
    method: 'GET',
    path: '/v1/sessions/:id/controls',
    scope: 'read',
    summary: 'Who answers, what is allowed without a question, what can be undone',
    reply: Switches,
    handle: async (request) =>
      json(isClosedFor(service, request) ? UNKNOWN : describe(await controlsOf(service, request))),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/sessions/:id/controls',
    // A mode allows calls: who starts work must not be the one who chooses it.
    scope: 'approve',
    summary: 'Choose who answers (null: as configured) or what is allowed without a question',
    body: z.strictObject({
      arm: z.string().max(300).nullable().exactOptional(),
      mode: z.string().max(50).exactOptional(),
    }),
    reply: Switches,
    handle: async (request) => {
      const { arm, mode } = request.body
      const controls = await controlsOf(service, request)
      if (arm !== undefined) controls.arms.use(arm ?? undefined)
      if (mode !== undefined) controls.modes.use(mode)
      return json(describe(controls))
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/sessions/:id/undo',
    scope: 'tools',
    summary: 'Take back what the last run did to files, or do it again',
    body: z.strictObject({ action: z.enum(['undo', 'redo']) }),
    reply: Restored,
    handle: async (request) => {
      const { undo } = await controlsOf(service, request)
      const { prompt, restored, conflicts, uncovered } = await undo[request.body.action]()
      return json({
        prompt,
        restored,
        conflicts: conflicts.map(({ path, why }) => ({ path, why })),
        uncovered,
      })
    },
  }),
]

const describe = ({ arms, modes, undo }: SessionControls): z.input<typeof Switches> => ({
  arm: { current: arms.current() ?? null, list: [...arms.list()] },
  mode: { current: modes.current() ?? null, list: [...modes.list()] },
  runs: undo
    .runs()
    .slice(-MAX_RUNS)
    .map(({ runId, prompt, paths, isUndone }) => ({ runId, prompt, paths: [...paths], isUndone })),
})

const lookupRoutes = (service: SessionService): readonly Route[] => [
  defineRoute({
    method: 'GET',
    path: '/v1/sessions/:id/files',
    scope: 'read',
    summary: 'Paths of the project that hold `q`, the best first',
    reply: z.object({ paths: z.array(z.string()) }),
    handle: async (request) => {
      if (isClosedFor(service, request)) return json({ paths: [] })
      const { files } = await controlsOf(service, request)
      return json({ paths: bestPaths(await files(), request.query['q'] ?? '') })
    },
  }),
]

/** A name that begins with it comes before a path that holds it somewhere. */
export function bestPaths(paths: readonly string[], query: string): readonly string[] {
  const wanted = query.toLowerCase()
  const rank = (path: string): number => {
    const lower = path.toLowerCase()
    if (lower.startsWith(wanted)) return 0
    if (lower.slice(lower.lastIndexOf('/') + 1).startsWith(wanted)) return 1
    return lower.includes(wanted) ? 2 : 3
  }
  return paths
    .map((path) => ({ path, rank: rank(path) }))
    .filter((one) => one.rank < 3)
    .sort((a, b) => a.rank - b.rank || a.path.length - b.path.length)
    .slice(0, MAX_PATHS)
    .map(({ path }) => path)
}

const formats = {
  md: { format: 'markdown', mediaType: 'text/markdown; charset=utf-8' },
  json: { format: 'json', mediaType: 'application/json; charset=utf-8' },
  html: { format: 'html', mediaType: 'text/plain; charset=utf-8' },
} as const

const shelfRoutes = (service: SessionService, shelf: SessionShelf): readonly Route[] => [
  searchRoute(shelf),
  defineRoute({
    method: 'POST',
    path: '/v1/sessions/:id/fork',
    scope: 'tools',
    summary: 'A copy of the first messages (absent: of all), as a session of its own',
    body: z.strictObject({ messages: z.int().min(0).exactOptional() }),
    reply: SessionId,
    handle: async ({ params, body }) => json({ id: await shelf.fork(requireId(params), body.messages) }, 201),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/sessions/:id/export',
    scope: 'read',
    summary: 'The session as a document; `format` is md, json or html',
    handle: async ({ params, query }) => {
      const wanted = Object.entries(formats).find(([name]) => name === (query['format'] ?? 'md'))?.[1]
      if (!wanted) throw new AppError('request-invalid', '`format` is md, json or html.')
      const body = await shelf.export(requireId(params), wanted.format)
      return { kind: 'text', mediaType: wanted.mediaType, body }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/sessions/:id/remove',
    scope: 'tools',
    summary: 'Delete a session with all that was said in it',
    reply: Done,
    handle: async ({ params }) => {
      const id = requireId(params)
      await service.remove(id, (gone) => shelf.remove(gone))
      return done
    },
  }),
]

const searchRoute = (shelf: SessionShelf): Route =>
  defineRoute({
    method: 'GET',
    path: '/v1/sessions/search',
    scope: 'read',
    summary: 'Sessions in which `q` was said',
    reply: Hits,
    handle: async ({ query }) => {
      const hits = query['q'] ? await shelf.search(query['q'].slice(0, 200)) : []
      const data = hits.map(({ info: { id, title, updatedAt }, excerpt }) => ({
        id,
        title,
        updatedAt,
        excerpt,
      }))
      return json({ data })
    },
  })
