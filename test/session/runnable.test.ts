import { expect, test } from 'vitest'
import type { LoopEvent } from '../../src/engine/parts.ts'
import type { RunEnd } from '../../src/protocol/event.ts'
import type { RunInput, StartRun } from '../../src/session/run.ts'
import { listRunnable } from '../../src/session/runnable.ts'

const { signal } = new AbortController()

const endOf = (changed: readonly string[]) =>
  ({ type: 'run-end', runId: 'r1', reason: 'answered', turns: 1, changed }) as unknown as RunEnd

function running(changed: readonly string[], onEnd = (): void => {}): StartRun {
  return async function* () {
    try {
      yield { type: 'turn-start', turn: 1 } as LoopEvent
      yield endOf(changed) as LoopEvent
      return endOf(changed)
    } finally {
      onEnd()
    }
  }
}

async function collect(startRun: StartRun) {
  const run = startRun({} as RunInput, signal)
  const events: LoopEvent[] = []
  for (;;) {
    const { value, done } = await run.next()
    if (done) return { events, end: value }
    events.push(value)
  }
}

const isRunnable = (path: string): boolean => path === 'Makefile'

test('the end of a run names the changed files a user may execute, as an event and as its value', async () => {
  const { events, end } = await collect(listRunnable(running(['a.ts', 'Makefile']), isRunnable))

  const expected = { ...endOf(['a.ts', 'Makefile']), runnable: ['Makefile'] }
  expect(end).toEqual(expected)
  expect(events).toEqual([{ type: 'turn-start', turn: 1 }, expected])
})

test('a run that changed nothing of the kind ends as it did', async () => {
  const { events, end } = await collect(listRunnable(running(['a.ts']), isRunnable))

  expect(end).toEqual(endOf(['a.ts']))
  expect(events.at(-1)).toEqual(endOf(['a.ts']))
})

test('a run that is left early is ended', async () => {
  let isEnded = false
  const run = listRunnable(
    running([], () => (isEnded = true)),
    isRunnable,
  )({} as RunInput, signal)

  await run.next()
  await run.return(endOf([]))

  expect(isEnded).toBe(true)
})
