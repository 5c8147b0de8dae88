/** One of several that are asked the same, and what it answered, whole. An answer is passed on only when complete. */
import { AppError } from '../protocol/error.ts'
import type { Model, ModelEvent, ModelRequest, Usage } from '../protocol/model.ts'
import type { Candidate } from '../protocol/vote.ts'

export type Worker = {
  /** Unique in its swarm; see `names.ts`. */
  readonly name: string
  readonly model: Model
  /** The other machine it runs on, by its id: it is asked once in a round and has one ballot. Absent = this machine. */
  readonly machine?: string
  /**
   * Workers of one lane are asked one after the other: they share an engine, which then reads the prompt only once.
   * Absent = a lane of its own.
   */
  readonly lane?: string
  /** How freely it answers when it is not the first to be asked. */
  readonly temperature?: number
  /** Its server reports the probability of each token, also those of calls. */
  readonly tellsShares?: boolean
}

export type Answered = Candidate & {
  /** What it said, in order; without usage and finish. */
  readonly events: readonly ModelEvent[]
  readonly finish: Extract<ModelEvent, { type: 'finish' }>
  readonly usage?: Usage
}

export type Ask = {
  readonly name: string
  readonly worker: Worker
  readonly request: ModelRequest
  /** How sure it is is wanted too, which costs some time; who is asked after others has no use for it. */
  readonly howSure?: boolean
}

/** Nothing when `signal` aborts. Fails as the model does. */
export async function askWorker(ask: Ask, signal: AbortSignal): Promise<Answered | undefined> {
  const { worker, request, howSure } = ask
  if (!howSure || !worker.tellsShares || request.logprobs !== undefined) return answerOf(ask, signal)
  try {
    const answered = await answerOf({ ...ask, request: { ...request, logprobs: 0 } }, signal)
    return answered && { ...answered, events: answered.events.filter(({ type }) => type !== 'logprobs') }
  } catch (error) {
    // A server that takes no such wish says so before it works, and the run must not end by it.
    if (error instanceof AppError && error.code === 'request-invalid') return answerOf(ask, signal)
    throw error
  }
}

async function answerOf({ name, worker, request }: Ask, signal: AbortSignal): Promise<Answered | undefined> {
  let events: ModelEvent[] = []
  let usage: Usage | undefined
  let finish: Answered['finish'] | undefined
  for await (const event of worker.model.stream(request, signal)) {
    if (signal.aborted) return undefined
    if (event.type === 'reply-restart') events = []
    else if (event.type === 'usage') usage = event.usage
    else if (event.type === 'finish') finish = event
    else if (event.type !== 'retry' && event.type !== 'vote') events.push(event)
  }
  if (signal.aborted) return undefined
  return {
    worker: name,
    ...(worker.machine !== undefined && { machine: worker.machine }),
    ...contentOf(events),
    isCut: finish === undefined || finish.reason === 'length',
    events,
    finish: finish ?? { type: 'finish', reason: 'unknown' },
    ...(usage && { usage }),
  }
}

const contentOf = (events: readonly ModelEvent[]): Pick<Candidate, 'text' | 'calls' | 'badCalls'> => ({
  text: events.map((event) => (event.type === 'text-delta' ? event.text : '')).join(''),
  calls: events.flatMap((event) => (event.type === 'tool-call' ? [event.call] : [])),
  badCalls: events.flatMap((event) => (event.type === 'bad-call' ? [event.reason] : [])),
})

/** The first to be asked answers as it would alone; the others differ, or they would all say the same. */
export function toAsks(all: readonly Worker[], request: ModelRequest, count: number): readonly Ask[] {
  const seed = request.seed ?? seedOf(`${request.runId} ${request.turn} ${request.messages.length}`)
  const free = Math.max(LEAST_FREE, request.temperature ?? 0)
  return rota(oncePerMachine(all), count).map(({ worker, times }, index) => {
    const name = times === 1 ? worker.name : `${worker.name} ${times}`
    const temperature = index === 0 ? (request.temperature ?? 0) : (worker.temperature ?? free)
    return { name, worker, request: { ...request, temperature, seed: (seed + index) % 2 ** 31 } }
  })
}

/** Another machine is one worker, whatever it calls itself. */
const oncePerMachine = (workers: readonly Worker[]): readonly Worker[] =>
  workers.filter(
    ({ machine }, index) =>
      machine === undefined || workers.findIndex((other) => other.machine === machine) === index,
  )

type Turn = { readonly worker: Worker; readonly times: number }

/** All in turn, then those of this machine again, as often as it takes. */
function rota(workers: readonly Worker[], count: number): readonly Turn[] {
  const own = workers.filter(({ machine }) => machine === undefined)
  const turns: Turn[] = workers.map((worker) => ({ worker, times: 1 }))
  for (let times = 2; turns.length < count && own.length > 0; times++) {
    turns.push(...own.map((worker) => ({ worker, times })))
  }
  return turns.slice(0, count)
}

const LEAST_FREE = 0.7

/** The same request is asked with the same seeds. FNV-1a. */
const seedOf = (text: string): number =>
  [...text].reduce(
    (hash, letter) => Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 16777619) >>> 1,
    2166136261,
  )
