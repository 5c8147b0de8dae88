import { expect, test } from 'vitest'
import { runs } from '../support/runs.ts'
import { open } from './bench.ts'

const FILES = runs(1_500, 5_000)

test(`a command that changes ${FILES} files is taken back`, async () => {
  const bench = await open({ 'a.txt': 'one' })
  const make = `for i in $(seq ${FILES}); do echo $i > f$i; done`

  await bench.run('r1', () => bench.shell(make))
  await bench.run('r2', () => bench.shell(`for i in $(seq ${FILES}); do echo two > f$i; done; rm f1`))
  const { restored, conflicts } = await bench.undo.undo()

  expect([restored.length, conflicts]).toEqual([FILES, []])
  expect([await bench.read('f1'), await bench.read(`f${FILES}`)]).toEqual(['1\n', `${FILES}\n`])
})
