/**
 * One arm's model, asked in two ways: with the server's own tool calls, and with tools as text for servers that cannot
 * parse what their model writes. Calls written as text are read in both, so that none ends up on the screen.
 */
import type { ArmSettings, Capabilities } from '../protocol/arm.ts'
import type { ReplyReader } from '../protocol/dialect.ts'
import type { Model, ModelRequest, ToolSchema } from '../protocol/model.ts'
import { dialectFor, requireDialect } from '../dialect/all.ts'
import { type InstructionOptions, loadToolInstructions } from '../dialect/instructions.ts'
import { createReplyReader } from '../dialect/reader.ts'
import { createProviderModel, type ProviderSpec } from './create.ts'

/** What an arm of unknown size is taken for; a small guess costs compactions, a large one silently lost text. */
const SMALL_WINDOW = 4_096
const CLOUD_WINDOW = 128_000

export function capabilitiesOf(settings: ArmSettings, reported: number | undefined): Capabilities {
  const { known, kind } = settings
  const assumed = kind === 'openai-compatible' ? SMALL_WINDOW : CLOUD_WINDOW
  return {
    tools: 'native',
    emission: { base: 'tool-role' },
    reasoning: 'drop',
    editForm: 'search',
    requiredChoice: false,
    prefill: false,
    vision: false,
    ...known,
    window: known.window ?? reported ?? assumed,
    windowFrom: known.window ? 'configured' : reported ? 'reported' : 'assumed',
  }
}

/** What a person should know about a window nobody named. */
export const windowWarnings = ({ id, kind }: ArmSettings, { windowFrom }: Capabilities): readonly string[] =>
  windowFrom === 'assumed' && kind === 'openai-compatible'
    ? [
        `the context window of ${id} is not known; 4,096 tokens are assumed. Set \`window\` under [arms.NAME] in config.toml.`,
      ]
    : []

export type ArmModels = { readonly native: Model; readonly text: Model }

export type ArmSurroundings = {
  /** Measured so far, in tokens a second. */
  prefillSpeed(): number | undefined
  /** The person's own prompt texts. */
  readonly promptsFolder?: string
}

export function createArmModels(
  settings: ArmSettings,
  capabilities: Capabilities,
  { prefillSpeed, promptsFolder }: ArmSurroundings,
): ArmModels {
  const { emission } = capabilities
  const spec = toSpec(settings, capabilities, prefillSpeed)
  const dialect = capabilities.dialect ?? dialectFor(settings.model) ?? 'hermes'
  const asText = createProviderModel({
    ...spec,
    tools: 'text',
    emission: { ...emission, base: emission.base === 'tool-role' ? 'user-results' : emission.base, dialect },
    writer: requireDialect(dialect),
  })
  return {
    native: createProviderModel({
      ...spec,
      ...(emission.dialect && { writer: requireDialect(emission.dialect) }),
    }),
    text: withToolText(asText, { dialect, ...(promptsFolder !== undefined && { folder: promptsFolder }) }),
  }
}

function toSpec(
  { id, kind, model, baseUrl, apiKey, headers, local }: ArmSettings,
  { emission, reasoning, vision, dialect }: Capabilities,
  prefillSpeed: () => number | undefined,
): ProviderSpec {
  return {
    name: id,
    kind,
    model,
    headers,
    local,
    emission,
    reasoning,
    vision,
    readReply: replyReader(model, dialect),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(apiKey !== undefined && { apiKey }),
    ...(local && { firstTokenMs: (tokens: number) => patience(tokens, prefillSpeed()) }),
  }
}

/** The tools stand at the end of the system text: the same bytes in every request of a session. */
const withToolText = (model: Model, options: InstructionOptions): Model => ({
  name: model.name,
  async *stream(request, signal) {
    if (request.tools.length === 0) return yield* model.stream(request, signal)
    const instructions = await loadToolInstructions(request.tools, options)
    yield* model.stream({ ...request, system: `${request.system}\n\n${instructions}` }, signal)
  },
})

/** `model` and `dialect` only say which formats to expect first; all are read. */
const replyReader =
  (model: string, dialect: string | undefined) =>
  (tools: readonly ToolSchema[], { messages }: ModelRequest): ReplyReader =>
    createReplyReader({
      tools,
      model,
      ...(dialect !== undefined && { dialect }),
      earlier: (text) =>
        messages.some((message) => message.role !== 'assistant' && message.text.includes(text)),
    })

/** Tokens a second of a slow machine that was not measured yet. */
const SLOWEST_PREFILL = 20

/** A slow machine is given the time it needs: half a minute and four times what the prompt should take. */
const patience = (promptTokens: number, speed = SLOWEST_PREFILL): number =>
  30_000 + (4_000 * promptTokens) / speed
