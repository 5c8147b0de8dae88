/** `POST /v1/chat/completions`: the API most clients speak. */
import { randomInt } from 'node:crypto'
import type { Usage } from '../../protocol/model.ts'
import { answer, isAgentAsked } from '../api/answer.ts'
import { addUsage, type ApiParts, type Ask, type Caller } from '../api/ask.ts'
import {
  chatEnvelope,
  ChatCompletion,
  ChoiceStream,
  type Envelope,
  toCompletion,
  toUsageChunk,
} from './chat-reply.ts'
import { ChatRequest, fromChat } from './chat-request.ts'
import { collectAll, sideBySide } from '../api/collect.ts'
import { toFailure, toPart, unsupported } from '../api/wire.ts'
import { defineRoute, type Route, type StreamPart } from '../http/route.ts'

export const chatRoute = (parts: ApiParts): Route =>
  defineRoute({
    method: 'POST',
    path: '/v1/chat/completions',
    scope: 'chat',
    summary: 'Answers a conversation, as OpenAI does; an agent answers where the model is covey/agent.',
    body: ChatRequest,
    reply: ChatCompletion,

    async handle({ body, ...caller }) {
      const count = body.n ?? 1
      const ask = withoutVote(fromChat(withSeed(body, count), caller), count)
      if (count > 1 && isAgentAsked(ask))
        throw unsupported('n', 'an agent changes files; ask it for one answer at a time')
      const envelope = chatEnvelope(ask.model ?? defaultName(parts), parts.now())
      if (!body.stream) return { kind: 'json', body: await complete({ ask, count, envelope }, parts, caller) }
      const includeUsage = body.stream_options?.include_usage ?? false
      return {
        kind: 'stream',
        format: 'sse',
        parts: streamChat({ ask, count, envelope, includeUsage }, parts, caller),
        failure: toFailure('openai', caller.id),
      }
    },
  })

/** A client that asks for several answers wants the answers, not the result of a vote. */
function withoutVote(ask: Ask, count: number): Ask {
  if (count === 1 || ask.model !== 'covey/swarm') return ask
  const { model: _, ...rest } = ask
  return rest
}

export const defaultName = ({ models }: ApiParts): string => models.list()[0]?.id ?? 'covey/auto'

type Asked = { readonly ask: Ask; readonly count: number; readonly envelope: Envelope }

async function complete(
  { ask, count, envelope }: Asked,
  parts: ApiParts,
  caller: Caller,
): Promise<ChatCompletion> {
  const open = (index: number, signal: AbortSignal) =>
    answer(varied(ask, index), parts, { ...caller, signal })
  const answers = await collectAll(count, open, caller)
  return toCompletion(envelope, answers, answers.map(({ usage }) => usage).reduce(addUsage))
}

async function* streamChat(
  { ask, count, envelope, includeUsage }: Asked & { readonly includeUsage: boolean },
  parts: ApiParts,
  caller: Caller,
): AsyncGenerator<StreamPart> {
  const choices = Array.from({ length: count }, (_, index) => new ChoiceStream(envelope, index))
  let used: Usage | undefined
  const open = (index: number, signal: AbortSignal) =>
    answer(varied(ask, index), parts, { ...caller, signal })
  for await (const event of sideBySide(count, open, caller)) {
    if (event.type === 'finish') used = used ? addUsage(used, event.usage) : event.usage
    for (const part of choices[event.choice ?? 0]?.take(event) ?? []) yield part
  }
  if (includeUsage && used) yield toPart(toUsageChunk(envelope, used))
  yield { data: '[DONE]' }
}

/** Several answers to one question must be able to differ: each has a seed of its own, even without a requested one. */
export const withSeed = <Body extends { readonly seed?: number | null | undefined }>(
  body: Body,
  count: number,
): Body => (count === 1 || typeof body.seed === 'number' ? body : { ...body, seed: randomInt(LARGEST_SEED) })

/** Some servers take 32 bits only. */
const LARGEST_SEED = 2 ** 31 - 100

export const varied = (ask: Ask, index: number): Ask => {
  const { seed } = ask.request
  return index === 0 || seed === undefined ? ask : { ...ask, request: { ...ask.request, seed: seed + index } }
}
