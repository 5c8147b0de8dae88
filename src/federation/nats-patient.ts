/**
 * The same transport for a machine that may start before its broker: as long as the server cannot be reached there are
 * no other machines, and it is tried again. What waiting would not mend (wrong credentials, a wrong address) fails now.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { AppError, errorMessage } from '../protocol/error.ts'
import { type NatsOptions, type NatsTransport, openNats } from './nats.ts'

export type PatientNats = NatsTransport & {
  /** Why there are no machines yet. */
  problem(): string | undefined
}

export async function openNatsPatiently(options: NatsOptions): Promise<PatientNats> {
  const life = new AbortController()
  let transport: NatsTransport | undefined
  let problem: string | undefined
  const attempt = async (): Promise<boolean> => {
    try {
      transport = await openNats(options)
      problem = undefined
      return true
    } catch (error) {
      problem = errorMessage(error)
      options.log.warn(problem)
      if (isUnreachable(error)) return false
      throw error
    }
  }
  const keepTrying = async (isOpen: boolean) => {
    for (let tries = 1; !isOpen && !life.signal.aborted; tries++) {
      const pauseMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(tries, 10))
      await delay(pauseMs, undefined, { signal: life.signal }).catch(() => undefined)
      // By now the program runs: whatever is wrong was told, and may be put right at the server.
      if (!life.signal.aborted) isOpen = await attempt().catch(() => false)
    }
  }

  const trying = keepTrying(await attempt())
  return {
    machines: () => transport?.machines() ?? [],
    anyone: (model) => ({
      name: model,
      async *stream(request, signal) {
        if (!transport)
          throw new AppError('model-unavailable', problem ?? 'the NATS server is not reached yet')
        yield* transport.anyone(model).stream(request, signal)
      },
    }),
    problem: () => problem,
    async close() {
      life.abort()
      await trying
      await transport?.close()
    },
  }
}

const FIRST_PAUSE_MS = 100
const MAX_PAUSE_MS = 10_000

const isUnreachable = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'model-unavailable'
