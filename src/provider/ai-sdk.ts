/**
 * Any language model of the AI SDK as a Model: the request is rendered for the arm, the reply read back as events, every
 * failure mapped to an AppError. How long the server may be silent follows from its measured speed.
 */
import type { LanguageModelV3, LanguageModelV3CallOptions } from '@ai-sdk/provider'
import type { ReplyReader } from '../protocol/dialect.ts'
import type { Model, ModelEvent, ModelRequest, ToolSchema } from '../protocol/model.ts'
import { toCallOptions, type ArmRendering } from './call-options.ts'
import { silentServer, toAppError, type Endpoint } from './errors.ts'
import { readReplyParts } from './reply.ts'

/** Code has about three characters to a token; too many tokens only make the limit more patient. */
const CHARACTERS_PER_TOKEN = 3

export type AiSdkModelOptions = ArmRendering & {
  readonly name: string
  readonly model: () => Promise<LanguageModelV3>
  readonly endpoint: Endpoint
  /** Reads calls and reasoning out of the text; absent = text is passed on as it is. */
  readonly readReply?: (tools: readonly ToolSchema[], request: ModelRequest) => ReplyReader
  /** How long the server may say nothing, before the first token and between two. Absent = forever. */
  readonly firstTokenMs?: (promptTokens: number) => number
}

export function createAiSdkModel(options: AiSdkModelOptions): Model {
  return {
    name: options.name,
    async *stream(request, signal) {
      if (signal.aborted) return
      const watch = watchSilence(signal)
      try {
        yield* ask(request, options, watch)
      } catch (error) {
        if (signal.aborted) return
        const limit = watch.passedLimit()
        throw limit === undefined
          ? toAppError(error, options.endpoint)
          : silentServer(options.endpoint, limit)
      } finally {
        watch.end()
      }
    },
  }
}

async function* ask(
  request: ModelRequest,
  options: AiSdkModelOptions,
  watch: SilenceWatch,
): AsyncGenerator<ModelEvent> {
  const { endpoint, readReply, firstTokenMs } = options
  const model = await options.model()
  const call = toCallOptions(request, options, model.provider.split('.')[0] ?? '')
  watch.start(firstTokenMs?.(promptTokens(call)))
  const { stream } = await model.doStream({ ...call, abortSignal: watch.signal })
  yield* readReplyParts(watch.over(stream), {
    endpoint,
    takenIds: callIds(request),
    ...(readReply && { reader: readReply(request.tools, request) }),
  })
}

const promptTokens = (call: LanguageModelV3CallOptions): number =>
  Math.ceil(JSON.stringify([call.prompt, call.tools]).length / CHARACTERS_PER_TOKEN)

const callIds = (request: ModelRequest): string[] =>
  request.messages.flatMap((message) =>
    message.role === 'assistant' ? message.calls.map((call) => call.id) : [],
  )

type SilenceWatch = {
  /** Aborts when the caller does, when the limit passes, and at the end, so that the connection never stays open. */
  readonly signal: AbortSignal
  start(limitMs: number | undefined): void
  /** The same parts; each one that says something starts the limit anew. */
  over<Part extends { readonly type: string }>(parts: AsyncIterable<Part>): AsyncIterable<Part>
  passedLimit(): number | undefined
  end(): void
}

/** Node fires longer ones, Infinity included, at once. */
const LONGEST_TIMER = 2 ** 31 - 1

/** Sent as soon as there are headers: no sign of a token. */
const SAYS_NOTHING = new Set(['stream-start', 'response-metadata'])

function watchSilence(signal: AbortSignal): SilenceWatch {
  const controller = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let limit: number | undefined
  let passed = false

  const restart = () => {
    clearTimeout(timer)
    if (limit === undefined) return
    timer = setTimeout(() => {
      passed = true
      controller.abort()
    }, limit)
  }
  return {
    signal: AbortSignal.any([signal, controller.signal]),
    start(limitMs) {
      limit = limitMs === undefined ? undefined : Math.min(limitMs, LONGEST_TIMER)
      restart()
    },
    async *over(parts) {
      for await (const part of parts) {
        if (!SAYS_NOTHING.has(part.type)) restart()
        yield part
      }
    },
    passedLimit: () => (passed ? limit : undefined),
    end() {
      clearTimeout(timer)
      controller.abort()
    },
  }
}
