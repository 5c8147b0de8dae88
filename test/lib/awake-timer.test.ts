import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { startAwakeTimer } from '../../src/lib/awake-timer.ts'

const block = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

function counted(ms: number) {
  let times = 0
  const timer = startAwakeTimer(ms, () => times++)
  onTestFinished(() => timer.end())
  return { ...timer, times: () => times }
}

test('the time in which the process did not run is not counted', async () => {
  const { times } = counted(1_000)

  block(1_500)
  // Timers that are due run before anything that arrived is read.
  await pause(50)

  expect(times()).toBe(0)
  await expect.poll(times).toBe(1)
})

test('it is over once, and can be started again', async () => {
  const { times, again } = counted(50)
  await expect.poll(times).toBe(1)
  await pause(200)
  const afterwards = times()

  again()

  await expect.poll(times).toBe(2)
  expect(afterwards).toBe(1)
})

test('what is ended is never over', async () => {
  const { times, end } = counted(20)

  end()
  await pause(100)

  expect(times()).toBe(0)
})
