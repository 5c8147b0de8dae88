/** One run watched through a line that is cut again and again; every event must come once, in order. */
import { expect } from 'vitest'
import { createHttpSession } from '../../src/client/http-session.ts'
import { openSessionServer } from '../server/session-server.ts'
import { collectRun, quick } from './support.ts'
import { cuttingProxy } from './cutting-proxy.ts'

/** Returns how often the line was cut. */
export async function watchThroughCuts(offset: number): Promise<number> {
  const open = await openSessionServer()
  const proxy = await cuttingProxy(open.port, (connection) => (connection < 4 ? offset : undefined))
  const direct = await createHttpSession({ baseUrl: open.url, token: open.token })
  const watched = await createHttpSession({
    baseUrl: proxy.url,
    token: open.token,
    id: direct.id,
    reconnect: quick,
  })
  const stop = new AbortController()
  const events = watched.events({ after: 0, signal: stop.signal })

  const { runId } = await direct.prompt('Do it.')
  const seen = await collectRun(events, runId)
  stop.abort()

  expect(seen.map(({ id }) => id)).toEqual(seen.map((_, index) => index + 1))
  expect(seen.at(-1)).toMatchObject({ type: 'run-end', runId, reason: 'answered' })
  await proxy.close()
  await open.server.close()
  return proxy.cuts()
}
