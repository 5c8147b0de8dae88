/** The loop alone, with hand-made tools and arms: for what no built-in tool and no server does. */
import { createFit } from '../../src/context/fit.ts'
import { runLoop } from '../../src/engine/loop.ts'
import type { LoopEvent, LoopParts } from '../../src/engine/parts.ts'
import { standardRules } from '../../src/engine/stop.ts'
import { toToolSchema } from '../../src/lib/schema.ts'
import type { Capabilities, Lease, Reserve } from '../../src/protocol/arm.ts'
import type { RunEnd } from '../../src/protocol/event.ts'
import type { Message } from '../../src/protocol/message.ts'
import type { Model } from '../../src/protocol/model.ts'
import type { Files, Results, Tool } from '../../src/protocol/tool.ts'

export type BareRun = {
  /** The second answers once the first got stuck. */
  readonly models: readonly [Model, Model?]
  readonly tools?: readonly Tool[]
  readonly capabilities?: Partial<Capabilities>
  /** The second answers from the second question on, and cannot go on with a message. */
  readonly movesOn?: boolean
  readonly results?: Partial<Results>
  readonly maxTurns?: number
  readonly prompt?: string
  readonly signal?: AbortSignal
  onEvent?(event: LoopEvent): void
}

export type BareEnd = {
  readonly end: RunEnd
  readonly events: readonly LoopEvent[]
  readonly added: readonly Message[]
}

export async function bareRun(run: BareRun): Promise<BareEnd> {
  const prompt = run.prompt ?? 'Do it.'
  const loop = runLoop([{ role: 'user', text: prompt }], toParts(run, prompt), run.signal ?? never())
  const events: LoopEvent[] = []
  for (;;) {
    const { value, done } = await loop.next()
    if (done) return { end: value, events, added: messagesOf(events) }
    events.push(value)
    run.onEvent?.(value)
  }
}

const never = (): AbortSignal => new AbortController().signal

const messagesOf = (events: readonly LoopEvent[]): readonly Message[] =>
  events.flatMap((event) => (event.type === 'message' ? [event.message] : []))

function toParts(run: BareRun, prompt: string): LoopParts {
  const { tools = [], results, maxTurns = 50 } = run
  const [, second] = run.models
  return {
    runId: 'run-1',
    sessionId: 'session-1',
    prompt,
    system: 'You are a test.',
    options: {},
    stopRules: standardRules(maxTurns),
    reserve: reserveOf(run),
    hasOther: () => second !== undefined,
    fit: createFit({ system: 'You are a test.' }),
    offer: () => ({ tools: tools.map(toToolSchema) }),
    toolAccess: {
      list: () => tools,
      authorize: async () => ({ verdict: 'allow', why: 'a test' }),
      askPermission: async () => ({ allow: false }),
      context: {
        files: emptyFiles,
        exec: { jobs: () => [] } as never,
        results: { put: storeNothing, read: async () => undefined, list: async () => [], ...results },
        ask: async () => '',
        cwd: '/',
      },
    },
    seed: () => 1,
    now: () => 0,
  }
}

function reserveOf({ models: [first, second = first], capabilities, movesOn }: BareRun): Reserve {
  let asked = 0
  return async ({ escalated }) => {
    if (movesOn && ++asked > 1) return toLease(second, { ...capabilities, prefill: false })
    return toLease(escalated === undefined ? first : second, capabilities)
  }
}

const storeNothing: Results['put'] = async (label, text) => ({
  id: 'r1',
  label,
  bytes: text.length,
  lines: 1,
})

const emptyFiles: Files = {
  root: '/',
  read: async () => '',
  async *stream() {},
  write: async () => {},
  remove: async () => {},
  info: async () => undefined,
  list: async () => [],
}

const toLease = (model: Model, capabilities: Partial<Capabilities> = {}): Lease => ({
  arm: {
    id: model.name,
    local: true,
    capabilities: {
      window: 8192,
      windowFrom: 'configured',
      tools: 'native',
      emission: { base: 'tool-role' },
      reasoning: 'drop',
      editForm: 'search',
      requiredChoice: false,
      prefill: false,
      vision: false,
      ...capabilities,
    },
  },
  model,
  why: 'a test',
  countTokens: (text) => Math.ceil(text.length / 4),
  commit: () => {},
  release: () => {},
  toText: () => false,
})
