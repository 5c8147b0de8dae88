import { expect, test } from 'vitest'
import { startMachine } from './machines.ts'

test('a machine that was paired again is called by its new name, and asked where it is now', async () => {
  const [one, other] = [await startMachine(), await startMachine()]
  const { book } = other.files
  await one.files.book.add({ id: other.lan.id, name: 'other', addresses: [] })
  const seen = async () => {
    await other.lan.look()
    return other.lan.machines().map((machine) => [machine.name, machine.state().state])
  }

  await book.add({ id: one.lan.id, name: 'one', addresses: ['127.0.0.1:9'] })
  const before = await seen()
  await book.add({ id: one.lan.id, name: 'one', addresses: [one.address] })
  const moved = await seen()
  await book.add({ id: one.lan.id, name: 'renamed', addresses: [one.address] })
  const renamed = await seen()

  expect([before, moved, renamed]).toEqual([[['one', 'gone']], [['one', 'here']], [['renamed', 'here']]])
})
