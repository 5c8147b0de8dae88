/**
 * The native engine, loaded when the first model is and never before: nothing else pays for it. One for the process and
 * build; the models in it share its threads.
 */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import type { Llama } from 'node-llama-cpp'
import { AppError, errorMessage } from '../protocol/error.ts'
import { type Build, packagedBuild } from './builds/find.ts'
import { type Bindings, hasOneThread, withEarlySampling } from './early-sampling.ts'

export type Engine = {
  readonly llama: Llama
  readonly library: (typeof import('./library.ts'))['library']
  /** What the engine complained about since the last call: its exceptions say little. */
  takeComplaint(): string
}

const engines = new Map<string, Promise<Engine>>()

/** Without a build: the one in the package. */
export function loadEngine(build: Build | undefined = packagedBuild()): Promise<Engine> {
  const key = build?.addon ?? ''
  const engine = engines.get(key) ?? startEngine(build)
  engines.set(key, engine)
  engine.catch(() => engines.delete(key))
  return engine
}

/** One core is left to everything else: llama.cpp waits by spinning, and with as many threads as cores it crawls. */
export const threadsFor = (wanted: number | undefined, cores: number = availableParallelism()): number =>
  Math.max(1, Math.min(wanted ?? cores - 1, cores - 1))

const require = createRequire(import.meta.url)

async function startEngine(build: Build | undefined): Promise<Engine> {
  if (!build) throw noEngine(`no build of llama.cpp for ${process.platform} ${process.arch} is installed`)
  let complaint = ''
  try {
    const { library, createLlama } = await import('./library.ts')
    const bindings = require(build.addon) as Bindings
    const metadata = await readFile(join(dirname(build.addon), '_nlcBuildMetadata.json'), 'utf8')
    const llama = await createLlama({
      bindings: hasOneThread() ? withEarlySampling(bindings) : bindings,
      bindingPath: build.addon,
      ...(build.fallback !== undefined && { extBackendsPath: build.fallback }),
      buildType: 'prebuilt',
      buildMetadata: JSON.parse(metadata) as unknown,
      maxThreads: threadsFor(undefined),
      logLevel: library.LlamaLogLevel.error,
      logger: (_level, message) => {
        complaint = message.trim() || complaint
      },
      vramPadding: (total) => Math.floor(Math.min(total * 0.08, 1.6 * GIB)),
      ramPadding: (total) => Math.floor(Math.min(total * 0.25, process.platform === 'linux' ? GIB : 6 * GIB)),
      debug: false,
      numa: false,
      tempDir: false,
    })
    const takeComplaint = (): string => {
      const taken = complaint
      complaint = ''
      return taken
    }
    return { llama, library, takeComplaint }
  } catch (error) {
    throw noEngine(errorMessage(error), error)
  }
}

const GIB = 1 << 30

const noEngine = (why: string, cause?: unknown): AppError =>
  new AppError(
    'model-unavailable',
    `The embedded engine cannot start: ${why}. Run \`covey engine\` to see what is missing.`,
    { cause },
  )
