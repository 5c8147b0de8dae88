/**
 * What is said about a change after it was made: whether it broke the syntax, and what the project's own check says.
 * The change stays either way; the model reads this in the result and fixes it.
 */
import type { CheckResult, FileChange, ToolContext } from '../protocol/tool.ts'
import { shortenOutput } from '../lib/output/shorten.ts'
import { matchesGlob } from '../lib/path.ts'
import { findSyntaxProblem } from '../lib/syntax.ts'

type Change = {
  readonly path: string
  /** `undefined` for a file that is new. */
  readonly before: string | undefined
  readonly after: string
}

/**
 * Lines to append to the result of the call, each with its own line end in front; empty when there is nothing to say.
 */
export type Checks = (changes: readonly Change[], context: ToolContext) => Promise<string>

/** `commands` maps a glob of file names to the command that checks them. */
export const createChecks =
  (commands: Readonly<Record<string, string>>): Checks =>
  async (changes, context) => {
    const syntax = await Promise.all(changes.map(syntaxLine))
    const lines = syntax.filter((line) => line !== undefined)
    for (const command of commandsFor(changes, commands)) lines.push(await runCheck(command, context))
    return lines.map((line) => `\n${line}`).join('')
  }

/** The same said beforehand: a change that would break the syntax is none to make. */
export async function checkChanges(changes: readonly FileChange[]): Promise<CheckResult> {
  const real = changes.filter(({ before, after }) => before !== after)
  const lines = await Promise.all(
    real.map(({ path, before, after }) =>
      after === undefined ? undefined : syntaxLine({ path, before, after }),
    ),
  )
  const problem = lines.find((line) => line !== undefined)
  return problem === undefined ? { ok: true, changes: real } : { ok: false, why: problem, changes: real }
}

async function syntaxLine({ path, before, after }: Change): Promise<string | undefined> {
  const problem = await problemIn(path, after)
  if (!problem) return undefined
  // Code that a parser did not understand before (macros, templates) is not the fault of this change.
  if (before !== undefined && (await problemIn(path, before))) return undefined
  return `Syntax problem in ${path} at line ${problem.line}: ${problem.message}`
}

/** The change is made already: a parser that cannot be loaded must not turn it into a failure. */
const problemIn = (path: string, text: string): ReturnType<typeof findSyntaxProblem> =>
  findSyntaxProblem(path, text).catch(() => undefined)

function commandsFor(
  changes: readonly Change[],
  commands: Readonly<Record<string, string>>,
): ReadonlySet<string> {
  const matching = Object.entries(commands).filter(([glob]) =>
    changes.some(({ path }) => matchesGlob(path, glob)),
  )
  return new Set(matching.map(([, command]) => command))
}

const LIMIT_MS = 60_000
const MAX_TOKENS = 500

async function runCheck(command: string, context: ToolContext): Promise<string> {
  const { exec, signal, output, countTokens } = context
  const result = await exec.shell(command, { timeoutMs: LIMIT_MS, signal, onOutput: output })
  if (result.job) await exec.stop(result.job.id)
  if (result.timedOut) return `Check \`${command}\` took longer than ${LIMIT_MS / 1000} s and was stopped.`
  if (result.exitCode === 0) return `Check \`${command}\` passed.`
  const shown = shortenOutput(result.output.trim(), { tokens: MAX_TOKENS, countTokens, failed: true })
  return `Check \`${command}\` found problems:\n${shown}`
}
