/**
 * An answer as it arrives, taken from undici's dispatcher itself. Its `request` makes a Node stream of every body, read
 * through an async generator with a dozen listeners: time for every reply, and memory for as long as one is held.
 */
import type { Dispatcher } from 'undici'

/** What came back of a question. */
export type Answer = {
  readonly status: number
  readonly statusText: string
  /** The media type, empty where the server tells none. */
  readonly type: string
  headers(): Record<string, string>
  /** Everything that came since the last time, once there is something; nothing at the end. */
  next(): Promise<Uint8Array | undefined>
  /** Nothing more is read. A connection whose answer is whole is kept for the next question, any other is closed. */
  leave(isWhole: boolean): void
}

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** What may wait for a reader who is busy; then the server has to wait. */
const MOST_HELD = 64 * 1024

/** How long a server that has said all may take to end its answer. */
const END_MS = 1_000

const LEFT = new DOMException('The answer was left before its end.', 'AbortError')

/** One question, given to `dispatch` as its handler, and its answer once that has begun. One reader. */
export class Arrival implements Dispatcher.DispatchHandler, Answer {
  /** Rejects when the question fails or is cancelled before an answer begins. */
  readonly begun: Promise<Answer>
  status = 0
  statusText = ''
  #headers: Headers = {}
  readonly #signal: AbortSignal
  #controller: Dispatcher.DispatchController | undefined
  #begin: (answer: Answer) => void = () => {}
  #fail: (error: unknown) => void = () => {}
  #wake: () => void = () => {}
  #held: Uint8Array[] = []
  #heldBytes = 0
  #state: 'open' | 'left' | 'ended' | 'failed' = 'open'
  #error: unknown
  #giveUp: NodeJS.Timeout | undefined

  constructor(signal: AbortSignal) {
    this.#signal = signal
    this.begun = new Promise((resolve, reject) => {
      this.#begin = resolve
      this.#fail = reject
    })
    signal.addEventListener('abort', this, { once: true })
  }

  /** The signal aborted. Also works before the connection is up: a cancel does not wait for it. */
  handleEvent(): void {
    const { reason } = this.#signal as { readonly reason: unknown }
    this.#end('failed', reason)
    this.#controller?.abort(reason instanceof Error ? reason : LEFT)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#state === 'failed') controller.abort(this.#error instanceof Error ? this.#error : LEFT)
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Headers,
    statusText = '',
  ): void {
    // Slices of the first packet: as long as they live, all of it does.
    controller.rawHeaders = null
    if (status < 200) return
    this.status = status
    this.statusText = statusText
    this.#headers = headers
    this.#begin(this)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#state !== 'open') return
    this.#held.push(chunk)
    this.#heldBytes += chunk.length
    if (this.#heldBytes > MOST_HELD) controller.pause()
    this.#wake()
  }

  onResponseEnd(): void {
    this.#end('ended')
  }

  onResponseError(_: unknown, error: Error): void {
    this.#end('failed', error)
  }

  get type(): string {
    return String(this.#headers['content-type'] ?? '').toLowerCase()
  }

  headers(): Record<string, string> {
    const given = Object.entries(this.#headers)
    return Object.fromEntries(
      given.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
    )
  }

  async next(): Promise<Uint8Array | undefined> {
    while (this.#heldBytes === 0 && this.#state === 'open') {
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
    if (this.#heldBytes > 0) return this.#take()
    if (this.#state === 'failed') throw this.#error
    return undefined
  }

  leave(isWhole: boolean): void {
    if (this.#state !== 'open') return
    this.#state = 'left'
    this.#signal.removeEventListener('abort', this)
    this.#take()
    if (isWhole) this.#giveUp = setTimeout(() => this.#controller?.abort(LEFT), END_MS).unref()
    else this.#controller?.abort(LEFT)
  }

  #take(): Uint8Array {
    const [first, ...more] = this.#held
    const all = first && more.length === 0 ? first : Buffer.concat(this.#held)
    this.#held = []
    this.#heldBytes = 0
    this.#controller?.resume()
    return all
  }

  #end(state: 'ended' | 'failed', error?: unknown): void {
    if (this.#state === 'ended' || this.#state === 'failed') return
    this.#state = state
    this.#error = error
    clearTimeout(this.#giveUp)
    this.#signal.removeEventListener('abort', this)
    // Too late for one that has begun, and then of no effect.
    this.#fail(error)
    this.#wake()
  }
}
