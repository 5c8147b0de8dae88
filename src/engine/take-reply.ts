/**
 * What becomes of one reply: thrown away and asked again, continued, or kept with the results of its calls and, where a
 * detector fired, a note for the model.
 */
import type { AssistantMessage, Message, UserMessage } from '../protocol/message.ts'
import type { Asked } from './ask.ts'
import type { Reply } from './collect.ts'
import type { LoopEvent, LoopParts } from './parts.ts'
import { judgeReply, type Verdict } from './remedy.ts'
import type { Ending } from './report.ts'
import { runCalls } from './run-calls.ts'
import { goOnNote, type RunState } from './run-state.ts'

type Taken = { readonly asked: Extract<Asked, { kind: 'reply' }>; readonly signal: AbortSignal }

/** Returns how the run ended, or nothing when it goes on. */
export async function* takeReply(
  run: RunState,
  parts: LoopParts,
  { asked, signal }: Taken,
): AsyncGenerator<LoopEvent, Ending | undefined> {
  const reply = { ...asked.reply, text: run.partial + asked.reply.text }
  const verdict = judge(reply, { run, parts, asked })
  run.sampling = {}
  run.partial = ''
  if (verdict.kind === 'again') return yield* askAgain(run, parts, verdict)
  if (verdict.kind === 'continue' && asked.lease.arm.capabilities.prefill) return yield* goOn(run, reply)

  const added: Message[] = []
  const keep = function* (message: Message): Generator<LoopEvent> {
    run.add(message)
    added.push(message)
    yield { type: 'message', message }
  }
  yield* keep(toAssistantMessage(reply, verdict))
  const stop = yield* runCalls(run, parts, { asked, signal, keep })
  const note = noteAfter(verdict)
  if (note) {
    yield* spendNote(run, verdict)
    yield* keep(note)
  }
  yield { type: 'turn-end', turn: run.turns, messages: added }

  if (stop) return { reason: stop }
  if (verdict.kind === 'stop') return { reason: verdict.reason }
  return verdict.kind === 'accept' && reply.calls.length === 0 ? { reason: 'answered' } : undefined
}

type JudgeInput = { readonly run: RunState; readonly parts: LoopParts; readonly asked: Taken['asked'] }

function judge(reply: Reply, { run, parts, asked }: JudgeInput): Verdict {
  const situation = {
    prompt: parts.prompt,
    usedTools: run.calls.length > 0,
    toolNames: asked.offer.tools.map(({ name }) => name),
    mayAct: asked.offer.tools.length > 0 && parts.options.toolChoice !== 'none',
  }
  return judgeReply(reply, situation, run.tally)
}

function* askAgain(
  run: RunState,
  parts: LoopParts,
  verdict: Extract<Verdict, { kind: 'again' }>,
): Generator<LoopEvent, undefined> {
  const { finding, sampling } = verdict
  run.sampling = { ...sampling, seed: parts.seed() }
  run.tally = { ...run.tally, again: run.tally.again + 1 }
  run.attribution.detector++
  yield { type: 'correction', detector: finding.detector, remedy: 'other sampling', text: finding.note }
  yield { type: 'reply-restart', why: finding.detector }
  yield { type: 'turn-end', turn: run.turns, messages: [] }
}

/** The arm goes on writing the same message; nothing joins the conversation before it is whole. */
function* goOn(run: RunState, reply: Reply): Generator<LoopEvent, undefined> {
  run.partial = reply.text
  run.tally = { ...run.tally, continues: run.tally.continues + 1 }
  yield { type: 'turn-end', turn: run.turns, messages: [] }
}

/** A message may not be empty without calls; this stands for a reply that was. */
const NOTHING = '(no answer)'

function toAssistantMessage(reply: Reply, verdict: Verdict): AssistantMessage {
  const isEmpty = reply.text.trim() === '' && reply.calls.length === 0
  return {
    role: 'assistant',
    text: isEmpty ? NOTHING : reply.text,
    calls: reply.calls,
    ...(reply.reasoning && { reasoning: reply.reasoning }),
    ...(verdict.kind === 'accept' && verdict.flag && { flag: verdict.flag }),
  }
}

/** Only after a reply without calls: words that follow results are appended to the last result instead. */
function noteAfter(verdict: Verdict): UserMessage | undefined {
  if (verdict.kind === 'note') return { role: 'user', text: `[note] ${verdict.finding.note}`, origin: 'note' }
  return verdict.kind === 'continue' ? goOnNote : undefined
}

function* spendNote(run: RunState, verdict: Verdict): Generator<LoopEvent> {
  if (verdict.kind === 'continue') run.tally = { ...run.tally, continues: run.tally.continues + 1 }
  if (verdict.kind !== 'note') return
  run.tally = { ...run.tally, notes: run.tally.notes + 1 }
  run.attribution.detector++
  const { detector, note } = verdict.finding
  yield { type: 'correction', detector, remedy: 'note', text: note }
}
