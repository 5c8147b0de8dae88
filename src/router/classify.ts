/**
 * Classifies a request by a small model within two seconds; by keywords without a model, or if it is
 * late, or its reply cannot be parsed. The answer names its source.
 */
import { z } from 'zod'
import { readJson } from '../lib/json.ts'
import { type Classification, taskTypes } from '../protocol/classification.ts'
import { AppError } from '../protocol/error.ts'
import type { Model } from '../protocol/model.ts'
import { classifyByKeywords } from './keywords.ts'

export type Classify = (prompt: string, signal: AbortSignal) => Promise<Classification>

export type ClassifierParts = {
  /** The small model; absent = words only. */
  readonly ask?: Classify
  /** Starts the small model, where that takes time; what it takes is not part of its limit. */
  readonly start?: () => Promise<void>
  /** Aborts after the limit; tests hand in one that is already over. */
  readonly limit?: () => AbortSignal
}

const LIMIT_MS = 2_000
/** An engine that takes longer to start is not waited for; it may be ready for the next request. */
const START_LIMIT_MS = 20_000

/** Never fails; throws only when `signal` aborts. */
export function createClassifier({
  ask,
  start = async () => {},
  limit = () => AbortSignal.timeout(LIMIT_MS),
}: ClassifierParts): Classify {
  return async (prompt, signal) => {
    if (!ask) return classifyByKeywords(prompt)
    try {
      const starting = AbortSignal.any([signal, AbortSignal.timeout(START_LIMIT_MS)])
      await Promise.race([start(), aborted(starting)])
      const both = AbortSignal.any([signal, limit()])
      return checkedByWords(prompt, await Promise.race([ask(prompt, both), aborted(both)]))
    } catch {
      signal.throwIfAborted()
      return { ...classifyByKeywords(prompt), source: 'slm_fallback' }
    }
  }
}

/**
 * Orchestration costs the most, and a small model sees it in plain questions; its word counts where the words agree.
 */
export function checkedByWords(prompt: string, said: Classification): Classification {
  const type = said.type === 'orchestration' ? classifyByKeywords(prompt).type : said.type
  const { sure, ...rest } = said
  return { ...rest, type, ...(type === said.type && sure !== undefined && { sure }), source: 'slm' }
}

/** A model that does not listen to its signal is not waited for either. */
const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    const fail = () => reject(new AppError('model-unavailable', 'The classifier took too long.'))
    if (signal.aborted) fail()
    else signal.addEventListener('abort', fail, { once: true })
  })

/** Any arm as a classifier: one short JSON answer. */
export const classifyWith =
  (model: Model): Classify =>
  async (prompt, signal) => {
    const words = prompt.slice(0, MAX_PROMPT)
    let text = ''
    const request = {
      runId: 'classify',
      sessionId: 'classify',
      turn: 1,
      system: INSTRUCTIONS,
      messages: [{ role: 'user', text: words }],
      tools: [],
      responseFormat: { type: 'json', schema: SCHEMA, name: 'classification' },
      maxTokens: 80,
      temperature: 0,
      thinking: 'off',
    } as const
    for await (const event of model.stream(request, signal)) {
      if (event.type === 'text-delta') text += event.text
      if (event.type === 'reply-restart') text = ''
    }
    return toClassification(text, words)
  }

/** What decides stands at the start of a request; the rest is pasted text. */
const MAX_PROMPT = 2_000

const Answer = z.object({
  task_type: z.enum(taskTypes),
  complexity: z.coerce.number().min(0).max(1),
  requires_tools: z.boolean(),
})

const SCHEMA = {
  type: 'object',
  properties: {
    task_type: { type: 'string', enum: [...taskTypes] },
    complexity: { type: 'number', minimum: 0, maximum: 1 },
    requires_tools: { type: 'boolean' },
  },
  required: ['task_type', 'complexity', 'requires_tools'],
  additionalProperties: false,
} as const

const INSTRUCTIONS = [
  'You sort requests to a coding agent. Do not answer the request itself.',
  `Reply with JSON only: {"task_type": one of ${taskTypes.join(', ')}, "complexity": 0 to 1,`,
  '"requires_tools": whether files or commands of the project are needed}.',
].join('\n')

function toClassification(text: string, prompt: string): Classification {
  const reading = readJson(text)
  const { data } = Answer.safeParse(reading.ok ? reading.value : undefined)
  if (!data) throw new AppError('model-unavailable', 'The classifier gave no JSON that can be read.')
  const { category } = classifyByKeywords(prompt)
  const firstTool = category === 'answer' ? 'read' : category
  return {
    type: data.task_type,
    complexity: data.complexity,
    needsTools: data.requires_tools,
    category: data.requires_tools ? firstTool : 'answer',
    source: 'slm',
  }
}
