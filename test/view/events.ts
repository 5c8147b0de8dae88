/** Legal sequences of session events, made from numbers: what a run may tell, in an order in which it may tell it. */
import * as fc from 'fast-check'
import type { RunEvent, SessionEvent } from '../../src/protocol/event.ts'
import type { Message, ToolMessage } from '../../src/protocol/message.ts'

type Turn = {
  readonly reasoning: readonly string[]
  readonly text: readonly string[]
  readonly calls: readonly Call[]
  readonly restart: boolean
  readonly retry: boolean
  readonly progress: boolean
  readonly vote: boolean
  readonly subagent: boolean
  readonly end: 'whole' | 'continues' | 'void'
}

type Call = {
  readonly output: readonly string[]
  readonly ok: boolean
  readonly diff: boolean
  readonly asks: 'no' | 'yes' | 'denied' | 'question'
}

type Run = {
  readonly turns: readonly Turn[]
  readonly queued: number
  readonly reason: 'answered' | 'cancelled' | 'error'
}

const piece = fc.string({ unit: 'grapheme', maxLength: 12 })

const call: fc.Arbitrary<Call> = fc.record({
  output: fc.array(fc.oneof(piece, fc.constant('x\n'.repeat(900))), { maxLength: 3 }),
  ok: fc.boolean(),
  diff: fc.boolean(),
  asks: fc.constantFrom('no', 'yes', 'denied', 'question'),
})

const turn: fc.Arbitrary<Turn> = fc.record({
  reasoning: fc.array(piece, { maxLength: 3 }),
  text: fc.array(piece, { maxLength: 4 }),
  calls: fc.array(call, { maxLength: 3 }),
  restart: fc.boolean(),
  retry: fc.boolean(),
  progress: fc.boolean(),
  vote: fc.boolean(),
  subagent: fc.boolean(),
  end: fc.constantFrom('whole', 'continues', 'void'),
})

const run: fc.Arbitrary<Run> = fc.record({
  turns: fc.array(turn, { maxLength: 4 }),
  queued: fc.nat({ max: 2 }),
  reason: fc.constantFrom('answered', 'cancelled', 'error'),
})

export const sessions: fc.Arbitrary<readonly SessionEvent[]> = fc
  .array(run, { minLength: 1, maxLength: 3 })
  .map((runs) =>
    runs
      .flatMap((one, index) => [...eventsOf(one, `run-${index}`)])
      .map((event, index) => ({ ...event, id: index + 1 })),
  )

function* eventsOf({ turns, queued, reason }: Run, runId: string): Generator<RunEvent> {
  yield { type: 'run-start', runId, prompt: `do ${runId}` }
  for (let at = 0; at < queued; at++)
    yield { type: 'prompt-queue', runId: `${runId}-later-${at}`, prompt: 'later' }
  yield { type: 'routing', arm: 'a', why: 'chosen', window: 8192 }
  let open = ''
  for (const [index, one] of turns.entries()) open = yield* turnEvents(one, index + 1, open)
  for (let at = 0; at < queued; at++) yield end(`${runId}-later-${at}`, 'cancelled')
  if (reason === 'error') yield { type: 'error', code: 'model-unavailable', message: 'it is away' }
  yield end(runId, reason)
}

const end = (runId: string, reason: Run['reason']): RunEvent => ({
  type: 'run-end',
  runId,
  reason,
  turns: 1,
  changed: reason === 'answered' ? ['a.txt'] : [],
  attribution: { model: 1, repair: 0, detector: 0 },
})

function* turnEvents(one: Turn, turn: number, before: string): Generator<RunEvent, string> {
  yield { type: 'turn-start', turn }
  if (one.progress) yield { type: 'progress', stage: 'reading', total: 100, done: 10 }
  if (one.retry) yield { type: 'retry', attempt: 1, delayMs: 10, why: 'busy' }
  if (one.vote) yield* voteEvents()
  if (one.restart) {
    yield { type: 'text-delta', text: 'Hello!' }
    if (one.retry) yield { type: 'retry', attempt: 2, delayMs: 10, why: 'broke' }
    yield { type: 'correction', detector: 'greeting', remedy: 'other sampling', text: '' }
    yield { type: 'reply-restart', why: 'greeting' }
    if (one.progress) yield { type: 'progress', stage: 'loading', total: 1, done: 0.5 }
  }
  for (const text of one.reasoning) yield { type: 'reasoning-delta', text }
  for (const text of one.text) yield { type: 'text-delta', text }
  const text = (one.restart ? '' : before) + one.text.join('')
  if (one.end === 'continues' && one.calls.length === 0) {
    yield { type: 'turn-end', turn, messages: [], continues: true }
    return text
  }
  yield { type: 'usage', usage: { prompt: 10, completion: 2 }, window: 8192 }
  if (one.end === 'void') {
    yield { type: 'reply-restart', why: 'empty-reply' }
    yield { type: 'turn-end', turn, messages: [] }
    return ''
  }
  const results = yield* callEvents(one, turn)
  const calls = results.map(({ callId }) => ({ id: callId, name: 'run_command', input: '{}' }))
  const reply: Message = {
    role: 'assistant',
    text,
    calls,
    ...(one.reasoning.length > 0 && { reasoning: one.reasoning.join('') }),
  }
  yield { type: 'turn-end', turn, messages: [reply, ...results] }
  return ''
}

function* callEvents({ calls, subagent }: Turn, turn: number): Generator<RunEvent, readonly ToolMessage[]> {
  const results: ToolMessage[] = []
  for (const [index, { output, ok, diff, asks }] of calls.entries()) {
    const callId = `call-${turn}-${index}`
    const call = { id: callId, name: 'run_command', input: '{}' }
    yield { type: 'tool-start', call, title: `run_command ${index}` }
    if (diff) {
      const file = {
        path: 'a.txt',
        kind: 'edited',
        added: 1,
        removed: 1,
        text: '-a\n+b',
        omitted: 0,
      } as const
      yield { type: 'tool-diff', callId, files: [file] }
    }
    yield* askEvents(call, asks)
    if (subagent) {
      yield { type: 'subagent-start', subagent: `s${index}`, task: 'look' }
      yield { type: 'subagent-step', subagent: `s${index}`, text: 'reads' }
      yield {
        type: 'subagent-end',
        subagent: `s${index}`,
        ok,
        text: 'seen',
        turns: 1,
        tokens: 5,
        ms: 9,
        changed: [],
      }
    }
    for (const text of output) yield { type: 'tool-output', callId, text }
    yield {
      type: 'tool-end',
      callId,
      name: 'run_command',
      ok,
      text: output.join(''),
      ms: 3,
      ...(!ok && { code: 'exit-code' }),
    }
    results.push({ role: 'tool', callId, text: output.join(''), ok })
  }
  return results
}

function* askEvents(
  call: { id: string; name: string; input: string },
  asks: Call['asks'],
): Generator<RunEvent> {
  const askId = `ask-${call.id}`
  if (asks === 'no') return
  if (asks === 'question') {
    yield { type: 'question-ask', askId, question: 'which?', options: ['a', 'b'] }
    yield { type: 'question-answer', askId, text: 'b' }
    return
  }
  yield { type: 'permission-ask', askId, call, access: [{ kind: 'run', target: 'ls' }], why: 'it runs' }
  yield {
    type: 'permission-answer',
    askId,
    answer: asks === 'yes' ? { allow: true } : { allow: false, reason: 'no' },
  }
}

function* voteEvents(): Generator<RunEvent> {
  yield { type: 'vote', stage: 'start', why: 'it writes', workers: ['w1', 'w2'] }
  yield { type: 'vote', stage: 'candidate', worker: 'w1', shows: 'edit a.txt' }
  yield { type: 'vote', stage: 'candidate', worker: 'w2', shows: 'nothing', discarded: 'it is empty' }
  const report = {
    state: 'elected',
    winner: 'w1',
    confidence: 1,
    votes: [],
    discarded: [],
    decider: 'vote',
    missing: [],
    rounds: 1,
    usage: {},
  } as const
  yield { type: 'vote', stage: 'end', report }
}
