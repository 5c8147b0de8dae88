/** What was hidden is found again before anything runs, however folders move about. */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createSteadyLook } from '../../../src/guard/sandbox/steady-look.ts'
import { createTree, type TreeState } from '../../../src/guard/sandbox/tree.ts'
import { tempProject } from '../../support/project.ts'

describe('a look at a tree in motion', () => {
  const missed = (state: TreeState, isMoving: boolean): TreeState => ({ ...state, entries: [], isMoving })

  /** The first look sees everything, the next ones what `then` says. */
  async function looking(then: (state: TreeState, look: number) => TreeState) {
    const root = await tempProject({ 'a/.env': 'x' })
    const tree = createTree({ root })
    let looks = 0
    const look = createSteadyLook({
      async refresh() {
        const state = await tree.refresh()
        return looks++ === 0 ? state : then(state, looks)
      },
    })
    await look()
    return { look, secret: join(root, 'a/.env'), looks: () => looks }
  }

  test('is made again until what was hidden is found', async () => {
    const { look, secret } = await looking((state, number) => (number < 6 ? missed(state, true) : state))

    expect((await look()).entries.map(({ path }) => path)).toEqual([secret])
  })

  test('that never finds it runs nothing while folders move', async () => {
    const { look } = await looking((state) => missed(state, true))

    await expect(look()).rejects.toThrow('files of the project were renamed')
  })

  test('takes it for gone where nothing moves', async () => {
    const { look, looks } = await looking((state) => missed(state, false))

    expect([(await look()).entries, looks()]).toEqual([[], 3])
    await look()
    expect(looks()).toBe(4)
  })
})
