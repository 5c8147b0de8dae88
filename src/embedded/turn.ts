/** One piece of work for the engine: the weights in memory, the prompt as tokens, and a sequence to evaluate it on. */
import { AppError } from '../protocol/error.ts'
import type { Encoding, EncodingMemory } from './encoding.ts'
import { orAborted } from './or-aborted.ts'
import type { Progress } from '../protocol/model.ts'
import type { Segment } from './segment.ts'
import { chooseSlot } from './slots.ts'
import type { Loaded, Slot, Weights } from './weights.ts'

export type Turn = {
  readonly loaded: Loaded
  readonly slot: Slot
  readonly encoding: Encoding
  /** Gives sequence and weights back. Nothing may be running on the sequence any more. */
  end(): void
}

export type TurnParts = {
  readonly name: string
  readonly window: number
  readonly weights: Weights
  readonly memory: EncodingMemory
}

export type TurnWish = {
  readonly sessionId: string
  prompt(loaded: Loaded): readonly Segment[] | Promise<readonly Segment[]>
  /** Told what it waits for. */
  onWait?(progress: Progress): void
}

/** Waits for the weights and for a sequence; nothing when `signal` aborts before both are there. */
export async function beginTurn(
  { name, window, weights, memory }: TurnParts,
  wish: TurnWish,
  signal: AbortSignal,
): Promise<Turn | undefined> {
  const loaded = await acquire(weights, wish, signal)
  if (!loaded) return undefined
  try {
    const encoding = memory.encode(await wish.prompt(loaded), loaded.tokenizer)
    requireFit(name, encoding.tokens.length, window)
    const taken = loaded.slots.take((free) => cheapest(encoding, free), signal)
    const waiting = loaded.slots.waiting()
    if (waiting > 0) wish.onWait?.({ type: 'progress', stage: 'queued', total: waiting })
    const slot = await taken
    if (!slot) {
      weights.release()
      return undefined
    }
    slot.usedAt = performance.now()
    slot.prompt = encoding.tokens.length
    slot.sessionId = wish.sessionId
    return { loaded, slot, encoding, end: () => giveBack(loaded, slot, weights) }
  } catch (error) {
    weights.release()
    throw error
  }
}

async function acquire(
  weights: Weights,
  { onWait }: TurnWish,
  signal: AbortSignal,
): Promise<Loaded | undefined> {
  const acquired = weights.acquire(onWait && loadWatch(onWait))
  const loaded = await orAborted(acquired, signal)
  // Loading cannot be stopped; a caller that gave up still has to release it.
  if (!loaded) acquired.then(weights.release, () => {})
  return loaded
}

/** What is loaded in a moment is not worth a word. */
const QUICK_LOAD_MS = 300

function loadWatch(onWait: NonNullable<TurnWish['onWait']>): (share: number) => void {
  const since = performance.now()
  let told = -1
  return (share) => {
    const percent = Math.floor(share * 100)
    if (percent === told || performance.now() - since < QUICK_LOAD_MS) return
    told = percent
    onWait({ type: 'progress', stage: 'loading', total: 1, done: percent / 100 })
  }
}

function requireFit(name: string, tokens: number, window: number): void {
  if (tokens > 0 && tokens < window) return
  throw tokens === 0
    ? new AppError('request-invalid', `${name}: the prompt is empty.`)
    : new AppError('context-overflow', `${name}: the prompt has ${tokens} tokens, the window ${window}.`, {
        window,
      })
}

function cheapest({ tokens }: Encoding, free: readonly Slot[]): Slot {
  const views = free.map(({ sequence, prompt, usedAt }) => ({
    tokens: sequence.contextTokens,
    prompt,
    usedAt,
  }))
  return free[chooseSlot(tokens, views)] as Slot
}

function giveBack({ slots }: Loaded, slot: Slot, weights: Weights): void {
  slots.give(slot)
  weights.release()
}
