/**
 * One call from arguments to result: path preflight, repeat check, guard, run with a time limit, result store. There is
 * a result in every case; nothing a tool does can break the run. Every tool of every kind runs through here and nowhere
 * else, so nothing goes round the guard.
 */
import { AppError, errorMessage, type FailureCode } from '../protocol/error.ts'
import type { RunEndReason, RunEvent } from '../protocol/event.ts'
import type { ToolMessage } from '../protocol/message.ts'
import type { PromptOptions } from '../protocol/session-api.ts'
import type { ToolContext, ToolResult } from '../protocol/tool.ts'
import { foldMiddle } from '../lib/fold.ts'
import { shortHash } from '../lib/hash.ts'
import { isObject } from '../lib/json.ts'
import { leaveGuard, passGuard, type Passed } from './pass-guard.ts'
import type { ToolDesk } from './parts.ts'
import { mayOverwrite } from './patch-spiral.ts'
import { callKey, type Prepared, type Ready } from './prepare.ts'
import { preflightPath } from './preflight.ts'
import { judgeRepeat } from './repeated-call.ts'
import type { CallRecord, Trace } from './trace.ts'

export type CallEnvironment = {
  readonly desk: ToolDesk
  readonly trace: Trace
  readonly options: PromptOptions
  readonly pageTokens: number
  countTokens(text: string): number
  emit(event: RunEvent): void
  /** Everything emitted so far has been told. */
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
  emit({ type: 'tool-start', call: prepared.call, title: titleOf(prepared) })
  const placed = await placePaths(prepared, environment)
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
    record: toRecord(placed, outcome, environment.trace),
    changed: outcome.changed ?? [],
    repaired: placed.kind === 'ready' && placed.repaired,
    ...(outcome.stop && { stop: outcome.stop }),
  }
}

/** Every path the tool names, as it is really written on disk. */
async function placePaths(prepared: Prepared, { desk }: CallEnvironment): Promise<Prepared> {
  if (prepared.kind === 'hopeless') return prepared
  const { tool, call } = prepared
  let { input } = prepared
  const remarks = prepared.remark ? [prepared.remark] : []
  for (const parameter of tool.paths ?? []) {
    const path = isObject(input) ? input[parameter] : undefined
    if (typeof path !== 'string') continue
    const placed = await preflightPath(path, desk.context.files, { creates: tool.creates ?? false })
    if ('missing' in placed) {
      return {
        kind: 'hopeless',
        call,
        key: callKey(tool.name, input),
        code: 'missing-path',
        text: placed.missing,
        tool: tool.name,
        path,
      }
    }
    if (placed.repaired) remarks.push(placed.repaired)
    input = { ...(input as object), [parameter]: placed.path }
  }
  const remark = remarks.length > 0 ? { remark: remarks.join('\n') } : {}
  const repaired = prepared.repaired || remarks.length > 0
  return { ...prepared, input, key: callKey(tool.name, input), repaired, ...remark }
}

async function attempt(prepared: Prepared, environment: CallEnvironment): Promise<Outcome> {
  const again = judgeAgain(prepared, environment.trace)
  if (again) return again
  if (prepared.kind === 'hopeless') return fail(prepared.code, prepared.text)
  const { signal } = environment
  try {
    const passed = await passGuard(prepared, environment)
    if ('refused' in passed) return withRemark(prepared, fail('denied', passed.refused))
    const outcome = await execute(passed, environment).catch((error: unknown) => toFailure(error, signal))
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
function judgeAgain(prepared: Prepared, trace: Trace): Outcome | undefined {
  const polling = prepared.kind === 'ready' && (prepared.tool.polling ?? false)
  const repeat = judgeRepeat(trace, {
    name: nameOf(prepared),
    key: prepared.key,
    polling,
    ...pathOf(prepared),
  })
  if (repeat.action === 'answer') return { ok: true, code: 'refused', text: repeat.text }
  if (repeat.action === 'refuse') return fail('refused', repeat.text)
  if (repeat.action === 'run') return undefined
  return { ...fail('refused', 'The same call again: the run ends here.'), stop: 'repeated-call' }
}

const DEFAULT_LIMIT_MS = 120_000

async function execute({ ready, input }: Passed, environment: CallEnvironment): Promise<ToolResult> {
  const { tool, call } = ready
  const live = createLive(call.id, environment)
  const limit = tool.timeoutMs ?? DEFAULT_LIMIT_MS
  const expired = Number.isFinite(limit) ? AbortSignal.timeout(limit) : undefined
  const signal = expired ? AbortSignal.any([environment.signal, expired]) : environment.signal
  const context: ToolContext = {
    ...environment.desk.context,
    signal,
    pageTokens: environment.pageTokens,
    countTokens: environment.countTokens,
    output: live.add,
    tell: environment.emit,
    limits: environment.options,
  }
  const late =
    expired &&
    whenAborted(
      expired,
      () => new AppError('tool-failed', timeoutText(tool.name, limit), { failure: 'timeout' }),
    )
  const running = tool.run(inputFor({ tool, input }, environment.trace), context)
  return (late ? Promise.race([running, late]) : running).finally(live.end)
}

/** Output while it comes; a secret that is cut in two by the pieces is still found. */
function createLive(callId: string, { desk, emit }: CallEnvironment) {
  const stream = desk.firewall?.stream()
  const tell = (text: string): void => {
    if (text !== '') emit({ type: 'tool-output', callId, text })
  }
  return {
    add: (text: string): void => tell(stream ? stream.push(text) : text),
    end: (): void => tell(stream?.end() ?? ''),
  }
}

const timeoutText = (name: string, limit: number): string =>
  `${name} took longer than ${limit / 1000} s and was stopped.`

const whenAborted = (signal: AbortSignal, error: () => AppError): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(error()), { once: true }))

/** After a patch spiral the file may be written whole. */
function inputFor({ tool, input }: Pick<Ready, 'tool' | 'input'>, trace: Trace): unknown {
  const path = isObject(input) ? input['path'] : undefined
  const isFreed = tool.name === 'write_file' && typeof path === 'string' && mayOverwrite(trace, path)
  return isFreed ? { ...(input as object), overwrite: true } : input
}

/** From this size on a result is kept outside the context too. */
const STORE_FROM = 1024

async function toContextText(
  prepared: Prepared,
  outcome: Outcome,
  environment: CallEnvironment,
): Promise<string> {
  const { desk, pageTokens, countTokens } = environment
  const text =
    outcome.ok || outcome.code === 'exit-code'
      ? outcome.text
      : `Error: ${outcome.text.replace(/^error: /i, '')}`
  if (prepared.kind === 'hopeless' || text.length < STORE_FROM || outcome.code === 'refused') return text
  if (prepared.tool.paged) return text
  const tokens = countTokens(text)
  const stored = await desk.context.results.put(titleOf(prepared), text)
  if (tokens <= pageTokens) return `${text}\n[stored as ${stored.id}]`
  const folded = foldMiddle(text, Math.floor((text.length / tokens) * pageTokens))
  return `${folded.text}\n[stored as ${stored.id}: ${stored.lines} lines; read_result shows the rest]`
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
  prepared.kind === 'ready' ? prepared.tool.name : prepared.call.name

/** What a person sees of a call: its name and what it is about. */
function titleOf(prepared: Prepared): string {
  const input = prepared.kind === 'ready' ? prepared.input : undefined
  const about = isObject(input) ? Object.values(input).find((value) => typeof value === 'string') : undefined
  const line = typeof about === 'string' ? about.split('\n', 1)[0] : undefined
  return [nameOf(prepared), line?.slice(0, 100)].filter(Boolean).join(' ')
}

function toRecord(prepared: Prepared, outcome: Outcome, trace: Trace): CallRecord {
  const isReady = prepared.kind === 'ready'
  const writes = isReady && prepared.tool.category === 'write'
  return {
    turn: trace.turns,
    name: nameOf(prepared),
    key: prepared.key,
    ok: outcome.ok,
    text: outcome.text,
    resultHash: shortHash(outcome.text),
    wrote: outcome.ok && (writes || (outcome.changed?.length ?? 0) > 0),
    polling: isReady && (prepared.tool.polling ?? false),
    ...pathOf(prepared),
    ...(outcome.code && { code: outcome.code }),
  }
}
