/** What a first request costs, locked: a small window is mostly for the work. */
import { expect, test } from 'vitest'
import { toToolSchema } from '../../src/lib/schema.ts'
import { says, scriptedModel } from '../../src/provider/scripted.ts'
import { builtinTools } from '../../src/tools/all.ts'
import { tempProject } from '../support/project.ts'
import { run } from '../support/run.ts'
import { requestTokens, tokensOf, toolsAsJson } from '../support/tokens.ts'

const prompt = 'What files are in this folder?'

test('mode auto: eight tools, at most 520 tokens', async () => {
  const model = scriptedModel([says('None.')])

  await run(model, await tempProject({}), { prompt, window: 8192 })

  expect(model.asked[0]?.tools).toHaveLength(8)
  expect(requestTokens(model.asked[0]!)).toBeLessThanOrEqual(520)
})

test('mode two-stage: exactly one tool, at most 350 tokens', async () => {
  const model = scriptedModel([says('None.')])

  await run(model, await tempProject({}), { prompt, flags: { 'engine.tools': 'two-stage' } })

  expect(model.asked[0]?.tools.map(({ name }) => name)).toEqual(['select_category'])
  expect(requestTokens(model.asked[0]!)).toBeLessThanOrEqual(350)
})

test('the whole set as JSON: at most 1,200 tokens', () => {
  const tools = builtinTools({ list: () => tools })

  expect(tokensOf(toolsAsJson(tools.map(toToolSchema)))).toBeLessThanOrEqual(1200)
})
