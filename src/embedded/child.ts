/**
 * A GGUF file as a Model, in a process of its own: an assert, a crash or the end of the memory there is an error of
 * one request here. The next request starts a new process; one that is not asked for a while is ended, and its memory
 * freed.
 */
import { AppError } from '../protocol/error.ts'
import { tokenCounts } from './child-messages.ts'
import { EngineProcess } from './child-process.ts'
import { DEFAULT_IDLE_MS, type EmbeddedModel, type EmbeddedOptions } from './engine.ts'
import { type AskCounts, createRemoteCounter } from './remote-count.ts'

export type ChildOptions = EmbeddedOptions & {
  /** How node is started; absent = as this process was. */
  readonly execArgv?: readonly string[]
}

export interface ChildModel extends EmbeddedModel {
  /** The process at work, if there is one. */
  pid(): number | undefined
}

/** Opens the file in the new process before it resolves, so that a bad one is known at once. */
export async function createChildModel({ execArgv, ...options }: ChildOptions): Promise<ChildModel> {
  const supervisor = createSupervisor(options, execArgv)
  const capabilities = await supervisor.use(({ opened }) => opened)
  const call = (...[method, input, signal]: Parameters<EngineProcess['call']>): Promise<unknown> =>
    supervisor.use((engine) => engine.call(method, input, signal))
  /** The process whose weights are in memory: only those count exactly. */
  let loaded: EngineProcess | undefined
  return {
    name: options.name,
    capabilities,
    pid: supervisor.pid,
    async *stream(request, signal) {
      if (signal.aborted) return
      const engine = supervisor.begin()
      try {
        for await (const event of engine.ask(request, signal)) {
          if (event.type === 'usage') loaded = engine
          yield event
        }
      } finally {
        supervisor.end()
      }
    },
    load: () =>
      supervisor.use(async (engine) => {
        await engine.call('load', [])
        loaded = engine
      }),
    countTokens: createRemoteCounter(countIn(() => (loaded === supervisor.current() ? loaded : undefined))),
    scoreLabels: async (prompt, fields, signal) =>
      (await call('scoreLabels', [prompt, fields], signal)) as readonly (readonly number[])[],
    saveState: async (sessionId) => (await call('saveState', [sessionId])) === true,
    loadState: async (sessionId) => (await call('loadState', [sessionId])) === true,
    close: supervisor.close,
  }
}

/** Never starts a process, and does not keep one from being ended. */
const countIn =
  (engine: () => EngineProcess | undefined): AskCounts =>
  (texts) =>
    engine()
      ?.call('countTokens', texts)
      .then((answer) => tokenCounts.parse(answer))

/** At most one process at a time, ended when idle for a while. */
function createSupervisor(options: EmbeddedOptions, execArgv: readonly string[] | undefined) {
  const { idleMs = DEFAULT_IDLE_MS } = options
  let engine: EngineProcess | undefined
  let users = 0
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  const begin = (): EngineProcess => {
    if (isClosed) throw new AppError('model-unavailable', `${options.name} is closed.`)
    clearTimeout(timer)
    users++
    if (engine) return engine
    const started = new EngineProcess(options, execArgv)
    void started.ended.then(() => (engine = engine === started ? undefined : engine))
    // A file that cannot be opened now may be whole the next time.
    started.opened.catch(() => started.stop())
    engine = started
    return started
  }
  const stop = (): void => {
    engine?.stop()
    engine = undefined
  }
  const end = (): void => {
    users--
    if (users === 0 && Number.isFinite(idleMs)) timer = setTimeout(stop, idleMs).unref()
  }
  return {
    begin,
    end,
    current: () => engine,
    pid: () => engine?.pid,
    async use<T>(work: (engine: EngineProcess) => Promise<T>): Promise<T> {
      const current = begin()
      try {
        return await work(current)
      } finally {
        end()
      }
    },
    async close() {
      isClosed = true
      clearTimeout(timer)
      const last = engine
      stop()
      await last?.ended
    },
  }
}
