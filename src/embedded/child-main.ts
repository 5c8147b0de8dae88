/**
 * The process with the weights of one model, started by `child.ts`. It answers requests and ends when the process that
 * started it does. Whatever llama.cpp does to it, only this one is lost.
 */
import { AppError, errorMessage } from '../protocol/error.ts'
import type { ChildMethod, FromChild, ToChild } from './child-messages.ts'
import { createEmbeddedModel, type EmbeddedModel } from './engine.ts'

const running = new Map<number, AbortController>()
let opened: Promise<EmbeddedModel> | undefined

const send = (message: FromChild): void => {
  // The other side may have gone while a token was in the works.
  if (process.connected) process.send?.(message)
}

process.on('disconnect', () => process.exit(0))
process.on('message', (message: ToChild) => {
  if (message.type === 'cancel') running.get(message.id)?.abort()
  else if (message.type === 'open') open(message).catch((error) => fail(0, error))
  else work(message).catch((error) => fail(message.id, error))
})

async function open({ options }: Extract<ToChild, { type: 'open' }>): Promise<void> {
  // Quiet is the business of the other process: it ends this one.
  opened = createEmbeddedModel({ gpu: true, ...options, idleMs: Number.POSITIVE_INFINITY })
  send({ type: 'opened', capabilities: (await opened).capabilities })
}

async function work(message: Extract<ToChild, { type: 'ask' | 'call' }>): Promise<void> {
  if (!opened) throw new AppError('model-unavailable', 'No model was opened.')
  const { id } = message
  const stop = new AbortController()
  running.set(id, stop)
  try {
    const model = await opened
    if (message.type === 'call') {
      send({ type: 'end', id, value: await call(model, message.method, message.input, stop.signal) })
      return
    }
    for await (const event of model.stream(message.request, stop.signal)) {
      send({ type: 'event', id, event } as FromChild)
    }
    send({ type: 'end', id, value: undefined })
  } finally {
    running.delete(id)
  }
}

async function call(
  model: EmbeddedModel,
  method: ChildMethod,
  input: readonly unknown[],
  signal: AbortSignal,
): Promise<unknown> {
  if (method === 'countTokens') return (input as readonly string[]).map((text) => model.countTokens(text))
  // The types were checked where the message was made.
  const [first, second] = input as [never, never]
  return method === 'scoreLabels' ? model.scoreLabels(first, second, signal) : model[method](first)
}

function fail(id: number, error: unknown): void {
  const { code, details } =
    error instanceof AppError ? error : { code: 'model-unavailable' as const, details: {} }
  send({ type: 'failed', id, error: { code, message: errorMessage(error), details } } as FromChild)
}
