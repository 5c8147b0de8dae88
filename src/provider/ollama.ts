/**
 * Ollama's own chat API as a language model of the AI SDK. Its OpenAI-compatible API cannot say how large the window
 * shall be and loads the model anew with the default; here every request carries `num_ctx`.
 */
import type {
  LanguageModelV3CallOptions,
  LanguageModelV3Message,
  LanguageModelV3ToolResultPart,
} from '@ai-sdk/provider'
import { z } from 'zod'
import type { StreamingModel } from './sdk/ai-sdk.ts'
import { readChances } from './chances.ts'
import type { ServerClient } from './server-client.ts'
import type { Endpoint } from './errors.ts'
import { argumentText, finishPart, readChunk, type ReplyPart } from './sdk/stream-parts.ts'
import { defined } from '../lib/object.ts'

export type OllamaOptions = { readonly model: string; readonly numCtx: number }

export const createOllamaModel = (client: ServerClient, options: OllamaOptions): StreamingModel => ({
  provider: 'ollama',
  tellsLogprobs: true,
  async doStream(call) {
    const signal = call.abortSignal ?? new AbortController().signal
    const answer = client.stream('/api/chat', toBody(call, options), signal)
    // Asked for here: a refusal must be an error of the request, not of the stream.
    const first = await answer.next()
    return { stream: toParts(first, answer, client.endpoint) }
  },
})

function toBody(call: LanguageModelV3CallOptions, { model, numCtx }: OllamaOptions): object {
  const { repeat_penalty: penalty, ...fields } = call.providerOptions?.['ollama'] ?? {}
  return {
    model,
    stream: true,
    messages: call.prompt.flatMap(toMessages),
    ...(call.tools && { tools: call.tools.flatMap(toTool) }),
    ...(call.responseFormat?.type === 'json' && { format: call.responseFormat.schema ?? 'json' }),
    ...fields,
    options: {
      num_ctx: numCtx,
      ...defined({
        num_predict: call.maxOutputTokens,
        temperature: call.temperature,
        top_p: call.topP,
        presence_penalty: call.presencePenalty,
        frequency_penalty: call.frequencyPenalty,
        seed: call.seed,
        stop: call.stopSequences,
        repeat_penalty: penalty,
      }),
    },
  }
}

const toTool = (tool: NonNullable<LanguageModelV3CallOptions['tools']>[number]): object[] =>
  tool.type === 'function'
    ? [
        {
          type: 'function',
          function: { name: tool.name, description: tool.description ?? '', parameters: tool.inputSchema },
        },
      ]
    : []

function toMessages(message: LanguageModelV3Message): object[] {
  switch (message.role) {
    case 'system':
      return [{ role: 'system', content: message.content }]
    case 'user':
      return [toUser(message)]
    case 'assistant':
      return [toAssistant(message)]
    case 'tool':
      return message.content.flatMap((part) => (part.type === 'tool-result' ? [toResult(part)] : []))
  }
}

function toUser({ content }: Extract<LanguageModelV3Message, { role: 'user' }>): object {
  const images = content.flatMap((part) =>
    part.type === 'file' && typeof part.data === 'string' ? [part.data] : [],
  )
  return { role: 'user', content: textOf(content), ...(images.length > 0 && { images }) }
}

function toAssistant({ content }: Extract<LanguageModelV3Message, { role: 'assistant' }>): object {
  const thinking = content.flatMap((part) => (part.type === 'reasoning' ? [part.text] : [])).join('')
  const calls = content.flatMap((part) =>
    part.type === 'tool-call' ? [{ function: { name: part.toolName, arguments: part.input } }] : [],
  )
  return {
    role: 'assistant',
    content: textOf(content),
    ...(thinking !== '' && { thinking }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
}

const toResult = ({ toolName, output }: LanguageModelV3ToolResultPart): object => ({
  role: 'tool',
  tool_name: toolName,
  content: 'value' in output && typeof output.value === 'string' ? output.value : '',
})

const textOf = (content: readonly { readonly type: string }[]): string =>
  content.flatMap((part) => (part.type === 'text' && 'text' in part ? [String(part.text)] : [])).join('\n\n')

const Chunk = z.object({
  message: z
    .object({
      content: z.string().nullish(),
      thinking: z.string().nullish(),
      tool_calls: z
        .array(
          z.object({
            id: z.string().optional(),
            function: z.object({ name: z.string(), arguments: z.unknown() }),
          }),
        )
        .nullish(),
    })
    .optional(),
  logprobs: z.unknown().optional(),
  done: z.boolean().default(false),
  done_reason: z.string().optional(),
  prompt_eval_count: z.number().optional(),
  eval_count: z.number().optional(),
})

async function* toParts(
  first: IteratorResult<unknown>,
  rest: AsyncGenerator<unknown>,
  endpoint: Endpoint,
): AsyncGenerator<ReplyPart> {
  try {
    if (first.done) return
    yield* partsOf(readChunk(Chunk, first.value, endpoint))
    for await (const value of rest) yield* partsOf(readChunk(Chunk, value, endpoint))
  } finally {
    // Also where the first piece was the last: the connection would stay open.
    await rest.return(undefined)
  }
}

function* partsOf(chunk: z.output<typeof Chunk>): Generator<ReplyPart> {
  const { content, thinking, tool_calls: calls } = chunk.message ?? {}
  if (thinking) yield { type: 'reasoning-delta', id: '0', delta: thinking }
  if (content) yield { type: 'text-delta', id: '0', delta: content }
  const tokens = chunk.logprobs ? readChances(chunk.logprobs) : []
  if (tokens.length > 0) yield { type: 'logprobs', tokens }
  for (const call of calls ?? []) {
    const { name, arguments: given } = call.function
    yield { type: 'tool-call', toolCallId: call.id ?? '', toolName: name, input: argumentText(given) || '{}' }
  }
  if (!chunk.done) return
  yield finishPart(chunk.done_reason ?? 'stop', {
    prompt: chunk.prompt_eval_count,
    completion: chunk.eval_count,
  })
}
