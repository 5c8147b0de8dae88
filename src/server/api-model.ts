/**
 * One question to one model: a lease, a turn in the line, the reply. Whatever happens, the lease is settled once and the
 * place in the line is given back. Small models forget what they were asked for; they are told once, then it is an error.
 */
import type { Lease } from '../protocol/arm.ts'
import { AppError } from '../protocol/error.ts'
import type { ModelRequest } from '../protocol/model.ts'
import { addUsage, type Answer, type AnswerEvent, type ApiParts, type Ask, type Caller } from './api-ask.ts'
import { withFill } from './api-fill.ts'
import { createReplyTaker } from './api-reply.ts'
import { reminderFor, type Reply, unmetBy, unmetError, type Unmet } from './api-rules.ts'
import { defineProblem, ProblemError } from './errors.ts'
import type { ReserveAbout } from './parts.ts'

export async function* askModel(ask: Ask, parts: ApiParts, caller: Caller): Answer {
  const question = { ask, parts, caller }
  const lease = withFill(await reserve(ask.model, question), ask, parts.models, caller)
  const { reply, request } = yield* settled(lease, firstTry(question, lease))
  const unmet = unmetBy(reply, ask.request)
  const final = unmet ? yield* secondTry(question, { lease, request, reply, unmet }) : reply
  yield { type: 'finish', reason: final.reason, usage: final.usage ?? counted(final, request, lease, parts) }
}

/** Whatever name is not known is told as clients expect it. */
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

type Tried = Pick<Prepared, 'request' | 'callTool'> & { readonly reply: Reply }

async function* firstTry(question: Question, lease: Lease): AsyncGenerator<AnswerEvent, Tried> {
  const { models } = question.parts
  const { request, shortened, callTool } = prepare(question.ask, lease, question.parts)
  const calling = callTool === undefined ? {} : { callTool }
  const start = {
    type: 'start',
    model: lease.arm.id,
    shortened,
    promptTokens: () => models.count(request, lease),
  } as const
  const reply = yield* inTurn(question, lease, read(question, { lease, request, start, ...calling }))
  return { reply, request, ...calling }
}

type Missed = Tried & { readonly lease: Lease; readonly unmet: Unmet }

/** The arm is told what was missing; what it already said stays said. */
async function* secondTry(question: Question, missed: Missed): AsyncGenerator<AnswerEvent, Reply> {
  const { ask } = question
  const { callTool } = missed
  const { continueLast: _, ...asked } = missed.request
  const messages = [...asked.messages, ...reminderFor(missed.unmet, missed.reply, ask.request)]
  const request: ModelRequest = { ...asked, messages }
  const lease = await reserve(missed.lease.arm.id, question)
  const again = async function* () {
    const reading = { lease, request, after: missed.reply, ...(callTool !== undefined && { callTool }) }
    return { reply: yield* inTurn(question, lease, read(question, reading)) }
  }
  const { reply } = yield* settled(lease, again())
  const problem = unmetError(unmetBy(reply, ask.request), lease.arm.id)
  if (problem) throw problem
  return withUsage(reply, missed.reply)
}

function withUsage(reply: Reply, before: Reply): Reply {
  const { usage, ...rest } = reply
  if (!usage || !before.usage) return rest
  return { ...rest, usage: addUsage(before.usage, usage) }
}

/** Runs a body under a lease: committed when it ends, given back when it throws or is abandoned. */
async function* settled<Result extends { readonly reply: Reply }>(
  lease: Lease,
  body: AsyncGenerator<AnswerEvent, Result>,
): AsyncGenerator<AnswerEvent, Result> {
  let isSettled = false
  const settle = (act: () => void) => {
    if (!isSettled) act()
    isSettled = true
  }
  try {
    const result = yield* body
    settle(() => lease.commit(result.reply.usage))
    return result
  } catch (error) {
    settle(() => lease.release(error))
    throw error
  } finally {
    settle(() => lease.release())
  }
}

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

/** A place in the line for as long as the body runs. */
async function* inTurn<Result>(
  { parts, caller }: Question,
  lease: Lease,
  body: AsyncGenerator<AnswerEvent, Result>,
): AsyncGenerator<AnswerEvent, Result> {
  const place = parts.queue.enter({ model: lease.arm.id, client: caller.client })
  try {
    for await (const position of place.positions(caller.signal)) yield { type: 'waiting', position }
    return yield* body
  } finally {
    place.leave()
  }
}

type Reading = Pick<Prepared, 'callTool'> & {
  readonly lease: Lease
  readonly request: ModelRequest
  readonly start?: Extract<AnswerEvent, { type: 'start' }>
  /** What was said before the reminder. */
  readonly after?: Reply
}

async function* read({ ask, caller }: Question, reading: Reading): AsyncGenerator<AnswerEvent, Reply> {
  const { lease, request, start, ...rest } = reading
  const taker = createReplyTaker(ask, { arm: lease.arm.id, ...rest })
  let opening = start
  for await (const event of lease.model.stream(request, caller.signal)) {
    const told = [...taker.take(event)]
    // Not before the model shows a sign of life, or its log probabilities where they are asked for: until then a failure
    // can still be told as an HTTP status.
    if (opening && (request.logprobs === undefined || told.length > 0)) {
      yield opening
      opening = undefined
    }
    yield* told
  }
  caller.signal.throwIfAborted()
  const last = [...taker.end()]
  if (opening) yield opening
  yield* last
  return taker.reply()
}

function counted(reply: Reply, request: ModelRequest, lease: Lease, { models }: ApiParts) {
  const written = [reply.text, reply.reasoning, ...reply.calls.flatMap(({ name, input }) => [name, input])]
  return {
    prompt: models.count(request, lease),
    completion: written.reduce((total, text) => total + (text === '' ? 0 : lease.countTokens(text)), 0),
  }
}
