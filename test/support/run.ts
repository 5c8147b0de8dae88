/** A whole app around a model or a server, in a real folder, with nothing of this machine's configuration. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type App, type AppOptions, createApp } from '../../src/app/open.ts'
import type { RunEnd, SessionEvent } from '../../src/protocol/event.ts'
import type { Model } from '../../src/protocol/model.ts'
import type { PromptOptions, SessionApi } from '../../src/protocol/session-api.ts'

export type Answering = Model | { readonly url: string }

export type RunOptions = Partial<Omit<AppOptions, 'model'>> & {
  readonly prompt?: string
  readonly promptOptions?: PromptOptions
  readonly onEvent?: (event: SessionEvent, session: SessionApi) => void
  readonly canAsk?: boolean
}

/** An empty home, so that no configuration of the person who runs the tests counts. */
export async function emptyHome(): Promise<NodeJS.ProcessEnv> {
  const home = await mkdtemp(join(tmpdir(), 'covey-home-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  return {
    PATH: process.env['PATH'],
    HOME: home,
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_DATA_HOME: join(home, 'data'),
  }
}

export async function openTestApp(answering: Answering, cwd: string, options: RunOptions = {}): Promise<App> {
  const { prompt: _, promptOptions: __, onEvent: ___, canAsk: ____, ...appOptions } = options
  const app = await createApp({
    env: await emptyHome(),
    cwd,
    permission: 'bypass',
    incognito: true,
    probe: false,
    ...('url' in answering ? { baseUrl: answering.url, model: 'test-model' } : { model: answering }),
    ...appOptions,
  })
  onTestFinished(() => app.close())
  return app
}

/** One prompt, to its end: all events. */
export async function run(
  answering: Answering,
  cwd: string,
  options: RunOptions = {},
): Promise<SessionEvent[]> {
  const app = await openTestApp(answering, cwd, options)
  const session = await app.openSession({ resume: 'new', canAsk: options.canAsk ?? false })
  onTestFinished(() => session.close())
  return promptAndCollect(session, options)
}

export async function promptAndCollect(
  session: SessionApi,
  { prompt = 'Do it.', promptOptions, onEvent }: RunOptions,
): Promise<SessionEvent[]> {
  const stop = new AbortController()
  const iterator = session.events({ signal: stop.signal })[Symbol.asyncIterator]()
  const { runId } = await session.prompt(prompt, promptOptions)
  const events: SessionEvent[] = []
  for (;;) {
    const { value: event, done } = await iterator.next()
    if (done) throw new Error('the events ended before the run')
    events.push(event)
    onEvent?.(event, session)
    if (event.type === 'run-end' && event.runId === runId) break
  }
  stop.abort()
  return events
}

export const endOf = (events: readonly SessionEvent[]): RunEnd => {
  const end = events.findLast((event) => event.type === 'run-end')
  if (!end || end.type !== 'run-end') throw new Error('the run has no end')
  return end
}

export const textOf = (events: readonly SessionEvent[]): string =>
  events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : [])).join('')

export const ofType = <Type extends SessionEvent['type']>(
  events: readonly SessionEvent[],
  type: Type,
): Extract<SessionEvent, { type: Type }>[] =>
  events.filter((event): event is Extract<SessionEvent, { type: Type }> => event.type === type)
