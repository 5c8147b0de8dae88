/** One of each kind of event and one of each answer a page gets, with plain words in them; `poisoned` replaces those. */
import type { RunEvent } from '../../src/protocol/event.ts'
import type {
  ArmsView,
  FactLine,
  FlockView,
  ModelsView,
  PlanView,
  SafetyView,
  SkillsView,
} from '../../src/protocol/page.ts'

const diff = {
  path: 'a.ts',
  kind: 'edited',
  added: 1,
  removed: 1,
  text: '@@ -1 +1 @@\n-a\n+b',
  omitted: 0,
} as const
const call = { id: 'call-1', name: 'run_command', input: '{}' } as const
const report = {
  state: 'elected',
  winner: 'w1',
  confidence: 0.5,
  decider: 'vote',
  rounds: 1,
  votes: [{ workers: ['w1'], shows: 'a', effect: 'write' }],
  discarded: [{ worker: 'w2', reason: 'check-failed', why: 'no' }],
  missing: [{ worker: 'w3', why: 'gone' }],
  usage: {},
} as const

export const eventTemplates: readonly RunEvent[] = [
  { type: 'prompt-queue', runId: 'r0', prompt: 'later' },
  { type: 'run-start', runId: 'r1', prompt: 'hello' },
  { type: 'turn-start', turn: 1 },
  { type: 'routing', arm: 'arm', why: 'because', window: 8192 },
  { type: 'retry', attempt: 1, delayMs: 10, why: 'busy' },
  { type: 'vote', stage: 'start', why: 'unsure', workers: ['w1', 'w2'] },
  { type: 'vote', stage: 'candidate', worker: 'w1', shows: 'a' },
  { type: 'vote', stage: 'candidate', worker: 'w2', shows: 'b', discarded: 'no' },
  { type: 'vote', stage: 'end', report },
  { type: 'reasoning-delta', text: 'hm' },
  { type: 'text-delta', text: 'text' },
  { type: 'tool-start', call, title: 'run it' },
  { type: 'tool-diff', callId: 'call-1', files: [diff] },
  {
    type: 'permission-ask',
    askId: 'ask-1',
    call,
    access: [{ kind: 'run', target: 'rm' }],
    why: 'it writes',
    always: { rules: [], text: 'always rm' },
    secrets: [],
  } as RunEvent,
  { type: 'permission-answer', askId: 'ask-1', answer: { allow: true } },
  { type: 'question-ask', askId: 'ask-2', question: 'which?', options: ['a', 'b'] },
  { type: 'question-answer', askId: 'ask-2', text: 'a' },
  { type: 'tool-output', callId: 'call-1', text: 'out' },
  { type: 'tool-end', callId: 'call-1', name: 'run_command', ok: true, text: 'out', ms: 200 },
  { type: 'proposal', command: 'ls' },
  { type: 'compaction', stage: 'shrink', before: 2, after: 1, window: 3 },
  { type: 'subagent-start', subagent: 'helper', task: 'look' } as RunEvent,
  {
    type: 'subagent-end',
    subagent: 'helper',
    ok: true,
    text: 'seen',
    turns: 1,
    tokens: 2,
    ms: 3,
  } as RunEvent,
  { type: 'warning', message: 'careful' },
  { type: 'error', code: 'tool-failed', message: 'broken' },
  {
    type: 'turn-end',
    turn: 1,
    messages: [{ role: 'assistant', text: 'answer', reasoning: 'hm', calls: [] }],
  },
  {
    type: 'run-end',
    runId: 'r1',
    reason: 'no-progress',
    turns: 1,
    changed: ['a.ts'],
    runnable: ['b.sh'],
    attribution: { model: 1, repair: 0, detector: 0 },
    report: 'stuck',
  },
  { type: 'question-ask', askId: 'ask-3', question: 'and?', options: ['a'] },
]

/** Where text of models and tools stands most of the time. */
export const shortTemplates: readonly RunEvent[] = eventTemplates.filter(({ type }) =>
  ['run-start', 'tool-start', 'tool-end', 'warning', 'turn-end', 'run-end'].includes(type),
)

const flock: FlockView = {
  isEnabled: true,
  self: { name: 'me', id: 'abc', running: 1, waiting: 1, freeMemory: 1, models: ['m'], listening: 'here' },
  problem: 'none',
  peers: [
    {
      id: 'p1',
      name: 'peer',
      via: 'lan',
      state: 'here',
      roundTripMs: 1,
      models: [{ id: 'm', window: 1, tokensPerSecond: 2 }],
    },
    { id: 'p2', name: 'gone', via: 'nats', state: 'gone', why: 'silent', models: [] },
  ],
  strangers: [{ id: 's', address: '10.0.0.1' }],
  paired: [{ id: 'p1', name: 'peer', scopes: ['generate'] }],
  queue: { server: 'nats', lines: [{ name: 'peer', jobs: 1, isShared: true }], results: 1 },
  toolHosts: [
    {
      kind: 'remote',
      name: 'host',
      folder: '/shop',
      rules: 'ask',
      address: 'http://10.0.0.2',
      state: 'gone',
      why: 'silent',
      tools: ['read_file'],
      lastCall: { tool: 'read_file', at: 1, ms: 2, ok: false, client: 'laptop' },
    },
  ],
  swarm: { mode: 'always', workers: 3 },
}

const arms: ArmsView = {
  name: 'router',
  arms: [
    {
      id: 'arm',
      isLocal: true,
      window: 1,
      windowFrom: 'reported',
      tools: 'native',
      editForm: 'whole',
      vision: false,
      dialect: 'x',
      requests: 1,
    },
  ],
  tasks: [
    {
      arm: 'arm',
      type: 'code',
      runs: 1,
      quality: { mean: 0.5, low: 0.2, high: 0.8, weight: 1 },
    } as unknown as ArmsView['tasks'][number],
  ],
  sources: {},
  hints: ['hint'],
  pools: [{ name: 'pool', used: 0.5, limits: { requestsPerDay: 1 } }],
  decisions: [
    {
      at: 1,
      runId: 'r',
      cause: 'start',
      classification: { type: 'code' } as unknown as ArmsView['decisions'][number]['classification'],
      decision: {
        arm: 'arm',
        why: 'why',
        reasons: ['reason'],
        ranked: [
          { arm: 'arm', score: 1, quality: 1 },
          { arm: 'other', score: 0, quality: 0 },
        ],
        ruledOut: [{ arm: 'third', why: 'off' }],
        explored: true,
      },
    },
  ],
  regret: [],
  prefill: [],
}

const models: ModelsView = {
  hardware: 'cores',
  models: [{ id: 'm', bytes: 1, source: 'covey', path: '/m' }],
  unfinished: ['half'],
  fits: [
    {
      id: 'f',
      title: 'F',
      window: 1,
      workers: 1,
      bytes: 1,
      place: 'main memory',
      isSlow: false,
      isHere: false,
    },
  ],
  tooLarge: [{ name: 'big', missingBytes: 1, why: 'big' }],
  best: 'f',
  pulls: [{ model: 'm', state: 'failed', bytes: 1, total: 2, note: 'no' }],
}

const facts: { readonly facts: readonly FactLine[] } = {
  facts: [
    {
      id: 1,
      kind: 'fact',
      text: 'fact',
      isGlobal: true,
      source: 'model',
      addedAt: 1,
      uses: 1,
      isReplaced: false,
    },
  ],
}
const skills: SkillsView = {
  entries: [{ name: 's', kind: 'skill', from: 'here', description: 'does', isTrusted: false }],
  warnings: ['careful'],
}
const plan: PlanView = {
  goal: 'goal',
  phase: 'executing',
  tasks: [
    { id: 1, text: 'task', state: 'blocked', outcome: 'out', next: 'next', packets: 1, openSession: 's' },
  ],
  notes: [{ at: 1, text: 'note' }],
}
const safety: SafetyView = {
  mode: 'ask',
  rules: [
    { tool: 't', pattern: 'p', exact: true, verdict: 'allow', folder: '/f', addedAt: '2026-01-01T00:00:00Z' },
  ],
  trusted: [{ path: '/f', addedAt: '2026-01-01', isCurrent: false }],
  sandbox: {
    name: 'bwrap',
    network: false,
    warnings: ['w'],
    mounts: [{ target: '/t', how: 'hidden', why: 'why' }],
  },
  audit: [
    { at: '2026-01-01T00:00:00Z', what: 'refused', tool: 't', targets: ['x'], why: 'why', by: 'person' },
  ],
}

export const pageTemplates = {
  controls: {
    arm: { current: 'arm', list: ['arm'] },
    mode: { current: 'ask', list: ['ask'] },
    runs: [{ runId: 'r', prompt: 'p', paths: ['a'], isUndone: false }],
  },
  pages: {
    flock: { flock },
    arms: { arms },
    models: { models },
    memory: { 'memory**': facts, skills, plan },
    safety: { safety },
  },
} as const
