/**
 * Runs that a run starts. A child has the parent's system text, guard and results, so that its prompt begins with
 * bytes the arm has already read and nothing it does escapes the parent's rules; its conversation is its own and ends
 * with it.
 */
import { AppError } from '../protocol/error.ts'
import type { RunEndReason } from '../protocol/run-end-reasons.ts'
import type { Results } from '../protocol/tool.ts'
import type { LoopEvent } from '../engine/parts.ts'
import type { RunInput, StartRun } from '../session/run.ts'
import type { Child, ChildEnd, RunChild } from '../subagents/spawn.ts'

export type ChildRunParts = {
  readonly sessionId: string
  readonly system: string
  readonly results: Results
  /** What is said in front of a child's part of the work. */
  readonly instructions: string
  /** The engine on this arm; absent = the reserved one. Throws for an unknown arm. */
  startRun(arm?: string): StartRun
  /** The engine without the person's hooks. */
  startReview(): StartRun
}

export type ChildRuns = {
  readonly runChild: RunChild
  /** For hooks of type agent: looks around, changes nothing, says what it thinks. */
  review(prompt: string, signal: AbortSignal): Promise<string>
  /** The same run, with whom to ask known to its children. */
  during(startRun: StartRun): StartRun
}

const REVIEW_TURNS = 5
const LOOKING = ['list_files', 'read_file', 'search_text', 'find_files']

export function createChildRuns(parts: ChildRunParts): ChildRuns {
  let parent: RunInput | undefined
  let reviews = 0
  return {
    runChild: async (child, tell, signal) =>
      follow(parts.startRun(child.arm)(toInput(child, parts, parent), signal), tell),
    async review(prompt, signal) {
      const limits = { allowedTools: LOOKING }
      const child = { id: `review-${++reviews}`, prompt, limits, maxTurns: REVIEW_TURNS }
      const input = toInput(child, { ...parts, instructions: '' }, undefined)
      return (await follow(parts.startReview()(input, signal), () => {})).text
    },
    during: (startRun) =>
      async function* (run, signal) {
        parent = run
        try {
          return yield* startRun(run, signal)
        } finally {
          parent = undefined
        }
      },
  }
}

type Surroundings = Pick<ChildRunParts, 'sessionId' | 'system' | 'results' | 'instructions'>

function toInput(
  { id, prompt, limits, maxTurns }: Child,
  { sessionId, system, results, instructions }: Surroundings,
  parent: RunInput | undefined,
): RunInput {
  const text = [instructions, prompt].filter(Boolean).join('\n')
  return {
    runId: `${parent?.runId ?? 'run'}-${id}`,
    sessionId: `${sessionId}/${id}`,
    history: [{ role: 'user', text }],
    system,
    prompt,
    options: { ...limits, maxTurns },
    askPermission: parent?.askPermission ?? (async () => ({ allow: false, reason: UNATTENDED })),
    async askQuestion() {
      throw new AppError('permission-denied', UNATTENDED)
    },
    results,
    publish: () => {},
  }
}

const UNATTENDED = 'A subagent cannot ask the user; decide by what you know and say so in the report.'

async function follow(
  run: AsyncGenerator<LoopEvent, unknown>,
  tell: (step: string) => void,
): Promise<ChildEnd> {
  let text = ''
  let tokens = 0
  let end: ChildEnd = { ok: false, text: 'It ended without a result.', turns: 0, tokens, changed: [] }
  for await (const event of run) {
    if (event.type === 'tool-start') tell(event.title)
    else if (event.type === 'usage') tokens += event.usage.prompt + event.usage.completion
    else if (event.type === 'message' && event.message.role === 'assistant') text = event.message.text || text
    else if (event.type === 'run-end') {
      const { reason, turns, changed, report } = event
      const ok = reason === 'answered'
      end = { ok, text: ok ? text : unfinished(reason, report, text), turns, tokens, changed }
    }
  }
  return end
}

const unfinished = (reason: RunEndReason, report: string | undefined, text: string): string =>
  [report ?? `Ended: ${reason}.`, text].filter(Boolean).join('\n')
