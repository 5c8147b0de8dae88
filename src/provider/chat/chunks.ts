/**
 * The pieces of a chat completion as they stream, told as parts of a reply. Read by hand, not by a schema: there is one
 * for every token, and servers disagree about everything but the names.
 */
import { isObject } from '../../lib/json.ts'
import { readChances } from '../chances.ts'
import { readPromptProgress } from '../prompt-progress.ts'
import { argumentText, type CountedTokens, finishPart, type ReplyPart } from '../sdk/stream-parts.ts'

export type ChunkReader = {
  read(chunk: unknown): readonly ReplyPart[]
  /** The calls, and how it ended. Nothing where the server gave no reason: then the stream was cut. */
  end(isDone: boolean): readonly ReplyPart[]
}

type OpenCall = { id: string; name: string; input: string }

/** `unfinished`: what it means where the server ends a reply properly and says no reason. */
export function createChunkReader(unfinished?: ReplyPart): ChunkReader {
  const calls: CallBook = { all: [], byIndex: new Map() }
  let reason: string | undefined
  let counted: CountedTokens = {}
  return {
    read(chunk) {
      if (!isObject(chunk)) return []
      if (isObject(chunk['usage'])) counted = toCounted(chunk['usage'])
      const choice: unknown = Array.isArray(chunk['choices']) ? chunk['choices'][0] : undefined
      const progress = readPromptProgress(chunk['prompt_progress'])
      if (!isObject(choice)) return progress
      if (typeof choice['finish_reason'] === 'string') reason = choice['finish_reason']
      // A server that does not stream sends the whole message at once.
      const delta = choice['delta'] ?? choice['message']
      const parts = [...progress, ...(isObject(delta) ? partsOf(delta, calls) : [])]
      // Of words only: what is thought, and what calls are made of, has no place for them.
      const hasChances = choice['logprobs'] && parts.at(-1)?.type === 'text-delta'
      return hasChances ? [...parts, ...chancesIn(choice['logprobs'])] : parts
    },
    end(isDone) {
      if (reason === undefined && isDone && unfinished) return [unfinished]
      // Some servers end properly and say no reason.
      const given = reason ?? (isDone ? 'unknown' : undefined)
      if (given === undefined) return []
      return [...calls.all.map(toPart), finishPart(given, counted)]
    },
  }
}

type CallBook = { readonly all: OpenCall[]; readonly byIndex: Map<number, OpenCall> }

function partsOf(delta: Readonly<Record<string, unknown>>, calls: CallBook): ReplyPart[] {
  const parts: ReplyPart[] = []
  const reasoning = delta['reasoning_content'] ?? delta['reasoning']
  if (typeof reasoning === 'string' && reasoning !== '') {
    parts.push({ type: 'reasoning-delta', id: '0', delta: reasoning })
  }
  const { content } = delta
  if (typeof content === 'string' && content !== '')
    parts.push({ type: 'text-delta', id: '0', delta: content })
  const pieces: readonly unknown[] = Array.isArray(delta['tool_calls']) ? delta['tool_calls'] : []
  for (const [position, piece] of pieces.entries()) {
    // A token that is part of a call says that the server is at work, and how long the call has become.
    if (isObject(piece)) {
      const delta = takeCall(piece, position, calls)
      parts.push({ type: 'tool-input-delta', id: '0', delta })
    }
  }
  return parts
}

function chancesIn(logprobs: unknown): ReplyPart[] {
  const tokens = isObject(logprobs) ? readChances(logprobs['content']) : []
  return tokens.length > 0 ? [{ type: 'logprobs', tokens }] : []
}

/** Tells what the piece adds to the arguments. */
function takeCall(piece: Readonly<Record<string, unknown>>, position: number, calls: CallBook): string {
  const index = typeof piece['index'] === 'number' ? piece['index'] : position
  const given = isObject(piece['function']) ? piece['function'] : {}
  const id = textOf(piece['id'])
  const name = textOf(given['name'])
  const open = calls.byIndex.get(index)
  // Some servers give every call the index 0; another id with a name is another call.
  const isNew = !open || (id !== '' && open.id !== '' && id !== open.id && name !== '')
  const call = isNew ? { id: '', name: '', input: '' } : open
  if (isNew) {
    calls.all.push(call)
    calls.byIndex.set(index, call)
  }
  call.id ||= id
  call.name ||= name
  const added = argumentText(given['arguments'])
  call.input += added
  return added
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const toPart = ({ id, name, input }: OpenCall): ReplyPart => ({
  type: 'tool-call',
  toolCallId: id,
  toolName: name,
  input: input === '' ? '{}' : input,
})

function toCounted(usage: Readonly<Record<string, unknown>>): CountedTokens {
  const prompt = isObject(usage['prompt_tokens_details']) ? usage['prompt_tokens_details'] : {}
  const completion = isObject(usage['completion_tokens_details']) ? usage['completion_tokens_details'] : {}
  return {
    prompt: numberOf(usage['prompt_tokens']),
    completion: numberOf(usage['completion_tokens']),
    cached: numberOf(prompt['cached_tokens']) ?? numberOf(usage['prompt_cache_hit_tokens']),
    reasoning: numberOf(completion['reasoning_tokens']),
  }
}

const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)
