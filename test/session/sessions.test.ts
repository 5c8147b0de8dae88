import { expect, onTestFinished, test } from 'vitest'
import { openAppContext } from '../../src/app/open.ts'
import type { Equipment } from '../../src/protocol/equipment.ts'
import { says, scriptedModel } from '../../src/provider/scripted.ts'
import { openSession } from '../../src/app/session.ts'
import { tempProject } from '../support/project.ts'
import { emptyHome } from '../support/run.ts'

test.each([
  ['its tools', { tools: fails }],
  ['its words', { tools: () => [], sources: [{ name: 'odd', place: 'frozen', contribute: fails }] }],
] as const)(
  'a session that cannot be opened for %s leaves nothing behind and nothing running',
  async (_, part) => {
    const context = await openAppContext({
      env: await emptyHome(),
      cwd: await tempProject(),
      model: scriptedModel([says('Done.')]),
      permission: 'bypass',
      probe: false,
    })
    onTestFinished(() => context.close())
    let closed = 0
    const broken: Equipment = { sources: [], ...part, close: async () => void closed++ }

    const opening = openSession(
      { ...context.sessions, equip: async () => broken },
      { resume: 'new', canAsk: false },
    )

    await expect(opening).rejects.toThrow('not today')
    expect(closed).toBe(1)
    expect(await context.sessions.store.list()).toEqual([])
  },
)

function fails(): never {
  throw new Error('not today')
}
