/** How tools look through many files: ripgrep, bounded in time and output, blind to what git ignores. */
import { AppError } from '../protocol/error.ts'
import type { ToolContext } from '../protocol/tool.ts'
import { withoutBlocking } from '../lib/ignore-files.ts'

export type Found = {
  readonly lines: readonly string[]
  /** There was more than could be kept. */
  readonly isPartial: boolean
  /** The pattern is not a regular expression, or not a glob. */
  readonly isBadPattern: boolean
}

const LIMIT_MS = 20_000

const ALWAYS = [
  '--no-config',
  '--no-messages',
  '--color=never',
  '--hidden',
  '--no-require-git',
  '--glob=!.git',
  '--sort=path',
]

export async function ripgrep(
  options: readonly string[],
  paths: readonly string[],
  context: Pick<ToolContext, 'exec' | 'files' | 'signal'>,
): Promise<Found> {
  const argv = [await findProgram(), ...ALWAYS, ...options, '--', ...paths]
  const place = { root: context.files.root, signal: context.signal }
  const { exitCode, output, timedOut, omittedBytes } = await withoutBlocking(place, (signal) =>
    context.exec.program(argv, { timeoutMs: LIMIT_MS, signal, readsOnly: true }),
  )
  if (timedOut)
    throw new AppError('tool-failed', 'The search took too long; give a `path`.', { failure: 'timeout' })
  if (exitCode !== undefined && exitCode > 2)
    throw new AppError('tool-failed', `ripgrep does not run here: ${output.trim()}`)
  // The same number comes where a file could not be read; what was found in the others counts.
  const complaint = exitCode === 2 && output.startsWith('rg: ') ? output.trim() : ''
  const isBadPattern = /regex could not be compiled|error parsing glob|not allowed in a regex/.test(complaint)
  if (complaint !== '' && !isBadPattern) throw new AppError('tool-failed', complaint)
  const lines = isBadPattern ? [] : wholeLines(output, omittedBytes > 0).filter((line) => line !== '')
  return { lines, isPartial: omittedBytes > 0, isBadPattern }
}

/** Where the middle was left out, the line that says so stands between two halves of lines. */
function wholeLines(output: string, isCut: boolean): readonly string[] {
  const lines = output.split('\n')
  const cut = isCut ? lines.findIndex((line) => CUT.test(line)) : -1
  return cut < 0 ? lines : [...lines.slice(0, Math.max(0, cut - 1)), ...lines.slice(cut + 2)]
}

const CUT = /^\[… \d+ bytes left out …\]$/

/** Loaded on first use: a platform without a ripgrep package must still be able to start. */
async function findProgram(): Promise<string> {
  const { rgPath } = await import('@vscode/ripgrep')
  return rgPath
}

/** As the model names files: from the project root, no `./` in front. */
export const toProjectPath = (path: string): string => path.replace(/^(?:\.\/)+/, '')
