/**
 * One life of the process with the weights: started, opened, asked, gone. When it goes, everything asked of it fails
 * with what it last said; starting another is up to `child.ts`.
 */
import { type ChildProcess, fork } from 'node:child_process'
import type { Socket } from 'node:net'
import { createChannel } from '../lib/channel.ts'
import { programFile } from '../lib/package-files.ts'
import type { Capabilities } from '../protocol/arm.ts'
import { AppError } from '../protocol/error.ts'
import type { ModelEvent, ModelRequest } from '../protocol/model.ts'
import { type ChildMethod, fromChild, type FromChild, type ToChild } from './child-messages.ts'
import { ONE_THREAD } from './early-sampling.ts'
import type { EmbeddedOptions } from './engine.ts'

/** Someone who waits for messages about one number. */
type Listener = {
  take(message: Extract<FromChild, { type: 'event' | 'end' }>): void
  fail(error: AppError): void
}

/** Number 0 is the opening itself. */
const OPENING = 0

/** More events than any window has tokens: a process that sends them is out of its mind. */
const MAX_EVENTS = 4_000_000

export class EngineProcess {
  readonly opened: Promise<Capabilities>
  /** Resolves when the process is gone. */
  readonly ended: Promise<void>
  readonly #child: ChildProcess
  readonly #listeners = new Map<number, Listener>()
  #lastId = OPENING
  #gone: AppError | undefined

  /** `execArgv` absent = the arguments this process was started with. */
  constructor(options: EmbeddedOptions, execArgv?: readonly string[]) {
    this.#child = forkChild(options, execArgv)
    const lastWords = keepLastWords(this.#child)
    this.ended = new Promise((resolve) => {
      this.#child.once('close', (code, signal) => {
        const how = signal ? `was ended by ${signal}` : `ended with code ${code}`
        const why = `${options.name}: the engine process ${how}${lastWords()}. The next request starts it again.`
        this.#gone = new AppError('model-unavailable', why)
        for (const { fail } of this.#listeners.values()) fail(this.#gone)
        resolve()
      })
    })
    this.#child.on('error', () => this.stop())
    this.opened = new Promise((resolve, reject) => {
      this.#listen(OPENING, { take: () => {}, fail: reject })
      this.#child.on('message', (raw) => this.#receive(raw, resolve))
    })
    // Callers get the error; there may be none yet.
    this.opened.catch(() => {})
    this.#send({ type: 'open', options })
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  async *ask(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const id = ++this.#lastId
    const events = createChannel<ModelEvent>()
    let failure: AppError | undefined
    let left = MAX_EVENTS
    this.#listen(id, {
      take: (message) => {
        if (left-- === 0) this.stop()
        if (message.type === 'event') events.push(message.event)
        else events.close()
      },
      fail: (error) => {
        failure = error
        events.close()
      },
    })
    signal.addEventListener('abort', events.close, { once: true })
    this.#send({ type: 'ask', id, request })
    try {
      for await (const event of events) {
        if (signal.aborted) return
        yield event
      }
      if (failure && !signal.aborted) throw failure
    } finally {
      signal.removeEventListener('abort', events.close)
      this.#send({ type: 'cancel', id })
      this.#forget(id)
    }
  }

  async call(method: ChildMethod, input: readonly unknown[], signal?: AbortSignal): Promise<unknown> {
    const id = ++this.#lastId
    const cancel = (): void => this.#send({ type: 'cancel', id })
    signal?.addEventListener('abort', cancel, { once: true })
    try {
      return await new Promise((resolve, reject) => {
        this.#listen(id, {
          take: (message) => (message.type === 'end' ? resolve(message.value) : undefined),
          fail: reject,
        })
        this.#send({ type: 'call', id, method, input })
      })
    } finally {
      signal?.removeEventListener('abort', cancel)
      this.#forget(id)
    }
  }

  /** It holds nothing but copies, so it needs no time to put anything away. */
  stop(): void {
    // `ended` is awaited from here on; with nothing else open, node would exit with code 13 before it settles.
    if (!this.#gone) keepAlive(this.#child, true)
    this.#child.kill('SIGKILL')
  }

  #send(message: ToChild): void {
    if (this.#child.connected) this.#child.send(message, () => {})
  }

  #listen(id: number, listener: Listener): void {
    if (this.#gone) return listener.fail(this.#gone)
    this.#listeners.set(id, listener)
    keepAlive(this.#child, true)
  }

  #forget(id: number): void {
    this.#listeners.delete(id)
    if (this.#listeners.size === 0) keepAlive(this.#child, false)
  }

  #receive(raw: unknown, open: (capabilities: Capabilities) => void): void {
    const message = fromChild.safeParse(raw).data
    if (!message) return this.stop()
    if (message.type === 'opened') {
      open(message.capabilities)
      return this.#forget(OPENING)
    }
    const listener = this.#listeners.get(message.id)
    if (message.type !== 'failed') return listener?.take(message)
    listener?.fail(new AppError(message.error.code, message.error.message, message.error.details))
  }
}

/** What an engine may need of the environment; keys and tokens are not among it. */
const ENVIRONMENT =
  /^(?:PATH|HOME|TMPDIR|TEMP|TMP|LANG|LC_\w+|SystemRoot|windir|USERPROFILE|LD_LIBRARY_PATH)$|^(?:CUDA|GGML|VK|HIP|ROCR|NODE_LLAMA_CPP)_/i

function forkChild(
  { sequences = 1 }: EmbeddedOptions,
  execArgv: readonly string[] | undefined,
): ChildProcess {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => ENVIRONMENT.test(name)))
  return fork(programFile('embedded/child-main'), [], {
    // Several sequences have their tokens chosen on several threads.
    env: { ...env, ...(sequences === 1 && ONE_THREAD) },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    ...(execArgv && { execArgv: [...execArgv] }),
  })
}

/** An idle child process must not keep this one from ending. */
function keepAlive(child: ChildProcess, on: boolean): void {
  for (const handle of [child, child.channel, child.stderr as Socket | null]) {
    if (on) handle?.ref()
    else handle?.unref()
  }
}

const LONGEST_WORDS = 2_000

/** llama.cpp says on stderr what it dies of. */
function keepLastWords(child: ChildProcess): () => string {
  let tail = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    tail = (tail + text).slice(-LONGEST_WORDS)
  })
  return () => {
    const lines = tail.split('\n').filter((line) => line.trim() !== '')
    const line = lines.findLast((candidate) => /error|assert|abort|memory/i.test(candidate)) ?? lines.at(-1)
    return line === undefined ? '' : ` ("${line.trim().slice(0, 300)}")`
  }
}
