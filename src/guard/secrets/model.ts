/**
 * A model that receives no secrets. Every request, by the loop, a summary, a subagent or a vote, is cleaned on the
 * way out; a message that was sent once is sent with the same bytes ever after. What it says is cleaned as it streams,
 * except the arguments of its calls: those are run as they are, and cleaned where they are shown or kept.
 */
import type { Firewall } from '../../protocol/firewall.ts'
import type { Message } from '../../protocol/message.ts'
import type { Model, ModelEvent, ModelRequest } from '../../protocol/model.ts'

type Cleaner = Pick<Firewall, 'outgoing' | 'outgoingValue' | 'stream'>

type CleanRequest = (request: ModelRequest) => Promise<ModelRequest>

export const withoutSecrets = (model: Model, firewall: Cleaner, clean: CleanRequest): Model => ({
  name: model.name,
  async *stream(request, signal) {
    yield* cleanReply(model.stream(await clean(request), signal), firewall)
  },
})

/** One for all models of a session: a message has the same bytes for each of them. */
export function createRequestCleaner(firewall: Cleaner): CleanRequest {
  const sent = new WeakMap<Message, Message>()
  const systems = new Map<string, string>()

  async function cleanOnce(message: Message): Promise<Message> {
    const known = sent.get(message) ?? (await cleanMessage(message, firewall))
    sent.set(message, known)
    return known
  }

  async function cleanSystem(system: string): Promise<string> {
    const known = systems.get(system) ?? (await firewall.outgoing(system))
    if (systems.size >= MAX_SYSTEMS) systems.clear()
    systems.set(system, known)
    return known
  }

  return async (request) => {
    const messages: Message[] = []
    for (const message of request.messages) messages.push(await cleanOnce(message))
    return {
      ...firewall.outgoingValue({ ...request, messages: [], system: '' }),
      messages,
      system: await cleanSystem(request.system),
    }
  }
}

/** A session has one; summaries and reviews have theirs. */
const MAX_SYSTEMS = 16

async function cleanMessage(message: Message, firewall: Cleaner): Promise<Message> {
  const text = await firewall.outgoing(message.text)
  if (message.role !== 'assistant') return text === message.text ? message : { ...message, text }
  const calls = firewall.outgoingValue(message.calls)
  const { reasoning, tokens: _tokens, ...rest } = message
  const shown = reasoning === undefined ? {} : { reasoning: await firewall.outgoing(reasoning) }
  const isSame = text === message.text && calls === message.calls && shown.reasoning === reasoning
  // The tokens of a reply would say what its text no longer does.
  return isSame ? message : { ...rest, ...shown, text, calls }
}

/** Counting and waiting say nothing; everything else ends what was being said. */
const PASSING = new Set<ModelEvent['type']>(['usage', 'retry'])

async function* cleanReply(events: AsyncIterable<ModelEvent>, firewall: Cleaner): AsyncGenerator<ModelEvent> {
  let streams = newStreams(firewall)
  for await (const event of events) {
    if (event.type === 'text-delta' || event.type === 'reasoning-delta') {
      yield* flush(streams, event.type === 'text-delta' ? 'reasoning-delta' : 'text-delta')
      const text = streams[event.type].push(event.text)
      if (text !== '') yield { ...event, text }
      continue
    }
    if (event.type === 'reply-restart') streams = newStreams(firewall)
    else if (!PASSING.has(event.type)) yield* flush(streams)
    yield event
  }
  yield* flush(streams)
}

type Streams = Readonly<Record<'text-delta' | 'reasoning-delta', ReturnType<Firewall['stream']>>>

const newStreams = (firewall: Cleaner): Streams => ({
  'text-delta': firewall.stream(),
  'reasoning-delta': firewall.stream(),
})

const DELTAS = ['reasoning-delta', 'text-delta'] as const

function* flush(streams: Streams, ...types: readonly (typeof DELTAS)[number][]): Generator<ModelEvent> {
  for (const type of types.length > 0 ? types : DELTAS) {
    const text = streams[type].end()
    if (text !== '') yield { type, text }
  }
}
