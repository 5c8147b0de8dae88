import { expect, test } from 'vitest'
import { createWarnings } from '../../src/session/warnings.ts'
import { answering, newFolder, promptToEnd, runSession, start, testStore } from './support.ts'

test('a warning is shown once, with the next run, and no flood of them is kept', async () => {
  const warnings = createWarnings()
  const store = testStore(await newFolder())
  const session = await runSession(await store.create(start), {
    startRun: warnings.during(answering('Done.')),
  })
  for (let count = 0; count < 1000; count++) warnings.warn(`tool ${count % 300} is left out`)

  const first = await promptToEnd(session, 'one')
  warnings.warn('tool 1 is left out')
  const second = await promptToEnd(session, 'two')
  await session.close()

  const told = first.filter(({ type }) => type === 'warning')
  expect(told).toHaveLength(100)
  expect(told[0]).toMatchObject({ message: 'tool 0 is left out' })
  expect(second.filter(({ type }) => type === 'warning')).toEqual([])
})
