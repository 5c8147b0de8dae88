/** A project that has been worked on for a while: what its pages show, for tests and for the pictures in docs/. */
import { join } from 'node:path'
import type { Served, ScriptLine, ServedOptions } from './served.ts'

const DAY = 86_400_000
const NOW = Date.parse('2026-03-02T09:30:00Z')

const ARMS = ['qwen3.5:4b', 'qwen2.5-coder:7b', 'covey/nano'] as const

/** Choices between three arms: the second is better than expected, which is found out by trying it. */
const decisions = Array.from({ length: 24 }, (_, index) => {
  const quality = [0.62, 0.5 + index * 0.012, 0.2]
  const explored = index % 5 === 2
  const best = quality[1]! > quality[0]! ? 1 : 0
  const chosen = explored ? 1 - best : best
  const ranked = ARMS.map((arm, at) => ({ arm, score: quality[at]!, quality: quality[at]! }))
  return {
    at: NOW - (24 - index) * (DAY / 4),
    runId: `run-${index}`,
    cause: 'start',
    classification: {
      type: index % 3 === 0 ? 'debug' : 'generation',
      complexity: 0.4,
      needsTools: true,
      category: 'code',
      source: 'slm',
    },
    input: {},
    decision: {
      arm: ARMS[chosen],
      why: explored ? 'tried out to learn about it' : 'the best for this task',
      reasons: [
        `expected to end well in ${Math.round(quality[chosen]! * 100)} of 100 runs`,
        'runs on this machine',
      ],
      ranked: ranked.toSorted((a, b) => b.score - a.score),
      ruledOut: [{ arm: 'gpt-5', why: 'the cloud is not allowed' }],
      explored,
    },
  }
})

const cell = (runs: number, good: number) => ({ w: runs, wx: 0, wxx: runs / 4, wy: good, wxy: 0, runs })

const router = {
  version: 1,
  learned: {
    'qwen3.5:4b': { clock: 40, cells: { generation: cell(22, 13), debug: cell(9, 5) } },
    'qwen2.5-coder:7b': { clock: 40, cells: { generation: cell(14, 11), debug: cell(6, 4) } },
  },
  arms: {
    'qwen3.5:4b': { requests: 210, firstTokenMs: 420, tokensPerSecond: 38 },
    'qwen2.5-coder:7b': { requests: 96, firstTokenMs: 690, tokensPerSecond: 21 },
  },
  sources: { keywords: 4, slm: 31, slm_fallback: 1 },
  runs: [],
  asides: {},
  pools: {},
}

const auditLine = (minutes: number, line: object): string =>
  JSON.stringify({ at: new Date(NOW - minutes * 60_000).toISOString(), sessionId: 's', ...line })

const usage = (prompt: number, cached: number) => ({ prompt, completion: 90, cached })

const sceneScript: readonly ScriptLine[] = [
  {
    reasoning:
      'The total is wrong for more than two prices. I look at the file, change it, and run the tests to be sure.',
    text: 'I look at the cart first.',
    calls: [{ name: 'read_file', input: { path: 'src/cart.ts' } }],
    usage: usage(1830, 900),
  },
  {
    text: 'It adds exactly two prices. I make it take any number of them.',
    calls: [
      {
        name: 'edit_file',
        input: {
          path: 'src/cart.ts',
          old: 'export const total = (first: number, second: number): number => first + second',
          new: 'export const total = (...prices: readonly number[]): number =>\n  prices.reduce((sum, price) => sum + price, 0)',
        },
      },
    ],
    usage: usage(2260, 1810),
  },
  {
    text: [
      'The cart adds up any number of prices now:',
      '',
      '```ts',
      'total(2, 3, 5) // 10',
      '```',
      '',
      '- `src/cart.ts` takes a list of prices',
      '- callers with two prices need no change',
    ].join('\n'),
    usage: usage(2540, 2230),
  },
  {
    text: 'I check the types of the whole project.',
    calls: [{ name: 'run_command', input: { command: 'npx tsc --noEmit' } }],
    usage: usage(2730, 2500),
  },
  { text: 'All green.', usage: usage(2900, 2700) },
]

export const scene: ServedOptions = {
  script: sceneScript,
  files: {
    'src/cart.ts':
      '/** What a customer pays. */\nexport const total = (first: number, second: number): number => first + second\n',
    'src/price.ts': 'export type Price = number\n',
    '.covey/skills/release/SKILL.md':
      '---\nname: release\ndescription: Prepare a release of the shop\n---\n\n1. Run the tests.\n2. Write the changelog.\n',
  },
  data: {
    'router.json': JSON.stringify(router),
    'router-decisions.jsonl': decisions.map((decision) => JSON.stringify(decision)).join('\n'),
    'audit.log': [
      auditLine(92, {
        what: 'approved',
        tool: 'run_command',
        targets: ['npm install'],
        why: 'asked',
        by: 'person',
      }),
      auditLine(61, {
        what: 'refused',
        tool: 'read_file',
        targets: ['.env'],
        why: 'it holds secrets',
        by: 'permissions',
      }),
      auditLine(12, {
        what: 'refused',
        tool: '/v1/models',
        targets: ['192.168.1.7'],
        why: 'a wrong token',
        by: 'server',
      }),
    ].join('\n'),
  },
}

/** What needs the folder of the project, which is new each time; before the server starts again. */
export async function furnish(
  served: Served,
  write: (path: string, text: string) => Promise<void>,
): Promise<void> {
  const { project, dataFolder } = served
  const rule = (tool: string, pattern: string) => ({
    folder: project,
    tool,
    pattern,
    verdict: 'allow',
    addedAt: '2026-02-20T10:00:00.000Z',
  })
  await write(
    join(dataFolder, 'permissions.json'),
    JSON.stringify({ rules: [rule('run_command', 'npm test'), rule('write_file', 'src/**')] }),
  )
  for (const text of [
    'The shop listens on port 8080',
    'Prices are whole cents, never fractions',
    'Tests are run with npm test -- --run NAME',
  ])
    await served.covey('memory', 'add', text)
  await served.covey(
    'plan',
    'add',
    'Totals for any number of prices\nDiscounts by the dozen\nReceipts as PDF',
  )
  await served.covey('plan', 'begin', '1')
  await served.covey('plan', 'done', '1: src/cart.ts')
  await served.covey('plan', 'begin', '2')
}
