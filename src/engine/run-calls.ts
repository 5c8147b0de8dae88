/**
 * The calls of one turn. Neighbouring read-only calls run side by side; a writing call waits for those before it and
 * holds those after it. Results join the conversation in call order, whatever finished first.
 */
import type { RunEvent } from '../protocol/event.ts'
import type { RunEndReason } from '../protocol/run-end-reasons.ts'
import type { Message } from '../protocol/message.ts'
import { createChannel } from '../lib/channel.ts'
import type { Asked } from './ask.ts'
import { intentBreaker } from './detectors/intent-breaker.ts'
import type { LoopEvent, LoopParts } from './parts.ts'
import { patchSpiral } from './detectors/patch-spiral.ts'
import { type Prepared, prepareCall } from './prepare.ts'
import type { RunState } from './run-state.ts'
import { turnsTaken } from './stop.ts'
import type { Finding } from './trace.ts'
import { type CallEnvironment, type Finished, runTool } from './run-tool.ts'

type CallBatch = {
  /** The calls of the reply, in order. */
  readonly prepared: readonly Prepared[]
  readonly asked: Extract<Asked, { kind: 'reply' }>
  readonly signal: AbortSignal
  keep(message: Message): Generator<LoopEvent>
}

/** The calls of a reply as they will run; the conversation keeps them in this form. */
export function prepareCalls(
  { reply: { calls, finish }, lease }: Pick<CallBatch['asked'], 'reply' | 'lease'>,
  { toolAccess, options }: LoopParts,
): readonly Prepared[] {
  const tools = toolAccess.list()
  const { editForm } = lease.arm.capabilities
  return calls.map((call, index) =>
    prepareCall(call, {
      tools,
      options,
      editForm,
      atLimit: finish === 'length' && index === calls.length - 1,
    }),
  )
}

/** Returns why the run must end, if a detector says so. */
export async function* runCalls(
  run: RunState,
  parts: LoopParts,
  { prepared, asked, signal, keep }: CallBatch,
): AsyncGenerator<LoopEvent, RunEndReason | undefined> {
  let left = prepared.length
  let stop: RunEndReason | undefined
  for (const batch of toBatches(prepared)) {
    const finished = yield* runBatch(batch, environmentFor(run, parts, { asked, signal }))
    for (const result of finished) {
      left--
      keepRecord(run, result)
      stop ??= result.stop
      yield* keep(left === 0 ? yield* withNote(run, parts, result) : result.message)
    }
    signal.throwIfAborted()
  }
  return stop
}

function toBatches(prepared: readonly Prepared[]): readonly (readonly Prepared[])[] {
  const batches: Prepared[][] = []
  for (const call of prepared) {
    const last = batches.at(-1)
    if (last && isFree(call) && last.every(isFree)) last.push(call)
    else batches.push([call])
  }
  return batches
}

const isFree = (prepared: Prepared): boolean => prepared.kind === 'hopeless' || prepared.readOnly

/** Runs a batch and passes its events on while it runs. Equal calls of one batch run once. */
export async function* runBatch(
  batch: readonly Prepared[],
  environment: (teller: Teller) => CallEnvironment,
): AsyncGenerator<LoopEvent, readonly Finished[]> {
  const channel = createChannel<RunEvent>()
  let isOver = false
  // An abandoned tool may go on sending output; it is ignored.
  const emit = (event: RunEvent): void => (isOver ? undefined : channel.push(event))
  const byKey = new Map<string, Promise<Finished>>()
  const running = batch.map(async (prepared) => {
    const twin = byKey.get(prepared.key)
    if (twin) return sameAs(await twin, prepared)
    const promise = runTool(prepared, environment({ emit, told: channel.drained }))
    byKey.set(prepared.key, promise)
    return promise
  })
  const all = Promise.all(running).finally(() => {
    isOver = true
    channel.close()
  })
  yield* channel
  return all
}

const sameAs = (finished: Finished, { call }: Prepared): Finished => ({
  ...finished,
  changed: [],
  message: { ...finished.message, callId: call.id },
})

type Teller = Pick<CallEnvironment, 'emit' | 'told'>

export const environmentFor =
  (run: RunState, parts: LoopParts, { asked, signal }: Pick<CallBatch, 'asked' | 'signal'>) =>
  (teller: Teller): CallEnvironment => ({
    ...teller,
    toolAccess: parts.toolAccess,
    trace: run.trace,
    options: parts.options,
    pageTokens: pageFor(asked),
    editForm: asked.lease.arm.capabilities.editForm,
    countTokens: (text) => asked.lease.countTokens(text),
    isOffered: (name) => asked.offer.tools.some((tool) => tool.name === name),
    now: parts.now,
    signal,
  })

/** What stands around one result, and the least that is worth calling a page. */
const AROUND_RESULT = 40
const SMALLEST_PAGE = 80

/** The results of one reply share what is free: pages that do not fit together would be cut in their middle. */
function pageFor({ fitted: { pageTokens, roomTokens }, reply: { calls } }: CallBatch['asked']): number {
  const share = Math.floor(Math.max(roomTokens, 2 * pageTokens) / Math.max(1, calls.length))
  return Math.min(pageTokens, Math.max(SMALLEST_PAGE, share - AROUND_RESULT))
}

function keepRecord(run: RunState, { record, changed, repaired }: Finished): void {
  run.record(record)
  for (const path of changed) run.changed.add(path)
  const byModel = repaired ? 'repair' : 'model'
  run.attribution[record.code === 'refused' ? 'detector' : byModel]++
}

/** What a detector has to say goes behind the last result before it is sent: a user message here breaks templates. */
function* withNote(run: RunState, parts: LoopParts, { message }: Finished): Generator<LoopEvent, Message> {
  const found = patchSpiral(run.trace) ?? intentBreaker(run.trace) ?? nearLimit(run, parts)
  if (!found) return message
  run.attribution.detector++
  yield { type: 'correction', detector: found.detector, remedy: 'note', text: found.note }
  return { ...message, text: `${message.text}\n[note] ${found.note}` }
}

/** Enough to make a last change, check it and answer. */
const LAST_TURNS = 3

/** A run that is cut off without a word leaves its work half done; one that knows can end it. */
function nearLimit({ trace }: RunState, { turnLimit = 0 }: LoopParts): Finding | undefined {
  if (turnLimit - turnsTaken(trace, turnLimit) !== LAST_TURNS) return undefined
  const note = `${LAST_TURNS} turns are left. Finish the change you are at, check it, then answer: say what is done and what is not.`
  return { detector: 'turn-limit', note }
}
