/**
 * The last stage of a compaction: the longest texts are cut, all to the same length, until the conversation fits. No
 * message leaves, so every call keeps its result; cut arguments stay valid JSON.
 */
import type { Message, ToolCall } from '../protocol/message.ts'
import { isObject, readJson } from '../lib/json.ts'
import { clip } from '../lib/text.ts'
import { fairShare } from './budget.ts'
import { type CountTokens, type MessageView, messagesTokens, sum } from './count.ts'
import { cutMiddle } from './cut.ts'

/** A text cut shorter than this says nothing any more. */
const SHORTEST = 24

export function truncateMessages(
  messages: readonly Message[],
  limit: number,
  view: MessageView,
): readonly Message[] {
  const plain = messages.map(withoutThoughts)
  const cut = cutWhere(plain, (message) => !isTold(message), { limit, view })
  // Words of a person are cut only where nothing else is left to cut: they hold what must not be done.
  return messagesTokens(cut, view) <= limit ? cut : cutWhere(plain, () => true, { limit, view })
}

/** What the person said, and what the digest says they said. */
const isTold = (message: Message): boolean => message.role === 'user' && message.origin !== 'note'

type Cutting = { readonly limit: number; readonly view: MessageView }

function cutWhere(
  plain: readonly Message[],
  isCut: (message: Message) => boolean,
  { limit, view }: Cutting,
): readonly Message[] {
  const { count } = view
  const sizes = plain.filter(isCut).flatMap((message) => textsOf(message).map(count))
  const overhead = messagesTokens(plain, view) - sum(sizes)
  let room = limit - overhead
  let cut: readonly Message[] = plain
  // Markers and JSON escapes take room of their own; what they take is taken off the next try.
  for (let attempt = 0; attempt < 4; attempt++) {
    const share = Math.max(SHORTEST, fairShare(sizes, room))
    cut = plain.map((message) => (isCut(message) ? cutMessage(message, share, count) : message))
    const over = messagesTokens(cut, view) - limit
    if (over <= 0 || share === SHORTEST) break
    room -= over
  }
  return cut
}

/** Thoughts and generated tokens no longer belong to a text that is cut. */
function withoutThoughts(message: Message): Message {
  if (message.role !== 'assistant') return message
  return {
    role: 'assistant',
    text: message.text,
    calls: message.calls,
    ...(message.flag && { flag: message.flag }),
  }
}

const textsOf = (message: Message): string[] =>
  message.role === 'assistant' ? [message.text, ...message.calls.map(({ input }) => input)] : [message.text]

function cutMessage(message: Message, share: number, count: CountTokens): Message {
  const text = cutMiddle(message.text, share, count)
  if (message.role !== 'assistant') return { ...message, text }
  const calls = message.calls.map((call) => cutCall(withShortName(call), share, count))
  return { ...message, text, calls }
}

/** No tool has a name as long as this; a model that babbles writes one. */
const LONGEST_NAME = 64

const withShortName = (call: ToolCall): ToolCall =>
  call.name.length <= LONGEST_NAME ? call : { ...call, name: clip(call.name, LONGEST_NAME) }

function cutCall(call: ToolCall, share: number, count: CountTokens): ToolCall {
  if (count(call.input) <= share) return call
  const reading = readJson(call.input)
  if (!reading.ok || !isObject(reading.value)) {
    return { ...call, input: JSON.stringify({ unparsed: cutMiddle(call.input, share, count) }) }
  }
  const entries = Object.entries(reading.value)
  const sizes = entries.map(([, value]) => count(JSON.stringify(value)))
  const each = fairShare(sizes, share - count(JSON.stringify(entries.map(([key]) => key))))
  const short = entries.map(([key, value], index) =>
    (sizes[index] ?? 0) <= each ? [key, value] : [key, cutValue(value, Math.max(SHORTEST, each), count)],
  )
  return { ...call, input: JSON.stringify(Object.fromEntries(short)) }
}

const cutValue = (value: unknown, limit: number, count: CountTokens): unknown =>
  typeof value === 'string' || isObject(value) || Array.isArray(value)
    ? cutMiddle(typeof value === 'string' ? value : JSON.stringify(value), limit, count)
    : value
