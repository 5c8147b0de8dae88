/**
 * `POST /v1/completions`: the legacy text API, for autocompletion. A model is asked in a conversation to go on with the
 * text; the gap before `suffix` is filled as the model was trained to, or asked for in words, see `api-fill.ts`.
 */
import { z } from 'zod'
import { defined } from '../../lib/object.ts'
import type { Usage } from '../../protocol/model.ts'
import { addUsage, type Answer, type ApiParts, type Caller, toAsk } from '../api/ask.ts'
import { defaultName, varied, withSeed } from './chat.ts'
import { finishWords, toChatUsage, toQueue, voidReply } from './chat-reply.ts'
import { toStop } from './chat-request.ts'
import { collectAll, sideBySide } from '../api/collect.ts'
import { aroundGap } from '../api/fill.ts'
import { LegacyLogprobs, MOST_ALTERNATIVES, toLegacyLogprobs } from './logprobs.ts'
import { askModel } from '../api/model.ts'
import { samplingFields, toSampling } from '../api/sampling.ts'
import { toFailure, toPart, toSeconds, unsupported } from '../api/wire.ts'
import { newId } from '../http/new-id.ts'
import { defineRoute, type Route, type StreamPart } from '../http/route.ts'

const CompletionRequest = z.looseObject({
  model: z.string().nullish(),
  prompt: z.union([z.string(), z.array(z.unknown()).min(1).max(8)]),
  suffix: z.string().nullish(),
  echo: z.boolean().nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: z.int().positive().nullish(),
  ...samplingFields,
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  n: z.int().positive().max(8).nullish(),
  logprobs: z.int().min(0).max(MOST_ALTERNATIVES).nullish(),
})
type CompletionRequest = z.infer<typeof CompletionRequest>

export const TextCompletion = z.strictObject({
  id: z.string(),
  object: z.literal('text_completion'),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    z.strictObject({
      index: z.int(),
      text: z.string(),
      logprobs: LegacyLogprobs.nullable(),
      finish_reason: z.enum(['stop', 'length', 'tool_calls', 'content_filter']).nullable(),
    }),
  ),
  usage: z
    .looseObject({ prompt_tokens: z.int(), completion_tokens: z.int(), total_tokens: z.int() })
    .optional(),
  covey: z.strictObject({ queue: z.strictObject({ position: z.int() }) }).optional(),
})
type TextCompletion = z.infer<typeof TextCompletion>

export const completionsRoute = (parts: ApiParts): Route =>
  defineRoute({
    method: 'POST',
    path: '/v1/completions',
    scope: 'chat',
    summary: 'Goes on with a text, or fills the gap before `suffix`.',
    body: CompletionRequest,
    reply: TextCompletion,

    async handle({ body, ...caller }) {
      const prompts = toPrompts(body)
      const count = body.n ?? 1
      const seeded = withSeed(body, count)
      const open = (index: number, signal: AbortSignal): Answer => {
        const ask = toTextAsk(seeded, prompts[Math.floor(index / count)] ?? '', caller)
        return askModel(varied(ask, index % count), parts, { ...caller, signal })
      }
      const envelope = toEnvelope(body.model ?? defaultName(parts), parts.now())
      const asked: Asked = { body, envelope, prompts, count: count * prompts.length, open }
      if (!body.stream) return { kind: 'json', body: await complete(asked, caller) }
      const failure = toFailure('openai', caller.id)
      return { kind: 'stream', format: 'sse', parts: streamText(asked, caller), failure }
    },
  })

const toEnvelope = (model: string, now: number) => ({
  id: newId('cmpl-'),
  object: 'text_completion' as const,
  created: toSeconds(now),
  model,
})

type Asked = {
  readonly body: CompletionRequest
  readonly envelope: ReturnType<typeof toEnvelope>
  readonly prompts: readonly string[]
  readonly count: number
  readonly open: (index: number, signal: AbortSignal) => Answer
}

function toPrompts({ prompt }: CompletionRequest): readonly string[] {
  const prompts = typeof prompt === 'string' ? [prompt] : prompt
  if (prompts.every((text) => typeof text === 'string')) return prompts
  throw unsupported('prompt', 'tokens cannot be read here; send text')
}

const CONTINUE =
  'You complete text. The user gives the beginning of a text or a source file. Write what comes next, and only that: ' +
  'no introduction, no explanation, no code fence, no repetition of the beginning.'
const FILL =
  'You complete source code. The user gives what stands before a gap and what stands after it. Write the text for the ' +
  'gap, and only that: no introduction, no explanation, no code fence, no repetition of what is around it.'

function toTextAsk(body: CompletionRequest, prompt: string, caller: Caller) {
  const gap = body.suffix ? { before: prompt, after: body.suffix } : undefined
  const text = gap ? aroundGap(gap) : prompt || '(an empty text: begin it)'
  return toAsk(
    {
      model: body.model,
      said: [
        { role: 'system', text: gap ? FILL : CONTINUE },
        { role: 'user', text },
      ],
      isStream: body.stream ?? false,
      thinking: 'off',
      ...defined({
        gap,
        maxTokens: body.max_tokens ?? undefined,
        logprobs: body.logprobs ?? undefined,
        stop: toStop(body.stop),
      }),
      ...toSampling(body),
    },
    caller,
  )
}

const echoOf = ({ body, prompts, count }: Asked, index: number): string =>
  body.echo ? (prompts[Math.floor((index * prompts.length) / count)] ?? '') : ''

async function complete(asked: Asked, caller: Caller): Promise<TextCompletion> {
  const answers = await collectAll(asked.count, asked.open, caller)
  const usage = answers.map((one) => one.usage).reduce(addUsage)
  const choices = answers.map(({ text, reason, chances }, index) => {
    const echo = echoOf(asked, index)
    const logprobs = toLegacyLogprobs(chances, echo.length)
    return { index, text: echo + text, logprobs, finish_reason: finishWords[reason] }
  })
  return { ...asked.envelope, choices, usage: toChatUsage(usage) }
}

type Choice = TextCompletion['choices'][number]

const toChoice = (index: number, text: string): Choice => ({
  index,
  text,
  logprobs: null,
  finish_reason: null,
})

async function* streamText(asked: Asked, caller: Caller): AsyncGenerator<StreamPart> {
  const { envelope, body } = asked
  let used: Usage | undefined
  const written = new Map<number, number>()
  const part = (choice: Choice, more: object = {}) => toPart({ ...envelope, choices: [choice], ...more })
  for await (const event of sideBySide(asked.count, asked.open, caller)) {
    const index = event.choice ?? 0
    const echo = event.type === 'start' ? echoOf(asked, index) : ''
    const offset = written.get(index) ?? 0
    if (event.type === 'restart') throw voidReply(event.why)
    if (event.type === 'waiting') yield part(toChoice(index, ''), { covey: toQueue(event.position) })
    if (echo !== '') yield part(toChoice(index, echo))
    if (event.type === 'text-delta')
      yield part({ ...toChoice(index, event.text), logprobs: toLegacyLogprobs(event.chances, offset) })
    written.set(index, offset + echo.length + (event.type === 'text-delta' ? event.text.length : 0))
    if (event.type !== 'finish') continue
    used = used ? addUsage(used, event.usage) : event.usage
    yield part({ ...toChoice(index, ''), finish_reason: finishWords[event.reason] })
  }
  if (body.stream_options?.include_usage && used)
    yield toPart({ ...envelope, choices: [], usage: toChatUsage(used) })
  yield { data: '[DONE]' }
}
