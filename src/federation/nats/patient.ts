/**
 * The same transport for a machine that may start before its broker: as long as the server cannot be reached there are
 * no other machines, and it is tried again. So it is where the server refuses: that is an error for a person to read,
 * and this machine goes on alone. A wrong setting (no address, an open key file) fails now.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { AppError, errorMessage } from '../../protocol/error.ts'
import { withoutPassword } from './connection.ts'
import { type NatsOptions, type NatsTransport, openNats } from './open.ts'

export type PatientNats = NatsTransport & {
  /** Why there are no machines yet. */
  problem(): string | undefined
}

export async function openNatsPatiently(options: NatsOptions): Promise<PatientNats> {
  const attempts = createAttempts(options)
  const first = attempts.open()
  // A server that takes the connection and says nothing must not keep the program from starting, nor from ending.
  await Promise.race([first, delay(FIRST_MS, undefined, { ref: false })])
  const trying = first.catch(() => undefined).then(attempts.keepTrying)
  return {
    machines: () => attempts.transport()?.machines() ?? [],
    anyone: (model) => ({
      name: model,
      async *stream(request, signal) {
        const transport = attempts.transport()
        if (!transport) throw new AppError('model-unavailable', attempts.problem() ?? 'it was closed')
        yield* transport.anyone(model).stream(request, signal)
      },
    }),
    problem: () => attempts.problem() ?? attempts.transport()?.problem(),
    async queue() {
      const transport = attempts.transport()
      if (!transport) throw new AppError('model-unavailable', attempts.problem() ?? 'it was closed')
      return transport.queue()
    },
    async close() {
      attempts.end()
      await Promise.race([trying, delay(CLOSE_MS, undefined, { ref: false })])
      await attempts.transport()?.close()
    },
  }
}

const FIRST_MS = 2_000
const CLOSE_MS = 1_000
const FIRST_PAUSE_MS = 100
const MAX_PAUSE_MS = 10_000

function createAttempts(options: NatsOptions) {
  const life = new AbortController()
  let transport: NatsTransport | undefined
  let problem: string | undefined =
    `The NATS server ${withoutPassword(options.server.url)} is not reached yet.`
  /** Fails only with errors that waiting would not fix. */
  const open = async (): Promise<void> => {
    try {
      const opened = await openNats(options)
      if (life.signal.aborted) return await opened.close()
      transport = opened
      problem = undefined
    } catch (error) {
      const said = errorMessage(error)
      if (said !== problem) options.log.warn(said)
      problem = said
      if (!mayPass(error)) throw error
    }
  }
  const isDone = () => transport !== undefined || life.signal.aborted
  return {
    open,
    async keepTrying() {
      for (let tries = 1; !isDone(); tries++) {
        const pauseMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(tries, 10))
        await delay(pauseMs, undefined, { signal: life.signal }).catch(() => undefined)
        // By now the program runs: the error was reported, and may be fixed at the server.
        if (!isDone()) await open().catch(() => undefined)
      }
    },
    transport: () => transport,
    problem: () => problem,
    end: () => life.abort(),
  }
}

/** Put right at the server, or it passes: worth another try. A wrong setting here is not. */
const mayPass = (error: unknown): boolean =>
  error instanceof AppError && (error.code === 'model-unavailable' || error.code === 'credential')
