/**
 * The command an answer is held to (`PromptOptions.check`). It runs as a call of `run_command` would, through the same guard
 * and the same sandbox, and its exit code decides. The model sees what a failed check printed and gets one more try; a check
 * that was not allowed to run is no fault of the model, so the answer stands and the end of the run reports it.
 */
import { clip } from '../lib/text.ts'
import { blockedIn, nextIn } from '../lib/open-end.ts'
import { isStillRunning } from '../lib/still-running.ts'
import type { CheckEnd } from '../protocol/event.ts'
import type { Message, ToolMessage, UserMessage } from '../protocol/message.ts'
import type { Asked } from './ask.ts'
import type { LoopEvent, LoopParts, ToolAccess } from './parts.ts'
import { prepareCall } from './prepare.ts'
import type { Ending } from './report.ts'
import { environmentFor, runBatch } from './run-calls.ts'
import type { RunState } from './run-state.ts'

/** So often a check may fail before the run ends. */
const MOST_FAILURES = 2

export type Answered = {
  readonly asked: Extract<Asked, { kind: 'reply' }>
  readonly signal: AbortSignal
  keep(message: Message): Generator<LoopEvent>
}

/** The ending once the check has spoken; nothing when the model gets another try. */
export async function* holdToCheck(
  run: RunState,
  parts: LoopParts,
  { ending, text, answered }: { readonly ending: Ending; readonly text: string; readonly answered: Answered },
): AsyncGenerator<LoopEvent, Ending | undefined> {
  const { check: command } = parts.options
  // An answer that says itself that there is more to do is not taken for the end of the task.
  const isOpen = blockedIn(text) !== undefined || nextIn(text) !== undefined
  if (command === undefined || ending.reason !== 'answered' || isOpen) return ending
  const { message, changed } = yield* runCheck(run, parts, { command, answered })
  for (const path of changed) run.changed.add(path)
  answered.signal.throwIfAborted()
  run.check = toCheckEnd(command, message)
  if (run.check.state !== 'failed') return ending
  if (++run.failedChecks >= MOST_FAILURES) return { reason: 'check-failed' }
  const note = failureNote(command, message.text)
  run.attribution.detector++
  yield { type: 'correction', detector: 'check', remedy: 'note', text: clip(note, 600) }
  const told: UserMessage = { role: 'user', text: `[note] ${note}`, origin: 'note' }
  yield* answered.keep(told)
  return undefined
}

const failureNote = (command: string, output: string): string =>
  `The task is not done: its check failed. \`${command}\` printed:\n${output}\nFix the cause, then answer again. Do not change the check itself.`

type Running = { readonly command: string; readonly answered: Answered }

async function* runCheck(run: RunState, parts: LoopParts, { command, answered }: Running) {
  const { toolAccess, options } = parts
  const call = {
    id: `check-${parts.runId}-${run.turns}`,
    name: 'run_command',
    input: JSON.stringify({ command }),
  }
  const prepared = prepareCall(call, { tools: toolAccess.list(), options, atLimit: false })
  const environment = environmentFor(run, parts, answered)
  const before = new Set(toolAccess.context.exec.jobs().map(({ id }) => id))
  try {
    // Without the calls of the run: what the model ran before says nothing about the project as it is now.
    const [finished] = yield* runBatch([prepared], (teller) => ({
      ...environment(teller),
      trace: { turns: run.turns, calls: [] },
      title: `check ${command}`,
    }))
    if (!finished) throw new Error('a check ended without a result')
    return finished
  } finally {
    await stopJobs(toolAccess, before)
  }
}

/** A check that leaves something running, or that took too long and became a job. */
async function stopJobs({ context: { exec } }: ToolAccess, before: ReadonlySet<string>): Promise<void> {
  const left = exec.jobs().filter(({ id, state }) => state === 'running' && !before.has(id))
  await Promise.all(left.map(({ id }) => exec.stop(id).catch(() => undefined)))
}

/** A command that has not ended has no exit code, and so it has not passed. */
function toCheckEnd(command: string, { ok, code, text }: ToolMessage): CheckEnd {
  const isPassed = ok && !isStillRunning(text)
  const isFailed = ok ? !isPassed : code === 'exit-code'
  const state = isPassed ? 'passed' : isFailed ? 'failed' : 'refused'
  return { command, state, text: clip(text.replace(/^Error: /, '').trim(), 600) }
}
