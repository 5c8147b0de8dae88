/**
 * The chat API of OpenAI-compatible servers, spoken directly. The AI SDK would do it too, at twenty times the cost per
 * token, and takes conversations apart that we have already put into the right form.
 */
import type { Model, ModelEvent, ModelRequest } from '../../protocol/model.ts'
import { type AiSdkModelOptions, CHARACTERS_PER_TOKEN } from '../sdk/ai-sdk.ts'
import { toChatBody } from './body.ts'
import { createChunkReader } from './chunks.ts'
import { interruptedReply, withRefusals } from './python-server.ts'
import { callIds, readReplyParts } from '../reply.ts'
import type { ServerClient, ValueReader } from '../server-client.ts'
import type { ReplyPart } from '../sdk/stream-parts.ts'
import { createWatchedModel, type SilenceWatch } from '../watched-model.ts'

export type ChatModelOptions = Omit<AiSdkModelOptions, 'model'> & {
  readonly client: ServerClient
  /** What the server calls the model. */
  readonly model: string
}

export const createChatModel = (options: ChatModelOptions): Model =>
  createWatchedModel(options, (request, watch) => ask(request, options, watch))

function ask(
  request: ModelRequest,
  options: ChatModelOptions,
  watch: SilenceWatch,
): AsyncIterable<ModelEvent> {
  const { client, model, endpoint, readReply, firstTokenMs } = options
  const asked = toChatBody(request, model, options)
  const body = JSON.stringify(asked)
  const { signal } = watch
  watch.start(firstTokenMs?.(Math.ceil(body.length / CHARACTERS_PER_TOKEN)))
  const parts = client.chat(body, createPartReader(watch, options), signal)
  return readReplyParts(
    options.isPythonServer ? withRefusals(parts, { client, body: asked, signal }) : parts,
    {
      endpoint,
      takenIds: callIds(request),
      ...(readReply && { reader: readReply(request.tools, request) }),
    },
  )
}

function createPartReader(
  watch: SilenceWatch,
  { isPythonServer, endpoint }: ChatModelOptions,
): ValueReader<ReplyPart> {
  const reader = createChunkReader(isPythonServer ? interruptedReply(endpoint) : undefined)
  return {
    read(chunks) {
      const parts = joined(chunks.flatMap((chunk) => reader.read(chunk)))
      if (parts.length > 0) watch.heard()
      return parts
    },
    end: reader.end,
  }
}

/** Text that arrived together is passed on together: every piece passes many layers. */
function joined(parts: readonly ReplyPart[]): readonly ReplyPart[] {
  const told: ReplyPart[] = []
  let texts: string[] = []
  for (const [index, part] of parts.entries()) {
    if (!isDelta(part)) told.push(part)
    else {
      texts.push(part.delta)
      if (parts[index + 1]?.type === part.type) continue
      told.push({ ...part, delta: texts.join('') })
      texts = []
    }
  }
  return told
}

type Delta = Extract<ReplyPart, { type: 'text-delta' | 'reasoning-delta' }>

const isDelta = (part: ReplyPart): part is Delta =>
  part.type === 'text-delta' || part.type === 'reasoning-delta'
