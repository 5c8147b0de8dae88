/**
 * The weights of one model in memory: loaded by the first request that needs them, kept while anyone works with them,
 * let go after a while of quiet. What is known of past prompts outlives them.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type {
  LlamaContext,
  LlamaContextSequence,
  LlamaGrammarEvaluationState,
  LlamaModel,
} from 'node-llama-cpp'
import { AppError, errorMessage } from '../protocol/error.ts'
import { type Batching, createBatching } from './batching.ts'
import type { Build } from './builds/find.ts'
import { type Engine, loadEngine, threadsFor } from './llama.ts'
import { createSlotPool, type SlotPool } from './slots.ts'
import { createTokenizer, type Tokenizer } from './tokenizer.ts'

export type Slot = {
  readonly sequence: LlamaContextSequence
  /** llama.cpp's number of the sequence. */
  readonly number: number
  usedAt: number
  /** Tokens of its last prompt. */
  prompt: number
  /** Whose conversation it holds. */
  sessionId?: string
}

export type Loaded = {
  readonly tokenizer: Tokenizer
  readonly slots: SlotPool<Slot>
  readonly batching: Batching
  /** Throws where llama.cpp cannot read the grammar. */
  grammar(text: string): LlamaGrammarEvaluationState
}

export type WeightsOptions = {
  readonly path: string
  readonly sha256?: string
  readonly window: number
  readonly sequences: number
  readonly threads?: number
  readonly build?: Build
  /** Compute on the graphics card, if the build has one; else on the processor. */
  readonly gpu: boolean
  readonly idleMs: number
  readonly chatTemplate: string
}

export type Weights = {
  /** Every acquire is paid back with one release. `onLoad` receives the share that is in memory, while it loads. */
  acquire(onLoad?: (share: number) => void): Promise<Loaded>
  release(): void
  /** What is in memory just now. */
  current(): Loaded | undefined
  /** Waits for the callers that still use them. */
  close(): Promise<void>
}

export function createWeights(options: WeightsOptions): Weights {
  const verify = createVerifier(options)
  let loading: Promise<Memory> | undefined
  let memory: Memory | undefined
  let unloading = Promise.resolve()
  let users = 0
  let timer: NodeJS.Timeout | undefined
  let whenQuiet = () => {}
  const watching = new Set<(share: number) => void>()

  const load = async (): Promise<Memory> => {
    watching.clear()
    await Promise.all([unloading, verify()])
    return (memory = await loadMemory(options, (share) => watching.forEach((watch) => watch(share))))
  }
  const unload = (): Promise<void> => {
    unloading = memory?.dispose() ?? unloading
    memory = loading = undefined
    return unloading
  }
  const release = (): void => {
    users--
    if (users > 0) return
    whenQuiet()
    if (Number.isFinite(options.idleMs)) timer = setTimeout(unload, options.idleMs).unref()
  }

  return {
    async acquire(onLoad) {
      users++
      clearTimeout(timer)
      loading ??= load()
      if (onLoad && !memory) watching.add(onLoad)
      try {
        return await loading
      } catch (error) {
        loading = undefined
        release()
        throw error
      }
    },
    release,
    current: () => memory,
    async close() {
      if (users > 0) await new Promise<void>((resolve) => (whenQuiet = resolve))
      clearTimeout(timer)
      await unload()
    },
  }
}

/** The file is read through once, and again only when it has changed. */
function createVerifier({ path, sha256 }: WeightsOptions): () => Promise<void> {
  let verified = ''
  return async () => {
    if (sha256 === undefined) return
    const { size, mtimeMs } = await stat(path)
    const version = `${size} ${mtimeMs}`
    if (version === verified) return
    const hash = createHash('sha256')
    await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash)
    const found = hash.digest('hex')
    if (found !== sha256.toLowerCase()) {
      throw new AppError(
        'model-unavailable',
        `${path} is not the file it should be: its sha256 is ${found}, expected ${sha256}. Download it again.`,
      )
    }
    verified = version
  }
}

type Memory = Loaded & { dispose(): Promise<void> }

async function loadMemory(options: WeightsOptions, onLoad: (share: number) => void): Promise<Memory> {
  const engine = await loadEngine(options.build)
  const batching = createBatching()
  const { model, context } = await openModel(engine, options, { batching, onLoad })
  const slots = createSlotPool(
    // Handed out in order: the first is number 0.
    Array.from({ length: options.sequences }, (_, number): Slot => ({
      sequence: context.getSequence(),
      number,
      usedAt: 0,
      prompt: 0,
    })),
  )
  return {
    tokenizer: createTokenizer(model, options.chatTemplate),
    slots,
    batching,
    grammar: createGrammars(engine, model),
    async dispose() {
      await context.dispose()
      await model.dispose()
    },
  }
}

async function openModel(
  { llama, takeComplaint }: Engine,
  { path, window, sequences, threads, gpu }: WeightsOptions,
  { batching, onLoad }: { readonly batching: Batching; onLoad(share: number): void },
): Promise<{ model: LlamaModel; context: LlamaContext }> {
  let model: LlamaModel | undefined
  takeComplaint()
  try {
    model = await llama.loadModel({
      modelPath: path,
      onLoadProgress: onLoad,
      ...(!gpu && { gpuLayers: 0 }),
    })
    const context = await model.createContext({
      contextSize: window,
      sequences,
      threads: threadsFor(threads),
      batching: { itemPrioritizationStrategy: batching.choose },
      // A smaller window than was promised would cut prompts without a word.
      failedCreationRemedy: false,
    })
    return { model, context }
  } catch (error) {
    await model?.dispose()
    const why = [errorMessage(error), takeComplaint()].filter(Boolean).join('; ')
    throw new AppError('model-unavailable', `The model ${path} cannot be loaded: ${why}`, { cause: error })
  }
}

/** Parsing a large grammar takes as long as writing a few tokens; the tools of a session seldom change. */
const GRAMMARS_KEPT = 8

function createGrammars({ llama, library }: Engine, model: LlamaModel): Loaded['grammar'] {
  const parsed = new Map<string, InstanceType<typeof library.LlamaGrammar>>()
  return (text) => {
    const grammar = parsed.get(text) ?? new library.LlamaGrammar(llama, { grammar: text })
    parsed.delete(text)
    parsed.set(text, grammar)
    for (const [oldest] of parsed) if (parsed.size > GRAMMARS_KEPT) parsed.delete(oldest)
    return new library.LlamaGrammarEvaluationState({ model, grammar })
  }
}
