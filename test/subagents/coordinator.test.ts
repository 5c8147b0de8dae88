import { expect, test } from 'vitest'
import { says, scriptedModel } from '../../src/provider/scripted.ts'
import { tempProject } from '../support/project.ts'
import { run } from '../support/run.ts'

test.each([
  ['Delegate the three packages to subagents', 32_768, true, true],
  ['Delegate the three packages to subagents', 8_192, true, false],
  ['run make all', 32_768, false, false],
])('%j in a window of %i is sent the hint: %j, and the rules: %j', async (prompt, window, hint, rules) => {
  const model = scriptedModel([says('All right, they are done.')])

  await run(model, await tempProject({}), { prompt, window, promptOptions: { maxTurns: 1 } })

  const text = model.asked[0]?.messages.at(-1)?.text ?? ''
  expect(text.includes('several pieces of work')).toBe(hint)
  expect(text.includes('One writer per file')).toBe(rules)
})
