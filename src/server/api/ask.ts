/**
 * What every API boils down to: a question for a model or an agent, and the events of its answer. Each API only turns
 * its own words into an Ask, and AnswerEvents back into its own words.
 */
import type {
  FinishReason,
  JsonSchema,
  ModelRequest,
  TokenChance,
  ToolSchema,
  Usage,
} from '../../protocol/model.ts'
import type { ToolCall } from '../../protocol/message.ts'
import type { VoteEvent } from '../../protocol/vote.ts'
import { conversationId, type Said, toConversation } from './conversation.ts'
import type { Sampling } from './sampling.ts'
import type { AgentParts, ModelParts } from '../parts.ts'
import type { FairQueue } from '../http/queue.ts'
import type { RouteRequest } from '../http/route.ts'

export type ApiParts = {
  readonly models: ModelParts
  readonly agents: AgentParts
  readonly queue: FairQueue
  /** What to do with a request that is larger than the model's window. */
  readonly fit: 'auto' | 'off'
  /** Milliseconds since 1970. */
  now(): number
}

export type Ask = {
  /** As the client named it; absent = the default one. */
  readonly model?: string
  readonly request: ModelRequest
  /** False: only the first call of a reply counts. */
  readonly parallelCalls: boolean
  /** Whether the agent's activity is sent as reasoning. */
  readonly activity: boolean
  /** The client sees the answer while it arrives; otherwise it can still be repaired as a whole at the end. */
  readonly isStream: boolean
  /** What the answer stands between; the request asks for the same in words. */
  readonly gap?: Gap
}

/** A gap in a text. */
export type Gap = { readonly before: string; readonly after: string }

export type Caller = Pick<RouteRequest, 'id' | 'client' | 'scopes' | 'signal' | 'headers'>

export type AnswerEvent =
  /** Told each time it changes, before `start`. */
  | { readonly type: 'waiting'; readonly position: number }
  | {
      readonly type: 'start'
      readonly model: string
      /** What was shortened to make the request fit. */
      readonly shortened: readonly string[]
      /** Our own count; the server's count comes with `finish`. */
      promptTokens(): number
    }
  /** `chances` where the client asked for them, of the tokens in this text. */
  | { readonly type: 'text-delta'; readonly text: string; readonly chances?: readonly TokenChance[] }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  | { readonly type: 'tool-call'; readonly call: ToolCall }
  /** Everything told so far is void; only sent when something was. */
  | { readonly type: 'restart'; readonly why: string }
  /** What an agent does, as data for clients that know Covey. */
  | { readonly type: 'activity'; readonly activity: Activity }
  /** How several answers become one. */
  | { readonly type: 'vote'; readonly vote: VoteEvent }
  | { readonly type: 'finish'; readonly reason: FinishReason; readonly usage: Usage }

export type Activity =
  | { readonly type: 'tool-start'; readonly call_id: string; readonly name: string; readonly title: string }
  | { readonly type: 'tool-end'; readonly call_id: string; readonly name: string; readonly ok: boolean }
  | { readonly type: 'run-end'; readonly reason: string; readonly changed: readonly string[] }

export type Answer = AsyncGenerator<AnswerEvent, void>

/** What an API read out of its own kind of request. */
export type Wish = Partial<
  Pick<
    ModelRequest,
    'tools' | 'toolChoice' | 'responseFormat' | 'maxTokens' | 'logprobs' | 'stop' | 'thinking'
  >
> &
  Sampling & {
    readonly model: string | null | undefined
    readonly said: readonly Said[]
    readonly isStream: boolean
    readonly parallelCalls?: boolean
    readonly activity?: boolean
    readonly gap?: Gap
  }

export function toAsk(given: Wish, caller: Caller): Ask {
  const { model, said, isStream, parallelCalls = true, activity, gap, ...wish } = given
  const conversation = toConversation(said)
  return {
    ...(model && { model: model.replace(/:latest$/, '') }),
    isStream,
    parallelCalls,
    ...(gap && { gap }),
    activity: activity ?? caller.headers['x-covey-activity'] !== 'off',
    request: {
      runId: caller.id,
      sessionId: conversationId(caller.client, conversation),
      turn: conversation.messages.filter(({ role }) => role === 'assistant').length + 1,
      ...conversation,
      tools: [],
      ...wish,
    },
  }
}

/** Tools as most APIs give them: only a name is sure to be there. */
export const toTool = (tool: {
  readonly name: string
  readonly description?: string | null | undefined
  readonly parameters?: JsonSchema | null | undefined
}): ToolSchema => ({
  name: tool.name,
  ...(tool.description && { description: tool.description }),
  parameters: tool.parameters ?? { type: 'object', properties: {} },
})

export const addUsage = (a: Usage, b: Usage): Usage => ({
  prompt: a.prompt + b.prompt,
  completion: a.completion + b.completion,
  ...((a.cached ?? b.cached) !== undefined && { cached: (a.cached ?? 0) + (b.cached ?? 0) }),
  ...((a.reasoning ?? b.reasoning) !== undefined && { reasoning: (a.reasoning ?? 0) + (b.reasoning ?? 0) }),
})
