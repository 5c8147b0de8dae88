/** SessionApi over HTTP: the same methods and the same events that the terminal has. */
import { z } from 'zod'
import { AppError, errorMessage } from '../../protocol/error.ts'
import type { TellAudit } from '../parts.ts'
import { defineRoute, type Route, type RouteRequest } from '../http/route.ts'
import type { HeldOpen, SessionService } from './service.ts'

const MAX_TEXT = 2_000_000

const UserMessage = z.strictObject({
  role: z.literal('user'),
  text: z.string().max(MAX_TEXT),
  images: z
    .array(z.strictObject({ mediaType: z.string().max(100), base64: z.base64() }))
    .max(20)
    .exactOptional(),
})

const PromptBody = z.object({
  prompt: z.union([z.string().max(MAX_TEXT), z.array(UserMessage).min(1).max(100)]),
  options: z
    .object({
      toolChoice: z
        .union([z.enum(['auto', 'none', 'required']), z.strictObject({ name: z.string().max(200) })])
        .exactOptional(),
      allowedTools: z.array(z.string().max(200)).max(500).exactOptional(),
      allowedPaths: z.array(z.string().max(4096)).max(500).exactOptional(),
      maxTurns: z.int().min(1).max(10_000).exactOptional(),
      key: z
        .string()
        .regex(/^[\w-]{8,100}$/)
        .exactOptional(),
      attached: z.array(z.string().max(MAX_TEXT)).max(20).exactOptional(),
    })
    .default({}),
  /** Files of the project that the prompt speaks of; what cannot be read is only a word of it. */
  mentions: z.array(z.string().min(1).max(4096)).max(50).default([]),
})

const AnswerBody = z.object({
  askId: z.string().min(1).max(200),
  answer: z.union([
    z.strictObject({
      allow: z.literal(true),
      remember: z.union([z.boolean(), z.literal('session')]).exactOptional(),
    }),
    z.strictObject({ allow: z.literal(false), reason: z.string().max(10_000).exactOptional() }),
    z.strictObject({ text: z.string().max(MAX_TEXT) }),
  ]),
})

const CommandBody = z.object({
  name: z.enum(['compact', 'exec-output', 'reset-exec-output']),
  argument: z.string().max(MAX_TEXT).exactOptional(),
})

export const Done = z.object({ ok: z.literal(true) })
export const SessionId = z.object({ id: z.string() })
const SessionList = z.object({
  object: z.literal('list'),
  data: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      cwd: z.string(),
      createdAt: z.number(),
      updatedAt: z.number(),
      messages: z.number(),
      isOpen: z.boolean(),
    }),
  ),
})
const History = z.object({
  id: z.string(),
  messages: z.array(z.looseObject({ role: z.enum(['user', 'assistant', 'tool']) })),
  /** The newest event of that moment. */
  last: z.int(),
})

export function sessionRoutes(service: SessionService, audit: TellAudit): readonly Route[] {
  return [...listRoutes(service), ...steerRoutes(service), answerRoute(service, audit), eventsRoute(service)]
}

export const json = (body: unknown, status = 200) => ({ kind: 'json', status, body }) as const
export const done = json({ ok: true })

const listRoutes = (service: SessionService): readonly Route[] => [
  defineRoute({
    method: 'POST',
    path: '/v1/sessions',
    scope: 'tools',
    summary: 'Open a new session',
    reply: SessionId,
    handle: async () => json({ id: (await service.create()).session.id }, 201),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/sessions',
    scope: 'read',
    summary: 'Sessions of the folder that is served',
    reply: SessionList,
    handle: async () => json({ object: 'list', data: await service.list() }),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/sessions/:id',
    scope: 'read',
    summary: 'What was said in a session',
    reply: History,
    handle: async (request) => {
      const id = requireId(request.params)
      return json({ id, ...(await (await service.look(id)).history()) })
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/sessions/:id',
    scope: 'tools',
    summary: 'End the run in progress and release the session; its messages are kept',
    reply: Done,
    handle: async ({ params }) => {
      const id = requireId(params)
      if (await service.release(id)) return done
      throw new AppError('session-unknown', `Session ${id} is not open here; GET /v1/sessions lists them.`)
    },
  }),
]

const steerRoutes = (service: SessionService): readonly Route[] => [
  defineRoute({
    method: 'POST',
    path: '/v1/sessions/:id/prompt',
    scope: 'tools',
    summary: 'Send a prompt; the run is reported through the events',
    body: PromptBody,
    reply: z.object({ runId: z.string(), isRepeated: z.literal(true).exactOptional() }),
    handle: async (request) => {
      const { prompt, options, mentions } = request.body
      const held = await find(service, request)
      const attached = [...(await textsOf(held, mentions)), ...(options.attached ?? [])]
      return json(await held.prompt(prompt, { ...options, ...(attached.length > 0 && { attached }) }), 202)
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/sessions/:id/cancel',
    scope: 'tools',
    summary: 'End the run in progress and drop the waiting prompts',
    reply: Done,
    handle: async (request) => {
      await (await find(service, request)).session.cancel()
      return done
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/sessions/:id/command',
    scope: 'tools',
    summary: 'Compact the conversation, or add output of a command the person ran',
    body: CommandBody,
    reply: Done,
    handle: async (request) => {
      await (await find(service, request)).session.command(request.body.name, request.body.argument)
      return done
    },
  }),
]

async function textsOf({ session }: HeldOpen, paths: readonly string[]): Promise<readonly string[]> {
  const files = await Promise.all(paths.map((path) => session.controls?.mention(path)))
  return files.flatMap((file) => (file ? [file.text] : []))
}

const answerRoute = (service: SessionService, audit: TellAudit): Route =>
  defineRoute({
    method: 'POST',
    path: '/v1/sessions/:id/answer',
    // Who starts work must not be the one who allows what it does.
    scope: 'approve',
    summary: 'Answer a permission-ask or a question-ask',
    body: AnswerBody,
    reply: Done,
    handle: async (request) => {
      const { askId, answer } = request.body
      const { session } = await find(service, request)
      // Before it counts: an approval that cannot be written down is none.
      if ('allow' in answer && answer.allow) {
        const why = `${askId} of session ${session.id}${answer.remember ? ', always' : ''}`
        audit({ what: 'approved', client: request.client, route: '/v1/sessions/:id/answer', why })
      }
      await session.answer(askId, answer)
      return done
    },
  })

const eventsRoute = (service: SessionService): Route =>
  defineRoute({
    method: 'GET',
    path: '/v1/sessions/:id/events',
    scope: 'read',
    summary: 'Events of a session as they happen; `Last-Event-ID` or `?after=` takes up where it was left',
    handle: async (request) => {
      const after = readAfter(request)
      const looked = mayAct(request)
        ? await find(service, request)
        : await service.look(requireId(request.params))
      return {
        kind: 'stream',
        format: 'sse',
        isWatch: true,
        parts: looked.watch(after, request.signal),
        failure: (error) => [{ event: 'error', data: JSON.stringify({ message: errorMessage(error) }) }],
      }
    },
  })

/** A browser that comes back sends the header, with the address it began with: the header is newer. */
function readAfter({ headers, query }: RouteRequest): number | undefined {
  const text = headers['last-event-id'] ?? query['after']
  if (text === undefined || text === '') return undefined
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new AppError('request-invalid', '`Last-Event-ID` and `after` are the number of an event.')
}

/** A client that may only read opens nothing: a session costs memory, perhaps a model, and locks out the command line. */
export const mayAct = ({ scopes }: Pick<RouteRequest, 'scopes'>): boolean => scopes.includes('tools')

export const find = async (
  service: SessionService,
  { params }: Pick<RouteRequest, 'params'>,
): Promise<HeldOpen> => service.open(requireId(params))

/** An id becomes the name of a folder. */
export function requireId(params: Readonly<Record<string, string>>): string {
  const id = params['id'] ?? ''
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(id) && !id.includes('..')) return id
  throw new AppError(
    'session-unknown',
    'The session does not exist; GET /v1/sessions lists the existing ones.',
  )
}
