/** The part of Ollama's API that other programs need to talk to us: chat, generate, and what they look at before. */
import { z } from 'zod'
import { isObject, readJson } from '../../lib/json.ts'
import type { FinishReason, Usage } from '../../protocol/model.ts'
import { answer } from '../api/answer.ts'
import type { Answer, AnswerEvent, ApiParts } from '../api/ask.ts'
import { toQueue, voidReply } from '../openai/chat-reply.ts'
import { type Collected, collect } from '../api/collect.ts'
import { askModel } from '../api/model.ts'
import { type Entry, servedModels } from '../api/models.ts'
import { fromOllamaChat, fromOllamaGenerate, OllamaChat, OllamaGenerate } from './request.ts'
import { toFailure, toPart } from '../api/wire.ts'
import { defineProblem, ProblemError } from '../http/errors.ts'
import { defineRoute, type Route, type RouteReply, type StreamPart } from '../http/route.ts'

/** The version of Ollama whose API this is; clients refuse to talk to older ones. */
const OLLAMA_VERSION = '0.12.6'

export const ollamaRoutes = (parts: ApiParts): readonly Route[] => [
  chatRoute(parts),
  generateRoute(parts),
  ...lookRoutes(parts),
  showRoute(parts),
]

const Call = z.strictObject({
  function: z.strictObject({ name: z.string(), arguments: z.record(z.string(), z.unknown()) }),
})

const End = {
  model: z.string(),
  created_at: z.string(),
  done: z.boolean(),
  done_reason: z.enum(['stop', 'length', 'load']).optional(),
  total_duration: z.int().optional(),
  load_duration: z.int().optional(),
  prompt_eval_count: z.int().optional(),
  prompt_eval_duration: z.int().optional(),
  eval_count: z.int().optional(),
  eval_duration: z.int().optional(),
  /** For clients that know Covey: others read a line without words. */
  covey: z.strictObject({ queue: z.strictObject({ position: z.int() }) }).optional(),
}

export const OllamaChatLine = z.strictObject({
  ...End,
  message: z.strictObject({
    role: z.literal('assistant'),
    content: z.string(),
    thinking: z.string().optional(),
    tool_calls: z.array(Call).optional(),
  }),
})

export const OllamaGenerateLine = z.strictObject({
  ...End,
  response: z.string(),
  thinking: z.string().optional(),
})

const chatRoute = (parts: ApiParts): Route =>
  defineRoute({
    method: 'POST',
    path: '/api/chat',
    scope: 'chat',
    summary: 'Answers a conversation, as Ollama does.',
    body: OllamaChat,
    reply: OllamaChatLine,
    errors: 'ollama',

    async handle({ body, ...caller }) {
      const speaking = { parts, model: body.model, startedAt: parts.now(), say: chatWords }
      if (!body.messages?.length) return loaded(speaking)
      const answered = answer(fromOllamaChat(body, caller), parts, caller)
      return reply(answered, speaking, body.stream !== false)
    },
  })

const generateRoute = (parts: ApiParts): Route =>
  defineRoute({
    method: 'POST',
    path: '/api/generate',
    scope: 'chat',
    summary: 'Answers one prompt, as Ollama does.',
    body: OllamaGenerate,
    reply: OllamaGenerateLine,
    errors: 'ollama',

    async handle({ body, ...caller }) {
      const speaking = { parts, model: body.model, startedAt: parts.now(), say: generateWords }
      if (!body.prompt) return loaded(speaking)
      const answered = askModel(fromOllamaGenerate(body, caller), parts, caller)
      return reply(answered, speaking, body.stream !== false)
    },
  })

type Words = Pick<Collected, 'text' | 'reasoning' | 'calls'>

type Speaking = {
  readonly parts: ApiParts
  readonly model: string
  readonly startedAt: number
  say(words: Words): object
}

const chatWords = ({ text, reasoning, calls }: Words): object => ({
  message: {
    role: 'assistant',
    content: text,
    ...(reasoning !== '' && { thinking: reasoning }),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ name, input }) => ({ function: { name, arguments: toObject(input) } })),
    }),
  },
})

const generateWords = ({ text, reasoning }: Words): object => ({
  response: text,
  ...(reasoning !== '' && { thinking: reasoning }),
})

function toObject(input: string): Record<string, unknown> {
  const reading = readJson(input)
  return reading.ok && isObject(reading.value) ? reading.value : {}
}

const silence: Words = { text: '', reasoning: '', calls: [] }

const line = ({ parts, model, say }: Speaking, words: Words, end: object = { done: false }): object => ({
  model,
  created_at: new Date(parts.now()).toISOString(),
  ...say(words),
  ...end,
})

/** A question without words only asks for the model to be ready. */
const loaded = (speaking: Speaking): RouteReply => ({
  kind: 'json',
  body: line(speaking, silence, { done: true, done_reason: 'load' }),
})

async function reply(answered: Answer, speaking: Speaking, isStream: boolean): Promise<RouteReply> {
  if (isStream) {
    const failure = toFailure('ollama', '')
    return { kind: 'stream', format: 'ndjson', parts: toLines(answered, speaking), failure }
  }
  const collected = await collect(answered)
  const end = endOf(speaking, collected.reason, collected.usage)
  return { kind: 'json', body: line(speaking, collected, end) }
}

async function* toLines(answered: Answer, speaking: Speaking): AsyncGenerator<StreamPart> {
  for await (const event of answered) {
    const words = wordsOf(event)
    if (event.type === 'restart') throw voidReply(event.why)
    if (words) yield toPart(line(speaking, words))
    else if (event.type === 'waiting')
      yield toPart(line(speaking, silence, { done: false, covey: toQueue(event.position) }))
    else if (event.type === 'finish')
      yield toPart(line(speaking, silence, endOf(speaking, event.reason, event.usage)))
  }
}

function wordsOf(event: AnswerEvent): Words | undefined {
  if (event.type === 'text-delta') return { ...silence, text: event.text }
  if (event.type === 'reasoning-delta') return { ...silence, reasoning: event.text }
  return event.type === 'tool-call' ? { ...silence, calls: [event.call] } : undefined
}

const NANOSECONDS = 1_000_000

function endOf({ parts, startedAt }: Speaking, reason: FinishReason, usage: Usage): object {
  const took = Math.round((parts.now() - startedAt) * NANOSECONDS)
  return {
    done: true,
    done_reason: reason === 'length' ? 'length' : 'stop',
    total_duration: took,
    load_duration: 0,
    prompt_eval_count: usage.prompt,
    prompt_eval_duration: 0,
    eval_count: usage.completion,
    eval_duration: took,
  }
}

const lookRoutes = (parts: ApiParts): readonly Route[] =>
  (
    [
      [
        '/api/tags',
        'The models and agents, as Ollama lists them.',
        () => ({ models: servedModels(parts).map(toTag) }),
      ],
      [
        '/api/ps',
        'The models that can be asked at once.',
        () => ({ models: servedModels(parts).map(toTag) }),
      ],
      ['/api/version', 'The version of Ollama whose API this is.', () => ({ version: OLLAMA_VERSION })],
    ] as const
  ).map(([path, summary, look]) =>
    defineRoute({
      method: 'GET',
      path,
      scope: 'chat',
      summary,
      reply: z.looseObject({}),
      errors: 'ollama',
      handle: async () => ({ kind: 'json', body: look() }),
    }),
  )

const details = {
  parent_model: '',
  format: 'gguf',
  family: 'covey',
  families: ['covey'],
  parameter_size: '',
  quantization_level: '',
}

const toTag = ({ id, created }: Entry): object => ({
  name: id,
  model: id,
  modified_at: new Date(created * 1000).toISOString(),
  size: 0,
  digest: '',
  details,
})

const ShowRequest = z.looseObject({ model: z.string().nullish(), name: z.string().nullish() })

const showRoute = (parts: ApiParts): Route =>
  defineRoute({
    method: 'POST',
    path: '/api/show',
    scope: 'chat',
    summary: 'What one model can do, in the format of Ollama.',
    body: ShowRequest,
    reply: z.looseObject({
      capabilities: z.array(z.string()),
      model_info: z.record(z.string(), z.unknown()),
    }),
    errors: 'ollama',

    async handle({ body }) {
      const id = (body.model ?? body.name ?? '').replace(/:latest$/, '')
      const found = servedModels(parts).find((candidate) => candidate.id === id)
      if (!found) throw new ProblemError(defineProblem(404, 'model_not_found', `model '${id}' not found`))
      return { kind: 'json', body: toShown(found) }
    },
  })

const toShown = ({ capabilities, agent, embeddings, created }: Entry): object => ({
  modelfile: '',
  parameters: `num_ctx ${capabilities.window}`,
  template: '',
  details,
  model_info: { 'general.architecture': 'covey', 'covey.context_length': capabilities.window },
  capabilities: [
    'completion',
    ...(agent ? [] : ['tools']),
    ...(capabilities.vision ? ['vision'] : []),
    ...(embeddings ? ['embedding'] : []),
  ],
  modified_at: new Date(created * 1000).toISOString(),
})
