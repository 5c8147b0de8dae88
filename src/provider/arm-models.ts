/**
 * One arm's model, asked in two ways: as its server works best (its own tool calls, or prompts we render), and with
 * tools as text for servers that cannot parse what their model writes. Calls written as text are read in both, so that
 * none ends up on the screen.
 */
import type { ArmSettings, Capabilities, EmissionMode } from '../protocol/arm.ts'
import type { ReplyReader } from '../protocol/dialect.ts'
import type { Model, ModelRequest, ToolSchema } from '../protocol/model.ts'
import { editFormFor, sizeFromName } from '../lib/model-size.ts'
import { dialectFor, requireDialect, requireFamily } from '../dialect/all.ts'
import { readingBlocks, withBlocks } from '../dialect/read/content-block.ts'
import { type InstructionOptions, loadToolInstructions } from '../dialect/instructions.ts'
import { createReplyReader } from '../dialect/read/reply.ts'
import { createAdaptingModel, type RequestShape } from './adapting-model.ts'
import { createProviderModel, type ProviderSpec } from './create.ts'
import { found, type Findings, type ProbeReport, type ServerKind } from './probe/findings.ts'
import { createRawModel, type RawModelParts } from './raw/model.ts'
import { ASKED_FOR } from './probe/tools.ts'
import { openRawTemplate, type OpenTemplate } from './raw/prompt.ts'
import { createServerClient } from './server-client.ts'
import { ASSUMED_WINDOW, CLOUD_WINDOW } from '../protocol/token-limits.ts'
import { defined } from '../lib/object.ts'

/** What the arm's own models need to know beyond what the engine does. */
export type ArmCapabilities = Capabilities & {
  /** Ollama is asked by its own API. */
  readonly server?: ServerKind
  /** Schemas are sent without what the server is known to refuse. */
  readonly plainSchemas?: boolean
  /** The server returned a native call before: a call in a fence of the text is then only an example. */
  readonly callsNatively?: boolean
}

/** What is configured wins over what was found, and that over what is assumed. */
export function capabilitiesOf(settings: ArmSettings, probed: ProbeReport | undefined): ArmCapabilities {
  const { known, kind } = settings
  const findings = probed?.findings ?? {}
  const reported = findings.window?.value
  const assumed = kind === 'openai-compatible' ? ASSUMED_WINDOW : CLOUD_WINDOW
  const tools = known.tools ?? toolsFrom(findings)
  return {
    tools,
    emission: emissionFrom(findings),
    reasoning: 'drop',
    editForm: editFormFor(sizeFromName(settings.model)),
    requiredChoice:
      tools === 'raw' ||
      canForceCalls({ tools, server: findings.server?.value }) ||
      (findings.requiredChoice?.value ?? false),
    prefill: tools === 'raw',
    vision: findings.vision?.value ?? false,
    ...(tools === 'raw' && findings.server?.value === 'llama.cpp' && { grammar: true as const }),
    ...(findings.dialect && { dialect: findings.dialect.value }),
    ...speedsFrom(findings),
    ...(findings.server && { server: findings.server.value }),
    ...(findings.patterns?.value === false && { plainSchemas: true }),
    ...(findings.nativeTools?.value && findings.nativeTools.from === ASKED_FOR && { callsNatively: true }),
    ...known,
    window: known.window ?? reported ?? assumed,
    windowFrom: known.window ? 'configured' : reported ? 'reported' : 'assumed',
  }
}

/** llama-cpp-python ignores `tool_choice: required`, but takes a grammar beside the conversation. */
const canForceCalls = ({
  tools,
  server,
}: {
  readonly tools: Capabilities['tools']
  readonly server?: ServerKind | undefined
}): boolean => tools === 'text' && server === 'llama-cpp-python'

/** Only where a call is wanted in any case: the server looks at every word it knows for every token under a grammar. */
const forcedCalls =
  (dialect: string, grammarFor: RawSurroundings['grammarFor']) =>
  (request: ModelRequest): string | undefined =>
    request.tools.length === 0 || ['auto', 'none', undefined].some((choice) => choice === request.toolChoice)
      ? undefined
      : grammarFor?.(request, requireFamily(dialect))

function toolsFrom({ nativeTools, rawPrompt }: Findings): Capabilities['tools'] {
  if (nativeTools?.value !== false) return 'native'
  return rawPrompt?.value ? 'raw' : 'text'
}

/**
 * A server that wants users and assistants to take turns but knows results keeps its own role for them: two user
 * messages in a row are rare, and the first refusal fixes those.
 */
function emissionFrom({ toolRole, strictRoles, systemRole }: Findings): EmissionMode {
  const isStrict = strictRoles?.value === true && toolRole?.value !== true
  return {
    base: toolRole?.value === false || isStrict ? 'user-results' : 'tool-role',
    ...(isStrict && { strict: true }),
    ...(systemRole?.value === false && { noSystem: true }),
  }
}

function speedsFrom({ prefillSpeed, decodeSpeed }: Findings): Pick<Capabilities, 'speeds'> {
  const speeds = {
    ...(prefillSpeed && { prefill: prefillSpeed.value }),
    ...(decodeSpeed && { decode: decodeSpeed.value }),
  }
  return prefillSpeed || decodeSpeed ? { speeds } : {}
}

/** Warnings about a window that was not configured. */
export const windowWarnings = ({ id, kind }: ArmSettings, { windowFrom }: Capabilities): readonly string[] =>
  windowFrom === 'assumed' && kind === 'openai-compatible'
    ? [
        `the context window of ${id} is not known; 4,096 tokens are assumed. Pass --window TOKENS, or set \`window\` under [arms.NAME] in config.toml.`,
      ]
    : []

export type ArmModels = {
  readonly native: Model
  readonly text: Model
  /** As they were given, unless the arm cannot be asked in that way. */
  readonly capabilities: ArmCapabilities
  /** What a person should know about that. */
  readonly warnings: readonly string[]
}

/** What prompts of our own need: all handed in, because the embedded engine has it. */
type RawSurroundings = {
  readonly findings: Findings
  readonly openTemplate: OpenTemplate
} & Pick<RawModelParts, 'grammarFor'>

export type ArmSurroundings = {
  /** Measured so far, in tokens a second. */
  prefillSpeed(): number | undefined
  /** The person's own prompt texts. */
  readonly promptsFolder?: string
  /** Absent = an arm that wants raw prompts gets its tools as text instead. */
  readonly raw?: RawSurroundings
  /** What the server's refusals have shown; worth keeping for the next start. */
  onFound?(findings: Findings): void
}

export async function createArmModels(
  settings: ArmSettings,
  capabilities: ArmCapabilities,
  { prefillSpeed, promptsFolder, raw, onFound }: ArmSurroundings,
): Promise<ArmModels> {
  const { emission } = capabilities
  const spec = toSpec(settings, capabilities, prefillSpeed)
  const adapting = (initial: EmissionMode, more: (emission: EmissionMode) => Partial<ProviderSpec>): Model =>
    createAdaptingModel({
      name: spec.name,
      shape: { emission: initial, plainSchemas: capabilities.plainSchemas ?? false },
      onLearned: (shape) => onFound?.(toFindings(shape, initial)),
      make: (changed) => createProviderModel({ ...spec, emission: changed, ...more(changed) }),
    })
  const dialect = capabilities.dialect ?? dialectFor(settings.model) ?? 'hermes'
  const readText = replyReader(settings.model, capabilities.dialect)
  const asText = adapting(
    { ...emission, base: emission.base === 'tool-role' ? 'user-results' : emission.base, dialect },
    () => ({
      tools: 'text',
      writer: withBlocks(requireDialect(dialect)),
      readReply: (tools, request) => readingBlocks(() => readText(tools, request)),
      ...(canForceCalls(capabilities) && { grammarFor: forcedCalls(dialect, raw?.grammarFor) }),
    }),
  )
  const prompted =
    capabilities.tools === 'raw' && raw ? await rawModel(settings, spec, { capabilities, raw }) : undefined
  return {
    native:
      prompted ?? adapting(emission, (changed) => ({ writer: requireDialect(changed.dialect ?? dialect) })),
    text: withToolText(asText, {
      dialect,
      blocks: true,
      ...defined({ folder: promptsFolder }),
    }),
    ...(capabilities.tools === 'raw' && !prompted
      ? withoutPrompts(settings, capabilities)
      : { capabilities, warnings: [] }),
  }
}

const withoutPrompts = (
  { id, known }: ArmSettings,
  capabilities: ArmCapabilities,
): Pick<ArmModels, 'capabilities' | 'warnings'> => ({
  capabilities: {
    ...capabilities,
    tools: 'text',
    requiredChoice: known.requiredChoice ?? false,
    prefill: known.prefill ?? false,
  },
  warnings: [
    `${id} cannot be asked with raw prompts: its chat template is not known, or cannot be rendered here. ` +
      'Tools are described as text.',
  ],
})

const REFUSAL = 'a refusal'

/** Only what differs from what was believed before. */
const toFindings = ({ emission, plainSchemas }: RequestShape, before: EmissionMode): Findings => ({
  ...(emission.strict &&
    !before.strict && { strictRoles: found(true, REFUSAL), toolRole: found(false, REFUSAL) }),
  ...(emission.noSystem && !before.noSystem && { systemRole: found(false, REFUSAL) }),
  ...(emission.base !== 'tool-role' && before.base === 'tool-role' && { toolRole: found(false, REFUSAL) }),
  ...(plainSchemas && { patterns: found(false, REFUSAL) }),
})

type RawPlan = { readonly capabilities: ArmCapabilities; readonly raw: RawSurroundings }

/** Undefined where the model's template is not known, or cannot be rendered here. */
async function rawModel(
  settings: ArmSettings,
  { firstTokenMs }: ProviderSpec,
  { capabilities, raw }: RawPlan,
): Promise<Model | undefined> {
  const { model, known } = settings
  const template = await openRawTemplate(raw.findings, { model, dialect: known.dialect }, raw.openTemplate)
  if (!template) return undefined
  return createRawModel({
    name: settings.id,
    model,
    client: createServerClient(settings),
    findings: raw.findings,
    template,
    window: capabilities.window,
    ...defined({ grammarFor: raw.grammarFor, firstTokenMs }),
  })
}

function toSpec(
  { id, kind, model, baseUrl, apiKey, headers, local, keyHint }: ArmSettings,
  { emission, reasoning, vision, dialect, server, window, callsNatively }: ArmCapabilities,
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
    readReply: replyReader(model, dialect, callsNatively),
    ...defined({ baseUrl, apiKey, keyHint }),
    ...(local && { firstTokenMs: (tokens: number) => patience(tokens, prefillSpeed()) }),
    ...(server === 'ollama' && { numCtx: window }),
    ...(server === 'llama.cpp' && { tellsProgress: true }),
    ...(server === 'llama-cpp-python' && { isPythonServer: true }),
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

/** `model` and `dialect` only say which formats to expect first; all are read. Looked up once, not for every reply. */
function replyReader(model: string, given: string | undefined, native = false) {
  const dialect = given ?? dialectFor(model)
  return (tools: readonly ToolSchema[], { messages }: ModelRequest): ReplyReader =>
    createReplyReader({
      tools,
      native,
      ...defined({ dialect }),
      earlier: (text) =>
        messages.some((message) => message.role !== 'assistant' && message.text.includes(text)),
    })
}

/** Tokens a second of a slow machine that was not measured yet. */
const SLOWEST_PREFILL = 20

/** A slow machine is given the time it needs: half a minute and four times what the prompt should take. */
const patience = (promptTokens: number, speed = SLOWEST_PREFILL): number =>
  30_000 + (4_000 * promptTokens) / speed
