/** `covey undo` and `covey redo`: takes back what a run did to the files of this folder, and does it again. */
import { cleanControl, jsonLine } from '../lib/clean.ts'
import { renderRestored } from '../lib/restored.ts'
import { plural } from '../lib/text.ts'
import { AppError } from '../protocol/error.ts'
import type { Restored, UndoableRun, UndoService } from '../protocol/undo.ts'
import type { Command } from './command.ts'

type OpenUndoService = (env: NodeJS.ProcessEnv, cwd: string) => Promise<UndoService>

const json = { flags: '--json', description: 'as JSON, for programs' }

export const createUndoCommand = (open: OpenUndoService): Command => ({
  name: 'undo',
  summary: 'Undo what the last run did to the files of this folder',
  usage: '[ls | run]',
  options: [json],
  examples: ['covey undo', 'covey undo ls', 'covey undo 3f2a'],
  async run({ args, env, cwd, io, options }) {
    const service = await open(env, cwd)
    const [wish, ...more] = args
    if (more.length > 0)
      throw new AppError('config-invalid', 'Runs are undone one at a time; name one of them.')
    if (wish === 'ls') {
      const runs = await service.runs()
      io.out(options['json'] ? jsonLine(runs, 2) : renderRuns(runs))
      return 0
    }
    return tell(await service.undo(wish), 'Undid', { out: io.out, isJson: options['json'] === true })
  },
})

export const createRedoCommand = (open: OpenUndoService): Command => ({
  name: 'redo',
  summary: 'Redo what was undone last',
  usage: '',
  options: [json],
  examples: ['covey redo'],
  async run({ args, env, cwd, io, options }) {
    if (args.length > 0)
      throw new AppError('config-invalid', '`covey redo` takes no name: it is the run undone last.')
    const service = await open(env, cwd)
    return tell(await service.redo(), 'Did again', { out: io.out, isJson: options['json'] === true })
  },
})

type Voice = { out(text: string): void; readonly isJson: boolean }

/** What was asked for did not happen to every file: that is for a script to know. */
function tell(restored: Restored, verb: string, { out, isJson }: Voice): number {
  out(isJson ? jsonLine(restored, 2) : renderRestored(restored, verb))
  return restored.conflicts.length > 0 ? 1 : 0
}

function renderRuns(runs: readonly UndoableRun[]): string {
  if (runs.length === 0) return 'No run changed a file in this folder.\n'
  return runs
    .map(({ runId, at, prompt, paths, isUndone }) => {
      const when = new Date(at).toISOString().slice(0, 16).replace('T', ' ')
      const state = isUndone ? 'undone' : plural(paths.length, 'file')
      return cleanControl(
        `${runId}  ${when}  ${state.padEnd(8)}  ${prompt.replaceAll(/\s+/g, ' ').slice(0, 60)}\n`,
      )
    })
    .join('')
}
