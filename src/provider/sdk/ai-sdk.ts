/**
 * Any language model of the AI SDK as a Model: the request is rendered for the arm, the reply read back as events. How
 * long the server may be silent follows from its measured speed.
 */
import type { LanguageModelV3, LanguageModelV3CallOptions } from '@ai-sdk/provider'
import type { ReplyReader } from '../../protocol/dialect.ts'
import { AppError } from '../../protocol/error.ts'
import type { Model, ModelEvent, ModelRequest, ToolSchema } from '../../protocol/model.ts'
import { toCallOptions, type ArmRendering } from './call-options.ts'
import type { Endpoint } from '../errors.ts'
import { callIds, readReplyParts } from '../reply.ts'
import type { ReplyPart } from './stream-parts.ts'
import { createWatchedModel, type SilenceWatch } from '../watched-model.ts'

/** Code has about three characters to a token; too many tokens only make the limit more patient. */
export const CHARACTERS_PER_TOKEN = 3

/** The half of a language model that is used here. */
export type StreamingModel = Pick<LanguageModelV3, 'provider'> & {
  doStream(call: LanguageModelV3CallOptions): PromiseLike<{ readonly stream: AsyncIterable<ReplyPart> }>
  /** It takes `logprobs` among its own options. */
  readonly tellsLogprobs?: true
}

export type AiSdkModelOptions = ArmRendering & {
  readonly name: string
  readonly model: () => Promise<StreamingModel>
  readonly endpoint: Endpoint
  /** Reads calls and reasoning out of the text; absent = text is passed on as it is. */
  readonly readReply?: (tools: readonly ToolSchema[], request: ModelRequest) => ReplyReader
  /** How long the server may say nothing, before the first token and between two. Absent = forever. */
  readonly firstTokenMs?: (promptTokens: number) => number
}

export const createAiSdkModel = (options: AiSdkModelOptions): Model =>
  createWatchedModel(options, (request, watch) => ask(request, options, watch))

async function* ask(
  request: ModelRequest,
  options: AiSdkModelOptions,
  watch: SilenceWatch,
): AsyncGenerator<ModelEvent> {
  const { endpoint, readReply, firstTokenMs } = options
  const model = await options.model()
  if (request.logprobs !== undefined && !model.tellsLogprobs) throw noLogprobs(options.name)
  const call = toCallOptions(request, options, model.provider.split('.')[0] ?? '')
  watch.start(firstTokenMs?.(promptTokens(call)))
  const { stream } = await model.doStream({ ...call, abortSignal: watch.signal })
  yield* readReplyParts(watch.over(stream), {
    endpoint,
    takenIds: callIds(request),
    ...(readReply && { reader: readReply(request.tools, request) }),
  })
}

const noLogprobs = (arm: string): AppError =>
  new AppError(
    'request-invalid',
    `${arm} reports no log probabilities; leave logprobs out, or ask another model.`,
    {
      status: 400,
    },
  )

const promptTokens = (call: LanguageModelV3CallOptions): number =>
  Math.ceil(JSON.stringify([call.prompt, call.tools]).length / CHARACTERS_PER_TOKEN)
