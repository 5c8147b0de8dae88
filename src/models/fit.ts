/**
 * Which model fits a machine. Pure: hardware, catalogue and wish in, a choice or a reason out. A wish is met exactly
 * or refused; without one the best that fits is chosen, and only among those with a window an agent can work in and a
 * speed a person can wait for.
 */
import { toBudget, totalOf, type Budget } from './budget.ts'
import { quantsOf, toId, type CatalogEntry } from './catalog.ts'
import type { Hardware } from './machine.ts'
import { bytesPerToken, GIB, memoryNeeded, tokensPerSecond, type CacheType } from './memory.ts'
import { LOSS, type Quant } from './quant.ts'
import { readWish } from './wish.ts'
import { SMALL_WINDOW } from '../protocol/token-limits.ts'

/** One quantisation of one model on this machine. */
export type Fit = {
  readonly id: string
  readonly entry: CatalogEntry
  readonly quant: Quant
  readonly window: number
  /** How many can work at once with that window; the weights are there once. */
  readonly workers: number
  /** Memory for one worker, reserve included. */
  readonly bytes: number
  readonly place: 'gpu' | 'split' | 'cpu' | 'unknown'
  /** Bytes read from main memory for every token written. */
  readonly fromRam: number
  /** Measured if available, else estimated; absent where the memory's bandwidth is not known. */
  readonly speed?: number
  /** Too slow to be useful. */
  readonly slow: boolean
}

export type FitLine = { readonly entry: CatalogEntry } & (
  | { readonly fit: Fit }
  | { readonly why: string; readonly missingBytes: number }
)

export type FitResult = { readonly lines: readonly FitLine[] } & (
  | { readonly ok: true; readonly choice: Fit; readonly command: string }
  | {
      readonly ok: false
      readonly reason: 'unknown-model' | 'too-large' | 'nothing-fits' | 'unknown-memory'
      readonly message: string
      readonly missingBytes?: number
    }
)

export type FitOptions = {
  /** Exactly this many tokens, instead of as many as fit. */
  readonly window?: number
  readonly cache?: CacheType
  /** Tokens per second of earlier runs here, by id; they replace the estimate. */
  readonly measured?: Readonly<Record<string, number>>
}

/** Below this a tool result and its question hardly fit together; `--auto` does not go there. */
const AUTO_WINDOW = SMALL_WINDOW

export function fitModel(
  hardware: Hardware,
  catalog: readonly CatalogEntry[],
  wish?: string,
  options: FitOptions = {},
): FitResult {
  const budget = toBudget(hardware)
  const lines = catalog.map((entry) => bestOf(entry, quantsOf(entry), { budget, options }))
  const result = wish === undefined ? chooseBest(lines, budget) : grant(wish, catalog, { budget, options })
  if (result.ok) return { ...result, lines, command: commandFor(result.choice) }
  const others = wish === undefined ? '' : alternatives(lines, result.reason)
  return { ...result, lines, message: `${result.message}${others}` }
}

/** What to type to get the same again. */
const commandFor = ({ id, window }: Fit): string => `covey --model ${id} --window ${window}`

type FitContext = { readonly budget: Budget; readonly options: FitOptions }

type Outcome = { readonly ok: true; readonly choice: Fit } | Omit<Extract<FitResult, { ok: false }>, 'lines'>

function chooseBest(lines: readonly FitLine[], budget: Budget): Outcome {
  if (totalOf(budget) === undefined) {
    const message = 'How much memory is free here is not known; name a model with --model name:size:quant.'
    return { ok: false, reason: 'unknown-memory', message }
  }
  const [choice] = comfortable(lines)
  if (choice) return { ok: true, choice }
  const missing = lines.flatMap((line) => ('why' in line && line.missingBytes > 0 ? line.missingBytes : []))
  const least = missing.length > 0 ? `; the smallest lacks ${gib(Math.min(...missing))}` : ''
  return {
    ok: false,
    reason: 'nothing-fits',
    message: `No model of the catalogue fits with a window of ${AUTO_WINDOW} tokens${least}. Close other programs, or use a server: --base-url URL.`,
  }
}

function grant(wish: string, catalog: readonly CatalogEntry[], context: FitContext): Outcome {
  const read = readWish(wish, catalog)
  if (!read.ok) return { ok: false, reason: 'unknown-model', message: read.message }
  const line = bestOf(read.entry, read.quants, context)
  if ('fit' in line) return { ok: true, choice: line.fit }
  return { ok: false, reason: 'too-large', message: line.why, missingBytes: line.missingBytes }
}

function alternatives(lines: readonly FitLine[], reason: string): string {
  if (reason !== 'too-large') return ''
  const [best] = comfortable(lines)
  return best ? ` What fits is ${best.id}; \`covey models fit\` shows all.` : ' `covey models fit` shows all.'
}

/** Best first. */
const comfortable = (lines: readonly FitLine[]): readonly Fit[] =>
  lines
    .flatMap((line) => ('fit' in line ? line.fit : []))
    .filter(isComfortable)
    .toSorted(better)

const isComfortable = ({ window, slow }: Fit): boolean => window >= AUTO_WINDOW && !slow

/** The best of these quantisations that fits, or how far the smallest is from fitting. */
function bestOf(entry: CatalogEntry, quants: readonly Quant[], context: FitContext): FitLine {
  const fits = quants.flatMap((quant) => fitOf(entry, quant, context) ?? [])
  const [fit] = fits.toSorted((a, b) => Number(isComfortable(b)) - Number(isComfortable(a)) || better(a, b))
  if (fit) return { entry, fit }
  return { entry, ...shortage(entry, quants, context) }
}

const better = (a: Fit, b: Fit): number => worth(b) - worth(a) || a.bytes - b.bytes

/** In points of rank. What a card cannot hold makes it wait for main memory; a long window saves compactions. */
const worth = ({ entry, quant, window, place, fromRam }: Fit): number =>
  entry.rank -
  LOSS[quant] -
  (window < LONG_WINDOW ? 1 : 0) -
  (place === 'split' ? 2 + (2 * fromRam) / GIB : 0)

const LONG_WINDOW = 32_768

function fitOf(entry: CatalogEntry, quant: Quant, { budget, options }: FitContext): Fit | undefined {
  const total = totalOf(budget)
  const { cache = 'f16' } = options
  const need = (window: number, workers: number): number =>
    memoryNeeded(entry, quant, { window, workers, cache })
  const windows = windowsFor(entry, options)
  const isRoomFor = (candidate: number): boolean =>
    total === undefined
      ? candidate <= AUTO_WINDOW || options.window !== undefined
      : need(candidate, 1) <= total
  const window = windows.find(isRoomFor)
  if (window === undefined) return undefined
  const bytes = need(window, 1)
  const id = toId(entry, quant)
  const perWorker = need(window, 2) - bytes
  const spare = total === undefined ? 0 : Math.floor((total - bytes) / perWorker)
  const placed = placeOf(bytes, bytesPerToken(entry, quant), budget)
  const speed = options.measured?.[id] ?? placed.speed
  return {
    id,
    entry,
    quant,
    window,
    workers: Math.min(1 + spare, MOST_WORKERS),
    bytes,
    place: placed.place,
    fromRam: placed.fromRam,
    slow: speed === undefined ? placed.fromRam > HEAVY_BYTES : speed < SLOWEST,
    ...(speed !== undefined && { speed }),
  }
}

const MOST_WORKERS = 8

/**
 * Windows to try, largest first. No more than 32k unless asked for: small models lose the thread long before the window
 * they were trained for ends, and the memory does more as another worker.
 */
const WINDOWS = [32_768, 24_576, 16_384, 12_288, 8192, 4096]

const windowsFor = (entry: CatalogEntry, { window }: FitOptions): readonly number[] =>
  (window === undefined ? WINDOWS : [window]).filter((candidate) => candidate <= entry.window)

function shortage(
  entry: CatalogEntry,
  quants: readonly Quant[],
  { budget, options }: FitContext,
): { why: string; missingBytes: number } {
  const window = windowsFor(entry, options).at(-1)
  const [quant] = quants
  if (window === undefined || quant === undefined) {
    const asked = options.window ?? 0
    const why = `${entry.name}:${entry.size} was trained for ${entry.window} tokens, not ${asked}.`
    return { why, missingBytes: 0 }
  }
  const need = memoryNeeded(entry, quant, { window, workers: 1, cache: options.cache ?? 'f16' })
  const free = totalOf(budget) ?? 0
  const missingBytes = need - free
  const why = `${toId(entry, quant)} needs ${gib(need)} with a window of ${window} tokens and ${gib(free)} are free: it does not fit by ${gib(missingBytes)}.`
  return { why, missingBytes }
}

const gib = (bytes: number): string => `${(bytes / GIB).toFixed(1)} GiB`

/** Tokens per second that are still read with patience. */
const SLOWEST = 5

/** Read from main memory for one token; an ordinary computer then writes about four a second. */
const HEAVY_BYTES = 6 * GIB

/** The cards are filled first; what is left over is computed by the processor. */
function placeOf(bytes: number, read: number, budget: Budget): Pick<Fit, 'place' | 'fromRam' | 'speed'> {
  if (totalOf(budget) === undefined) return { place: 'unknown', fromRam: 0 }
  const onGpu = Math.min(1, budget.gpu / bytes)
  const place = onGpu === 1 ? 'gpu' : onGpu > 0 ? 'split' : 'cpu'
  const fromRam = read * (1 - onGpu)
  const seconds = secondsFor(read * onGpu, budget.gpuBandwidth) + secondsFor(fromRam, budget.ramBandwidth)
  return { place, fromRam, ...(Number.isFinite(seconds) && { speed: 1 / seconds }) }
}

/** NaN where the bandwidth is not known and something has to be read. */
const secondsFor = (bytes: number, bandwidth: number | undefined): number =>
  bytes === 0 ? 0 : 1 / tokensPerSecond(bytes, bandwidth ?? Number.NaN)
