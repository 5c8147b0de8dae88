/** `POST /v1/messages` and its token count: for the clients of Anthropic. */
import { z } from 'zod'
import { answer } from '../api/answer.ts'
import type { ApiParts, Ask, Caller } from '../api/ask.ts'
import { defaultName } from '../openai/chat.ts'
import { collect } from '../api/collect.ts'
import { type MessageHead, MessageReply, MessageStream, toMessage } from './reply.ts'
import { CountRequest, fromMessages, MessagesRequest } from './request.ts'
import { toFailure, toNamedPart } from '../api/wire.ts'
import { readAgentName } from '../sessions/agent.ts'
import { newId } from '../http/new-id.ts'
import { defineRoute, type Route, type StreamPart } from '../http/route.ts'

export const messagesRoutes = (parts: ApiParts): readonly Route[] => [messagesRoute(parts), countRoute(parts)]

const messagesRoute = (parts: ApiParts): Route =>
  defineRoute({
    method: 'POST',
    path: '/v1/messages',
    scope: 'chat',
    summary: 'Answers a conversation, as Anthropic does.',
    body: MessagesRequest,
    reply: MessageReply,
    errors: 'anthropic',

    async handle({ body, ...caller }) {
      const ask = fromMessages(body, caller)
      const head = { id: newId('msg_'), model: ask.model ?? defaultName(parts) }
      const withThinking = body.thinking?.type !== 'disabled'
      if (!body.stream) {
        const collected = await collect(answer(ask, parts, caller))
        return { kind: 'json', body: toMessage(head, collected, withThinking) }
      }
      return {
        kind: 'stream',
        format: 'sse',
        parts: streamMessage({ ask, head, withThinking }, parts, caller),
        failure: toFailure('anthropic', caller.id),
      }
    },
  })

type Asked = { readonly ask: Ask; readonly head: MessageHead; readonly withThinking: boolean }

async function* streamMessage(
  { ask, head, withThinking }: Asked,
  parts: ApiParts,
  caller: Caller,
): AsyncGenerator<StreamPart> {
  const stream = new MessageStream(head, withThinking)
  for await (const event of answer(ask, parts, caller))
    for (const told of stream.take(event)) yield toNamedPart(told)
}

const TokenCount = z.strictObject({ input_tokens: z.int() })

const countRoute = (parts: ApiParts): Route =>
  defineRoute({
    method: 'POST',
    path: '/v1/messages/count_tokens',
    scope: 'chat',
    summary: 'How many tokens a request would take, as the model counts them.',
    body: CountRequest,
    reply: TokenCount,
    errors: 'anthropic',

    async handle({ body, ...caller }) {
      const { model, request } = fromMessages(body, caller)
      const isAgent = model !== undefined && readAgentName(model) !== undefined
      const lease = await parts.models.reserve(isAgent ? undefined : model, caller.signal)
      try {
        return { kind: 'json', body: { input_tokens: parts.models.count(request, lease) } }
      } finally {
        lease.release()
      }
    },
  })
