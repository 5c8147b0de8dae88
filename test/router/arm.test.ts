/** What an arm learns from a prompt that did not fit. */
import { expect, test } from 'vitest'
import { createArm } from '../../src/router/arm.ts'
import { AppError } from '../../src/protocol/error.ts'
import { scriptedModel } from '../../src/provider/scripted.ts'

test.each([
  ['half of it where the server names nothing', {}, 2_048],
  ['what the server says where that is less', { window: 3_000 }, 3_000],
  ['less by as much as the count was off', { window: 4_096, promptTokens: 5_120 }, 3_276],
  ['half of it where the count was off by more', { window: 4_096, promptTokens: 20_000 }, 2_048],
])('after an overflow the window is %s', (_what, details, expected) => {
  const arm = createArm({
    id: 'test-arm',
    local: true,
    capabilities: {
      tools: 'native',
      emission: { base: 'tool-role' },
      reasoning: 'drop',
      editForm: 'search',
      requiredChoice: false,
      prefill: false,
      vision: false,
      window: 4_096,
      windowFrom: 'reported',
    },
    counter: { count: (text) => text.length, observe: () => {} },
    countRequest: () => 0,
    now: () => 0,
    learnWindow: () => undefined,
    native: scriptedModel(),
  })

  arm.lease('test').release(new AppError('context-overflow', 'too long', details))

  expect(arm.profile().capabilities).toMatchObject({ window: expected, windowFrom: 'learned' })
})
