/**
 * A GGUF file as a Model, in this process. One copy of the weights serves several conversations at once: each works on a
 * sequence of its own, llama.cpp evaluates them together, and what a conversation has in the cache is not evaluated again.
 * An assert in llama.cpp ends the process it is in: files from strangers belong behind `child.ts`.
 */
import { basename } from 'node:path'
import type { Token } from 'node-llama-cpp'
import { estimateTokens } from '../context/count.ts'
import { emissionStops } from '../context/emit.ts'
import { loadPrompt } from '../context/prompts.ts'
import { dialectFor } from '../dialect/all.ts'
import { type GgufHeader, readGguf } from '../lib/gguf/header.ts'
import { editFormFor } from '../lib/model-size.ts'
import type { Capabilities } from '../protocol/arm.ts'
import type { ReplyReader } from '../protocol/dialect.ts'
import { AppError, errorMessage } from '../protocol/error.ts'
import { whileWaiting } from '../lib/while-waiting.ts'
import type { Model, ModelEvent, ModelRequest, Progress } from '../protocol/model.ts'
import type { Build } from './builds/find.ts'
import { type ChatTemplate, createChatTemplate } from './chat-template.ts'
import { createEncodingMemory } from './encoding.ts'
import {
  type Generation,
  type ReplyLimits,
  type Sampling,
  startGeneration,
  toEvaluateOptions,
} from './generate.ts'
import { requestGrammar } from './request-grammar.ts'
import { type LabelField, scoreFields } from './score.ts'
import type { Segment } from './segment.ts'
import { loadState, saveState, type StateParts } from './resume.ts'
import { createStateShelf } from './state.ts'
import { tellReply } from './tell-reply.ts'
import { beginTurn, type Turn, type TurnParts } from './turn.ts'
import { createWeights, type Loaded } from './weights.ts'
import { USUAL_WINDOW } from '../protocol/token-limits.ts'

export type EmbeddedOptions = {
  readonly name: string
  /** The GGUF file. */
  readonly path: string
  readonly sha256?: string
  /** Tokens of prompt and answer together, for each sequence. */
  readonly window?: number
  /** How many conversations are evaluated at the same time. */
  readonly sequences?: number
  readonly threads?: number
  /** The build of llama.cpp to use; absent = the one in the package. */
  readonly build?: Build
  /** Compute on the graphics card, if the build has one. */
  readonly gpu?: boolean
  /** How long the weights stay in memory after the last request. */
  readonly idleMs?: number
  readonly dialect?: string
  /** Where a request names none. */
  readonly sampling?: Sampling
  /** The person's own prompts. */
  readonly promptsFolder?: string
  /** Where `saveState` puts conversations; absent = nowhere. */
  readonly statesFolder?: string
}

/** A model with a prompt of its own instead of a chat template. */
export type OwnPrompt = {
  readonly render?: (request: ModelRequest) => readonly Segment[]
  /** GBNF for this request. Absent = a grammar of its tools; one that gives nothing = no grammar. */
  readonly grammarFor?: (request: ModelRequest) => string | undefined
  /** Reads what the model writes, special tokens included. Absent = the reader of its dialect. */
  readonly readerFor?: (request: ModelRequest) => ReplyReader
}

export interface EmbeddedModel extends Model {
  readonly capabilities: Capabilities
  /** Loads the weights ahead of the first request. */
  load(): Promise<void>
  /** Exact while the weights are in memory, else an estimate. */
  countTokens(text: string): number
  /** How likely each label is behind the prompt, without writing a token; see `score.ts`. */
  scoreLabels(
    prompt: readonly Segment[],
    fields: readonly LabelField[],
    signal: AbortSignal,
  ): Promise<readonly (readonly number[])[]>
  /** Puts the evaluated conversation of a session on disk; false when there is none in memory. */
  saveState(sessionId: string): Promise<boolean>
  /** Takes it back into a sequence; false when none was kept for this model. */
  loadState(sessionId: string): Promise<boolean>
  /** Waits for the requests in progress. */
  close(): Promise<void>
}

export const DEFAULT_IDLE_MS = 600_000

export async function createEmbeddedModel(options: EmbeddedOptions & OwnPrompt): Promise<EmbeddedModel> {
  const header = await readGguf(options.path)
  const core = await createCore(options, header, await loadPrompt('tools.md', options.promptsFolder))
  const { weights } = core
  return {
    name: options.name,
    capabilities: capabilitiesOf(core, header),
    stream: (request, signal) => answer(core, request, signal),
    async load() {
      await weights.acquire()
      weights.release()
    },
    countTokens: createCounter(core),
    scoreLabels: (prompt, fields, signal) => score(core, prompt, fields, signal),
    saveState: (sessionId) => saveState(core, sessionId),
    loadState: (sessionId) => loadState(core, sessionId),
    close: () => weights.close(),
  }
}

type Core = TurnParts &
  StateParts & {
    readonly options: EmbeddedOptions & OwnPrompt
    readonly template: ChatTemplate
  }

async function createCore(
  options: EmbeddedOptions & OwnPrompt,
  header: GgufHeader,
  instructions: string,
): Promise<Core> {
  const { name, path, statesFolder, sequences = 1, gpu = false, idleMs = DEFAULT_IDLE_MS } = options
  const window = options.window ?? Math.min(header.contextLength ?? USUAL_WINDOW, USUAL_WINDOW)
  const chatTemplate = header.chatTemplate ?? ''
  const template = await createChatTemplate({
    text: header.chatTemplate,
    bos: header.bos?.text ?? '',
    eos: header.eos?.text ?? '',
    ...(options.dialect !== undefined && { dialect: options.dialect }),
    guess: guessDialect(header, path),
    instructions,
  })
  const fingerprint = `${basename(path)} ${header.bytes} ${header.parameters} ${window}`
  return {
    name,
    window,
    options,
    template,
    weights: createWeights({ ...options, window, sequences, gpu, idleMs, chatTemplate }),
    memory: createEncodingMemory(2 * sequences + 2),
    shelf: statesFolder === undefined ? undefined : createStateShelf({ folder: statesFolder, fingerprint }),
  }
}

/** Hermes is what most small models know. */
const guessDialect = ({ name = '' }: GgufHeader, path: string): string =>
  dialectFor(name) ?? dialectFor(basename(path)) ?? 'hermes'

const capabilitiesOf = (
  { options, window, template: { emission, family } }: Core,
  { parameters }: GgufHeader,
): Capabilities => ({
  window,
  windowFrom: options.window === undefined ? 'reported' : 'configured',
  tools: 'raw',
  emission,
  dialect: family.name,
  reasoning: 'drop',
  editForm: editFormFor(parameters / 1e9),
  requiredChoice: true,
  prefill: true,
  vision: false,
  ...(options.grammarFor === undefined && { grammar: true }),
})

/** Before the weights are there, the estimate is scaled by what the exact counts have shown. */
function createCounter({ weights }: Core): (text: string) => number {
  const totals = { exact: 1, estimated: 1 }
  return (text) => {
    const estimated = estimateTokens(text)
    const loaded = weights.current()
    if (!loaded) return Math.ceil((estimated * totals.exact) / totals.estimated)
    const exact = loaded.tokenizer.count(text)
    totals.exact += exact
    totals.estimated += estimated
    return exact
  }
}

async function* answer(core: Core, request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  const prompt = async (loaded: Loaded): Promise<readonly Segment[]> =>
    core.options.render?.(request) ?? core.template.render(request, loaded.tokenizer.structural)
  let hasWaited = false
  const turn = yield* whileWaiting<Progress, Turn | undefined>(
    (tell) => {
      const onWait = (progress: Progress): void => {
        hasWaited = true
        tell(progress)
      }
      return beginTurn(core, { sessionId: request.sessionId, prompt, onWait }, signal)
    },
    (unused) => void unused?.end(),
  )
  if (!turn) return
  let ended: Promise<unknown> = Promise.resolve()
  try {
    if (hasWaited) yield { type: 'progress', stage: 'reading', total: turn.encoding.tokens.length }
    const work = { turn, written: [], limits: limitsOf(core, request, turn) }
    const generation = generate(core, request, work, signal)
    try {
      const { readerFor } = core.options
      yield* tellReply({ ...core, ...work, readerFor, generation }, request, signal)
    } finally {
      ended = generation.tokens.return()
    }
  } catch (error) {
    // What the cache holds after a failure is anybody's guess.
    ended = ended.then(() => turn.slot.sequence.clearHistory())
    throw toAppError(error, core.name)
  } finally {
    ended = ended.catch(() => {}).then(turn.end)
    // A cancelled reply is over at once; its sequence follows when the token in the works is done.
    if (!signal.aborted) await ended
  }
}

const toAppError = (error: unknown, name: string): AppError =>
  error instanceof AppError
    ? error
    : new AppError('model-unavailable', `${name}: the embedded engine failed: ${errorMessage(error)}`, {
        cause: error,
      })

const limitsOf = (
  { window, template }: Core,
  { stop = [], maxTokens = window }: ModelRequest,
  { encoding }: Turn,
): ReplyLimits => ({
  stops: [...stop, ...emissionStops(template.emission)],
  maxTokens: Math.min(maxTokens, window - encoding.tokens.length),
})

type Work = { readonly turn: Turn; readonly written: Token[]; readonly limits: ReplyLimits }

function generate(
  { options, template }: Core,
  request: ModelRequest,
  { turn, written, limits }: Work,
  signal: AbortSignal,
): Generation {
  const { loaded, slot, encoding } = turn
  const text = options.grammarFor ? options.grammarFor(request) : requestGrammar(request, template.family)
  const grammar =
    text === undefined ? undefined : parseGrammar(loaded, text, options.grammarFor !== undefined)
  return startGeneration(
    {
      slot,
      batching: loaded.batching,
      prompt: encoding.tokens,
      options: toEvaluateOptions(request, { sampling: options.sampling ?? {}, grammar, written }),
      written,
      limits,
    },
    signal,
  )
}

/** A schema from outside may make a grammar that llama.cpp refuses; the reply is validated all the same. */
function parseGrammar(
  loaded: Loaded,
  text: string,
  isRequired: boolean,
): ReturnType<Loaded['grammar']> | undefined {
  try {
    return loaded.grammar(text)
  } catch (error) {
    if (!isRequired) return undefined
    throw new AppError(
      'request-invalid',
      `The grammar of this request cannot be read: ${errorMessage(error)}`,
    )
  }
}

async function score(
  core: Core,
  prompt: readonly Segment[],
  fields: readonly LabelField[],
  signal: AbortSignal,
): Promise<number[][]> {
  const turn = await beginTurn(core, { sessionId: '', prompt: () => prompt }, signal)
  if (!turn) throw new AppError('model-unavailable', `${core.name}: cancelled.`)
  const { loaded, slot, encoding } = turn
  try {
    return await scoreFields(slot.sequence, encoding.tokens, { fields, tokenizer: loaded.tokenizer })
  } catch (error) {
    throw toAppError(error, core.name)
  } finally {
    turn.end()
  }
}
