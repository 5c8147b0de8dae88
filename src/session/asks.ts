/** Questions to the user that wait for an answer. Every watching client may answer; the first answer counts. */
import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { AskPermission } from '../engine/parts.ts'
import { AppError } from '../protocol/error.ts'
import type { RunEvent } from '../protocol/event.ts'
import type { PermissionAnswer } from '../protocol/guard.ts'
import type { Answer } from '../protocol/session-api.ts'
import type { Question } from '../protocol/question.ts'
import { remedyText } from '../lib/remedy.ts'

const MAX_ANSWERED = 100

export class Asks {
  readonly #waiting = new Map<string, (answer: Answer) => void>()
  readonly #answered = new Map<string, Answer>()
  readonly #publish: (event: RunEvent) => void
  readonly #denial: string | undefined

  /** `denial` is set when there is no one to ask: why the answer is no. */
  constructor(publish: (event: RunEvent) => void, denial: string | undefined) {
    this.#publish = publish
    this.#denial = denial
  }

  async permission(request: Parameters<AskPermission>[0], signal: AbortSignal): Promise<PermissionAnswer> {
    if (this.#denial !== undefined) {
      const { why, remedy = {} } = request
      return { allow: false, reason: `${why}. ${this.#denial} ${remedyText(remedy)}`.trim() }
    }
    const askId = newAskId()
    const take = (answer: Answer) => {
      if (!('allow' in answer)) return undefined
      this.#publish({ type: 'permission-answer', askId, answer })
      return answer
    }
    return this.#ask({ type: 'permission-ask', askId, ...request }, take, signal)
  }

  async question(question: Question, signal: AbortSignal): Promise<string> {
    if (this.#denial !== undefined) throw new AppError('permission-denied', this.#denial)
    const askId = newAskId()
    const take = (answer: Answer) => {
      if (!('text' in answer)) return undefined
      this.#publish({ type: 'question-answer', askId, text: answer.text })
      return answer.text
    }
    return this.#ask({ type: 'question-ask', askId, ...question }, take, signal)
  }

  answer(askId: string, answer: Answer): void {
    const take = this.#waiting.get(askId)
    if (take) {
      take(answer)
      return this.#remember(askId, answer)
    }
    // A client whose connection broke cannot know that its answer arrived, and sends it again.
    if (isDeepStrictEqual(this.#answered.get(askId), answer)) return
    throw new AppError('request-invalid', `Nothing waits for ${askId}: it was answered, or its run ended`)
  }

  #remember(askId: string, answer: Answer): void {
    this.#answered.set(askId, answer)
    const [oldest] = this.#answered.keys()
    if (this.#answered.size > MAX_ANSWERED && oldest !== undefined) this.#answered.delete(oldest)
  }

  /** `take` publishes the answer and returns what it says, or nothing when it answers something else. */
  #ask<T>(
    event: RunEvent & { readonly askId: string },
    take: (answer: Answer) => T | undefined,
    signal: AbortSignal,
  ): Promise<T> {
    signal.throwIfAborted()
    this.#publish(event)
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.#waiting.delete(event.askId)
        reject(signal.reason)
      }
      signal.addEventListener('abort', abort, { once: true })
      this.#waiting.set(event.askId, (answer) => {
        const said = take(answer)
        if (said === undefined)
          throw new AppError('request-invalid', `A ${event.type} cannot be answered with that`)
        this.#waiting.delete(event.askId)
        signal.removeEventListener('abort', abort)
        resolve(said)
      })
    })
  }
}

const newAskId = (): string => `ask-${randomBytes(4).toString('hex')}`
