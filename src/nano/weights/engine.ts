/**
 * The engine as nano uses it: one short reply under a grammar, with how sure the model was of each token, and labels read
 * from logits. In this process: the file is our own. Several sequences, so that a classification does not throw the tools
 * of a conversation out of the cache.
 */
import type { Token } from 'node-llama-cpp'
import { readGguf } from '../../lib/gguf/header.ts'
import { AppError, errorMessage } from '../../protocol/error.ts'
import type { Usage } from '../../protocol/model.ts'
import { createEncodingMemory } from '../../embedded/encoding.ts'
import { DEFAULT_IDLE_MS } from '../../embedded/engine.ts'
import { keepCommonStart } from '../../embedded/generate.ts'
import { orAborted } from '../../embedded/or-aborted.ts'
import { type LabelField, scoreFields } from '../../embedded/score.ts'
import type { Segment } from '../../embedded/segment.ts'
import { readVocabulary, type Vocabulary } from './vocabulary.ts'
import { beginTurn, type Turn } from '../../embedded/turn.ts'
import { createWeights, type Loaded } from '../../embedded/weights.ts'

const NANO_NAME = 'covey-nano'
/** Tokens of prompt and answer together: it was trained on rows of this length. */
export const NANO_WINDOW = 2048
const SEQUENCES = 3
/** More only wait for each other: the matrices are small. */
const MOST_THREADS = 4

export type NanoEngineOptions = {
  readonly path: string
  readonly sha256?: string
  readonly threads?: number
  /** How long the weights stay in memory after the last request. */
  readonly idleMs?: number
}

type NanoWish = {
  readonly sessionId: string
  /** The prompt for this many tokens at most. */
  prompt(count: (segments: readonly Segment[]) => number): readonly Segment[]
  /** GBNF. */
  readonly grammar: string
}

export type NanoReply = {
  readonly text: string
  /** Of each token, its share among those the grammar allowed. */
  readonly confidences: readonly number[]
  /** The window was full before the reply was whole. */
  readonly isCut: boolean
  readonly usage: Usage
  readonly times: { readonly firstTokenMs: number; readonly decodeMs: number }
}

export type NanoEngine = {
  /** Nothing when `signal` aborts. */
  reply(wish: NanoWish, signal: AbortSignal): Promise<NanoReply | undefined>
  /** For each field, how likely each label is; nothing when `signal` aborts. */
  score(
    prompt: readonly Segment[],
    fields: readonly LabelField[],
    signal: AbortSignal,
  ): Promise<readonly (readonly number[])[] | undefined>
  load(): Promise<void>
  close(): Promise<void>
}

export function createNanoEngine(options: NanoEngineOptions): NanoEngine {
  const weights = createWeights({
    threads: MOST_THREADS,
    idleMs: DEFAULT_IDLE_MS,
    ...options,
    window: NANO_WINDOW,
    sequences: SEQUENCES,
    gpu: false,
    chatTemplate: '',
  })
  let vocabulary: Promise<Vocabulary> | undefined
  const core: Core = {
    name: NANO_NAME,
    window: NANO_WINDOW,
    weights,
    memory: createEncodingMemory(0),
    vocabulary() {
      vocabulary ??= openFile(options.path)
      // A file that cannot be opened now may be whole the next time.
      vocabulary.catch(() => (vocabulary = undefined))
      return vocabulary
    },
  }
  return {
    reply: (wish, signal) => reply(core, wish, signal),
    score: (prompt, fields, signal) => score(core, { prompt, fields }, signal),
    async load() {
      await core.vocabulary()
      await weights.acquire()
      weights.release()
    },
    close: () => weights.close(),
  }
}

type Core = Parameters<typeof beginTurn>[0] & {
  /** The tokens of the file, once it is known to be nano's. */
  vocabulary(): Promise<Vocabulary>
}

/** Another model would not know the tokens nano's prompt is made of. */
async function openFile(path: string): Promise<Vocabulary> {
  const { name } = await readGguf(path)
  if (name === NANO_NAME) return readVocabulary(path)
  throw new AppError(
    'config-invalid',
    `${path} is not ${NANO_NAME}; name it with --model as any other GGUF file.`,
  )
}

async function reply(core: Core, wish: NanoWish, signal: AbortSignal): Promise<NanoReply | undefined> {
  const prompt = ({ tokenizer }: Loaded): readonly Segment[] =>
    wish.prompt((segments) => segments.reduce((sum, part) => sum + tokenizer.encode(part, false).length, 0))
  const vocabulary = await core.vocabulary()
  const turn = await beginTurn(core, { sessionId: wish.sessionId, prompt }, signal)
  if (!turn) return undefined
  let ended: Promise<unknown> = Promise.resolve()
  try {
    const cached = await keepCommonStart(turn.slot.sequence, turn.encoding.tokens)
    const tokens = startTokens(turn, wish.grammar)
    try {
      return await collect({ tokens, vocabulary, cached, prompt: turn.encoding.tokens.length }, signal)
    } finally {
      ended = tokens.return(undefined)
    }
  } catch (error) {
    // What the cache holds after a failure is anybody's guess.
    ended = ended.then(() => turn.slot.sequence.clearHistory())
    throw toAppError(error)
  } finally {
    ended = ended.catch(() => {}).then(turn.end)
    // A cancelled reply is over at once; its sequence follows when the token in the works is done.
    if (!signal.aborted) await ended
  }
}

type Sampled = { readonly token: Token; readonly confidence: number }

function startTokens({ loaded, slot, encoding }: Turn, grammar: string): AsyncGenerator<Sampled, void> {
  const { sequence } = slot
  return sequence.evaluateWithMetadata(
    encoding.tokens.slice(sequence.nextTokenIndex),
    { confidence: true },
    { temperature: 0, grammarEvaluationState: loaded.grammar(grammar) },
  ) as AsyncGenerator<Sampled, void>
}

type Collecting = {
  readonly tokens: AsyncGenerator<Sampled, void>
  readonly vocabulary: Vocabulary
  readonly cached: number
  readonly prompt: number
}

async function collect(
  { tokens, vocabulary, cached, prompt }: Collecting,
  signal: AbortSignal,
): Promise<NanoReply | undefined> {
  const written: Sampled[] = []
  const started = performance.now()
  let first = started
  let isCut = false
  while (!isCut) {
    const step = await orAborted(tokens.next(), signal)
    if (!step) return undefined
    if (step.done) break
    if (written.length === 0) first = performance.now()
    isCut = written.push(step.value) >= NANO_WINDOW - prompt
  }
  return {
    text: vocabulary.toText(written.map(({ token }) => token)),
    confidences: written.map(({ confidence }) => confidence),
    isCut,
    usage: { prompt, completion: written.length, cached },
    times: { firstTokenMs: first - started, decodeMs: performance.now() - first },
  }
}

type Scoring = { readonly prompt: readonly Segment[]; readonly fields: readonly LabelField[] }

async function score(
  core: Core,
  { prompt, fields }: Scoring,
  signal: AbortSignal,
): Promise<number[][] | undefined> {
  await core.vocabulary()
  const turn = await beginTurn(core, { sessionId: '', prompt: () => prompt }, signal)
  if (!turn) return undefined
  try {
    const { tokenizer } = turn.loaded
    return await scoreFields(turn.slot.sequence, turn.encoding.tokens, { fields, tokenizer })
  } catch (error) {
    throw toAppError(error)
  } finally {
    turn.end()
  }
}

const toAppError = (error: unknown): AppError =>
  error instanceof AppError
    ? error
    : new AppError('model-unavailable', `${NANO_NAME}: the embedded engine failed: ${errorMessage(error)}`, {
        cause: error,
      })
