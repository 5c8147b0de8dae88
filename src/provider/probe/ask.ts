/** One small question of the probe, asked as the arm would be asked, but with nothing read into or out of the answer. */
import type { ArmSettings, EmissionMode } from '../../protocol/arm.ts'
import { AppError } from '../../protocol/error.ts'
import type { ToolCall } from '../../protocol/message.ts'
import type { Model, ModelRequest, Usage } from '../../protocol/model.ts'
import { createProviderModel } from '../create.ts'
import type { Findings } from './findings.ts'
import { defined } from '../../lib/object.ts'

export type ProbeReply = {
  readonly text: string
  /** Those the server found itself. */
  readonly calls: readonly ToolCall[]
  readonly usage?: Usage
  /** The server understood the question and refused it. */
  readonly refusal?: AppError
  readonly firstMs: number
  readonly totalMs: number
}

type ProbeQuestion = Partial<ModelRequest> & { readonly emission?: EmissionMode }
export type AskProbe = (question: ProbeQuestion) => Promise<ProbeReply>

/** No answer of the probe needs more. */
const ANSWER_TOKENS = 256

export function createAskProbe(
  settings: ArmSettings,
  findings: Findings,
  now: () => number,
  signal: AbortSignal,
): AskProbe {
  const models = new Map<string, Model>()
  return async ({ emission = { base: 'tool-role' }, ...question }) => {
    const key = JSON.stringify(emission)
    const model = models.get(key) ?? bareModel(settings, findings, emission)
    models.set(key, model)
    const reply = { text: '', calls: [] as ToolCall[], firstMs: 0 }
    const started = now()
    let usage: Usage | undefined
    try {
      for await (const event of model.stream({ ...SMALL_QUESTION, ...question }, signal)) {
        reply.firstMs ||= now() - started
        if (event.type === 'text-delta') reply.text += event.text
        if (event.type === 'tool-call') reply.calls.push(event.call)
        if (event.type === 'usage') usage = event.usage
      }
    } catch (error) {
      if (!isRefusal(error)) throw error
      return { ...reply, refusal: error, totalMs: now() - started }
    }
    signal.throwIfAborted()
    return { ...reply, ...defined({ usage }), totalMs: now() - started }
  }
}

const SMALL_QUESTION: ModelRequest = {
  runId: 'probe',
  sessionId: 'probe',
  turn: 1,
  system: '',
  messages: [{ role: 'user', text: 'Say hello.' }],
  tools: [],
  maxTokens: ANSWER_TOKENS,
  temperature: 0,
  thinking: 'off',
}

function bareModel(
  { id, kind, model, baseUrl, apiKey, headers, local }: ArmSettings,
  { server, window }: Findings,
  emission: EmissionMode,
): Model {
  return createProviderModel({
    name: id,
    kind,
    model,
    headers,
    local,
    emission,
    reasoning: 'drop',
    vision: true,
    ...defined({ baseUrl, apiKey }),
    ...(server?.value === 'llama-cpp-python' && { isPythonServer: true }),
    ...(server?.value === 'ollama' && window && { numCtx: window.value }),
  })
}

/** A server that is not there, busy, loading or wants a key says nothing about the question. */
const isRefusal = (error: unknown): error is AppError =>
  error instanceof AppError &&
  error.details.status !== undefined &&
  !error.details.loading &&
  error.code !== 'credential' &&
  error.code !== 'rate-limited'
