/** What `covey plan` does. Only working at the plan opens an app. */
import { z } from 'zod'
import { cleanControl } from '../lib/clean.ts'
import { defined } from '../lib/object.ts'
import { AppError } from '../protocol/error.ts'
import type { PlanService, QueueEnd } from '../protocol/plan-service.ts'
import { asUsage } from './action.ts'
import { createAtStart } from './at-start.ts'
import type { CommandContext } from './command.ts'
import { wholeNumber } from './number-flag.ts'
import { toRunFlags } from './run/flags.ts'
import { exitCodes } from './exit-codes.ts'

export type OpenPlanService = (env: NodeJS.ProcessEnv, cwd: string) => Promise<PlanService>

export async function actOnPlan(open: OpenPlanService, context: CommandContext): Promise<number> {
  const [action = 'show', ...words] = context.args
  const { cwd } = toRunFlags(context).app
  const service = await open(context.env, cwd)
  if (action === 'run') return work(service, context)
  const { io } = context
  if (action === 'export') io.out(await service.export())
  else if (action === 'reset') {
    await service.reset()
    io.out('A new plan begins; the old one is kept beside it.\n')
  } else io.out(`${cleanControl(await asUsage(service.act(action, words.join(' '))))}\n`)
  return 0
}

const count = wholeNumber().optional()
const Limits = z.object({ packetTurns: count, packetCalls: count })

async function work(service: PlanService, context: CommandContext): Promise<number> {
  const { io, env, signal } = context
  const parsed = Limits.safeParse(context.options)
  if (!parsed.success) {
    throw new AppError('config-invalid', '--packet-turns and --packet-calls are whole numbers above zero.')
  }
  const { packetTurns, packetCalls } = parsed.data
  const { createApp } = await import('../app/open.ts')
  const atStart = createAtStart(io, { json: false })
  const app = await createApp({ ...toRunFlags(context).app, env, atStart })
  try {
    for (const warning of app.warnings) io.err(`covey: ${cleanControl(warning)}\n`)
    const end = await service.work(
      {
        open: (id) =>
          app.openSession({ resume: id === undefined ? 'new' : { id }, canAsk: false, isPacket: true }),
        limits: defined({ maxTurns: packetTurns, maxCalls: packetCalls }),
        tell: (line) => io.out(`${cleanControl(line)}\n`),
      },
      signal,
    )
    io.out(`${ENDS[end.why]}${end.text === undefined ? '' : ` ${cleanControl(end.text)}`}\n`)
    return BY_END[end.why]
  } finally {
    await app.close()
  }
}

const ENDS: Readonly<Record<QueueEnd['why'], string>> = {
  finished: 'Every task is done; look at the result, then `covey plan finish`.',
  blocked: 'What is left is blocked; `covey plan` shows why.',
  empty: 'There is no task; `covey plan add "…"` makes one.',
  paused: 'The plan is paused; `covey plan resume` goes on.',
  cancelled: 'Interrupted; `covey plan run` goes on from here.',
  error: 'Stopped; `covey plan run` goes on from here.',
}

const BY_END: Readonly<Record<QueueEnd['why'], number>> = {
  finished: exitCodes.ok,
  blocked: exitCodes.stopped,
  empty: exitCodes.usage,
  paused: exitCodes.stopped,
  cancelled: exitCodes.interrupted,
  error: exitCodes.failed,
}
