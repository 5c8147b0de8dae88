/**
 * One conversation, in process. It only queues prompts, runs them one at a time, logs and publishes: what a run does is
 * the engine's business, what the model gets to see is the context's.
 */
import { randomBytes } from 'node:crypto'
import type { LoopEvent } from '../engine/parts.ts'
import { bothLimits } from '../lib/limits.ts'
import { AppError, errorMessage } from '../protocol/error.ts'
import type { Equipment, Expansion } from '../protocol/equipment.ts'
import type { RunEnd, RunEvent, SessionEvent } from '../protocol/event.ts'
import type { Message, UserMessage } from '../protocol/message.ts'
import type {
  AcceptedPrompt,
  Answer,
  CommandName,
  PromptOptions,
  SessionApi,
  SessionInfo,
} from '../protocol/session-api.ts'
import { Asks } from './asks.ts'
import { Conversation, type Outgoing, startOf, toMessages } from './conversation.ts'
import type { SessionHooks } from './hooks.ts'
import { Jobs } from './jobs.ts'
import { type Prompt, type PromptInput, promptText } from './log.ts'
import { PromptKeys } from './prompt-keys.ts'
import { type RunInput, type StartRun, withEnd } from './run.ts'
import type { StoredSession } from './store.ts'
import { endOf } from './unreported-end.ts'

export type Compacted = { readonly messages: readonly Message[]; readonly event: RunEvent }

/** A prompt as the model will see it, and what the person should know about it. */
export type Composed = { readonly message: UserMessage; readonly warnings?: readonly string[] }

/** The run a prompt is composed for. */
export type ComposeRun = Omit<RunInput, 'history'>

export type SessionParts = {
  readonly stored: StoredSession
  readonly startRun: StartRun
  /** The user message a prompt becomes: with what was recalled for it, and the output of commands run before it. */
  compose(prompt: string, run: ComposeRun, signal: AbortSignal): Promise<Composed>
  /** What a prompt stands for; see `Equipment.expand`. */
  readonly expand?: Equipment['expand']
  /** Makes the conversation smaller now; nothing when there is nothing to gain. */
  compact(history: readonly Message[], signal: AbortSignal): Promise<Compacted | undefined>
  /** Output of commands the user ran. `giveBack`: the request it went into failed. */
  readonly execOutput: { add(text: string): void; reset(): void; giveBack(): void }
  /** Takes the secrets out of what is kept and told. */
  readonly outgoing?: Outgoing
  readonly hooks?: SessionHooks
  /** Set when there is no one to ask: the reason every question is refused with. */
  readonly denial?: string
  list(): Promise<readonly SessionInfo[]>
  now(): number
  /** Ends what belongs to the session: its background jobs, for instance. */
  onClose?(): Promise<void>
}

export type Session = SessionApi & {
  /** Of everything told so far. */
  readonly lastEventId: number
  /** Ends the run, lets watchers finish and gives the session free. */
  close(): Promise<void>
}

/** Takes over `stored` and what `onClose` ends: closing the session closes them too. */
export async function createSession(parts: SessionParts): Promise<Session> {
  try {
    return new LiveSession(parts)
  } catch (error) {
    await letGo(parts)
    throw error
  }
}

/** Whatever else fails, the session is free for the next who wants it. */
const letGo = ({ stored, onClose }: SessionParts): Promise<void> =>
  (onClose?.() ?? Promise.resolve()).finally(() => stored.close())

const MAX_WAITING = 100 // prompts that may wait for the run before them

const cancellation = new DOMException('The run was cancelled', 'AbortError')

type Run = { readonly prompt: Prompt; readonly controller: AbortController; turns: number }

class LiveSession implements Session {
  readonly id: string
  readonly #parts: SessionParts
  readonly #conversation: Conversation
  readonly #asks: Asks
  readonly #outgoing: Outgoing
  readonly #waiting = new Map<string, Prompt>()
  readonly #keys: PromptKeys
  readonly #jobs = new Jobs()
  #closing: Promise<void> | undefined

  constructor(parts: SessionParts) {
    this.id = parts.stored.replay.info.id
    this.#parts = parts
    this.#outgoing = parts.outgoing ?? ((value) => value)
    this.#conversation = new Conversation(parts.stored, { now: parts.now, outgoing: this.#outgoing })
    this.#asks = new Asks((event) => this.#conversation.publish(event), parts.denial)
    this.#conversation.settle(parts.stored)
    this.#keys = new PromptKeys(parts.stored.replay.keys)
  }

  get lastEventId(): number {
    return this.#conversation.lastEventId
  }

  async history(): Promise<readonly Message[]> {
    return this.#conversation.history
  }

  async prompt(input: PromptInput, options: PromptOptions = {}): Promise<AcceptedPrompt> {
    const { key } = options
    if (key === undefined) return this.#accept(input, options)
    return this.#keys.once(key, this.#outgoing(input), () => this.#accept(input, options))
  }

  async #accept(input: PromptInput, options: PromptOptions): Promise<AcceptedPrompt> {
    const problem = this.#promptProblem(toMessages(input))
    if (problem) throw new AppError('request-invalid', problem)
    const { log } = this.#parts.stored
    const prompt: Prompt = { runId: `run-${randomBytes(5).toString('hex')}`, input, options }
    log.append({ type: 'prompt', at: this.#parts.now(), ...this.#outgoing(prompt) })
    await log.sync()
    if (this.#closing) throw new AppError('request-invalid', this.#closedText())
    if (this.#jobs.isBusy) this.#conversation.queue(prompt)
    this.#waiting.set(prompt.runId, prompt)
    void this.#jobs.add(async (controller) => {
      if (this.#waiting.delete(prompt.runId)) await this.#perform({ prompt, controller, turns: 0 })
    })
    return { runId: prompt.runId }
  }

  async cancel(): Promise<void> {
    for (const runId of this.#waiting.keys()) this.#conversation.tell(endOf(runId, 'cancelled'))
    this.#waiting.clear()
    await this.#jobs.abort(cancellation)
  }

  async answer(askId: string, answer: Answer): Promise<void> {
    this.#asks.answer(askId, answer)
  }

  events(options: { readonly after?: number; readonly signal: AbortSignal }): AsyncIterable<SessionEvent> {
    return this.#conversation.watch(options.after, options.signal)
  }

  async command(name: CommandName, argument = ''): Promise<void> {
    if (name === 'exec-output') this.#parts.execOutput.add(argument)
    else if (name === 'reset-exec-output') this.#parts.execOutput.reset()
    else await this.#jobs.add((controller) => this.#compact(controller.signal))
  }

  list(): Promise<readonly SessionInfo[]> {
    return this.#parts.list()
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#end())
  }

  async #end(): Promise<void> {
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    try {
      await this.cancel()
      await this.#parts.hooks?.end()
    } finally {
      this.#conversation.close(waiting)
      await letGo(this.#parts)
    }
  }

  #closedText(): string {
    return `Session ${this.id} is closed; resume it first`
  }

  #promptProblem(messages: readonly UserMessage[]): string | undefined {
    if (this.#closing) return this.#closedText()
    if (this.#waiting.size >= MAX_WAITING) {
      return `${MAX_WAITING} prompts are waiting already; let one finish, or cancel`
    }
    const isEmpty = ({ text, images }: UserMessage) => text.trim() === '' && !images?.length
    return messages.length === 0 || messages.some(isEmpty) ? 'The prompt is empty; say what to do' : undefined
  }

  async #perform(run: Run): Promise<void> {
    const { runId } = run.prompt
    let end: RunEnd
    try {
      this.#conversation.publish(startOf(run.prompt))
      const meant = await this.#meant(run, await this.#screen(run))
      this.#conversation.join(runId, await this.#compose(run, meant))
      end = await this.#follow(run, meant)
      await this.#parts.stored.log.sync()
    } catch (error) {
      end = this.#toEnd(run, error)
    }
    this.#conversation.closeCalls()
    const isUnanswered = this.#conversation.history.at(-1)?.role === 'user'
    if (end.reason === 'error' && isUnanswered) this.#parts.execOutput.giveBack()
    await this.#parts.hooks?.stop(end)
    this.#conversation.tell(end)
    // Whatever the run left behind, a question for instance, ends with it.
    run.controller.abort()
  }

  /** The person's words, as their hooks let them pass. */
  async #screen({ prompt: { runId, input }, controller }: Run): Promise<string> {
    const words = promptText(input)
    return (await this.#parts.hooks?.prompt(runId, words, controller.signal)) ?? words
  }

  async #meant({ controller }: Run, words: string): Promise<Expansion> {
    const meant = this.#parts.expand?.(words) ?? { prompt: words, limits: {} }
    return meant.load ? { ...meant, prompt: await meant.load(controller.signal) } : meant
  }

  async #compose(run: Run, meant: Expansion): Promise<readonly UserMessage[]> {
    const messages = toMessages(run.prompt.input)
    const { message: composed, warnings = [] } = await this.#parts.compose(
      meant.prompt,
      this.#input(run, meant),
      run.controller.signal,
    )
    for (const message of warnings) this.#conversation.publish({ type: 'warning', message })
    const images = [...(messages.at(-1)?.images ?? []), ...(composed.images ?? [])]
    return [...messages.slice(0, -1), { ...composed, ...(images.length > 0 && { images }) }]
  }

  /** `#perform` reports the start and end of a run, and ends those that throw. */
  async #follow(run: Run, meant: Expansion): Promise<RunEnd> {
    const { signal } = run.controller
    let end = endOf(run.prompt.runId, 'error', 'The run ended without saying how.')
    for await (const event of withEnd(this.#parts.startRun(this.#input(run, meant), signal))) {
      if (event.type === 'run-end') end = event
      else if (event.type !== 'run-start') await this.#take(event, run)
    }
    // Something that happened beside the loop could not be kept.
    if (signal.aborted && signal.reason !== cancellation) throw signal.reason
    return end
  }

  #input({ prompt, controller }: Run, meant: Expansion): RunInput {
    const { replay, results } = this.#parts.stored
    const { runId, options } = prompt
    return {
      runId,
      sessionId: this.id,
      history: this.#conversation.history,
      system: replay.system,
      prompt: meant.prompt,
      options: { ...options, ...bothLimits(options, meant.limits) },
      askPermission: (request, signal) => this.#asks.permission(request, signal),
      askQuestion: (question, signal) => this.#asks.question(question, signal),
      results,
      publish: (event) => {
        try {
          if (!controller.signal.aborted) this.#conversation.publish(event)
        } catch (error) {
          controller.abort(error)
        }
      },
    }
  }

  async #take(event: LoopEvent, run: Run): Promise<void> {
    try {
      if (event.type === 'turn-start') run.turns = event.turn
      // Before it is published: the messages of a turn that a client saw end survive a power cut.
      if (event.type === 'turn-end') await this.#parts.stored.log.sync()
      if (event.type === 'message') this.#conversation.keep(event.message)
      else if (event.type === 'history') this.#conversation.replace(event.messages)
      else this.#conversation.publish(event)
    } catch (error) {
      run.controller.abort(error)
      throw error
    }
  }

  #toEnd({ prompt, controller, turns }: Run, error: unknown): RunEnd {
    if (controller.signal.reason === cancellation) return { ...endOf(prompt.runId, 'cancelled'), turns }
    const message = errorMessage(error)
    const code = error instanceof AppError ? error.code : 'tool-failed'
    this.#conversation.tell({ type: 'error', code, message })
    return { ...endOf(prompt.runId, 'error', message), turns }
  }

  async #compact(signal: AbortSignal): Promise<void> {
    const compacted = await this.#parts.compact(this.#conversation.history, signal)
    if (!compacted) return
    this.#conversation.replace(compacted.messages)
    this.#conversation.publish(compacted.event)
    await this.#parts.stored.log.sync()
  }
}
