/**
 * A model that is told no secrets. Whatever it is asked, by the loop, a summary, a subagent or a vote, is cleaned on the
 * way out; a message that was sent once is sent with the same bytes ever after. What it says is cleaned as it streams,
 * except the arguments of its calls: those are run as they are, and cleaned where they are shown or kept.
 */
import type { Firewall } from '../protocol/firewall.ts'
import type { Message } from '../protocol/message.ts'
import type { Model, ModelEvent, ModelRequest } from '../protocol/model.ts'

type Cleaner = Pick<Firewall, 'outgoing' | 'outgoingValue' | 'stream'>

export function withoutSecrets(model: Model, firewall: Cleaner): Model {
  const sent = new WeakMap<Message, Message>()

  async function clean(message: Message): Promise<Message> {
    const known = sent.get(message) ?? (await cleanMessage(message, firewall))
    sent.set(message, known)
    return known
  }

  return {
    name: model.name,
    async *stream(request, signal) {
      yield* cleanReply(model.stream(await cleanRequest(request, clean, firewall), signal), firewall)
    },
  }
}

async function cleanRequest(
  request: ModelRequest,
  clean: (message: Message) => Promise<Message>,
  firewall: Cleaner,
): Promise<ModelRequest> {
  const messages: Message[] = []
  for (const message of request.messages) messages.push(await clean(message))
  return {
    ...request,
    messages,
    system: await firewall.outgoing(request.system),
    tools: firewall.outgoingValue(request.tools),
    ...(request.task !== undefined && { task: firewall.outgoingValue(request.task) }),
  }
}

async function cleanMessage(message: Message, firewall: Cleaner): Promise<Message> {
  const text = await firewall.outgoing(message.text)
  if (message.role !== 'assistant') return text === message.text ? message : { ...message, text }
  const calls = firewall.outgoingValue(message.calls)
  const { reasoning, tokens, ...rest } = message
  const shown = reasoning === undefined ? {} : { reasoning: await firewall.outgoing(reasoning) }
  const isSame = text === message.text && calls === message.calls && shown.reasoning === reasoning
  // The tokens of a reply would say what its text no longer does.
  return isSame ? message : { ...rest, ...shown, text, calls }
}

async function* cleanReply(
  events: AsyncIterable<ModelEvent>,
  firewall: Cleaner,
): AsyncGenerator<ModelEvent> {
  let streams = newStreams(firewall)
  for await (const event of events) {
    if (event.type === 'text-delta' || event.type === 'reasoning-delta') {
      const text = streams[event.type].push(event.text)
      if (text !== '') yield { ...event, text }
      continue
    }
    yield* flush(streams)
    streams = newStreams(firewall)
    yield event
  }
  yield* flush(streams)
}

type Streams = Readonly<Record<'text-delta' | 'reasoning-delta', ReturnType<Firewall['stream']>>>

const newStreams = (firewall: Cleaner): Streams => ({
  'text-delta': firewall.stream(),
  'reasoning-delta': firewall.stream(),
})

function* flush(streams: Streams): Generator<ModelEvent> {
  for (const type of ['reasoning-delta', 'text-delta'] as const) {
    const text = streams[type].end()
    if (text !== '') yield { type, text }
  }
}
