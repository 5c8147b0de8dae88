import { expect, test } from 'vitest'
import { open } from './bench.ts'

test('a command that changes 5,000 files is taken back', async () => {
  const bench = await open({ 'a.txt': 'one' })
  const make = 'for i in $(seq 5000); do echo $i > f$i; done'

  await bench.run('r1', () => bench.shell(make))
  await bench.run('r2', () => bench.shell('for i in $(seq 5000); do echo two > f$i; done; rm f1'))
  const { restored, conflicts } = await bench.undo.undo()

  expect([restored.length, conflicts]).toEqual([5000, []])
  expect([await bench.read('f1'), await bench.read('f5000')]).toEqual(['1\n', '5000\n'])
})
