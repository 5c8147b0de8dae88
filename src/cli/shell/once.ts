/**
 * `covey shell --once "question"`: the answer on the terminal. Where stdout is not one, it gets the first command that was
 * proposed and stderr the answer, so that a key binding can put the command on its line.
 */
import { proposalsIn } from '../../shell/proposal.ts'
import { describeProposals } from '../../shell/notes.ts'
import type { Helper, Surface } from '../../shell/helper.ts'
import { AppError } from '../../protocol/error.ts'
import type { CommandContext } from '../command.ts'
import { exitCodes } from '../exit-codes.ts'
import { toRunFlags } from '../run/flags.ts'

export async function askOnce(question: string, helper: Helper, context: CommandContext): Promise<number> {
  const { io, signal } = context
  const text = question.trim().replace(/^\?+\s*/, '')
  if (text === '') throw new AppError('config-invalid', 'no question: covey shell --once "QUESTION"')
  const { cwd } = toRunFlags(context).app
  const piped = await io.piped(true)
  const isShown = Boolean(process.stdout.isTTY)
  const drawn = isShown ? process.stdout : process.stderr.isTTY ? process.stderr : undefined
  const surface = surfaceOf(drawn)
  try {
    const output = piped?.text.trim() ?? ''
    const answered = await helper.ask({ text, folder: cwd, output }, surface, signal)
    if (!drawn) io.err(`${(answered.problem ?? answered.text).trim()}\n`)
    const { commands, refused } = proposalsIn(answered.text, answered.commands)
    const effects = await Promise.all(commands.map((command) => helper.judge(command)))
    for (const line of describeProposals({ commands, effects, refused })) surface.write(`${line}\n`)
    const [first] = commands
    if (first !== undefined) io.out(isShown ? `${first}\n` : first)
    return answered.isAnswered ? exitCodes.ok : exitCodes.stopped
  } finally {
    await helper.close()
  }
}

/** Without a terminal nothing is drawn. */
const surfaceOf = (stream: NodeJS.WriteStream | undefined): Surface => ({
  columns: stream?.columns || 80,
  rows: stream?.rows || 24,
  write: (text) => void stream?.write(text),
})
