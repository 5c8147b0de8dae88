/**
 * Starts and ends a server around what `app/open.ts` hands over: one per data folder, never open to other machines without a
 * token. The order matters: nothing is made before the address is known to be allowed, and a first token is made last, so
 * that it is always shown.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeAtomic } from '../lib/atomic-write.ts'
import { Ends } from '../lib/ends.ts'
import { ensureFolder } from '../lib/ensure-folder.ts'
import { acquireLock } from '../lib/lock.ts'
import { packageFile, packageVersion } from '../lib/package-files.ts'
import { renderBanner, toUrl } from '../server/admin/banner.ts'
import { namesOf, requireSafe } from '../server/http/exposure.ts'
import { healthRoutes } from '../server/admin/health.ts'
import type { Address } from '../server/http/listen.ts'
import type { Limits } from '../server/http/limits.ts'
import { addProcessMetrics, createMetrics } from '../server/admin/metrics.ts'
import { openapiRoute } from '../server/admin/openapi.ts'
import type { Route, Scope } from '../server/http/route.ts'
import { errorMessage } from '../protocol/error.ts'
import { createServer } from '../server/server.ts'
import type { Serving } from '../server/serving.ts'
import { createSessionService, type SessionService } from '../server/sessions/service.ts'
import { controlRoutes } from '../server/sessions/controls.ts'
import { sessionRoutes } from '../server/sessions/routes.ts'
import { type Tokens, tokensIn } from '../server/http/tokens.ts'
import { accessRoutes } from '../server/web/access.ts'
import { activityRoute } from '../server/web/activity.ts'
import { assetRoutes } from '../server/web/assets.ts'
import { pageRoutes } from '../server/web/routes.ts'
import { codesIn } from '../server/web/codes.ts'
import { addressFileOf } from './page.ts'

export type ServeSettings = {
  readonly dataFolder: string
  /** Absent = this machine only. */
  readonly host?: string
  readonly port: number
  readonly isAuthOff: boolean
  readonly limits?: Partial<Limits>
}

/** What can be served, and the address that the configuration names; a flag counts more. */
export type PreparedServing = {
  readonly host?: string
  readonly port?: number
  open(): Promise<Serving>
}

export type Started = {
  /** For a person; holds the first token where one was made. */
  readonly banner: string
  readonly warnings: readonly string[]
  readonly port: number
  /** Of the page. */
  readonly url: string
  close(): Promise<void>
}

export async function startServing(settings: ServeSettings, open: () => Promise<Serving>): Promise<Started> {
  const tokens = tokensIn(settings.dataFolder)
  await requireSafe(settings, tokens, 'chat')
  const ends = new Ends()
  try {
    ends.add(await lockFolder(settings.dataFolder))
    const serving = await open()
    ends.add(() => serving.close())
    const service = createSessionService(serving.sessions, {
      onEvent: (id, event) => serving.page?.activity.push({ kind: 'session', id }, event),
    })
    ends.add(() => service.close())
    return await startServer({ settings, tokens, serving, service, ends })
  } catch (error) {
    await ends.run()
    throw error
  }
}

async function lockFolder(dataFolder: string): Promise<() => Promise<void>> {
  const folder = join(dataFolder, 'serve')
  await ensureFolder(folder)
  const lock = await acquireLock(
    folder,
    (pid) =>
      `covey serve runs already with this data folder (process ${pid}); end it first, or set XDG_DATA_HOME to another folder.`,
  )
  return () => lock.release()
}

type StartParts = {
  readonly settings: ServeSettings
  readonly tokens: Tokens
  readonly serving: Serving
  readonly service: SessionService
  readonly ends: Ends
}

async function startServer({ settings, tokens, serving, service, ends }: StartParts): Promise<Started> {
  const { host, port, isAuthOff, limits } = settings
  const version = packageVersion()
  const metrics = createMetrics(version)
  addProcessMetrics(metrics)
  const { checks, audit, log } = serving
  const tell = (check: string, why: string) => log.warn({ check, why }, 'not ready')
  const routes: readonly Route[] = [
    ...healthRoutes({ checks, metrics, tell }),
    ...serving.routes,
    ...sessionRoutes(service, audit),
    ...(serving.sessions.shelf ? controlRoutes(service, serving.sessions.shelf) : []),
    ...(serving.page ? [...pageRoutes(serving.page.service), activityRoute(serving.page.activity)] : []),
    ...assetRoutes(packageFile('dist/web')),
    ...accessRoutes({
      codes: codesIn(settings.dataFolder),
      tokens,
      audit,
      version,
      workspace: serving.workspace,
      onTab: () => void serving.page?.prepare().catch((error: unknown) => tell('page', errorMessage(error))),
    }),
  ]
  const server = await createServer({
    routes: [...routes, openapiRoute(routes, version)],
    tokens,
    isAuthOff,
    hosts: namesOf(host),
    audit,
    metrics,
    log,
    ...(limits && { limits }),
  })
  ends.add(() => server.close())
  const addresses = await server.listen({ port, ...(host !== undefined && { host }) })
  const isFirst = !isAuthOff && (await tokens.list()).length === 0
  const banner = renderBanner({
    version,
    addresses,
    models: serving.models,
    workspace: serving.workspace,
    ...(serving.peers !== undefined && { peers: serving.peers }),
    isAuthOff,
    ...(isFirst && { firstToken: await tokens.add('first', FIRST_SCOPES) }),
  })
  const url = await announce(settings.dataFolder, addresses[0], ends)
  const { warnings } = serving
  return { banner, warnings, url, port: addresses[0]?.port ?? port, close: () => ends.run() }
}

/** Tells `covey web` where this server is. */
async function announce(dataFolder: string, address: Address | undefined, ends: Ends): Promise<string> {
  const url = address ? toUrl(address) : ''
  const file = addressFileOf(dataFolder)
  ends.add(() => rm(file, { force: true }))
  await writeAtomic(file, `${JSON.stringify({ url, pid: process.pid })}\n`, { mode: 0o600 })
  return url
}

const FIRST_SCOPES: readonly Scope[] = ['chat', 'tools', 'admin']
