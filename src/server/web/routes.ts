/** The pages beside the chat, as routes: what they show needs `read`, what they change needs more. */
import { z } from 'zod'
import { AppError } from '../../protocol/error.ts'
import type { PageService } from '../../protocol/page.ts'
import { defineRoute, type Route, type RouteRequest, type Scope } from '../http/route.ts'

type Look = (page: PageService, request: RouteRequest) => Promise<unknown>

export function pageRoutes(page: PageService): readonly Route[] {
  const look = ([path, summary, show]: (typeof looks)[number]): Route =>
    defineRoute({
      method: 'GET',
      path: `/v1/page/${path}`,
      scope: 'read',
      summary,
      handle: async (request) => ({ kind: 'json', body: await show(page, request) }),
    })
  return [...looks.map(look), ...acts.map((act) => act(page))]
}

const looks: readonly (readonly [path: string, summary: string, show: Look])[] = [
  ['flock', 'This machine, its peers and the queue between them', (page) => page.flock()],
  ['arms', 'Who can answer, and what the router has learnt', (page) => page.arms()],
  ['models', 'Models on this machine, those that fit, downloads', (page) => page.models()],
  [
    'memory',
    'What is remembered; `q` searches',
    async (page, { query, signal }) => ({ facts: await page.facts(query['q'] ?? '', signal) }),
  ],
  ['skills', 'Skills, functions and plugins', (page) => page.skills()],
  [
    'skills/:name',
    'The text of a skill',
    async (page, { params }) => ({ text: await page.skill(params['name'] ?? '') }),
  ],
  ['plan', 'The plan of the project', (page) => page.plan()],
  ['safety', 'What was allowed for good, trust, sandbox and audit log', (page) => page.safety()],
]

type Act<Schema extends z.ZodType> = {
  readonly path: string
  readonly scope?: Scope
  readonly summary: string
  readonly body: Schema
  run(page: PageService, body: z.infer<Schema>, signal: AbortSignal): Promise<unknown>
}

const act =
  <Schema extends z.ZodType>({ path, scope = 'admin', summary, body, run }: Act<Schema>) =>
  (page: PageService): Route =>
    defineRoute({
      method: 'POST',
      path: `/v1/page/${path}`,
      scope,
      summary,
      body,
      handle: async (request) => ({
        kind: 'json',
        body: (await run(page, request.body, request.signal).catch(asRefusal)) ?? { ok: true },
      }),
    })

const name = z.string().min(1).max(500)
const Named = z.strictObject({ name })
const Nothing = z.strictObject({})
const Text = z.string().min(1).max(10_000)
const NewFact = z.strictObject({ text: Text, isGlobal: z.boolean().default(false) })
const ChangedFact = z.strictObject({ id: z.int(), text: Text })
const GoneRule = z.strictObject({
  index: z.int().min(0),
  tool: z.string(),
  pattern: z.string().exactOptional(),
})

const acts: readonly ((page: PageService) => Route)[] = [
  act({
    path: 'peers/invite',
    summary: 'A code that pairs another machine',
    body: Nothing,
    run: (page) => page.invite(),
  }),
  act({
    path: 'peers/join',
    summary: 'Pair with the machine that made this code',
    body: z.strictObject({ code: z.string().min(1).max(2_000) }),
    run: (page, { code }, signal) => page.join(code, signal),
  }),
  act({
    path: 'peers/remove',
    summary: 'End a pairing',
    body: Named,
    run: (page, body) => page.removePeer(body.name),
  }),
  act({
    path: 'router/reset',
    summary: 'Forget what the router has learnt',
    body: Nothing,
    run: (page) => page.resetRouter(),
  }),
  act({
    path: 'models/pull',
    summary: 'Start a download',
    body: Named,
    run: (page, body) => page.pull(body.name),
  }),
  act({
    path: 'models/cancel',
    summary: 'Stop a download; what has arrived is kept',
    body: Named,
    run: async (page, body) => page.cancelPull(body.name),
  }),
  act({
    path: 'models/remove',
    summary: 'Delete a model',
    body: Named,
    run: (page, body) => page.removeModel(body.name),
  }),
  act({
    path: 'memory/add',
    summary: 'Remember something',
    body: NewFact,
    run: (page, { text, isGlobal }) => page.addFact(text, isGlobal),
  }),
  act({
    path: 'memory/change',
    summary: 'Replace what is remembered',
    body: ChangedFact,
    run: (page, { id, text }) => page.changeFact(id, text),
  }),
  act({
    path: 'memory/forget',
    summary: 'Forget something',
    body: z.strictObject({ id: z.int() }),
    run: async (page, { id }) =>
      requireFound(await page.forget(id), 'This fact is gone already; reload the page.'),
  }),
  act({
    path: 'skills/trust',
    summary: 'Agree to a skill as it is now',
    body: Named,
    run: (page, body) => page.trustSkill(body.name),
  }),
  act({
    path: 'skills/remove',
    summary: 'Delete a skill',
    body: Named,
    run: (page, body) => page.removeSkill(body.name),
  }),
  act({
    path: 'plan/change',
    scope: 'tools',
    summary:
      'Change the plan: add, check, begin, done, block, reopen, note, goal, start, review, finish, pause, resume',
    body: z.strictObject({ action: z.string().max(20), text: z.string().max(10_000).default('') }),
    run: (page, { action, text }) => page.changePlan(action, text),
  }),
  act({
    path: 'rules/remove',
    summary: 'Take back what was allowed for good',
    body: GoneRule,
    run: async (page, { index, tool, pattern }) =>
      requireFound(
        await page.removeRule(index, { tool, pattern }),
        'The list has changed meanwhile; reload the page.',
      ),
  }),
  act({
    path: 'trust/remove',
    summary: 'No longer trust a file',
    body: Named,
    run: async (page, body) => requireFound(await page.distrust(body.name), 'This file was not trusted.'),
  }),
]

/** What a person can put right is no failure of the server. */
function asRefusal(error: unknown): never {
  const isTheirs = error instanceof AppError && ['config-invalid', 'tool-failed'].includes(error.code)
  throw isTheirs ? new AppError('request-invalid', error.message, { cause: error }) : error
}

function requireFound(isFound: boolean, otherwise: string): void {
  if (!isFound) throw new AppError('request-invalid', otherwise, { status: 404 })
}
