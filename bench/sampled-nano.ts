/**
 * covey-nano with a temperature. By itself it is greedy, and a swarm of it would say the same in chorus; this asks the same
 * weights with the same prompt, grammar and rules, and draws the tokens instead of taking the best.
 */
import { createEncodingMemory } from '../src/embedded/encoding.ts'
import { keepCommonStart } from '../src/embedded/generate.ts'
import { decide } from '../src/nano/decide.ts'
import { NANO_WINDOW } from '../src/nano/weights/engine.ts'
import type { Sources } from '../src/nano/weights/format.ts'
import { nanoGrammar } from '../src/nano/weights/grammar.ts'
import { offerNano } from '../src/nano/weights/offer.ts'
import { findSources, type ProjectFiles, withoutNeedlessAppend } from '../src/nano/project/sources.ts'
import { fitPrompt } from '../src/nano/weights/prompt.ts'
import { type NanoTool, nanoTools } from '../src/nano/weights/tools.ts'
import { readVocabulary, type Vocabulary } from '../src/nano/weights/vocabulary.ts'
import { createNanoModel } from '../src/nano/model.ts'
import type { Segment } from '../src/embedded/segment.ts'
import { beginTurn } from '../src/embedded/turn.ts'
import { createWeights, type Loaded, type Weights } from '../src/embedded/weights.ts'
import type { Model, ModelEvent, ModelRequest, ToolSchema } from '../src/protocol/model.ts'
import type { Row } from '../scripts/nano-judge.ts'

const NEVER = new AbortController().signal
const RESERVE = 400

export interface SampledNano extends Model {
  /** The folder it looks into from now on. */
  use(files: ProjectFiles): void
  close(): Promise<void>
}

/** Every tool nano knows, whether this program has it yet or not. */
const SCHEMAS: readonly ToolSchema[] = Array.from(nanoTools.values(), ({ name, parameters }) => ({
  name,
  parameters: {
    type: 'object',
    properties: Object.fromEntries(parameters.map((parameter) => [parameter.name, {}])),
  },
}))

export const nanoRequest = ({ id, request }: Row): ModelRequest => ({
  runId: id,
  sessionId: 'bench',
  turn: 1,
  task: request,
  system: '',
  messages: [{ role: 'user', text: request }],
  tools: SCHEMAS,
})

/** `isBold`: it calls even what it doubts, as other models do. */
export async function createSampledNano(path: string, isBold: boolean): Promise<SampledNano> {
  let files: ProjectFiles = { list: async () => [], read: async () => '', info: async () => undefined }
  const classifier = createNanoModel({ path, files })
  const weights = createWeights({
    path,
    window: NANO_WINDOW,
    sequences: 1,
    gpu: false,
    idleMs: 600_000,
    chatTemplate: '',
  })
  const vocabulary = await readVocabulary(path)
  const prepare = prepareOnce(async (words) => {
    const { category } = await classifier.classify(words)
    return {
      sources: await findSources(words, files),
      tools: offerNano({ category, request: words, tools: SCHEMAS }).shown,
    }
  })
  return {
    name: 'sampled-nano',
    use: (project) => (files = project),
    async *stream(request) {
      const words = request.task ?? ''
      const prepared = await prepare(request.runId, words)
      const reply = await sample({ words, request, ...prepared }, weights, vocabulary)
      const decision = decide({ request: words, steps: [], lines: prepared.sources.lines, ...reply })
      yield* decision.kind === 'call' || (isBold && decision.kind === 'doubt')
        ? tellCall(await withoutNeedlessAppend(decision.call, files))
        : tellText(`${decision.kind} ${'reason' in decision ? decision.reason : ''}`)
    },
    close: async () => void (await Promise.all([classifier.close(), weights.close()])),
  }
}

type Prepared = { readonly sources: Sources; readonly tools: readonly NanoTool[] }

/** Found out once for each request, however often it is asked. */
function prepareOnce(prepare: (words: string) => Promise<Prepared>) {
  let last: { readonly id: string; readonly prepared: Promise<Prepared> } | undefined
  return (id: string, words: string): Promise<Prepared> => {
    if (last?.id !== id) last = { id, prepared: prepare(words) }
    return last.prepared
  }
}

type Sampling = Prepared & { readonly words: string; readonly request: ModelRequest }

async function sample(
  { words, request, sources, tools }: Sampling,
  weights: Weights,
  vocabulary: Vocabulary,
) {
  let isRequestCut = false
  const prompt = ({ tokenizer }: Loaded): readonly Segment[] => {
    const count = (segments: readonly Segment[]): number =>
      segments.reduce((sum, part) => sum + tokenizer.encode(part, false).length, 0)
    const fitted = fitPrompt({ request: words, steps: [], sources, tools }, count, NANO_WINDOW - RESERVE)
    isRequestCut = fitted.isRequestCut
    return fitted.segments
  }
  const parts = { name: 'sampled-nano', window: NANO_WINDOW, weights, memory: createEncodingMemory(0) }
  const turn = await beginTurn(parts, { sessionId: 'bench', prompt }, NEVER)
  if (!turn) throw new Error('nobody cancels here')
  try {
    const { sequence } = turn.slot
    await keepCommonStart(sequence, turn.encoding.tokens)
    const tokens = sequence.evaluateWithMetadata(
      turn.encoding.tokens.slice(sequence.nextTokenIndex),
      { confidence: true },
      {
        temperature: request.temperature ?? 0,
        seed: request.seed ?? 0,
        grammarEvaluationState: turn.loaded.grammar(
          nanoGrammar({ request: words, sources, tools, mustCall: false }),
        ),
      },
    )
    const written: { token: number; confidence: number }[] = []
    for await (const { token, confidence } of tokens) {
      written.push({ token, confidence: confidence ?? 0 })
      if (written.length >= RESERVE) break
    }
    return {
      text: vocabulary.toText(written.map(({ token }) => token)),
      confidences: written.map(({ confidence }) => confidence),
      isCut: written.length >= RESERVE,
      isRequestCut,
    }
  } finally {
    turn.end()
  }
}

function* tellCall({ name, input }: { name: string; input: object }): Generator<ModelEvent> {
  yield { type: 'tool-call', call: { id: 'call-1', name, input: JSON.stringify(input) } }
  yield { type: 'finish', reason: 'tool-calls' }
}

function* tellText(text: string): Generator<ModelEvent> {
  yield { type: 'text-delta', text }
  yield { type: 'finish', reason: 'stop' }
}
