/**
 * The native engine, loaded when the first model is and never before: nothing else pays for it. One for the process;
 * the models in it share its threads.
 */
import { availableParallelism } from 'node:os'
import type { Llama } from 'node-llama-cpp'
import { errnoOf } from '../lib/atomic-write.ts'
import { AppError, errorMessage } from '../protocol/error.ts'

export type Gpu = 'auto' | false

export type Engine = {
  readonly llama: Llama
  readonly library: typeof import('node-llama-cpp')
  /** What the engine complained about since the last call: its exceptions say little. */
  takeComplaint(): string
}

const engines = new Map<Gpu, Promise<Engine>>()

export function loadEngine(gpu: Gpu): Promise<Engine> {
  const engine = engines.get(gpu) ?? startEngine(gpu)
  engines.set(gpu, engine)
  engine.catch(() => engines.delete(gpu))
  return engine
}

/** One core is left to everything else: llama.cpp waits by spinning, and with as many threads as cores it crawls. */
export const threadsFor = (wanted: number | undefined, cores: number = availableParallelism()): number =>
  Math.max(1, Math.min(wanted ?? cores - 1, cores - 1))

async function startEngine(gpu: Gpu): Promise<Engine> {
  let complaint = ''
  try {
    const library = await import('node-llama-cpp')
    const llama = await library.getLlama({
      gpu,
      // Compiling llama.cpp takes minutes and a compiler; a missing build is an error instead.
      build: 'never',
      skipDownload: true,
      progressLogs: false,
      maxThreads: threadsFor(undefined),
      logLevel: library.LlamaLogLevel.error,
      logger: (_level, message) => {
        complaint = message.trim() || complaint
      },
    })
    const takeComplaint = (): string => {
      const taken = complaint
      complaint = ''
      return taken
    }
    return { llama, library, takeComplaint }
  } catch (error) {
    throw noEngine(error)
  }
}

function noEngine(error: unknown): AppError {
  const isMissing = errnoOf(error) === 'ERR_MODULE_NOT_FOUND'
  const why = isMissing ? 'node-llama-cpp is not installed' : errorMessage(error)
  return new AppError(
    'model-unavailable',
    `The embedded engine cannot start: ${why}. Run \`covey doctor\` to see what is missing.`,
    { cause: error },
  )
}
