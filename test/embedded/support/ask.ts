/** A model file of one's own, and asking it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import type { Model, ModelEvent, ModelRequest, Usage } from '../../../src/protocol/model.ts'

/** A folder that is gone after the tests of the file. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'covey-embedded-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export const NEVER: AbortSignal = new AbortController().signal

export const requestOf = (prompt: string, more: Partial<ModelRequest> = {}): ModelRequest => ({
  runId: 'run-1',
  sessionId: 'session-1',
  turn: 1,
  system: '',
  messages: [{ role: 'user', text: prompt }],
  tools: [],
  temperature: 0,
  maxTokens: 24,
  ...more,
})

export async function collect(events: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  const all: ModelEvent[] = []
  for await (const event of events) all.push(event)
  return all
}

export type Answer = {
  readonly text: string
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: string }[]
  readonly usage: Usage
  readonly finish: string
}

export const ask = async (model: Model, request: ModelRequest): Promise<Answer> =>
  toAnswer(await collect(model.stream(request, new AbortController().signal)))

export function toAnswer(events: readonly ModelEvent[]): Answer {
  const answer = { text: '', calls: [] as Answer['calls'][number][], usage: {} as Usage, finish: 'none' }
  for (const event of events) {
    if (event.type === 'text-delta') answer.text += event.text
    if (event.type === 'tool-call') answer.calls.push(event.call)
    if (event.type === 'usage') answer.usage = event.usage
    if (event.type === 'finish') answer.finish = event.reason
  }
  return answer
}
