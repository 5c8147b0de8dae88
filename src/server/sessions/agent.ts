/**
 * `covey/agent` as a model: one request is one run of a session that lives as long as the request. Covey runs its own
 * tools under its own guard; the client sees the answer, and what was done on the way as reasoning and as data.
 */
import { AppError } from '../../protocol/error.ts'
import type { RunEnd, SessionEvent } from '../../protocol/event.ts'
import { runEndFacts } from '../../protocol/run-end-reasons.ts'
import type { Message, UserMessage } from '../../protocol/message.ts'
import type { FinishReason, Usage } from '../../protocol/model.ts'
import { addUsage, type Answer, type AnswerEvent, type ApiParts, type Ask, type Caller } from '../api/ask.ts'
import { defineProblem, ProblemError } from '../http/errors.ts'
import type { HeldSession } from '../parts.ts'

export const AGENT = 'covey/agent'

export type AgentName = { readonly profile?: string }

export function readAgentName(model: string): AgentName | undefined {
  if (model === AGENT) return {}
  return model.startsWith(`${AGENT}:`) ? { profile: model.slice(AGENT.length + 1) } : undefined
}

export async function* askAgent(
  ask: Ask & { readonly agent: AgentName },
  parts: ApiParts,
  { client, scopes, signal }: Caller,
): Answer {
  const { profile } = ask.agent
  if (!scopes.includes('tools')) throw new AppError('permission-denied', NO_TOOLS)
  requireProfile(profile, parts)
  const { history, prompt } = partMessages(ask.request.messages)
  const place = parts.queue.enter({ model: AGENT, client })
  try {
    for await (const position of place.positions(signal)) yield { type: 'waiting', position }
    const { system } = ask.request
    const open = { history, system, client, ...(profile !== undefined && { profile }) }
    const session = await parts.agents.open(open)
    try {
      const promptTokens = () => Math.ceil(prompt.reduce((total, { text }) => total + text.length, 0) / 4)
      yield { type: 'start', model: ask.model ?? AGENT, shortened: [], promptTokens }
      yield* follow(session, { prompt, activity: ask.activity }, signal)
    } finally {
      await session.close()
    }
  } finally {
    place.leave()
  }
}

const NO_TOOLS =
  'An agent runs tools, and this token may not. Use one with the scope `tools`, or ask a model.'

function requireProfile(profile: string | undefined, { agents }: ApiParts): void {
  if (profile === undefined || agents.profiles.includes(profile)) return
  const known = [AGENT, ...agents.profiles.map((name) => `${AGENT}:${name}`)].join(', ')
  const message = `There is no profile ${profile}. Agents here: ${known}.`
  throw new ProblemError(defineProblem(404, 'model_not_found', message, { param: 'model' }))
}

/** The person's newest words are the prompt, everything before them is history. */
function partMessages(messages: readonly Message[]): {
  readonly history: readonly Message[]
  readonly prompt: readonly UserMessage[]
} {
  const at = messages.findLastIndex(({ role }) => role !== 'user') + 1
  const prompt = messages.slice(at).filter((message) => message.role === 'user')
  if (prompt.length > 0) return { history: messages.slice(0, at), prompt }
  const message = 'The last message for an agent must be a user message: it says what to do.'
  throw new ProblemError(defineProblem(400, 'invalid_value', message, { param: 'messages' }))
}

type Run = { readonly prompt: readonly UserMessage[]; readonly activity: boolean }

async function* follow(session: HeldSession, run: Run, signal: AbortSignal): Answer {
  signal.throwIfAborted()
  const stop = new AbortController()
  const cancel = () => void session.cancel().finally(() => stop.abort())
  signal.addEventListener('abort', cancel, { once: true })
  try {
    // Watching begins before the prompt, so that nothing of the run is missed.
    const events = session.events({ signal: stop.signal })
    const { runId } = await session.prompt(run.prompt)
    signal.throwIfAborted()
    yield* tell(events, runId, run.activity)
    signal.throwIfAborted()
  } finally {
    signal.removeEventListener('abort', cancel)
    stop.abort()
  }
}

async function* tell(events: AsyncIterable<SessionEvent>, runId: string, activity: boolean): Answer {
  const state = { usage: { prompt: 0, completion: 0 } as Usage, isTold: false, gap: false }
  let failure: AppError | undefined
  for await (const event of events) {
    if (event.type === 'usage') state.usage = addUsage(state.usage, event.usage)
    else if (event.type === 'error') failure = new AppError(event.code, event.message)
    else if (event.type === 'text-delta') {
      // A blank line separates a turn's text from the text before its tool calls.
      yield { type: 'text-delta', text: `${state.gap && state.isTold ? '\n\n' : ''}${event.text}` }
      state.isTold = true
      state.gap = false
    } else if (event.type === 'run-end' && event.runId === runId) {
      const { kind } = runEndFacts(event.reason)
      if (kind === 'error') throw failure ?? new AppError('tool-failed', event.report ?? 'The run failed.')
      yield { type: 'activity', activity: { type: 'run-end', reason: event.reason, changed: event.changed } }
      const ending = endings[kind]
      // A 200 with a report in it would look like success.
      if (typeof ending === 'function') throw ending(reportOf(event))
      const report = event.reason === 'answered' ? undefined : event.report
      if (report) yield { type: 'text-delta', text: `${state.isTold ? '\n\n' : ''}${report}` }
      return yield { type: 'finish', reason: ending, usage: state.usage }
    } else {
      if (event.type === 'tool-start' || event.type === 'reply-restart') state.gap = true
      yield* toActivity(event, activity)
    }
  }
  throw new AppError('model-unavailable', 'The run ended without a result; try again.')
}

function* toActivity(event: SessionEvent, asReasoning: boolean): Iterable<AnswerEvent> {
  if (event.type === 'vote') yield { type: 'vote', vote: event }
  if (event.type === 'reasoning-delta') yield { type: 'reasoning-delta', text: event.text }
  if (event.type === 'reply-restart' && asReasoning)
    yield { type: 'reasoning-delta', text: '\n[the reply begins again]\n' }
  if (event.type === 'tool-start') {
    const { call, title } = event
    if (asReasoning) yield { type: 'reasoning-delta', text: `\n[${title}]` }
    const activity = { type: 'tool-start', call_id: call.id, name: call.name, title } as const
    yield { type: 'activity', activity }
  }
  if (event.type === 'tool-end') {
    const { callId, name, ok } = event
    if (asReasoning) yield { type: 'reasoning-delta', text: ok ? ' done\n' : ' failed\n' }
    yield { type: 'activity', activity: { type: 'tool-end', call_id: callId, name, ok } }
  }
}

/** The error is all the client gets: what is true on disk belongs into it. */
function reportOf({ report, changed }: RunEnd): string | undefined {
  const disk = changed.length > 0 && !report?.includes('Changed: ') ? `Changed: ${changed.join(', ')}.` : ''
  return [report, disk].filter(Boolean).join(' ') || undefined
}

const noAnswer = (report = 'The model gave no answer; ask in smaller steps, or ask a larger model.') =>
  new AppError('no-answer', report)

const cancelled = (report = 'The run was cancelled on the server before it ended; send the request again.') =>
  new AppError('model-unavailable', report)

type EndKind = ReturnType<typeof runEndFacts>['kind']

/** A finish reason for what was answered or cut off by a limit; an error for every other ending. */
const endings: Readonly<Record<Exclude<EndKind, 'error'>, FinishReason | ((report?: string) => AppError)>> = {
  answer: 'stop',
  limit: 'length',
  stuck: noAnswer,
  cancelled,
}
