/**
 * One question to a model, from the lease to the whole reply. Errors that only this level can fix are fixed here: a
 * context the server refuses (compact, once more) and a server that cannot parse calls (tools as text, once more).
 */
import type { Lease } from '../protocol/arm.ts'
import { AppError } from '../protocol/error.ts'
import type { RunEvent } from '../protocol/event.ts'
import type { Message } from '../protocol/message.ts'
import type { ModelRequest } from '../protocol/model.ts'
import { collectReply, type Reply } from './collect.ts'
import type { Fitted } from '../protocol/fit.ts'
import type { LoopEvent, LoopParts, Offer } from './parts.ts'
import { goOnNote, type RunState } from './run-state.ts'
import { defined } from '../lib/object.ts'

export type Asked =
  | {
      readonly kind: 'reply'
      readonly reply: Reply
      readonly lease: Lease
      readonly fitted: Fitted
      readonly offer: Offer
    }
  | { readonly kind: 'too-small'; readonly report: string }

export async function* askModel(
  run: RunState,
  parts: LoopParts,
  signal: AbortSignal,
): AsyncGenerator<LoopEvent, Asked> {
  let force = false
  const failed: Failed[] = []
  for (;;) {
    const lease = await reserveOther(run, parts, { failed, signal })
    const settle = settleOnce(lease)
    try {
      if (lease.arm.id !== run.arm) yield routing(lease)
      run.arm = lease.arm.id
      const asked = yield* askArm(run, parts, { lease, force, signal })
      if (asked.kind === 'reply') settle.commit(asked.reply)
      if (!isRefusal(asked) || !run.armFailure) return asked
      // Who stood in for arms that failed and cannot do it either: the failure is the answer, not the refusal.
      throw run.armFailure
    } catch (error) {
      settle.release(error)
      if (signal.aborted || !(error instanceof AppError) || error === run.armFailure) throw error
      if (error.code === 'context-overflow' && !force) {
        force = true
        yield { type: 'reply-restart', why: error.message }
      } else if (error.details.unparsedCall && lease.toText()) yield { type: 'reply-restart', why: AS_TEXT }
      else if (!isArmsFault(error)) throw error
      else {
        failed.push({ arm: lease.arm.id, error })
        run.armFailure ??= error
        yield { type: 'reply-restart', why: error.message }
      }
    } finally {
      settle.release()
    }
  }
}

const isRefusal = (asked: Asked): boolean => asked.kind === 'reply' && asked.reply.refused === true

const AS_TEXT = 'the server could not parse the tool call; tools are shown as text now'

type Failed = { readonly arm: string; readonly error: AppError }

/** Another arm may do what this one could not: its key, its limits, its connection. */
const isArmsFault = ({ code }: AppError): boolean =>
  code === 'rate-limited' || code === 'model-unavailable' || code === 'credential'

/** Where no arm is left, what the first one failed with says more than that. */
async function reserveOther(
  { escalated, messages }: RunState,
  parts: LoopParts,
  { failed, signal }: { readonly failed: readonly Failed[]; readonly signal: AbortSignal },
): Promise<Lease> {
  const [first] = failed
  const vision = messages.some((message) => message.role === 'user' && (message.images?.length ?? 0) > 0)
  const request = {
    task: parts.prompt,
    excluded: failed.map(({ arm }) => arm),
    vision,
    ...defined({ escalated }),
  }
  try {
    return await parts.reserve(request, signal)
  } catch (error) {
    if (!first || (error instanceof AppError && error.cause === first.error)) throw error
    throw first.error
  }
}

type Attempt = { readonly lease: Lease; readonly force: boolean; readonly signal: AbortSignal }

async function* askArm(run: RunState, parts: LoopParts, attempt: Attempt): AsyncGenerator<LoopEvent, Asked> {
  const { lease, force, signal } = attempt
  const offer = parts.offer(lease, run.added)
  const { messages, resultsSinceCompaction } = run
  const begun = begunReply(run, lease)
  const fitted = await parts.fit({
    messages,
    begun,
    tools: offer.tools,
    lease,
    force,
    resultsSinceCompaction,
  })
  if (fitted.tooSmall) return { kind: 'too-small', report: fitted.tooSmall }
  yield* keepCompaction(run, fitted, lease)

  const request = toRequest(run, parts, { offer, fitted, lease })
  yield { type: 'progress', stage: 'reading', total: fitted.promptTokens }
  const withholdRefusal = run.armFailure !== undefined
  const stream = lease.model.stream(request, signal)
  const reply = yield* remembered(run, collectReply(stream, { withholdRefusal }))
  // A cancelled stream ends like a short one.
  signal.throwIfAborted()
  if (reply.usage) yield { type: 'usage', usage: reply.usage, window: lease.arm.capabilities.window }
  return { kind: 'reply', reply, lease, fitted, offer }
}

/** A run that is cancelled leaves what it had written. */
async function* remembered(
  run: RunState,
  reply: AsyncGenerator<RunEvent, Reply>,
): AsyncGenerator<RunEvent, Reply> {
  run.written = ''
  for (;;) {
    const { value, done } = await reply.next()
    if (done) return value
    if (value.type === 'reply-restart') run.written = ''
    if (value.type === 'text-delta') run.written += value.text
    yield value
  }
}

function* keepCompaction(run: RunState, fitted: Fitted, lease: Lease): Generator<LoopEvent> {
  if (!fitted.compaction) return
  run.messages = fitted.messages
  run.resultsSinceCompaction = 0
  run.compactedTurn = run.turns
  run.compactions++
  yield { type: 'compaction', ...fitted.compaction, window: lease.arm.capabilities.window }
  yield { type: 'history', messages: fitted.messages }
}

/** What +0.3 is added to where neither the configuration nor the arm names a temperature. */
const USUAL_TEMPERATURE = 0.4

function toRequest(
  run: RunState,
  parts: LoopParts,
  { offer, fitted, lease }: { readonly offer: Offer; readonly fitted: Fitted; readonly lease: Lease },
): ModelRequest {
  const { hotter, seed, thinking = lease.arm.thinking } = run.sampling
  const usual = lease.arm.temperature ?? parts.temperature
  const temperature = hotter ? (usual ?? USUAL_TEMPERATURE) + 0.3 : usual
  const choice = choiceOf(run, parts, offer)
  const begun = begunReply(run, lease)
  return {
    runId: parts.runId,
    sessionId: parts.sessionId,
    turn: run.turns,
    task: parts.options.task ?? parts.prompt,
    system: parts.system,
    messages: [...fitted.messages, ...begun],
    tools: offer.tools,
    maxTokens: fitted.maxTokens,
    guarded: true,
    ...defined({ toolChoice: choice, temperature, seed }),
    ...(hotter && { repeatPenalty: 1.1 }),
    ...defined({ thinking }),
    ...(begun.at(-1)?.role === 'assistant' && { continueLast: true }),
  }
}

/** A call that must be made is made once: a model that must call a tool in every turn can never answer. */
function choiceOf(run: RunState, { options: { toolChoice } }: LoopParts, offer: Offer): Offer['choice'] {
  if (toolChoice === undefined || toolChoice === 'auto' || toolChoice === 'none')
    return toolChoice ?? offer.choice
  const isOffered = toolChoice === 'required' || offer.tools.some(({ name }) => name === toolChoice.name)
  return isOffered && run.calls.length === 0 ? toolChoice : offer.choice
}

/** The reply to go on with. An arm that took over in the middle of it may have to be asked to. */
function begunReply({ partial }: RunState, { arm }: Lease): readonly Message[] {
  if (!partial) return []
  const begun: Message = { role: 'assistant', text: partial, calls: [] }
  return arm.capabilities.prefill ? [begun] : [begun, goOnNote]
}

const routing = ({ arm, why }: Lease): LoopEvent => ({
  type: 'routing',
  arm: arm.id,
  why,
  window: arm.capabilities.window,
})

/** Commit or release, once, whatever path is taken. */
function settleOnce(lease: Lease) {
  let settled = false
  return {
    commit(reply: Reply) {
      if (!settled) lease.commit(reply.usage)
      settled = true
    },
    release(error?: unknown) {
      if (!settled) lease.release(error)
      settled = true
    },
  }
}
