import { readdirSync, readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { RunEvent, SessionEvent } from '../../src/protocol/event.ts'
import { calls, says, scriptedModel } from '../../src/provider/scripted.ts'
import { isKept } from '../../src/session/log.ts'
import { lifeOf } from '../../src/view/life.ts'
import { openPieces } from '../../src/view/pieces.ts'
import { reduceView, viewOf } from '../../src/view/reduce.ts'
import { emptyView, type View, withoutItems } from '../../src/view/view.ts'
import { tempProject } from '../support/project.ts'
import { run } from '../support/run.ts'
import { sessions } from './events.ts'
import { runs } from '../support/runs.ts'

const numbered = (events: readonly RunEvent[]): readonly SessionEvent[] =>
  events.map((event, index) => ({ ...event, id: index + 1 }))

/** What a client sees that joins at this moment: the log, then what of the open reply is not in it. */
function joining(told: readonly SessionEvent[]): View {
  const before = viewOf(told)
  const id = before.lastEventId
  const view = viewOf([...told.filter(isKept), ...openPieces(before).map((event) => ({ ...event, id }))])
  // The session reports it: an event that left nothing behind counts, too.
  return { ...view, lastEventId: id }
}

describe('the view of a client that joins equals that of one that watched', () => {
  test('at any cut of any legal sequence', () => {
    fc.assert(
      fc.property(sessions, fc.nat(), (events, at) => {
        const cut = at % (events.length + 1)

        expect(joining(events.slice(0, cut))).toEqual(viewOf(events.slice(0, cut)))
      }),
      { numRuns: runs(75, 300) },
    )
  })

  test('and stays so to the end', () => {
    fc.assert(
      fc.property(sessions, fc.nat(), (events, at) => {
        const cut = at % (events.length + 1)
        let view = joining(events.slice(0, cut))
        for (const event of events.slice(cut)) view = reduceView(view, event)

        expect(view).toEqual(viewOf(events))
      }),
      { numRuns: runs(30, 100) },
    )
  })

  test('at every cut of a real run that edits and runs a command', async () => {
    const model = scriptedModel(
      [says('I change it.'), calls('edit_file', { path: 'a.txt', old: 'one', new: 'two' })],
      [calls('run_command', { command: 'cat a.txt' })],
      [says('It says two now.')],
    )

    const events = await run(model, await tempProject({ 'a.txt': 'one\n' }))

    for (let cut = 0; cut <= events.length; cut++)
      expect(joining(events.slice(0, cut))).toEqual(viewOf(events.slice(0, cut)))
    expect(viewOf(events).items.map(({ kind }) => kind)).toEqual([
      'prompt',
      'reply',
      'tool',
      'tool',
      'reply',
      'end',
    ])
  })
})

test('what was drawn can be left out, and the rest goes on the same', () => {
  fc.assert(
    fc.property(sessions, fc.nat(), (events, at) => {
      const cut = at % (events.length + 1)
      const seen = viewOf(events.slice(0, cut))
      let view = withoutItems(seen)
      for (const event of events.slice(cut)) view = reduceView(view, event)

      const whole = viewOf(events)
      expect({ ...view, items: [...seen.items, ...view.items], dropped: 0 }).toEqual(whole)
    }),
    { numRuns: runs(15, 50) },
  )
})

test('an edit carries its diff from before the question to the end', async () => {
  const model = scriptedModel(
    [calls('edit_file', { path: 'a.txt', old: 'one', new: 'two' })],
    [says('Done.')],
  )
  const events = await run(model, await tempProject({ 'a.txt': 'one\nkept\n' }), {
    permission: 'ask',
    canAsk: true,
    onEvent: (event, session) => {
      if (event.type === 'permission-ask') void session.answer(event.askId, { allow: true })
    },
  })

  const asked = viewOf(events.slice(0, events.findIndex(({ type }) => type === 'permission-ask') + 1))
  const diff = { path: 'a.txt', kind: 'edited', added: 1, removed: 1, omitted: 0 }
  expect(asked.questions).toMatchObject([
    {
      kind: 'permission',
      name: 'edit_file',
      diff: [{ ...diff, text: '@@ -1,2 +1,2 @@\n-one\n+two\n kept' }],
    },
  ])
  expect(viewOf(events).items.find(({ kind }) => kind === 'tool')).toMatchObject({
    state: 'ok',
    diff: [diff],
    answer: { allow: true },
  })
})

describe('life', () => {
  const start: readonly RunEvent[] = [{ type: 'run-start', runId: 'r', prompt: 'p' }]
  const lifeAfter = (...events: readonly RunEvent[]) => lifeOf(viewOf(numbered([...start, ...events])))
  const call = { id: 'c', name: 'run_command', input: '{}' }

  test('nothing happens before the first prompt and after the end', () => {
    expect(lifeOf(emptyView)).toEqual({ kind: 'idle' })
    const end = {
      runId: 'r',
      reason: 'answered',
      turns: 1,
      changed: [],
      attribution: { model: 1, repair: 0, detector: 0 },
    } as const
    expect(lifeAfter({ type: 'run-end', ...end })).toEqual({ kind: 'idle' })
  })

  test.each<[readonly RunEvent[], object]>([
    [[], { kind: 'starting' }],
    [[{ type: 'progress', stage: 'loading', done: 0.4, total: 1 }], { kind: 'loading', share: 0.4 }],
    [[{ type: 'progress', stage: 'queued', total: 3 }], { kind: 'queued', position: 3 }],
    [[{ type: 'progress', stage: 'reading', total: 900 }], { kind: 'reading', tokens: 900 }],
    [
      [{ type: 'progress', stage: 'reading', total: 900, done: 300, cached: 200 }],
      { kind: 'reading', tokens: 900, done: 300, cached: 200 },
    ],
    [[{ type: 'reasoning-delta', text: 'hm' }], { kind: 'thinking', characters: 2 }],
    [
      [
        { type: 'reasoning-delta', text: 'hm' },
        { type: 'text-delta', text: 'Yes' },
      ],
      { kind: 'writing', characters: 3 },
    ],
    [[{ type: 'retry', attempt: 1, delayMs: 5, why: 'busy' }], { kind: 'retry', why: 'busy', delayMs: 5 }],
    [
      [
        { type: 'retry', attempt: 1, delayMs: 5, why: 'it loads' },
        { type: 'progress', stage: 'loading', total: 1 },
      ],
      { kind: 'loading' },
    ],
    [
      [
        { type: 'progress', stage: 'loading', total: 1 },
        { type: 'retry', attempt: 1, delayMs: 5, why: 'busy' },
      ],
      { kind: 'retry', why: 'busy', delayMs: 5 },
    ],
    [
      [{ type: 'tool-start', call, title: 't' }],
      {
        kind: 'tool',
        running: 1,
        tool: {
          kind: 'tool',
          callId: 'c',
          name: 'run_command',
          title: 't',
          input: '{}',
          state: 'running',
          tail: '',
          diff: [],
        },
      },
    ],
    [[{ type: 'question-ask', askId: 'a', question: 'q' }], { kind: 'asking' }],
  ])('%j', (events, life) => {
    expect(lifeAfter(...events)).toEqual(life)
  })
})

test('the view knows no machine: it imports nothing of Node', () => {
  const folder = new URL('../../src/view/', import.meta.url)
  for (const name of readdirSync(folder))
    expect(readFileSync(new URL(name, folder), 'utf8')).not.toMatch(/['"]node:/)
})
