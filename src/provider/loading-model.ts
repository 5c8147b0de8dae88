/**
 * A server that loads a model only when it is asked, and says nothing meanwhile: where the first word takes longer than a
 * moment, it is asked beside the reply whether the model is in memory. As a Model around a Model.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { isObject } from '../lib/json.ts'
import { whileWaiting } from '../lib/while-waiting.ts'
import type { Model, ModelEvent, Progress } from '../protocol/model.ts'
import type { ServerClient } from './server-client.ts'

export type LoadingOptions = {
  /** Nothing where the server does not say. */
  isLoaded(signal: AbortSignal): Promise<boolean | undefined>
  readonly patienceMs?: number
  readonly pollMs?: number
}

const PATIENCE_MS = 700
const POLL_MS = 1_000

export const withLoadingSigns = (model: Model, options: LoadingOptions): Model => ({
  name: model.name,
  async *stream(request, signal) {
    const events = model.stream(request, signal)[Symbol.asyncIterator]()
    try {
      const first = yield* whileWaiting<Progress, IteratorResult<ModelEvent>>((tell) => {
        const begun = new AbortController()
        void tellLoading(tell, options, AbortSignal.any([signal, begun.signal]))
        return events.next().finally(() => begun.abort())
      })
      for (let next = first; !next.done; next = await events.next()) yield next.value
    } finally {
      await events.return?.()
    }
  },
})

/** Ends when the first word is there, when the model is in memory, or when that cannot be found out. */
async function tellLoading(
  tell: (progress: Progress) => void,
  { isLoaded, patienceMs = PATIENCE_MS, pollMs = POLL_MS }: LoadingOptions,
  signal: AbortSignal,
): Promise<void> {
  try {
    await wait(patienceMs, undefined, { signal, ref: false })
    if ((await isLoaded(signal)) !== false) return
    tell({ type: 'progress', stage: 'loading', total: 1 })
    while ((await isLoaded(signal)) === false) await wait(pollMs, undefined, { signal, ref: false })
    if (!signal.aborted) tell({ type: 'progress', stage: 'reading', total: 0 })
  } catch {
    // It is only told for the person who waits; the reply itself says what went wrong.
  }
}

/** What Ollama has in memory. */
export async function isLoadedByOllama(
  client: ServerClient,
  model: string,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  const answer = await client.get('/api/ps', signal)
  const models: unknown = isObject(answer) ? answer['models'] : undefined
  if (!Array.isArray(models)) return undefined
  const wanted = withTag(model)
  return models.some((loaded) => isObject(loaded) && withTag(String(loaded['name'])) === wanted)
}

const withTag = (name: string): string => (name.includes(':') ? name : `${name}:latest`)
