import { expect, test } from 'vitest'
import type { Classification } from '../../src/protocol/classification.ts'
import { fails, says, scriptedModel } from '../../src/provider/scripted.ts'
import { classifyWith, createClassifier } from '../../src/router/classify.ts'
import { classifyByKeywords } from '../../src/router/keywords.ts'
import { AppError } from '../../src/protocol/error.ts'

const signal = new AbortController().signal
const guess: Classification = {
  type: 'planning',
  complexity: 0.7,
  needsTools: true,
  category: 'read',
  source: 'slm',
}

test('without a small model words decide', async () => {
  const classify = createClassifier({})

  expect(await classify('Fix the bug', signal)).toEqual(classifyByKeywords('Fix the bug'))
})

test('the small model is believed when it answers', async () => {
  const classify = createClassifier({ ask: async () => guess })

  expect(await classify('Fix the bug', signal)).toEqual(guess)
})

test('a small model that fails, or does not even listen to its time limit, is replaced by words that say so', async () => {
  const broken = createClassifier({ ask: () => Promise.reject(new Error('no weights')) })
  const deaf = createClassifier({ ask: () => new Promise(() => {}), limit: () => AbortSignal.abort() })
  const expected = { ...classifyByKeywords('Fix the bug'), source: 'slm_fallback' }

  expect(await broken('Fix the bug', signal)).toEqual(expected)
  expect(await deaf('Fix the bug', signal)).toEqual(expected)
})

test('a cancelled run is not classified by words instead', async () => {
  const cancelled = new AbortController()
  const classify = createClassifier({ ask: () => new Promise(() => {}) })

  const waiting = classify('Fix the bug', cancelled.signal)
  cancelled.abort(new Error('cancelled'))

  await expect(waiting).rejects.toThrow('cancelled')
})

test('any arm can be the classifier: one short JSON answer, slips repaired', async () => {
  const model = scriptedModel([
    says('```json\n{"task_type": "debug", "complexity": 0.4, "requires_tools": true,}\n```'),
  ])

  const found = await classifyWith(model)('Run the tests until they pass', signal)

  expect(found).toEqual({ type: 'debug', complexity: 0.4, needsTools: true, category: 'run', source: 'slm' })
  expect(model.asked[0]).toMatchObject({
    messages: [{ role: 'user', text: 'Run the tests until they pass' }],
    tools: [],
    temperature: 0,
    maxTokens: 80,
    thinking: 'off',
  })
})

test.each([
  ['prose', [says('It is about debugging.')]],
  ['an unknown type', [says('{"task_type": "magic", "complexity": 0.4, "requires_tools": true}')]],
  ['an error', [fails(new AppError('model-unavailable', 'gone'))]],
])('an arm that answers with %s leaves it to words', async (_, reply) => {
  const classify = createClassifier({ ask: classifyWith(scriptedModel(reply)) })

  expect(await classify('Write unit tests', signal)).toMatchObject({
    type: 'unit_test',
    source: 'slm_fallback',
  })
})

test('the time a small model takes to start is not part of its limit', async () => {
  const steps: string[] = []
  const classify = createClassifier({
    start: async () => void steps.push('started'),
    limit: () => {
      steps.push('limited')
      return new AbortController().signal
    },
    ask: async () => guess,
  })

  expect(await classify('Fix the bug', signal)).toEqual(guess)
  expect(steps).toEqual(['started', 'limited'])
})

test('orchestration is believed only where the words say so too', async () => {
  const classify = createClassifier({ ask: async () => ({ ...guess, type: 'orchestration' }) })

  expect(await classify('explain what src/a.js does', signal)).toEqual({ ...guess, type: 'explain' })
  expect((await classify('Coordinate three subagents', signal)).type).toBe('orchestration')
})
