/** A neutral request as one arm gets it: emitted in the arm's mode, with the arm's quirks. Pure. */
import type { JSONObject, LanguageModelV3CallOptions, LanguageModelV3FunctionTool } from '@ai-sdk/provider'
import { emissionStops, emit } from '../../context/emit.ts'
import { defined } from '../../lib/object.ts'
import type { EmissionMode } from '../../protocol/arm.ts'
import type { DialectWriter } from '../../protocol/dialect.ts'
import type { ModelRequest, ToolChoice, ToolSchema } from '../../protocol/model.ts'
import { toPrompt } from '../prompt.ts'
import { requestFields, wireCallId, type Quirks } from '../quirks.ts'

export type ArmRendering = {
  readonly emission: EmissionMode
  /** Writes calls and results where `emission` puts them into text. */
  readonly writer?: DialectWriter
  /** Whether earlier reasoning is shown to the model again. */
  readonly reasoning: 'keep' | 'drop'
  /** Whether images are sent; otherwise only their path. */
  readonly vision?: boolean
  /** `text`: the tools are described in the system text and calls come back as text; nothing native is sent. */
  readonly tools?: 'native' | 'text'
  readonly quirks?: Quirks
  /** The server is llama.cpp: it says how far it has read the prompt. */
  readonly tellsProgress?: boolean
  /** The server is that of llama-cpp-python. */
  readonly isPythonServer?: boolean
  /** GBNF, for a server that takes it beside a conversation and does not read calls itself. */
  readonly grammarFor?: (request: ModelRequest) => string | undefined
}

export function toCallOptions(
  request: ModelRequest,
  arm: ArmRendering,
  optionsKey: string,
): LanguageModelV3CallOptions {
  const { emission, writer, reasoning, vision = false, quirks = {} } = arm
  const messages = emit(request, emission, writer, { reasoning, vision })
  const tools = arm.tools === 'text' ? [] : request.tools.map(toFunctionTool)
  const stop = [...(request.stop ?? []), ...emissionStops(emission)]
  const fields = { ...requestFields(quirks, request), ...logprobsFields(request) }
  return {
    prompt: toPrompt(messages, (id) => wireCallId(id, quirks)),
    ...(tools.length > 0 && { tools }),
    ...(tools.length > 0 && request.toolChoice && { toolChoice: toToolChoice(request.toolChoice) }),
    ...(request.responseFormat?.type === 'json' && { responseFormat: request.responseFormat }),
    ...defined({ maxOutputTokens: request.maxTokens, temperature: request.temperature }),
    ...defined({
      topP: request.topP,
      presencePenalty: request.presencePenalty,
      frequencyPenalty: request.frequencyPenalty,
    }),
    ...defined({ seed: request.seed }),
    ...(stop.length > 0 && { stopSequences: stop }),
    ...(Object.keys(fields).length > 0 && { providerOptions: { [optionsKey]: fields } }),
  }
}

/** Only those models are asked for them that take these names. */
const logprobsFields = ({ logprobs }: ModelRequest): JSONObject =>
  logprobs === undefined ? {} : { logprobs: true, top_logprobs: logprobs }

const toFunctionTool = (tool: ToolSchema): LanguageModelV3FunctionTool => ({
  type: 'function',
  name: tool.name,
  inputSchema: tool.parameters,
  ...defined({ description: tool.description }),
})

const toToolChoice = (choice: ToolChoice): NonNullable<LanguageModelV3CallOptions['toolChoice']> =>
  typeof choice === 'string' ? { type: choice } : { type: 'tool', toolName: choice.name }
