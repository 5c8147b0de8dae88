/** What the scripted server says in one reply, and how OpenAI-compatible servers write it down. */

type ServerCall = {
  /** `null` = the server gives none. */
  readonly id?: string | null
  readonly name?: string
  /** Text goes out as it is, broken JSON included. */
  readonly arguments: object | string
}

type ServerUsage = {
  readonly prompt: number
  readonly completion: number
  readonly cached?: number
  readonly reasoning?: number
}

export type ServerReply = {
  readonly text?: string
  readonly reasoning?: string
  readonly calls?: readonly ServerCall[]
  /** `null` = the stream has none. */
  readonly finish?: string | null
  readonly usage?: ServerUsage
  /** Characters of text or arguments per chunk. */
  readonly chunk?: number
  /** Answer with one JSON object although a stream was asked for. */
  readonly whole?: boolean
  readonly fault?: Fault
  /** Answer with this instead of a completion. */
  readonly status?: number
  readonly body?: string | object
  readonly headers?: Readonly<Record<string, string>>
}

export type Fault =
  | 'hang-before-headers'
  | 'hang-mid-stream'
  | 'hang-after-done'
  /** The connection is reset in the middle of the reply. */
  | 'reset'
  /** The body ends properly, but too early. */
  | 'end-early'
  | 'cut-mid-json'
  | 'cut-mid-utf8'
  | 'garbage'
  | 'error-in-stream'
  | 'endless-line'

const DEFAULT_CHUNK = 12

/** The chunks of a streamed completion, without `[DONE]`. */
export function toChunks(reply: ServerReply, includeUsage: boolean): object[] {
  const size = reply.chunk ?? DEFAULT_CHUNK
  return [
    toChunk({ role: 'assistant', content: '' }),
    ...pieces(reply.reasoning ?? '', size).map((text) => toChunk({ reasoning_content: text })),
    ...pieces(reply.text ?? '', size).map((text) => toChunk({ content: text })),
    ...(reply.calls ?? []).flatMap((call, index) => callChunks(call, index, size)),
    ...(reply.finish === null ? [] : [toChunk({}, finishOf(reply))]),
    ...(includeUsage && reply.usage
      ? [{ ...envelope('chat.completion.chunk'), choices: [], usage: toUsage(reply.usage) }]
      : []),
  ]
}

export function toCompletion(reply: ServerReply): object {
  const message = {
    role: 'assistant',
    content: reply.text ?? null,
    ...(reply.reasoning && { reasoning_content: reply.reasoning }),
    ...(reply.calls && { tool_calls: reply.calls.map(toCall) }),
  }
  return {
    ...envelope('chat.completion'),
    choices: [{ index: 0, message, finish_reason: finishOf(reply) }],
    ...(reply.usage && { usage: toUsage(reply.usage) }),
  }
}

function callChunks(call: ServerCall, index: number, size: number): object[] {
  const { function: written, ...head } = toCall(call, index)
  return [
    toChunk({ tool_calls: [{ index, ...head, function: { name: written.name, arguments: '' } }] }),
    ...pieces(written.arguments, size).map((text) =>
      toChunk({ tool_calls: [{ index, function: { arguments: text } }] }),
    ),
  ]
}

const toCall = (call: ServerCall, index: number) => ({
  ...(call.id !== null && { id: call.id ?? `call_${index}` }),
  type: 'function',
  function: {
    name: call.name,
    arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
  },
})

const toChunk = (delta: object, finish_reason: string | null = null): object => ({
  ...envelope('chat.completion.chunk'),
  choices: [{ index: 0, delta, finish_reason }],
})

const envelope = (object: string) => ({ id: 'chatcmpl-1', object, created: 1, model: 'test-model' })

const finishOf = (reply: ServerReply): string => reply.finish ?? (reply.calls ? 'tool_calls' : 'stop')

const toUsage = ({ prompt, completion, cached, reasoning }: ServerUsage): object => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  ...(cached !== undefined && { prompt_tokens_details: { cached_tokens: cached } }),
  ...(reasoning !== undefined && { completion_tokens_details: { reasoning_tokens: reasoning } }),
})

const pieces = (text: string, size: number): string[] => text.match(new RegExp(`.{1,${size}}`, 'gsu')) ?? []
