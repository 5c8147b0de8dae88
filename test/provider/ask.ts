/** Asking a model on a scripted server, in one line. */
import { onTestFinished } from 'vitest'
import { createProviderModel, type ProviderSpec } from '../../src/provider/create.ts'
import type { AppError } from '../../src/protocol/error.ts'
import type { Model, ModelEvent, ModelRequest } from '../../src/protocol/model.ts'
import {
  startModelServer,
  type ModelServer,
  type ModelServerOptions,
  type ScriptedServerReply,
} from '../support/model-server.ts'

export const request = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  runId: 'run-1',
  sessionId: 'session-1',
  turn: 1,
  system: 'You are a test.',
  messages: [{ role: 'user', text: 'Hello' }],
  tools: [],
  ...more,
})

export const readFileSchema = {
  name: 'read_file',
  description: 'Read a file.',
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
}

export async function serve(
  script: readonly ScriptedServerReply[],
  options: ModelServerOptions = {},
): Promise<ModelServer> {
  const server = await startModelServer(script, options)
  onTestFinished(() => server.close())
  return server
}

export const modelAt = (baseUrl: string, more: Partial<ProviderSpec> = {}): Model =>
  createProviderModel({
    kind: 'openai-compatible',
    name: 'test-arm',
    model: 'test-model',
    baseUrl,
    emission: { base: 'tool-role' },
    reasoning: 'drop',
    local: true,
    ...more,
  })

export async function ask(
  model: Model,
  asked: ModelRequest = request(),
  signal: AbortSignal = new AbortController().signal,
): Promise<ModelEvent[]> {
  const events: ModelEvent[] = []
  for await (const event of model.stream(asked, signal)) events.push(event)
  return events
}

/** The events before the failure, and the failure as a plain value. */
export async function askInVain(model: Model, asked: ModelRequest = request()) {
  const events: ModelEvent[] = []
  try {
    for await (const event of model.stream(asked, new AbortController().signal)) events.push(event)
  } catch (error) {
    const { code, message, details } = error as AppError
    return { events, code, message, details }
  }
  throw new Error('it was answered')
}

/** Deltas of one kind joined, so that a test compares what was said and not how it was cut. */
export function joined(events: readonly ModelEvent[]): ModelEvent[] {
  const result: ModelEvent[] = []
  for (const event of events) {
    const last = result.at(-1)
    const sameDelta =
      (event.type === 'text-delta' || event.type === 'reasoning-delta') && last?.type === event.type
    if (sameDelta) result[result.length - 1] = { type: event.type, text: last.text + event.text }
    else result.push(event)
  }
  return result
}
