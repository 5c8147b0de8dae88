/**
 * The person's hooks as one session asks them: each moment with the facts it has, and what the answer means there.
 * What a hook failed to do becomes a warning.
 */
import type { CallHooks } from '../engine/parts.ts'
import { AppError } from '../protocol/error.ts'
import type { RunEnd } from '../protocol/event.ts'
import type { HookEvent, HookOutcome, HookPayloads, Hooks } from '../protocol/hooks.ts'

export type SessionHooksParts = {
  readonly hooks: Hooks
  readonly sessionId: string
  readonly cwd: string
  warn(message: string): void
}

export type SessionHooks = {
  start(resumed: boolean): Promise<void>
  end(): Promise<void>
  /** The prompt as it shall be taken; throws `permission-denied` with what a hook had against it. */
  prompt(runId: string, prompt: string, signal: AbortSignal): Promise<string>
  stop(end: RunEnd): Promise<void>
  calls(runId: string): CallHooks
  /** Why the conversation may not be made smaller now. */
  compaction(runId: string, facts: Compacting, signal: AbortSignal): Promise<string | undefined>
}

type Compacting = { readonly messages: number; readonly forced: boolean }

/** Session start, session end and run end are reported even after a cancel. */
const never = new AbortController().signal

export function createSessionHooks(parts: SessionHooksParts): SessionHooks {
  const { sessionId, cwd } = parts
  const ask = async <Event extends HookEvent>(
    event: Event,
    payload: HookPayloads[Event],
    signal: AbortSignal,
  ): Promise<HookOutcome<Event>> => {
    const outcome = await parts.hooks.run(event, payload, signal)
    for (const warning of outcome.warnings) parts.warn(warning)
    return outcome
  }

  return {
    start: async (resumed) => void (await ask('session_start', { sessionId, cwd, resumed }, never)),
    end: async () => void (await ask('session_end', { sessionId, cwd }, never)),
    async prompt(runId, prompt, signal) {
      const outcome = await ask('user_prompt', { sessionId, cwd, runId, prompt }, signal)
      if (outcome.verdict === 'allow') return outcome.payload.prompt
      throw new AppError('permission-denied', outcome.why)
    },
    async stop({ runId, reason, turns, changed }) {
      await ask('stop', { sessionId, cwd, runId, reason, turns, changed }, never)
    },
    calls: (runId) => ({
      async before(call, signal) {
        const outcome = await ask('pre_tool_use', { sessionId, cwd, runId, ...call }, signal)
        return outcome.verdict === 'allow' ? { input: outcome.payload.input } : { denied: outcome.why }
      },
      async after(call, { ok, text, code, changed = [] }, signal) {
        const facts = { ok, text, changed, ...(code && { code }) }
        const outcome = await ask('post_tool_use', { sessionId, cwd, runId, ...call, ...facts }, signal)
        return outcome.verdict === 'allow' ? outcome.payload.text : text
      },
    }),
    async compaction(runId, facts, signal) {
      const outcome = await ask('pre_compact', { sessionId, cwd, runId, ...facts }, signal)
      return outcome.verdict === 'allow' ? undefined : outcome.why
    },
  }
}
