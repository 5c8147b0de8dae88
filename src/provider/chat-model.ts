/**
 * The chat API of OpenAI-compatible servers, spoken directly. The AI SDK would do it too, at twenty times the cost per
 * token, and takes conversations apart that we have already put into the right form.
 */
import type { Model, ModelEvent, ModelRequest } from '../protocol/model.ts'
import { type AiSdkModelOptions, CHARACTERS_PER_TOKEN } from './ai-sdk.ts'
import { toChatBody } from './chat-body.ts'
import { createChunkReader } from './chat-chunks.ts'
import { callIds, readReplyParts } from './reply.ts'
import type { ServerClient } from './server-client.ts'
import type { ReplyPart } from './stream-parts.ts'
import { createWatchedModel, type SilenceWatch } from './watched-model.ts'

export type ChatModelOptions = Omit<AiSdkModelOptions, 'model'> & {
  readonly client: ServerClient
  /** What the server calls the model. */
  readonly model: string
}

export const createChatModel = (options: ChatModelOptions): Model =>
  createWatchedModel(options, (request, watch) => ask(request, options, watch))

async function* ask(
  request: ModelRequest,
  options: ChatModelOptions,
  watch: SilenceWatch,
): AsyncGenerator<ModelEvent> {
  const { client, model, endpoint, readReply, firstTokenMs } = options
  const body = JSON.stringify(toChatBody(request, model, options))
  watch.start(firstTokenMs?.(Math.ceil(body.length / CHARACTERS_PER_TOKEN)))
  yield* readReplyParts(watch.over(partsOf(client.chat(body, watch.signal))), {
    endpoint,
    takenIds: callIds(request),
    ...(readReply && { reader: readReply(request.tools, request) }),
  })
}

async function* partsOf(packets: AsyncGenerator<readonly unknown[], boolean>): AsyncGenerator<ReplyPart> {
  const reader = createChunkReader()
  try {
    for (;;) {
      const { value, done } = await packets.next()
      if (done) return yield* reader.end(value)
      yield* joined(value.flatMap((chunk) => reader.read(chunk)))
    }
  } finally {
    await packets.return(false)
  }
}

/** Text that arrived together is told together: every piece passes many hands. */
function* joined(parts: readonly ReplyPart[]): Generator<ReplyPart> {
  let type: Delta['type'] | undefined
  let text: string[] = []
  const take = (): Delta[] => (type ? [{ type, id: '0', delta: text.join('') }] : [])
  for (const part of parts) {
    if (isDelta(part) && part.type === type) text.push(part.delta)
    else {
      yield* take()
      type = isDelta(part) ? part.type : undefined
      text = isDelta(part) ? [part.delta] : []
      if (!isDelta(part)) yield part
    }
  }
  yield* take()
}

type Delta = Extract<ReplyPart, { type: 'text-delta' | 'reasoning-delta' }>

const isDelta = (part: ReplyPart): part is Delta =>
  part.type === 'text-delta' || part.type === 'reasoning-delta'
