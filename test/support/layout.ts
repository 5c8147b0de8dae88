/**
 * What ARCHITECTURE.md says, as data: who may import whom, and the files one request passes. `test/architecture.test.ts`
 * enforces both, `npm run docs:architecture` prints them into the page.
 */

const base = ['protocol', 'lib']

/** Rooms, and what each may import besides itself. Arrows point down only. */
const rooms: Readonly<Record<string, readonly string[]>> = {
  protocol: [],
  lib: ['protocol'],
  config: base,
  engine: base,
  context: base,
  dialect: base,
  models: base,
  tools: base,
  guard: base,
  undo: base,
  memory: base,
  plan: base,
  skills: base,
  mcp: base,
  subagents: base,
  router: base,
  swarm: base,
  server: base,
  client: base,
  view: base,
  provider: [...base, 'dialect', 'context'],
  embedded: [...base, 'dialect', 'context'],
  nano: [...base, 'dialect', 'embedded'],
  federation: [...base, 'provider'],
  session: [...base, 'engine', 'context'],
}

export const mayImport: Readonly<Record<string, readonly string[]>> = {
  ...rooms,
  tui: [...base, 'view'],
  shell: base,
  app: Object.keys(rooms).filter((room) => room !== 'client' && room !== 'view'),
  cli: [...base, 'app', 'client', 'config', 'models', 'view', 'tui', 'shell'],
  'main.ts': ['cli'],
  // The public functions stand where they belong; this is the one file that gathers them.
  'index.ts': ['app', 'protocol', 'dialect', 'guard', 'context', 'provider', 'swarm', 'models'],
}

type Step = {
  readonly step: string
  /** Below src/, in the order in which they are passed. */
  readonly files: readonly string[]
}

/** One request from the prompt to the result of its first tool. */
export const trace: readonly Step[] = [
  {
    step: 'The command line becomes a prompt to a session. Every front end does the same: they are all clients of `SessionApi`.',
    files: ['main.ts', 'cli/program.ts', 'cli/run.ts', 'cli/run/prompt.ts', 'cli/run/once.ts'],
  },
  {
    step: 'The app is put together from the configuration: guard, tools, the model that answers, the session.',
    files: [
      'app/open.ts',
      'app/config.ts',
      'app/model.ts',
      'app/guards.ts',
      'app/extras.ts',
      'app/session.ts',
      'app/session-tools.ts',
    ],
  },
  {
    step: 'The session composes the user message (what changes goes in front of it), appends it to the log, answers "accepted", and starts the loop when its turn comes.',
    files: ['session/session.ts', 'context/compose.ts', 'session/log.ts', 'session/run.ts'],
  },
  {
    step: 'The loop reserves an arm: the one the user chose, or the one the router picks from a snapshot of all of them.',
    files: ['engine/loop.ts', 'engine/ask.ts', 'router/router.ts', 'router/choose.ts'],
  },
  {
    step: 'It says which tools the request shows, and the conversation is made to fit. Bytes already sent do not change otherwise.',
    files: ['engine/offer.ts', 'context/fit.ts'],
  },
  {
    step: 'At the arm’s edge the request takes the shape the server accepts. What comes back, however messy, becomes text and calls.',
    files: [
      'context/emit.ts',
      'provider/create.ts',
      'provider/chat/model.ts',
      'dialect/read/reply.ts',
      'router/retry.ts',
    ],
  },
  {
    step: 'The reply is gathered and judged: accepted, asked for again, continued, or the run ends.',
    files: ['engine/collect.ts', 'engine/take-reply.ts', 'engine/remedy.ts', 'engine/stop.ts'],
  },
  {
    step: 'Each call: which tool and which arguments, permission and hooks, the sandbox, the tool, secrets out of what came back. There is a result in every case.',
    files: [
      'engine/run-calls.ts',
      'engine/prepare.ts',
      'engine/run-tool.ts',
      'engine/pass-guard.ts',
      'guard/permission/decide.ts',
      'guard/exec.ts',
      'tools/run-command.ts',
      'guard/secrets/firewall.ts',
    ],
  },
]
