/** What we use of node-llama-cpp. By name, so that the bundle leaves out its downloads and its compiler. */
import {
  Llama,
  LlamaGrammar,
  LlamaGrammarEvaluationState,
  LlamaLogLevel,
  readGgufFileInfo,
} from 'node-llama-cpp'

export const library = { LlamaGrammar, LlamaGrammarEvaluationState, LlamaLogLevel, readGgufFileInfo }

export type CreateOptions = {
  readonly bindings: unknown
  readonly bindingPath: string
  readonly extBackendsPath?: string
  readonly buildType: 'prebuilt'
  readonly buildMetadata: unknown
  readonly maxThreads: number
  readonly logLevel: LlamaLogLevel
  logger(level: LlamaLogLevel, message: string): void
  vramPadding(total: number): number
  ramPadding(total: number): number
  readonly debug: boolean
  readonly numa: boolean
  readonly tempDir: boolean
}

/**
 * `getLlama` looks for a build in its own packages only; this is what it calls with the one it found. Not part of the
 * declared interface: the version of node-llama-cpp is pinned, and a test starts the engine this way.
 */
export const createLlama = (options: CreateOptions): Promise<Llama> =>
  (Llama as unknown as { _create(options: CreateOptions): Promise<Llama> })._create(options)
