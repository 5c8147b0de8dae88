/**
 * What becomes of one reply: thrown away and asked again, continued, or kept with the results of its calls and, where a
 * detector fired, a note for the model.
 */
import type { AssistantMessage, Message, UserMessage } from '../protocol/message.ts'
import type { Asked } from './ask.ts'
import { holdToCheck } from './check.ts'
import type { Reply } from './collect.ts'
import type { Situation } from './detectors/detector.ts'
import { inventedFrom } from './detectors/invented-result.ts'
import { meantCall } from './meant-call.ts'
import type { LoopEvent, LoopParts } from './parts.ts'
import { placeEarly } from './place-paths.ts'
import { judgeReply, type Verdict } from './remedy.ts'
import { situationOf } from './situation.ts'
import type { Ending } from './report.ts'
import { prepareCalls, runCalls } from './run-calls.ts'
import { goOnNote, type RunState } from './run-state.ts'

/** What reads the request only would read no note, and say the same again. */
const TAKEN: Verdict = { kind: 'accept' }

type Taken = { readonly asked: Extract<Asked, { kind: 'reply' }>; readonly signal: AbortSignal }

/** Returns how the run ended, or nothing when it goes on. */
export async function* takeReply(
  run: RunState,
  parts: LoopParts,
  { asked, signal }: Taken,
): AsyncGenerator<LoopEvent, Ending | undefined> {
  const situation = await situationOf(run, parts, asked.offer)
  const whole = withoutInvention({ ...asked.reply, text: run.partial + asked.reply.text }, parts.prompt)
  const isHeard = asked.lease.arm.capabilities.readsRequestOnly !== true
  const meant = { situation, toolAccess: parts.toolAccess, turn: run.turns }
  const repaired = isHeard ? await meantCall(whole, meant) : undefined
  const reply = repaired ?? whole
  const prepared = prepareCalls({ ...asked, reply }, parts)
  const verdict = isHeard ? judgeReply(reply, situation, run.tally) : TAKEN
  run.missing = situation.due.missing
  run.sampling = {}
  run.partial = ''
  if (isVoid(verdict, reply)) run.discard(reply)
  if (verdict.kind === 'again') return yield* askAgain(run, parts, verdict)
  if (verdict.kind === 'continue' && asked.lease.arm.capabilities.prefill) return yield* goOn(run, reply)

  const added: Message[] = []
  const keep = function* (message: Message): Generator<LoopEvent> {
    run.add(message)
    added.push(message)
    yield { type: 'message', message }
  }
  // What was streamed of a reply that is not accepted is no part of any answer.
  if (isRejected(verdict, reply)) yield { type: 'reply-restart', why: verdict.finding.detector }
  if (repaired) {
    run.attribution.repair++
    yield { type: 'correction', detector: 'prose-instead', remedy: 'made the call it means', text: '' }
  }
  const placed = await placeEarly(prepared, parts.toolAccess.context.files, namedIn(situation))
  const calls = placed.map(({ call }) => call)
  yield* keep(toAssistantMessage({ ...reply, calls }, verdict))
  const stop = yield* runCalls(run, parts, { prepared: placed, asked: { ...asked, reply }, signal, keep })
  const note = noteAfter(verdict)
  if (note) {
    yield* spendNote(run, verdict)
    yield* keep(note)
  }
  const ended = stop ? { reason: stop } : endOf(run, reply, verdict)
  const answered = { asked, signal, keep }
  const ending = ended && (yield* holdToCheck(run, parts, { ending: ended, text: reply.text, answered }))
  const continues = verdict.kind === 'continue' && { continues: true as const }
  yield { type: 'turn-end', turn: run.turns, messages: added, ...continues }
  return ending
}

function endOf({ missing }: RunState, reply: Reply, verdict: Verdict): Ending | undefined {
  if (verdict.kind === 'stop') return { reason: verdict.reason, detector: verdict.finding.detector, missing }
  return verdict.kind === 'accept' && reply.calls.length === 0 ? acceptedEnd(reply, verdict) : undefined
}

const namedIn = ({ demands }: Situation): string[] => demands.paths.map(({ path }) => path)

/** A model that says itself that it did not do it has not answered. */
const acceptedEnd = ({ refused }: Reply, { flag }: Extract<Verdict, { kind: 'accept' }>): Ending =>
  refused ? { reason: 'no-answer', refused } : { reason: 'answered', ...(flag && { flag }) }

const isVoid = (verdict: Verdict, { calls }: Reply): boolean =>
  calls.length === 0 && 'finding' in verdict && verdict.finding.isVoid === true

const isRejected = (
  verdict: Verdict,
  { calls }: Reply,
): verdict is Extract<Verdict, { kind: 'note' | 'stop' }> =>
  (verdict.kind === 'note' && calls.length === 0) ||
  ((verdict.kind === 'note' || verdict.kind === 'stop') && verdict.finding.isVoid === true)

/** What follows a call in words never came back from it. */
function withoutInvention(reply: Reply, prompt: string): Reply {
  const from = reply.calls.length > 0 ? inventedFrom(reply.text, prompt) : undefined
  return from === undefined ? reply : { ...reply, text: reply.text.slice(0, from).trimEnd() }
}

function* askAgain(
  run: RunState,
  parts: LoopParts,
  verdict: Extract<Verdict, { kind: 'again' }>,
): Generator<LoopEvent, undefined> {
  const { finding, sampling } = verdict
  run.sampling = { ...sampling, seed: parts.seed() }
  run.spend(finding.detector, 'again')
  yield { type: 'correction', detector: finding.detector, remedy: 'other sampling', text: finding.note }
  yield { type: 'reply-restart', why: finding.detector }
  yield { type: 'turn-end', turn: run.turns, messages: [] }
}

/** The arm goes on writing the same message; nothing joins the conversation before it is whole. */
function* goOn(run: RunState, reply: Reply): Generator<LoopEvent, undefined> {
  run.partial = reply.text
  run.goOnWriting()
  yield { type: 'turn-end', turn: run.turns, messages: [], continues: true }
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
  if (verdict.kind === 'note') return { role: 'user', text: `[note] ${verdict.note}`, origin: 'note' }
  return verdict.kind === 'continue' ? goOnNote : undefined
}

function* spendNote(run: RunState, verdict: Verdict): Generator<LoopEvent> {
  if (verdict.kind === 'continue') run.goOnWriting()
  if (verdict.kind !== 'note') return
  const { detector } = verdict.finding
  run.spend(detector, 'notes')
  yield { type: 'correction', detector, remedy: 'note', text: verdict.note }
}
