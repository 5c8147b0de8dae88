/**
 * One reply out of a model's stream: deltas go on to whoever watches, the rest is gathered. A stream that starts to
 * repeat itself is left at once; what it said is kept with one copy of the repeated part.
 */
import type { RunEvent } from '../protocol/event.ts'
import type { ToolCall } from '../protocol/message.ts'
import type { FinishReason, ModelEvent, Usage } from '../protocol/model.ts'
import { createRepetitionWatch } from './repetition.ts'

export type BadCall = { readonly name?: string; readonly reason: string }

export type Reply = {
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly ToolCall[]
  readonly badCalls: readonly BadCall[]
  readonly finish: FinishReason
  readonly usage?: Usage
  /** Which stream went in circles. */
  readonly repetition?: 'text' | 'reasoning'
}

export async function* collectReply(stream: AsyncIterable<ModelEvent>): AsyncGenerator<RunEvent, Reply> {
  let gathering = startGathering()
  for await (const event of stream) {
    if (event.type === 'reply-restart') gathering = startGathering()
    const shown = gathering.take(event)
    if (shown) yield shown
    if (gathering.repetition) break
  }
  return gathering.reply()
}

function startGathering() {
  const streams = { text: startStream(), reasoning: startStream() }
  const calls: ToolCall[] = []
  const badCalls: BadCall[] = []
  let finish: FinishReason = 'unknown'
  let usage: Usage | undefined
  let repetition: Reply['repetition']

  const takeText = (name: 'text' | 'reasoning', delta: string): RunEvent => {
    if (streams[name].push(delta)) repetition = name
    return { type: `${name}-delta`, text: delta }
  }

  return {
    get repetition() {
      return repetition
    },
    /** Keeps the event; returns what a watcher should see of it. */
    take(event: ModelEvent): RunEvent | undefined {
      switch (event.type) {
        case 'text-delta':
          return takeText('text', event.text)
        case 'reasoning-delta':
          return takeText('reasoning', event.text)
        case 'tool-call':
          calls.push(event.call)
          return undefined
        case 'bad-call':
          badCalls.push(event)
          return undefined
        case 'finish':
          finish = event.reason
          return undefined
        case 'usage':
          usage = event.usage
          return undefined
        default:
          return event
      }
    },
    reply: (): Reply => ({
      text: streams.text.kept(),
      reasoning: streams.reasoning.kept(),
      calls: repetition ? [] : calls,
      badCalls,
      finish,
      ...(usage && { usage }),
      ...(repetition && { repetition }),
    }),
  }
}

function startStream() {
  const watch = createRepetitionWatch()
  let text = ''
  return {
    /** True when the stream has begun to go in circles. */
    push(delta: string): boolean {
      text += delta
      const finding = watch.push(delta)
      if (finding) text = text.slice(0, finding.keep)
      return finding !== undefined
    },
    kept: () => text,
  }
}
