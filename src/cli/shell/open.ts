/** Opens the shell mode on this terminal, line by line, or for one question. */
import { programFile } from '../../lib/package-files.ts'
import { AppError } from '../../protocol/error.ts'
import { runPlainLoop } from '../../shell/plain-loop.ts'
import { runShell } from '../../shell/run.ts'
import { chooseShell } from '../../shell/start.ts'
import type { CommandContext } from '../command.ts'
import { toRunFlags } from '../run/flags.ts'
import { createHelper } from './helper.ts'
import { askOnce } from './once.ts'

export async function openShell(context: CommandContext): Promise<number> {
  const { io, env, options, signal } = context
  const flags = toRunFlags(context)
  const once = options['once']
  const helper = createHelper(flags, context)
  if (typeof once === 'string') return askOnce(once, helper, context)
  const { cwd } = flags.app
  const shell = chooseShell(flags.plain ? { ...env, TERM: 'dumb' } : env)
  if (shell.name === 'plain') return runPlainLoop({ io, env, cwd, helper, signal, why: shell.why })
  if (!io.isTty)
    throw new AppError(
      'config-invalid',
      'covey shell needs a terminal: stdin or stdout is not one. Use `covey shell --once "question"` or --plain.',
    )
  const { stdin: input, stdout: output } = process
  const covey = [process.execPath, ...process.execArgv, programFile('main')]
  return runShell({ shell, env, cwd, covey, input, output, helper, signal })
}
