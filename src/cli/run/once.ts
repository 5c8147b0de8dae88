/** One prompt to its end: the answer on stdout, an exit code that says how it ended. The session is closed with it. */
import { cleanControl, jsonLine } from '../../lib/clean.ts'
import { errorMessage } from '../../protocol/error.ts'
import type { SessionEvent } from '../../protocol/event.ts'
import type { SessionApi } from '../../protocol/session-api.ts'
import { answerQuestion } from '../answer.ts'
import type { CommandContext } from '../command.ts'
import type { Person } from '../person.ts'
import { createPrinter } from '../print.ts'
import type { RunFlags } from './flags.ts'
import { exitCodeOf, exitCodes } from '../exit-codes.ts'
import { promptAndWatch } from '../watch.ts'

export type OneRun = {
  readonly prompt: string
  readonly flags: RunFlags
  readonly context: CommandContext
  /** Who answers questions; absent = no user is there. */
  readonly person?: Person
  /** Sees every event after it was printed. */
  onEvent?(event: SessionEvent): void
}

export async function runOnce(
  session: SessionApi & { close(): Promise<void> },
  { prompt, flags, context, person, onEvent }: OneRun,
): Promise<number> {
  const { io, env } = context
  const { json, verbose } = flags
  const print = createPrinter(io, { json, verbose, colour: io.isTty && !env['NO_COLOR'], live: io.isTty })
  const limit = flags.timeoutMs ? AbortSignal.timeout(flags.timeoutMs) : undefined
  const signal = limit ? AbortSignal.any([context.signal, limit]) : context.signal
  const complaining = (error: unknown) => io.err(`covey: ${cleanControl(errorMessage(error))}\n`)
  // A program that follows must know what to go on with.
  if (json) io.out(jsonLine({ type: 'session-start', sessionId: session.id }))
  const show = (event: SessionEvent): void => {
    print(event)
    onEvent?.(event)
    if (person) void answerQuestion(event, { session, person, signal }).catch(complaining)
  }
  try {
    const end = await promptAndWatch({ session, prompt, options: flags.prompt, show, signal })
    if (limit?.aborted) io.err('covey: stopped by --timeout\n')
    return limit?.aborted ? exitCodes.stopped : exitCodeOf(end)
  } finally {
    await session.close()
  }
}
