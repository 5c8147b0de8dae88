import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { SessionEvent } from '../../src/protocol/event.ts'
import { Watchers } from '../../src/session/watchers.ts'
import { collect } from './support.ts'
import { runs } from '../support/runs.ts'

/** A session's events without the session: warnings are kept, text is not. */
function newWatchers() {
  const log: SessionEvent[] = []
  const kept = (after: number) => inBatches(log.filter(({ id }) => id > after))
  const watchers = new Watchers(0, kept)
  let id = 0
  return {
    watchers,
    log,
    keep(message = 'x') {
      log.push({ type: 'warning', message, id: ++id })
      watchers.publish({ type: 'warning', message, id })
    },
    pass(text = 'x') {
      watchers.publish({ type: 'text-delta', text, id: ++id })
    },
  }
}

async function* inBatches<T>(values: readonly T[]) {
  for (let from = 0; from < values.length; from += 2) {
    await Promise.resolve()
    yield values.slice(from, from + 2)
  }
}

const forever = new AbortController().signal
const ids = (events: readonly SessionEvent[]) => events.map(({ id }) => id)

test('watching begins with the call, not with the first read', async () => {
  const { watchers, keep, pass } = newWatchers()
  keep()

  const live = watchers.watch(undefined, forever)
  pass()
  keep()
  watchers.close()

  expect(ids(await collect(live))).toEqual([2, 3])
})

test('what was kept comes first, then what happens, without gap or duplicate', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.boolean(), { maxLength: 8 }),
      fc.nat(9),
      fc.array(fc.constantFrom('keep', 'pass', 'read'), { maxLength: 20 }),
      async (before, after, then) => {
        const session = newWatchers()
        for (const isKept of before) (isKept ? session.keep : session.pass)()
        const keptBefore = ids(session.log).filter((id) => id > after)
        const expected = Array.from(
          then.filter((step) => step !== 'read').keys(),
          (index) => before.length + index + 1,
        )

        const events = session.watchers.watch(after, forever)[Symbol.asyncIterator]()
        const seen: SessionEvent[] = []
        let reading = Promise.resolve()
        for (const step of then) {
          if (step === 'keep') session.keep()
          else if (step === 'pass') session.pass()
          else reading = reading.then(async () => void seen.push((await events.next()).value as SessionEvent))
          await Promise.resolve()
        }
        session.watchers.close()
        await reading
        for await (const event of { [Symbol.asyncIterator]: () => events }) seen.push(event)

        expect(ids(seen.filter(Boolean))).toEqual([...keptBefore, ...expected])
      },
    ),
    { numRuns: runs(200, 1000) },
  )
})

test('a watcher that does not read holds a bounded buffer and still gets all that was kept', async () => {
  const { watchers, keep, pass } = newWatchers()
  const events = watchers.watch(undefined, forever)[Symbol.asyncIterator]()
  keep('first')
  expect((await events.next()).value).toMatchObject({ id: 1 })

  for (let round = 0; round < 100; round++) {
    pass('y'.repeat(20_000))
    keep(`round ${round}`)
  }
  watchers.close()
  const rest = await collect({ [Symbol.asyncIterator]: () => events })

  expect(rest.filter(({ type }) => type === 'warning')).toHaveLength(100)
  expect(rest.filter(({ type }) => type === 'text-delta').length).toBeLessThan(60)
  expect(ids(rest)).toEqual(ids(rest).toSorted((a, b) => a - b))
})

test('one event larger than the buffer is not lost', async () => {
  const { watchers, keep } = newWatchers()
  const events = watchers.watch(undefined, forever)

  keep('z'.repeat(2_000_000))
  keep('small')
  watchers.close()

  expect(ids(await collect(events))).toEqual([1, 2])
})

test('a number from the future is taken for the present', async () => {
  const { watchers, keep } = newWatchers()
  keep()

  const events = watchers.watch(999, forever)
  keep()
  watchers.close()

  expect(ids(await collect(events))).toEqual([2])
})

test('an aborted watcher ends at once, waiting or not', async () => {
  const { watchers, keep } = newWatchers()
  const waiting = new AbortController()
  const behind = new AbortController()
  keep()

  const first = collect(watchers.watch(undefined, waiting.signal))
  const second = watchers.watch(0, behind.signal)
  behind.abort()
  await Promise.resolve()
  waiting.abort()

  expect(await first).toEqual([])
  expect(await collect(second)).toEqual([])
})
