/** What `covey plan` does. Only working at the plan opens an app. */
import { z } from 'zod'
import { cleanControl, cleanJson, jsonLine } from '../lib/clean.ts'
import { defined } from '../lib/object.ts'
import { AppError } from '../protocol/error.ts'
import type { PlanService, QueueEnd } from '../protocol/plan-service.ts'
import { asUsage } from './action.ts'
import { createAtStart } from './at-start.ts'
import type { CommandContext, CommandIo } from './command.ts'
import { wholeNumber } from './number-flag.ts'
import { toRunFlags } from './run/flags.ts'
import { exitCodes } from './exit-codes.ts'
import { createPrinter } from './print.ts'

export type OpenPlanService = (env: NodeJS.ProcessEnv, cwd: string) => Promise<PlanService>

export async function actOnPlan(open: OpenPlanService, context: CommandContext): Promise<number> {
  const [action = 'show', ...words] = context.args
  const { json, app } = toRunFlags(context)
  const service = await open(context.env, app.cwd)
  if (action === 'run') return work(service, context)
  const { io } = context
  if (action === 'export') io.out(await service.export())
  else if (action === 'reset') {
    await service.reset()
    io.out('A new plan begins; the old one is kept beside it.\n')
  } else {
    const plan = await asUsage(service.act(action, await textOf(action, words.join(' '), context)))
    io.out(json ? `${cleanJson(await service.json())}\n` : `${cleanControl(plan)}\n`)
  }
  return 0
}

/** Tasks may come from a file: `covey plan add < TASKS.md`. */
async function textOf(action: string, words: string, { io, options }: CommandContext): Promise<string> {
  const check = options['check']
  if (check !== undefined && action !== 'add')
    throw new AppError(
      'config-invalid',
      `--check goes with add; for a task that is there: covey plan check 1 "…"`,
    )
  if (action !== 'add') return words
  const text = words === '' ? ((await io.piped(false))?.text ?? '') : words
  return typeof check === 'string' ? `${text}\ncheck: ${check}` : text
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
  const flags = toRunFlags(context)
  const { createApp } = await import('../app/open.ts')
  const atStart = createAtStart(io, flags)
  const app = await createApp({ ...flags.app, env, atStart })
  try {
    for (const warning of app.warnings) io.err(`covey: ${cleanControl(warning)}\n`)
    const teller = flags.json ? jsonTeller(io) : lineTeller(io, env)
    const end = await service.work(
      {
        open: (id) =>
          app.openSession({ resume: id === undefined ? 'new' : { id }, canAsk: false, isPacket: true }),
        limits: defined({ maxTurns: packetTurns, maxCalls: packetCalls }),
        ...teller,
      },
      signal,
    )
    teller.end(end)
    return BY_END[end.why]
  } finally {
    await app.close()
  }
}

type Teller = Pick<Parameters<PlanService['work']>[0], 'tell' | 'onEvent' | 'onSession'> & {
  end(end: QueueEnd): void
}

/** The notebook on stdout, what is done meanwhile on stderr. Answers are in the notebook. */
function lineTeller(io: CommandIo, env: NodeJS.ProcessEnv): Teller {
  const colour = io.isTty && !env['NO_COLOR']
  const print = createPrinter(
    { err: io.err, out: () => {} },
    { json: false, verbose: false, colour, live: false },
  )
  return {
    tell: (line) => io.out(`${cleanControl(line)}\n`),
    onEvent: print,
    end: ({ why, text }) => io.out(`${ENDS[why]}${text === undefined ? '' : ` ${cleanControl(text)}`}\n`),
  }
}

const jsonTeller = ({ out }: CommandIo): Teller => ({
  tell: (text) => out(jsonLine({ type: 'plan-step', text })),
  onSession: (sessionId) => out(jsonLine({ type: 'session-start', sessionId })),
  onEvent: (event) => out(jsonLine(event)),
  end: (end) => out(jsonLine({ type: 'plan-end', ...end })),
})

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
