import { expect, onTestFinished, test } from 'vitest'
import type { Model } from '../../src/protocol/model.ts'
import { tempProject } from '../support/project.ts'
import { endOf, ofType, openTestApp, promptAndCollect } from '../support/run.ts'

/** Says a sentence, then goes on for ever. */
const endless: Model = {
  name: 'endless',
  async *stream(_, signal) {
    yield { type: 'text-delta', text: 'The first half' }
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  },
}

test('what a cancelled run had written is shown and kept', async () => {
  const app = await openTestApp(endless, await tempProject())
  const session = await app.openSession({ resume: 'new', canAsk: false })
  onTestFinished(() => session.close())

  const events = await promptAndCollect(session, {
    onEvent: (event) => void (event.type === 'text-delta' && session.cancel()),
  })

  const partial = { role: 'assistant', text: 'The first half', calls: [], flag: 'cut' }
  expect(endOf(events).reason).toBe('cancelled')
  expect(ofType(events, 'turn-end').at(-1)?.messages).toEqual([partial])
  expect((await session.history()).at(-1)).toEqual(partial)
})
