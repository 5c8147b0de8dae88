/** `covey plan`: what this project is about to do, changing it, and working at it in small packets. */
import { z } from 'zod'
import { createApp } from '../app.ts'
import { cleanControl } from '../lib/clean.ts'
import { withoutUndefined } from '../lib/object.ts'
import { AppError } from '../protocol/error.ts'
import type { PlanDesk, QueueEnd } from '../protocol/plan-desk.ts'
import { appOptions } from './app-options.ts'
import type { Command, CommandContext } from './command.ts'
import { toRunFlags } from './run-flags.ts'

export type OpenPlanDesk = (env: NodeJS.ProcessEnv, cwd: string) => Promise<PlanDesk>

export const createPlanCommand = (open: OpenPlanDesk): Command => ({
  name: 'plan',
  summary: "Show, change or work at this project's plan",
  usage: '[show | add | begin | done | block | note | run | ...] [text...]',
  options: [
    ...appOptions,
    { flags: '--packet-turns <n>', description: 'with run: the most turns of one packet (12)' },
    { flags: '--packet-calls <n>', description: 'with run: the most calls of one packet (20)' },
  ],
  examples: [
    'covey plan',
    'covey plan add "Write the parser"',
    'covey plan done 1',
    'covey plan block 2 "needs a key"',
    'covey plan run --permission accept-edits --packet-turns 8',
    'covey plan export',
    'covey plan reset',
  ],
  async run(context) {
    const [action = 'show', ...words] = context.args
    const { cwd } = toRunFlags(context).app
    const desk = await open(context.env, cwd)
    if (action === 'run') return work(desk, context)
    const { io } = context
    if (action === 'export') io.out(await desk.export())
    else if (action === 'reset') {
      await desk.reset()
      io.out('A new plan begins; the old one is kept beside it.\n')
    } else io.out(`${cleanControl(await asUsage(desk.act(action, words.join(' '))))}\n`)
    return 0
  },
})

/** What the model is told as a failed call is for a person a mistake in the command. */
const asUsage = (acting: Promise<string>): Promise<string> =>
  acting.catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'tool-failed')
      throw new AppError('config-invalid', error.message, { cause: error })
    throw error
  })

const count = z.coerce.number().int().positive().optional()
const Limits = z.object({ packetTurns: count, packetCalls: count })

async function work(desk: PlanDesk, context: CommandContext): Promise<number> {
  const { io, env, signal } = context
  const parsed = Limits.safeParse(context.options)
  if (!parsed.success) {
    throw new AppError('config-invalid', '--packet-turns and --packet-calls are whole numbers above zero.')
  }
  const { packetTurns, packetCalls } = parsed.data
  const app = await createApp({ ...toRunFlags(context).app, env })
  try {
    for (const warning of app.warnings) io.err(`covey: ${warning}\n`)
    const end = await desk.work(
      {
        open: (id) => app.openSession({ resume: id === undefined ? 'new' : { id }, canAsk: false }),
        limits: withoutUndefined({ maxTurns: packetTurns, maxCalls: packetCalls }),
        tell: (line) => io.out(`${cleanControl(line)}\n`),
      },
      signal,
    )
    io.out(`${ENDS[end.why]}${end.text === undefined ? '' : ` ${cleanControl(end.text)}`}\n`)
    return EXIT_CODES[end.why]
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

const EXIT_CODES: Readonly<Record<QueueEnd['why'], number>> = {
  finished: 0,
  blocked: 3,
  empty: 2,
  paused: 3,
  cancelled: 130,
  error: 1,
}
