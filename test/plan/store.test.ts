import { readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { openPlanStore, planFileOf } from '../../src/plan/store.ts'
import { tempProject } from '../support/project.ts'

const planPath = async (): Promise<string> => planFileOf(await tempProject(), '/project')

test('a plan outlives the program', async () => {
  const path = await planPath()
  await openPlanStore(path, () => 5).change({ type: 'add', texts: ['a'] }, { type: 'begin' })

  const plan = await openPlanStore(path).read()

  expect(plan.tasks).toEqual([
    { id: 1, text: 'a', state: 'in_progress', createdAt: 5, startedAt: 5, packets: 0 },
  ])
})

test('every project has its own', () => {
  expect(planFileOf('/data', '/a')).not.toBe(planFileOf('/data', '/b'))
})

test('a refused change leaves the file as it was', async () => {
  const path = await planPath()
  const store = openPlanStore(path)
  await store.change({ type: 'add', texts: ['a'] })
  const before = await readFile(path, 'utf8')

  const change = store.change({ type: 'note', text: 'half' }, { type: 'move', to: 'complete' })

  await expect(change).rejects.toThrow('it cannot become complete')
  expect(await readFile(path, 'utf8')).toBe(before)
})

test('what two of them change at once is all there', async () => {
  const path = await planPath()
  const stores = [openPlanStore(path), openPlanStore(path)]

  await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      stores[index % 2]!.change({ type: 'add', texts: [`task ${index}`] }),
    ),
  )

  const { tasks } = await stores[0]!.read()
  expect(tasks.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
  expect(new Set(tasks.map(({ text }) => text)).size).toBe(20)
})

test('a damaged file is named, and a reset keeps it', async () => {
  const path = await planPath()
  const store = openPlanStore(path, () => 7)
  await store.change({ type: 'add', texts: ['a'] })
  await writeFile(path, '{"phase":')

  await expect(store.read()).rejects.toMatchObject({ code: 'storage-failed' })
  await store.reset()

  expect(await store.read()).toMatchObject({ phase: 'planning', tasks: [] })
  expect(await readdir(dirname(path))).toContain('plan.json.7')
})

test('of archived plans the newest are kept', async () => {
  const path = await planPath()
  let time = 1_000
  const store = openPlanStore(path, () => time++)

  for (let count = 0; count < 23; count++) {
    await store.change({ type: 'add', texts: [`plan ${count}`] })
    await store.reset()
  }

  const kept = (await readdir(dirname(path))).filter((name) => /\.\d+$/.test(name))
  expect(kept).toHaveLength(20)
  expect(kept).not.toContain('plan.json.1001')
})

test('without a path it lives in memory', async () => {
  const store = openPlanStore()
  await store.change({ type: 'add', texts: ['a'] })

  expect((await store.read()).tasks).toHaveLength(1)
})
