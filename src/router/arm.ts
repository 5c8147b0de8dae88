/**
 * An arm with what is learnt about it while it works: its real window (from a refusal that names it, or from a prompt
 * that was silently cut), its speed, and whether its server can read calls at all.
 */
import type { ArmProfile, Capabilities, Lease } from '../protocol/arm.ts'
import { AppError } from '../protocol/error.ts'
import type { Model, ModelEvent, ModelRequest } from '../protocol/model.ts'
import { SMALLEST_WINDOW } from '../protocol/token-limits.ts'

type PromptReport = { readonly counted: number; readonly reported: number }

export type ArmParts = {
  readonly id: string
  readonly local: boolean
  readonly capabilities: Capabilities
  readonly sampling?: Pick<ArmProfile, 'temperature' | 'thinking'>
  /** The same model asked in two ways; without `text` its tools cannot be shown as text. */
  readonly native: Model
  readonly text?: Model
  readonly counter: {
    count(text: string): number
    observe(counted: number, reported: number): void
    isExact?(): boolean
  }
  /** What the whole request takes, counted as the budget counts it. */
  countRequest(request: ModelRequest): number
  /** The smaller window that a report gives away, if it does; `previous` is the report before. */
  learnWindow(window: number, report: PromptReport, previous?: PromptReport): number | undefined
  now(): number
}

export type Arm = { readonly id: string; profile(): ArmProfile; lease(why: string): Lease }

export function createArm(parts: ArmParts): Arm {
  let capabilities = parts.capabilities
  let previous: PromptReport | undefined
  const profile = (): ArmProfile => ({ id: parts.id, local: parts.local, capabilities, ...samplingOf(parts) })
  const shrink = (window: number) => {
    if (window >= capabilities.window || window < SMALLEST_WINDOW) return
    capabilities = { ...capabilities, window, windowFrom: 'learned' }
  }
  const observe = (seen: Observation) => {
    const { counted, reported, speeds } = seen
    capabilities = { ...capabilities, speeds: { ...capabilities.speeds, ...speeds } }
    if (reported === undefined) return
    const learned = parts.learnWindow(capabilities.window, { counted, reported }, previous)
    previous = { counted, reported }
    if (learned) shrink(learned)
    else parts.counter.observe(counted, reported)
  }

  return {
    id: parts.id,
    profile,
    lease: (why) => ({
      arm: profile(),
      why,
      model: measured(
        capabilities.tools === 'text' && parts.text ? parts.text : parts.native,
        parts,
        observe,
      ),
      countTokens: (text) => parts.counter.count(text),
      isExact: () => parts.counter.isExact?.() ?? false,
      commit: () => {},
      release(error) {
        if (!(error instanceof AppError) || error.code !== 'context-overflow') return
        shrink(windowAfter(error.details, capabilities.window))
      },
      toText() {
        if (!parts.text || capabilities.tools === 'text') return false
        capabilities = { ...capabilities, tools: 'text' }
        return true
      },
    }),
  }
}

const samplingOf = ({ sampling }: ArmParts): Pick<ArmProfile, 'temperature' | 'thinking'> => ({
  ...(sampling?.temperature !== undefined && { temperature: sampling.temperature }),
  ...(sampling?.thinking !== undefined && { thinking: sampling.thinking }),
})

type Observation = {
  readonly counted: number
  readonly reported?: number
  readonly speeds: { readonly prefill?: number; readonly decode?: number }
}

/** The model itself; the size and speed seen in its stream are reported to the arm. */
const measured = (
  model: Model,
  { countRequest, now }: ArmParts,
  observe: (seen: Observation) => void,
): Model => ({
  name: model.name,
  async *stream(request, signal) {
    const counted = countRequest(request)
    const started = now()
    let first: number | undefined
    for await (const event of model.stream(request, signal)) {
      if (first === undefined && isOutput(event)) first = now()
      if (event.type === 'usage')
        observe(toObservation(event, { counted, started, first: first ?? now(), ended: now() }))
      yield event
    }
  },
})

type Times = {
  readonly counted: number
  readonly started: number
  readonly first: number
  readonly ended: number
}

function toObservation({ usage }: Extract<ModelEvent, { type: 'usage' }>, times: Times): Observation {
  const prefill = rate(usage.prompt - (usage.cached ?? 0), times.first - times.started)
  const decode = rate(usage.completion, times.ended - times.first)
  return {
    counted: times.counted,
    ...(usage.prompt > 0 && { reported: usage.prompt }),
    speeds: { ...(prefill && { prefill }), ...(decode && { decode }) },
  }
}

/** Tokens a second; nothing where the sample is too small to mean anything. */
const rate = (tokens: number, ms: number): number | undefined =>
  tokens >= 16 && ms >= 20 ? Math.round((tokens / ms) * 1000) : undefined

const isOutput = ({ type }: ModelEvent): boolean =>
  type === 'text-delta' || type === 'reasoning-delta' || type === 'tool-call'

/**
 * What the arm's window is taken for after a prompt that did not fit. Where the server names the window that is known
 * already, the prompt was counted too low: the window shrinks by as much as the count was off, not to half.
 */
function windowAfter({ window, promptTokens }: AppError['details'], known: number): number {
  const half = Math.floor(known / 2)
  if (window === undefined) return half
  if (window < known) return window
  return promptTokens !== undefined && promptTokens > window
    ? Math.max(half, Math.floor((known * window) / promptTokens))
    : half
}
