/** `covey router`: what was learnt, why, and forgetting it. */
import { expect, test } from 'vitest'
import { createRouterCommand } from '../../src/cli/router.ts'
import type { DecisionRecord, RouterService, RouterStats } from '../../src/protocol/routing.ts'
import { choose } from '../../src/router/choose.ts'
import { choice, quality, view } from '../router/views.ts'

const stats: RouterStats = {
  arms: [
    { arm: 'ollama/qwen2.5-coder:7b', requests: 12, firstTokenMs: 412.4, tokensPerSecond: 31.2 },
    { arm: 'new', requests: 1 },
  ],
  tasks: [
    {
      arm: 'ollama/qwen2.5-coder:7b',
      type: 'debug',
      runs: 12,
      quality: { mean: 0.634, low: 0.51, high: 0.76, weight: 9 },
    },
  ],
  sources: { keywords: 1, slm: 3, slm_fallback: 0 },
  hints: ['Too few.'],
}

const input = choice({
  arms: [
    view('large', { quality: quality(0.7) }),
    view('small', { quality: quality(0.4) }),
    view('api', { tier: 'cloud' }),
  ],
})
const decisions: readonly DecisionRecord[] = [
  {
    at: Date.UTC(2026, 0, 2, 3, 4, 5),
    runId: 'run-1',
    cause: 'start',
    classification: {
      type: 'debug',
      complexity: 0.4,
      needsTools: true,
      category: 'read',
      source: 'slm_fallback',
    },
    input,
    decision: choose(input),
  },
]

async function covey(args: readonly string[], options: Readonly<Record<string, unknown>> = {}) {
  let out = ''
  let wasReset = false
  const service: RouterService = {
    stats: async () => stats,
    decisions: async (runId) => (runId === undefined || runId === 'run-1' ? decisions : []),
    reset: async () => void (wasReset = true),
  }
  const code = await createRouterCommand(async () => service).run({
    args,
    options,
    env: {},
    cwd: '/',
    signal: new AbortController().signal,
    io: {
      out: (text) => void (out += text),
      err: () => {},
      stdin: process.stdin,
      piped: async () => undefined,
      isTty: false,
    },
  })
  return { out, code, wasReset: () => wasReset }
}

test('stats is a table of arms and tasks, with speeds, classifiers and hints', async () => {
  const { out, code } = await covey([])

  expect(code).toBe(0)
  expect(out).toBe(
    [
      'arm                      task   runs  good       90 %  first token ms  tokens/s',
      'ollama/qwen2.5-coder:7b  debug    12  0.63  0.51-0.76             412        31',
      'new                      -         0     -          -               -         -',
      'classified: 4 runs, small model 75 %, words 25 %, words because the small model failed 0 %',
      'hint: Too few.',
      '',
    ].join('\n'),
  )
})

test('why tells the last run in plain words', async () => {
  const { out } = await covey(['why'])

  expect(out).toBe(
    [
      'Run run-1, 2026-01-02 03:04:05 UTC',
      'It was taken for debug, complexity 0.4, with tools, by its words, because the small model gave no usable answer.',
      '',
      'Chosen: large (best of 2 for debug)',
      '  Expected to do well in 70 % of such runs, going by its size and what it declares.',
      '  Next best would be small with 40 %.',
      '  Order: large 0.55, small 0.31',
      '  Not api: nothing leaves this machine until `router.cloud = true`.',
      '',
    ].join('\n'),
  )
})

test('--json gives the values themselves', async () => {
  expect(JSON.parse((await covey(['stats'], { json: true })).out)).toEqual(stats)
  expect(JSON.parse((await covey(['why'], { json: true })).out)).toEqual(decisions)
})

test('for an unknown run and an unknown action the error lists what exists', async () => {
  await expect(covey(['why', 'run-9'])).rejects.toThrow('No choice of a run "run-9" is kept')
  await expect(covey(['fly'])).rejects.toThrow(
    'unknown action "fly" of covey router; there are stats, why, reset.',
  )
})

test('reset forgets', async () => {
  const { out, wasReset } = await covey(['reset'])

  expect(wasReset()).toBe(true)
  expect(out).toContain('What pools have used stays counted.')
})
