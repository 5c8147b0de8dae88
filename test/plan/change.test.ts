import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { changePlan, type PlanChange } from '../../src/plan/change.ts'
import { emptyPlan, moves, phases, type Phase, type Plan } from '../../src/plan/plan.ts'
import { runs } from '../support/runs.ts'

const NOW = 1_000

const apply = (...changes: readonly PlanChange[]): Plan => {
  let plan = emptyPlan
  for (const change of changes) plan = changePlan(plan, change, NOW)
  return plan
}

/** A plan brought to each phase by legal moves. */
const inPhase: Readonly<Record<Phase, Plan>> = {
  planning: emptyPlan,
  executing: apply({ type: 'move', to: 'executing' }),
  reviewing: apply({ type: 'move', to: 'executing' }, { type: 'move', to: 'reviewing' }),
  complete: apply(
    { type: 'move', to: 'executing' },
    { type: 'move', to: 'reviewing' },
    { type: 'move', to: 'complete' },
  ),
  paused: apply({ type: 'move', to: 'paused' }),
}

describe('phases', () => {
  test.each(phases.flatMap((from) => phases.map((to) => [from, to] as const)))(
    'from %s to %s only where the table says so',
    (from, to) => {
      const plan = inPhase[from]
      const before = structuredClone(plan)
      const move = () => changePlan(plan, { type: 'move', to }, NOW)

      if (moves[from].includes(to)) {
        expect(move()).toMatchObject({
          phase: to,
          notes: [...plan.notes, { at: NOW, text: `${from} -> ${to}` }],
        })
      } else {
        expect(move).toThrow(`The plan is ${from}, so it cannot become ${to}`)
      }
      expect(plan).toEqual(before)
    },
  )

  test('a paused plan goes back to where it was', () => {
    const plan = changePlan(inPhase.reviewing, { type: 'move', to: 'paused' }, NOW)

    expect(changePlan(plan, { type: 'resume' }, NOW).phase).toBe('reviewing')
  })

  test('a plan with open tasks is not complete', () => {
    const plan = apply(
      { type: 'add', texts: ['a', 'b'] },
      { type: 'move', to: 'executing' },
      { type: 'move', to: 'reviewing' },
    )

    expect(() => changePlan(plan, { type: 'move', to: 'complete' }, NOW)).toThrow('Not finished: tasks 1, 2')
  })
})

describe('tasks', () => {
  test('go from pending over in_progress to complete, with their times and notes', () => {
    let plan = changePlan(emptyPlan, { type: 'add', texts: ['Write it', 'Test it'] }, 1)
    plan = changePlan(plan, { type: 'begin' }, 2)
    plan = changePlan(plan, { type: 'done', outcome: 'it works' }, 3)

    expect(plan).toEqual({
      phase: 'executing',
      tasks: [
        {
          id: 1,
          text: 'Write it',
          state: 'complete',
          createdAt: 1,
          startedAt: 2,
          endedAt: 3,
          outcome: 'it works',
          packets: 0,
        },
        { id: 2, text: 'Test it', state: 'pending', createdAt: 1, packets: 0 },
      ],
      notes: [
        { at: 1, text: '2 tasks added' },
        { at: 2, text: 'planning -> executing' },
        { at: 2, text: 'task 1 begun' },
        { at: 3, text: 'task 1 done: it works' },
      ],
      nextId: 3,
    })
  })

  test('are found by number or by words that fit only one', () => {
    const plan = apply({ type: 'add', texts: ['Write the parser', 'Write the printer'] })
    const begun = (task: string) =>
      changePlan(plan, { type: 'begin', task }, NOW).tasks.flatMap(({ id, state }) =>
        state === 'in_progress' ? [id] : [],
      )

    expect([begun('2'), begun('#2'), begun('task 2'), begun('PARSER')]).toEqual([[2], [2], [2], [1]])
    expect(() => begun('write')).toThrow(
      'There is no task "write". Open: 1 Write the parser; 2 Write the printer.',
    )
  })

  test('may have a check, set with them or later, and taken away again', () => {
    const plan = apply(
      { type: 'add', texts: ['a', { text: 'b', check: 'npm test' }] },
      { type: 'check', task: '1', command: ' make check ' },
      { type: 'check', task: '2' },
    )

    expect(plan.tasks.map(({ check }) => check)).toEqual(['make check', undefined])
    expect(plan.notes.slice(1).map(({ text }) => text)).toEqual([
      'task 1 has the check make check',
      'task 2 has no check any more',
    ])
    expect(() => changePlan(plan, { type: 'check', task: '1', command: 'a\nb' }, NOW)).toThrow('one line')
    expect(() => changePlan(plan, { type: 'check', task: '1', command: 'x'.repeat(1_001) }, NOW)).toThrow(
      'at most 1000 characters',
    )
  })

  test('of a paused plan stay as they are', () => {
    const plan = apply({ type: 'add', texts: ['a'] }, { type: 'move', to: 'paused' })

    expect(() => changePlan(plan, { type: 'done', task: '1' }, NOW)).toThrow(
      'The plan is paused; resume it first.',
    )
  })
})

test('whatever is asked for, the plan stays within its bounds and never takes a way the table does not have', () => {
  const change: fc.Arbitrary<PlanChange> = fc.oneof(
    fc.record({ type: fc.constant('add' as const), texts: fc.array(fc.string(), { maxLength: 3 }) }),
    fc.record({ type: fc.constant('move' as const), to: fc.constantFrom(...phases) }),
    fc.record({
      type: fc.constantFrom('begin', 'done', 'block', 'reopen'),
      task: fc.constantFrom('1', '2', 'x'),
    }),
    fc.record({
      type: fc.constant('packet' as const),
      task: fc.constantFrom('1', '2'),
      session: fc.string(),
    }),
    fc.record({ type: fc.constant('checkpoint' as const), task: fc.constant('1'), next: fc.string() }),
    fc.record({ type: fc.constant('note' as const), text: fc.string() }),
    fc.constant({ type: 'resume' as const }),
  )

  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
      let plan = emptyPlan
      for (const next of changes) {
        const before = JSON.stringify(plan)
        try {
          const after = changePlan(plan, next, NOW)
          if (after.phase !== plan.phase) expect(moves[plan.phase]).toContain(after.phase)
          expect(after.notes.length).toBeGreaterThanOrEqual(plan.notes.length)
          plan = after
        } catch {
          expect(JSON.stringify(plan)).toBe(before)
        }
      }
      expect(new Set(plan.tasks.map(({ id }) => id)).size).toBe(plan.tasks.length)
    }),
    { numRuns: runs(75, 300) },
  )
})
