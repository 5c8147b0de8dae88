/** One prompt to its end: the answer on stdout, an exit code that says how it ended. The session is closed with it. */
import type { SessionEvent } from '../../protocol/event.ts'
import type { SessionApi } from '../../protocol/session-api.ts'
import type { CommandContext } from '../command.ts'
import { createPrinter } from '../print.ts'
import type { RunFlags } from './flags.ts'
import { exitCodeOf, exitCodes } from '../exit-codes.ts'
import { promptAndWatch } from '../watch.ts'

export type OneRun = {
  readonly prompt: string
  readonly flags: RunFlags
  readonly context: CommandContext
  /** Sees every event after it was printed. */
  onEvent?(event: SessionEvent): void
}

export async function runOnce(
  session: SessionApi & { close(): Promise<void> },
  { prompt, flags, context, onEvent }: OneRun,
): Promise<number> {
  const { io, env } = context
  const { json, verbose } = flags
  const print = createPrinter(io, { json, verbose, colour: io.isTty && !env['NO_COLOR'], live: io.isTty })
  const show = (event: SessionEvent): void => {
    print(event)
    onEvent?.(event)
  }
  const limit = flags.timeoutMs ? AbortSignal.timeout(flags.timeoutMs) : undefined
  const signal = limit ? AbortSignal.any([context.signal, limit]) : context.signal
  try {
    const end = await promptAndWatch({ session, prompt, options: flags.prompt, show, signal })
    if (limit?.aborted) io.err('covey: stopped by --timeout\n')
    return limit?.aborted ? exitCodes.stopped : exitCodeOf(end)
  } finally {
    await session.close()
  }
}
