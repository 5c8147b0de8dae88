/**
 * What a session needs of the context and the engine, joined: how a prompt becomes a user message, how a run is
 * started, how the conversation is compacted on request. Everything else it is made from is handed in.
 */
import { randomInt } from 'node:crypto'
import { budgetFor } from '../context/budget.ts'
import { composePrompt } from '../context/compose.ts'
import { createExecOutput } from '../context/exec-output.ts'
import { createFit } from '../context/fit.ts'
import type { ReadBytes } from '../context/images.ts'
import { gatherSections } from '../context/sources.ts'
import { runLoop } from '../engine/loop.ts'
import type { LoopParts, ToolAccess } from '../engine/parts.ts'
import { offerTools, type ToolMode } from '../engine/offer.ts'
import { standardRules } from '../engine/stop.ts'
import type { Lease, Reserve } from '../protocol/arm.ts'
import type { Classification } from '../protocol/classification.ts'
import type { RunEvent } from '../protocol/event.ts'
import type { Message } from '../protocol/message.ts'
import type { PromptOptions } from '../protocol/session-api.ts'
import type { Source } from '../protocol/source.ts'
import type { Exec, Fetch, Files, Tool } from '../protocol/tool.ts'
import type { SessionHooks } from './hooks.ts'
import type { RunInput, StartRun } from './run.ts'
import type { Compacted, Composed, ComposeRun, SessionParts } from './session.ts'
import type { StoredSession } from './store.ts'
import { defined } from '../lib/object.ts'

/** What stands between this session's calls and their effect; see `engine/pass-guard.ts`. */
type SessionGuard = Pick<ToolAccess, 'authorize' | 'accept' | 'firewall' | 'audit'> & {
  readonly hooks?: SessionHooks
}

export type AssembleParts = {
  readonly stored: StoredSession
  readonly reserve: Reserve
  readonly tools: () => readonly Tool[]
  /** Those offered to the model; absent = all. */
  readonly offered?: () => readonly Tool[]
  readonly toolMode: ToolMode
  readonly maxTurns: number
  readonly maxMessages: number
  readonly temperature?: number
  readonly guard: SessionGuard
  readonly files: Files
  readonly exec: Exec
  readonly fetch?: Fetch
  readonly sources: readonly Source[]
  readonly readBytes: ReadBytes
  /** Says what a request is about, where a small model is there for it. */
  readonly classify?: (prompt: string) => Promise<Classification>
  /** Whether another arm could go on where this one got stuck. */
  readonly hasOther?: (arm: string) => boolean
  /**
   * Whether a prompt is about a failure, so that the command that fails is run before the first turn; absent = never.
   */
  readonly isAboutFailure?: (prompt: string) => boolean
}

type Assembled = Pick<SessionParts, 'startRun' | 'compose' | 'compact' | 'execOutput'>

export function assembleSession(parts: AssembleParts): Assembled {
  const { system } = parts.stored.replay
  const fit = createFit({ system, maxMessages: parts.maxMessages })
  const output = createExecOutput()
  let taken = ''

  return {
    startRun: startRunWith(parts, fit),
    async compose(prompt, run, signal) {
      for (const text of run.options.attached ?? []) output.add(text)
      taken = output.take()
      return compose(parts, { prompt, run, execOutput: taken, signal })
    },
    compact: (history, signal) => compactNow(parts, { history, fit, signal }),
    execOutput: { add: output.add, reset: output.clear, giveBack: () => output.giveBack(taken) },
  }
}

type Fit = ReturnType<typeof createFit>

const startRunWith = (parts: AssembleParts, fit: Fit): StartRun =>
  async function* (run, signal) {
    const guess = await classified(parts, run.prompt)
    if (guess) yield { type: 'classification', classification: guess }
    return yield* runLoop(run.history, loopParts(parts, run, { fit, guess, signal }), signal)
  }

/** Only where tools come by category is there anything to gain; what cannot be guessed is chosen by the model. */
const classified = (
  { classify, toolMode }: AssembleParts,
  prompt: string,
): Promise<Classification | undefined> =>
  classify && toolMode === 'two-stage' ? classify(prompt).catch(() => undefined) : Promise.resolve(undefined)

type LoopContext = {
  readonly fit: Fit
  readonly guess: Classification | undefined
  readonly signal: AbortSignal
}

function loopParts(parts: AssembleParts, run: RunInput, { fit, guess, signal }: LoopContext): LoopParts {
  const { temperature } = parts
  return {
    runId: run.runId,
    sessionId: run.sessionId,
    prompt: run.prompt,
    system: run.system,
    options: run.options,
    stopRules: standardRules(run.options.maxTurns ?? parts.maxTurns),
    turnLimit: run.options.maxTurns ?? parts.maxTurns,
    ...defined({ temperature, hasOther: parts.hasOther }),
    reserve: (request, reserveSignal) =>
      parts.reserve(
        { ...request, runId: run.runId, sessionId: run.sessionId, ...defined({ classification: guess }) },
        reserveSignal,
      ),
    fit: parts.guard.hooks ? askedFirst(fit, { hooks: parts.guard.hooks, runId: run.runId, signal }) : fit,
    offer: (lease, added) => offer(parts, run.options, { lease, added, ...defined({ guess }) }),
    toolAccess: toolAccessOf(parts, run),
    seed: () => randomInt(2 ** 31),
    now: () => Math.round(performance.now()),
  }
}

function toolAccessOf({ guard, tools, files, exec, fetch }: AssembleParts, run: ComposeRun): ToolAccess {
  const { hooks, ...rest } = guard
  return {
    ...rest,
    ...(hooks && { hooks: hooks.calls(run.runId) }),
    list: tools,
    askPermission: run.askPermission,
    context: {
      files,
      exec,
      results: run.results,
      ask: run.askQuestion,
      cwd: files.root,
      ...defined({ fetch }),
    },
  }
}

type Asked = { readonly hooks: SessionHooks; readonly runId: string; readonly signal: AbortSignal }

/** A hook that says no leaves the conversation as it is; whether it then fits is for the arm to say. */
const askedFirst =
  (fit: Fit, { hooks, runId, signal }: Asked): Fit =>
  async (input) => {
    const { compaction, ...fitted } = await fit(input)
    if (!compaction) return fitted
    const facts = { messages: input.messages.length, forced: input.force }
    const denied = await hooks.compaction(runId, facts, signal)
    return denied === undefined ? { ...fitted, compaction } : { ...fitted, messages: input.messages }
  }

type Shown = { readonly lease: Lease; readonly added: readonly Message[]; readonly guess?: Classification }

const offer = (
  { toolMode, tools, offered = tools }: AssembleParts,
  options: PromptOptions,
  { lease, added, guess }: Shown,
) =>
  offerTools(
    { mode: toolMode, tools: offered(), options, ...(guess && { guessed: guess.category }) },
    lease,
    added,
  )

type ComposeInput = {
  readonly prompt: string
  readonly run: ComposeRun
  readonly execOutput: string
  readonly signal: AbortSignal
}

async function compose(parts: AssembleParts, input: ComposeInput): Promise<Composed> {
  const { prompt, execOutput, signal } = input
  const { stored, sources, readBytes } = parts
  const lease = await borrow(parts, signal)
  const evidence = await evidenceFor(parts, input, lease)
  return composePrompt({
    prompt: { text: prompt },
    sections: [
      ...(await gatherSections(sources, 'run', prompt)),
      ...(evidence ? [{ name: 'evidence', text: evidence }] : []),
    ],
    execOutput,
    budget: budgetFor(lease.arm.capabilities.window),
    count: (text) => lease.countTokens(text),
    vision: lease.arm.capabilities.vision,
    readBytes,
    store: (label, text) => stored.results.put(label, text),
  })
}

/** Becomes part of the stored user message: nothing is run again for a session that goes on. */
async function evidenceFor(
  parts: AssembleParts,
  { prompt, run, signal }: ComposeInput,
  lease: Lease,
): Promise<string | undefined> {
  if (lease.arm.capabilities.readsRequestOnly || !parts.isAboutFailure?.(prompt)) return undefined
  const { gatherEvidence } = await import('../engine/failure/gather.ts')
  return gatherEvidence(
    prompt,
    {
      runId: run.runId,
      options: run.options,
      toolAccess: toolAccessOf(parts, run),
      window: lease.arm.capabilities.window,
      countTokens: (text) => lease.countTokens(text),
      emit: run.publish,
      now: () => Math.round(performance.now()),
    },
    signal,
  )
}

/** What is known about the arm that would answer now, without asking it anything. */
async function borrow({ reserve }: AssembleParts, signal: AbortSignal): Promise<Lease> {
  const lease = await reserve({ task: '', excluded: [] }, signal)
  lease.release()
  return lease
}

type CompactInput = { readonly history: readonly Message[]; readonly fit: Fit; readonly signal: AbortSignal }

async function compactNow(
  parts: AssembleParts,
  { history, fit, signal }: CompactInput,
): Promise<Compacted | undefined> {
  const lease = await borrow(parts, signal)
  const { tools } = offer(parts, {}, { lease, added: [] })
  const forced = { force: true, resultsSinceCompaction: Number.POSITIVE_INFINITY }
  const { hooks } = parts.guard
  const asked = hooks ? askedFirst(fit, { hooks, runId: '', signal }) : fit
  const fitted = await asked({ messages: history, tools, lease, ...forced })
  if (!fitted.compaction) return undefined
  const event: RunEvent = { type: 'compaction', ...fitted.compaction, window: lease.arm.capabilities.window }
  return { messages: fitted.messages, event }
}
