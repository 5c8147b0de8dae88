import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { appendMessage, closeOpenCalls } from '../../src/context/history.ts'
import type { SessionEvent } from '../../src/protocol/event.ts'
import type { Message } from '../../src/protocol/message.ts'
import { keptEvents, type LogRecord, replay, toEventRecord } from '../../src/session/log.ts'
import { call, collect, endOf } from './support.ts'
import { runs } from '../support/runs.ts'

const started: LogRecord = {
  type: 'session-start',
  id: 's',
  cwd: '/project',
  system: 'You are covey.',
  createdAt: 10,
}
const event = (id: number, inner: Extract<LogRecord, { type: 'event' }>['event']): LogRecord => ({
  type: 'event',
  at: 20,
  id,
  event: inner,
})
const message = (inner: Message): LogRecord => ({ type: 'message', at: 15, message: inner })

/** A run of a few turns, each with a few calls, as the session logs it. */
const run = fc
  .array(fc.nat(3), { minLength: 1, maxLength: 5 })
  .chain((turns) => fc.integer({ min: 0, max: 9 }).map((number) => runRecords(`run-${number}`, turns)))

function runRecords(runId: string, turns: readonly number[]): LogRecord[] {
  return [
    { type: 'prompt', at: 11, runId, input: `do ${runId}`, options: {} },
    event(1, { type: 'run-start', runId, prompt: `do ${runId}` }),
    { type: 'composed', at: 12, runId, messages: [{ role: 'user', text: `do ${runId}` }] },
    ...turns.flatMap((calls, turn) => turnRecords(turn, calls)),
    event(9, endOf(runId)),
  ]
}

function turnRecords(turn: number, count: number): LogRecord[] {
  const calls = Array.from({ length: count }, (_, index) => call(`c${turn}-${index}`))
  return [
    event(2, { type: 'turn-start', turn }),
    message({ role: 'assistant', text: `turn ${turn}`, calls }),
    ...calls.map(({ id }) => message({ role: 'tool', callId: id, text: 'ok', ok: true })),
    event(3, { type: 'turn-end', turn, messages: [] }),
  ]
}

test('whatever records are lost, the conversation that is left is legal', () => {
  fc.assert(
    fc.property(
      fc.array(run, { minLength: 1, maxLength: 3 }),
      fc.infiniteStream(fc.boolean()),
      (runs, kept) => {
        const records = [started, ...runs.flat()].filter(() => kept.next().value)

        const { messages } = replay('s', records)

        let history: readonly Message[] = []
        for (const each of [...messages, ...closeOpenCalls(messages)]) history = appendMessage(history, each)
        expect(history.slice(0, messages.length)).toEqual(messages)
      },
    ),
    { numRuns: runs(300, 2000) },
  )
})

test('with nothing lost, everything that was said comes back', () => {
  fc.assert(
    fc.property(run, (records) => {
      const said = records.flatMap((record): readonly Message[] => {
        if (record.type === 'message') return [record.message]
        return record.type === 'composed' ? record.messages : []
      })

      expect(replay('s', [started, ...records])).toMatchObject({
        messages: said,
        waiting: [],
        system: 'You are covey.',
      })
    }),
    { numRuns: runs(100, 500) },
  )
})

test('where the log ends says what was interrupted', () => {
  const records = [started, ...runRecords('run-1', [1])]

  expect(replay('s', records.slice(0, 2))).toMatchObject({ waiting: [{ runId: 'run-1' }] })
  expect(replay('s', records.slice(0, 3))).toMatchObject({ waiting: [{ runId: 'run-1' }], openRun: 'run-1' })
  expect(replay('s', records.slice(0, 4))).toMatchObject({ waiting: [], openRun: 'run-1', lastEventId: 1 })
  expect(replay('s', records)).not.toHaveProperty('openRun')
})

test('a compaction replaces what was said before', () => {
  const digest: Message = { role: 'user', text: 'Digest.', origin: 'digest' }
  const answer: Message = { role: 'assistant', text: 'Done.', calls: [] }

  const { messages } = replay('s', [
    started,
    ...runRecords('run-1', [2]),
    { type: 'history', at: 30, messages: [digest] },
    message(answer),
  ])

  expect(messages).toEqual([digest, answer])
})

test('info is drawn from the records, whatever the clock did', () => {
  const records: LogRecord[] = [
    started,
    { type: 'prompt', at: 50, runId: 'r', input: 'First\nprompt', options: {} },
    { type: 'prompt', at: 40, runId: 'q', input: 'Second', options: {} },
  ]

  expect(replay('s', records).info).toEqual({
    id: 's',
    title: 'First prompt',
    cwd: '/project',
    createdAt: 10,
    updatedAt: 50,
    messages: 0,
  })
})

test('any prompt makes a title of one short line without control characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      const records: LogRecord[] = [started, { type: 'prompt', at: 1, runId: 'r', input: text, options: {} }]

      expect(replay('s', records).info.title).toMatch(/^[^\p{Cc}\u2028\u2029]{1,80}$/u)
    }),
    {
      numRuns: runs(50, 200),
      examples: [
        ['\u001B[31mred\u001B[0m\r\n<script>alert(1)</script>'],
        ['\u0000'],
        [''],
        ['👩‍💻'.repeat(40)],
      ],
    },
  )
})

/** Cut anywhere: a turn may begin in one batch and end in another. */
async function* inBatches(records: readonly LogRecord[]) {
  for (const record of records) yield [record]
}

test('a turn-end is kept without its messages and comes back whole', async () => {
  const [reply, result]: Message[] = [
    { role: 'assistant', text: '', calls: [call('c1')] },
    { role: 'tool', callId: 'c1', text: 'hello', ok: true },
  ]
  const note: Message = { role: 'user', text: 'Go on.', origin: 'note' }
  const told: SessionEvent = { type: 'turn-end', turn: 1, messages: [reply!, result!], id: 7 }

  const kept = toEventRecord(told, 20, [note, reply!, result!])

  expect(kept).toMatchObject({ event: { messages: [] }, turnMessages: 2 })
  const records = [message(note), message(reply!), message(result!), kept]
  expect((await collect(keptEvents(inBatches(records), 6))).flat()).toEqual([told])
  expect((await collect(keptEvents(inBatches(records), 7))).flat()).toEqual([])
})

test('a turn-end that tells of other messages is kept with them', async () => {
  const told: SessionEvent = { type: 'turn-end', turn: 1, messages: [{ role: 'user', text: 'a' }], id: 7 }

  const kept = toEventRecord(told, 20, [{ role: 'user', text: 'b' }])

  expect((await collect(keptEvents(inBatches([kept]), 0))).flat()).toEqual([told])
})
