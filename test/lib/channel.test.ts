import { expect, test } from 'vitest'
import { createChannel } from '../../src/lib/channel.ts'

const tick = () => new Promise((resolve) => setImmediate(resolve))

test('values come in the order they were pushed, until it is closed', async () => {
  const channel = createChannel<number>()
  channel.push(1)
  setImmediate(() => {
    channel.push(2)
    channel.close()
  })

  const read: number[] = []
  for await (const value of channel) read.push(value)

  expect(read).toEqual([1, 2])
})

test('it is drained when the reader has done with what was pushed, not when it has taken it', async () => {
  const channel = createChannel<string>()
  const done: string[] = []
  const reading = (async () => {
    for await (const value of channel) {
      await tick()
      await tick()
      done.push(value)
    }
  })()

  channel.push('a')
  channel.push('b')
  await channel.drained()
  const whenDrained = [...done]
  await channel.drained()
  channel.close()
  await reading

  expect(whenDrained).toEqual(['a', 'b'])
})

test('no sender waits for a reader that has gone', async () => {
  const channel = createChannel<string>()
  channel.push('a')
  channel.push('b')
  for await (const _ of channel) break

  await channel.drained()
})
