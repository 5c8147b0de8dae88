/**
 * One call from arguments to result: path preflight, repeat check, guard, run with a time limit, result store. There is
 * a result in every case; nothing a tool does can break the run. Every tool of every kind runs through here and nowhere
 * else, so nothing goes round the guard.
 */
import type { EditForm } from '../protocol/edit-form.ts'
import { AppError, errorMessage, type FailureCode } from '../protocol/error.ts'
import type { RunEvent } from '../protocol/event.ts'
import type { RunEndReason } from '../protocol/run-end-reasons.ts'
import type { ToolMessage } from '../protocol/message.ts'
import type { PromptOptions } from '../protocol/session-api.ts'
import type { Job, ToolContext, ToolResult } from '../protocol/tool.ts'
import { foldMiddle } from '../lib/fold.ts'
import { isObject } from '../lib/json.ts'
import { settleExecutable } from './executable-changes.ts'
import { askToWrite, leaveGuard, passGuard, type Passed } from './pass-guard.ts'
import type { ToolAccess } from './parts.ts'
import { mayOverwrite } from './detectors/patch-spiral.ts'
import { placePaths } from './place-paths.ts'
import type { Prepared, Ready } from './prepare.ts'
import { asResultCall } from './result-call.ts'
import { historyExec, readOnlyExec } from './read-only-exec.ts'
import { judgeRepeat } from './detectors/repeated-call.ts'
import { shownResult } from './shown-result.ts'
import { tellDiff } from './tell-diff.ts'
import { type CallRecord, hashResult, type Trace } from './trace.ts'

export type CallEnvironment = {
  readonly toolAccess: ToolAccess
  readonly trace: Trace
  readonly options: PromptOptions
  /** What a person sees of the call; absent = its name and what it is about. */
  readonly title?: string
  readonly pageTokens: number
  /** How the arm that called writes edits; absent = it is not known. */
  readonly editForm?: EditForm
  countTokens(text: string): number
  /** Absent = it is not known what the model was shown. */
  isOffered?(name: string): boolean
  emit(event: RunEvent): void
  /** Resolves when everything emitted so far was delivered. */
  told(): Promise<void>
  now(): number
  readonly signal: AbortSignal
}

export type Finished = {
  readonly message: ToolMessage
  readonly record: CallRecord
  readonly changed: readonly string[]
  readonly repaired: boolean
  readonly stop?: RunEndReason
}

/** A result, and whether a detector wants the run to end with it. */
type Outcome = ToolResult & { readonly stop?: RunEndReason }

export async function runTool(prepared: Prepared, environment: CallEnvironment): Promise<Finished> {
  const { emit, now } = environment
  const started = now()
  emit({ type: 'tool-start', call: prepared.call, title: environment.title ?? titleOf(prepared) })
  const asked = await placePaths(prepared, environment.toolAccess.context.files)
  const placed = asResultCall(prepared, asked, environment.toolAccess.list())
  const outcome = await attempt(placed, environment)
  const text = await toContextText(placed, outcome, environment)
  const { ok, code } = outcome
  const { id: callId } = prepared.call
  emit({
    type: 'tool-end',
    callId,
    name: nameOf(placed),
    ok,
    text,
    ...(code && { code }),
    ms: now() - started,
  })
  return {
    message: { role: 'tool', callId, text, ok, ...(code && { code }) },
    record: toRecord(placed, outcome, environment),
    changed: outcome.changed ?? [],
    repaired: placed.kind === 'ready' && placed.repaired,
    ...(outcome.stop && { stop: outcome.stop }),
  }
}

async function attempt(prepared: Prepared, environment: CallEnvironment): Promise<Outcome> {
  const again = judgeAgain(prepared, environment.trace, environment.toolAccess.context.exec.jobs())
  if (again) return again
  if (prepared.kind === 'hopeless') return fail(prepared.code, prepared.text)
  const { signal } = environment
  try {
    await tellDiff(prepared, environment)
    const passed = await passGuard(prepared, environment)
    if ('refused' in passed) return withRemark(prepared, fail('denied', passed.refused))
    const ran = await execute(passed, environment).catch((error: unknown) => toFailure(error, signal))
    const outcome = await settleExecutable(ran, environment.toolAccess.context, signal)
    return withRemark(prepared, await leaveGuard(passed, outcome, environment))
  } catch (error) {
    return toFailure(error, signal)
  }
}

const withRemark = ({ remark }: Ready, outcome: Outcome): Outcome => ({
  ...outcome,
  text: [remark, outcome.text].filter(Boolean).join('\n'),
})

function toFailure(error: unknown, signal: AbortSignal): Outcome {
  if (signal.aborted) return fail('interrupted', 'interrupted: the run ended while this ran')
  const failure = error instanceof AppError ? error.details.failure : undefined
  return fail(failure ?? 'failed', errorMessage(error))
}

/** A call that leads nowhere is answered in the tool's place. */
function judgeAgain(prepared: Prepared, trace: Trace, jobs: readonly Job[]): Outcome | undefined {
  const polling = prepared.kind === 'ready' && (prepared.tool.polling ?? false)
  const repeat = judgeRepeat(trace, {
    name: nameOf(prepared),
    key: prepared.key,
    polling,
    isMissing: prepared.kind === 'hopeless' && prepared.code === 'missing-path',
    isWaiting: isWaiting(prepared, jobs),
    isCut: prepared.kind === 'hopeless' && prepared.code === 'cut',
    ...pathOf(prepared),
  })
  if (repeat.action === 'answer') return { ok: repeat.ok, code: 'refused', text: repeat.text }
  if (repeat.action === 'refuse') return fail('refused', repeat.text)
  if (repeat.action === 'run') return undefined
  return { ...fail('refused', 'The same call again: the run ends here.'), stop: 'repeated-call' }
}

/** Asked about a job that still runs, or by a command while one does: it may have got on since. */
function isWaiting(prepared: Prepared, jobs: readonly Job[]): boolean {
  if (prepared.kind === 'hopeless' || !jobs.some(({ state }) => state === 'running')) return false
  return (prepared.tool.polling ?? false) || prepared.tool.name === 'run_command'
}

const DEFAULT_LIMIT_MS = 120_000

async function execute(passed: Passed, environment: CallEnvironment): Promise<ToolResult> {
  const { input, readsOnly, showsHistory } = passed
  const { tool, call } = passed.ready
  const { exec: usual } = environment.toolAccess.context
  const exec = showsHistory ? historyExec(usual) : usual
  const live = createLive(call.id, environment)
  const limit = tool.timeoutMs ?? DEFAULT_LIMIT_MS
  const expired = Number.isFinite(limit) ? AbortSignal.timeout(limit) : undefined
  // One of its own for every call: Node warns of more than ten listeners on the run's.
  const signal = AbortSignal.any(expired ? [environment.signal, expired] : [environment.signal])
  const context: ToolContext = {
    ...environment.toolAccess.context,
    exec: readsOnly ? readOnlyExec(exec, () => askToWrite(passed, environment)) : exec,
    signal,
    pageTokens: environment.pageTokens,
    ...(environment.editForm && { editForm: environment.editForm }),
    countTokens: environment.countTokens,
    ...(environment.isOffered && { isOffered: environment.isOffered }),
    output: live.add,
    tell: environment.emit,
    limits: environment.options,
  }
  const whyLeft = (): Left =>
    environment.signal.aborted
      ? { graceMs: GRACE_MS, error: new AppError('tool-failed', 'cancelled', { failure: 'interrupted' }) }
      : { graceMs: 0, error: late(tool.name, limit) }
  const running = tool.run(inputFor({ tool, input }, environment.trace), context)
  return unlessLeft(running, signal, whyLeft).finally(live.end)
}

/**
 * Longer than a command takes that must be killed in the end. A tool that does not heed its signal is left after it.
 */
const GRACE_MS = 5000

type Left = { readonly graceMs: number; readonly error: AppError }

/** What `running` gives, or why it was not waited for: some time after `signal` aborts it is left. */
function unlessLeft<Value>(
  running: Promise<Value>,
  signal: AbortSignal,
  whyLeft: () => Left,
): Promise<Value> {
  let timer: NodeJS.Timeout | undefined
  let leave = (): void => {}
  const left = new Promise<never>((_, reject) => {
    leave = () => {
      const { graceMs, error } = whyLeft()
      timer = setTimeout(() => reject(error), graceMs)
    }
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
  })
  return Promise.race([running, left]).finally(() => {
    signal.removeEventListener('abort', leave)
    clearTimeout(timer)
  })
}

/** Output while it comes; a secret that is cut in two by the pieces is still found. */
function createLive(callId: string, { toolAccess, emit }: CallEnvironment) {
  const stream = toolAccess.firewall?.stream()
  const tell = (text: string): void => {
    if (text !== '') emit({ type: 'tool-output', callId, text })
  }
  return {
    add: (text: string): void => tell(stream ? stream.push(text) : text),
    end: (): void => tell(stream?.end() ?? ''),
  }
}

const late = (name: string, limit: number): AppError =>
  new AppError('tool-failed', `${name} took longer than ${limit / 1000} s and was stopped.`, {
    failure: 'timeout',
  })

/** After a patch spiral the file may be written whole. */
function inputFor({ tool, input }: Pick<Ready, 'tool' | 'input'>, trace: Trace): unknown {
  const path = isObject(input) ? input['path'] : undefined
  const isFreed = tool.name === 'write_file' && typeof path === 'string' && mayOverwrite(trace, path)
  return isFreed ? { ...(input as object), overwrite: true, because: 'freed' } : input
}

/** From this size on a result is kept outside the context too. */
const STORE_FROM = 1024

async function toContextText(
  prepared: Prepared,
  outcome: Outcome,
  environment: CallEnvironment,
): Promise<string> {
  const text = toShown(outcome)
  if (prepared.kind === 'hopeless' || text.length < STORE_FROM || outcome.code === 'refused') return text
  if (prepared.tool.paged) return text
  const { toolAccess, pageTokens, countTokens } = environment
  const tokens = countTokens(text)
  // A disk that is full is no reason to keep from the model what the tool found.
  const stored = await toolAccess.context.results.put(titleOf(prepared), text).catch(() => undefined)
  const { tool } = prepared
  return shownResult(text, { pageTokens, countTokens, tokens, tool, failed: !outcome.ok, stored }).replaceAll(
    TORN,
    '\uFFFD',
  )
}

/** Half a character at a cut: servers refuse it, and with it every later request of the conversation. */
const TORN = /\p{Surrogate}/gu

/** A result needs text, whatever a tool or a hook made of it. */
function toShown({ ok, code, text: given }: Outcome): string {
  const text = given.replaceAll(TORN, '\uFFFD')
  if (!ok && code !== 'exit-code') return `Error: ${text.replace(/^error: /i, '')}`
  return text === '' ? '(no output)' : text
}

const fail = (code: FailureCode, text: string): Outcome => ({ ok: false, code, text })

function pathOf(prepared: Prepared): { readonly path?: string } {
  if (prepared.kind === 'hopeless') return prepared.path === undefined ? {} : { path: prepared.path }
  const { tool, input } = prepared
  const parameter = tool.paths?.[0]
  const path = parameter && isObject(input) ? input[parameter] : undefined
  return typeof path === 'string' ? { path } : {}
}

const nameOf = (prepared: Prepared): string =>
  prepared.kind === 'ready' ? prepared.tool.name : (prepared.tool ?? prepared.call.name)

/** What a person sees of a call: its name and what it is about. */
function titleOf(prepared: Prepared): string {
  const input = prepared.kind === 'ready' ? prepared.input : undefined
  const about = isObject(input) ? Object.values(input).find((value) => typeof value === 'string') : undefined
  const line = typeof about === 'string' ? about.split('\n', 1)[0] : undefined
  return [nameOf(prepared), line?.slice(0, 100)].filter(Boolean).join(' ')
}

/** What the detectors may quote or look for; a run makes hundreds of calls. */
const REMEMBERED = 20_000

function toRecord(prepared: Prepared, outcome: Outcome, { trace, toolAccess }: CallEnvironment): CallRecord {
  const isReady = prepared.kind === 'ready'
  const polling = isReady && (prepared.tool.polling ?? false)
  const writes = isReady && prepared.tool.category === 'write'
  return {
    turn: trace.turns,
    name: nameOf(prepared),
    key: prepared.key,
    ok: outcome.ok,
    text: foldMiddle(outcome.text, REMEMBERED).text,
    resultHash: hashResult(outcome.text, polling),
    wrote: outcome.ok && (writes || (outcome.changed?.length ?? 0) > 0),
    polling,
    ...(isWaiting(prepared, toolAccess.context.exec.jobs()) && { waiting: true }),
    ...pathOf(prepared),
    ...(outcome.code && { code: outcome.code }),
  }
}
