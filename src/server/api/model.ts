/**
 * One question to one model: a lease, a turn in the line, the reply. Whatever happens, the lease is settled once and
 * the slot in the queue is released. Small models forget what they were asked for; they get one reminder, then it
 * fails.
 */
import type { Lease } from '../../protocol/arm.ts'
import { AppError } from '../../protocol/error.ts'
import type { ModelRequest } from '../../protocol/model.ts'
import { addUsage, type Answer, type AnswerEvent, type ApiParts, type Ask, type Caller } from './ask.ts'
import { withFill } from './fill.ts'
import { createReplyTaker, type ReplySource } from './reply.ts'
import { reminderFor, type Reply, unmetBy, unmetError, type Unmet } from './rules.ts'
import { defineProblem, ProblemError } from '../http/errors.ts'
import type { ReserveAbout } from '../parts.ts'
import type { QueueSlot } from '../http/queue.ts'

export async function* askModel(ask: Ask, parts: ApiParts, caller: Caller): Answer {
  const question = { ask, parts, caller }
  const lease = withFill(await reserve(ask.model, question), ask, parts.models, caller)
  const first = yield* attempt(question, lease, () => firstReading(question, lease))
  const unmet = unmetBy(first.reply, ask.request)
  const final = unmet ? yield* secondTry(question, { lease, unmet, ...first }) : first.reply
  const usage = final.usage ?? counted(final, first.request, lease, parts)
  yield { type: 'finish', reason: final.reason, usage }
}

/** An unknown model name gets the error that clients expect. */
async function reserve(model: string | undefined, { ask, parts, caller }: Question): Promise<Lease> {
  try {
    return await parts.models.reserve(model, caller.signal, aboutOf(ask.request, caller))
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'request-invalid') throw error
    throw new ProblemError(defineProblem(404, 'model_not_found', error.message, { param: 'model' }))
  }
}

function aboutOf(request: ModelRequest, { client }: Caller): ReserveAbout {
  const words = request.messages.findLast(
    (message) => message.role === 'user' && message.origin === undefined,
  )
  return { task: words?.text ?? '', sessionId: request.sessionId, vision: hasImages(request), client }
}

const hasImages = ({ messages }: ModelRequest): boolean =>
  messages.some((message) => message.role === 'user' && (message.images?.length ?? 0) > 0)

type Question = { readonly ask: Ask; readonly parts: ApiParts; readonly caller: Caller }

/** What is sent, and how its reply is read. */
type Reading = Omit<ReplySource, 'arm'> & { readonly request: ModelRequest }

type Tried = Reading & { readonly reply: Reply }

function firstReading({ ask, parts }: Question, lease: Lease): Reading {
  const { request, shortened, callTool } = prepare(ask, lease, parts)
  const promptTokens = () => parts.models.count(request, lease)
  const start = { type: 'start', model: lease.arm.id, shortened, promptTokens } as const
  return { request, start, ...(callTool !== undefined && { callTool }) }
}

type Missed = Tried & { readonly lease: Lease; readonly unmet: Unmet }

/** Asks again, naming what was missing; text already sent stays sent. */
async function* secondTry(question: Question, missed: Missed): AsyncGenerator<AnswerEvent, Reply> {
  const { ask } = question
  const { callTool, reply: after } = missed
  const { continueLast: _, ...asked } = missed.request
  const messages = [...asked.messages, ...reminderFor(missed.unmet, after, ask.request)]
  const reading = { request: { ...asked, messages }, after, ...(callTool !== undefined && { callTool }) }
  const lease = await reserve(missed.lease.arm.id, question)
  const { reply } = yield* attempt(question, lease, () => reading)
  const problem = unmetError(unmetBy(reply, ask.request), lease.arm.id)
  if (problem) throw problem
  return withUsage(reply, after)
}

function withUsage(reply: Reply, before: Reply): Reply {
  const { usage, ...rest } = reply
  if (!usage || !before.usage) return rest
  return { ...rest, usage: addUsage(before.usage, usage) }
}

/**
 * One question under one lease and in one queue slot: the lease is committed when the reply is complete and released
 * when something throws or the client is gone. All in one generator, because every token passes each of them.
 */
async function* attempt(
  { ask, parts, caller }: Question,
  lease: Lease,
  prepared: () => Reading,
): AsyncGenerator<AnswerEvent, Tried> {
  const { signal, client } = caller
  let place: QueueSlot | undefined
  let isSettled = false
  try {
    const reading = prepared()
    place = parts.queue.enter({ model: lease.arm.id, client })
    if (!place.isServed()) {
      for await (const position of place.positions(signal)) yield { type: 'waiting', position }
    }
    signal.throwIfAborted()
    const taker = createReplyTaker(ask, { arm: lease.arm.id, ...reading })
    for await (const event of lease.model.stream(reading.request, signal)) {
      if (event.type === 'refusal' && isStandIn(lease)) throw standInRefused(lease)
      for (const told of taker.take(event)) yield told
    }
    signal.throwIfAborted()
    for (const told of taker.end()) yield told
    const reply = taker.reply()
    isSettled = true
    lease.commit(reply.usage)
    return { ...reading, reply }
  } catch (error) {
    isSettled = true
    lease.release(error)
    throw error
  } finally {
    place?.leave()
    if (!isSettled) lease.release()
  }
}

/** The router chose it because nothing better could be asked. */
const isStandIn = ({ why }: Lease): boolean => why.startsWith('task: ')

const standInRefused = ({ arm }: Lease): AppError =>
  new AppError(
    'model-unavailable',
    `No model could answer: all others failed or are in back-off, and ${arm.id} cannot do this; run \`covey doctor\` for the reasons.`,
  )

type Prepared = {
  readonly request: ModelRequest
  readonly shortened: readonly string[]
  readonly callTool?: string
}

function prepare(ask: Ask, lease: Lease, { models, fit }: ApiParts): Prepared {
  const { capabilities, id } = lease.arm
  if (hasImages(ask.request) && !capabilities.vision)
    throw new AppError('request-invalid', `${id} cannot see images; send text only, or ask a model that can.`)
  const request = forArm(ask.request, lease)
  if (fit === 'auto') {
    const fitted = models.fit(request, lease)
    if (fitted.ok) return fitted
    throw tooLong(id, fitted.tokens, fitted.window)
  }
  const tokens = models.count(request, lease)
  const left = capabilities.window - tokens
  if (left <= 0) throw tooLong(id, tokens, capabilities.window)
  const { maxTokens = 0 } = request
  return { request: maxTokens > left ? { ...request, maxTokens: left } : request, shortened: [] }
}

const tooLong = (id: string, tokens: number, window: number): AppError =>
  new AppError(
    'context-overflow',
    `This request takes ${tokens} tokens and ${id} has a context window of ${window}. ` +
      `Shorten the messages or the tools, or ask a model with a larger window.`,
    { window },
  )

/** Where a server does not honour a choice of tools, the choice is made by what it is shown. */
function forArm(request: ModelRequest, lease: Lease): ModelRequest {
  const { requiredChoice, prefill } = lease.arm.capabilities
  const last = request.messages.at(-1)
  const isPrefix = prefill && last?.role === 'assistant' && last.calls.length === 0
  const { toolChoice: choice, ...rest } = request
  const continued = isPrefix ? { continueLast: true } : {}
  if (choice === undefined || choice === 'auto' || requiredChoice) return { ...request, ...continued }
  if (choice === 'none') return { ...rest, ...continued, tools: [] }
  const tools =
    choice === 'required' ? request.tools : request.tools.filter(({ name }) => name === choice.name)
  return { ...rest, ...continued, tools }
}

function counted(reply: Reply, request: ModelRequest, lease: Lease, { models }: ApiParts) {
  const written = [reply.text, reply.reasoning, ...reply.calls.flatMap(({ name, input }) => [name, input])]
  return {
    prompt: models.count(request, lease),
    completion: written.reduce((total, text) => total + (text === '' ? 0 : lease.countTokens(text)), 0),
  }
}
