/** A shell command. One that takes too long is not killed: it goes on as a job, and the result says its name. */
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { AppError } from '../protocol/error.ts'
import {
  type Blocked,
  defineTool,
  type ExecOptions,
  type ExecResult,
  type Job,
  type Tool,
  type ToolContext,
  type ToolResult,
} from '../protocol/tool.ts'
import { cleanControl } from '../lib/clean.ts'
import { stillRunning } from '../lib/still-running.ts'
import { findSyntaxProblem } from '../lib/syntax.ts'
import { type CommandLimits, timeLimitOf } from './time-limit.ts'

export const createRunCommand = (limits: CommandLimits): Tool =>
  defineTool({
    name: 'run_command',
    description: 'Run in bash',
    category: 'run',
    input: z.object({ command: z.string(), background: z.boolean().default(false) }),
    timeoutMs: Infinity,
    access: ({ command }) => [{ kind: 'run', target: command }],

    async check({ command }) {
      requireCommand(command)
      const problem = await findSyntaxProblem('command.sh', command)
      return problem ? { ok: false, why: `bash cannot read the command: ${problem.message}` } : { ok: true }
    },

    async run({ command, background }, context) {
      requireCommand(command)
      if (background) return start(command, context)
      const { exec, signal, output } = context
      const timeoutMs = timeLimitOf(command, limits)
      const options: ExecOptions = { timeoutMs, signal, onOutput: output }
      const first = await exec.shell(command, options)
      const grant = first.blocked && (await askFor(first.blocked, command, context))
      const result = grant ? await exec.shell(command, { ...options, grant }) : first
      if (signal.aborted) {
        throw new AppError('tool-failed', 'The command was cancelled.', { failure: 'interrupted' })
      }
      return toResult(result, timeoutMs)
    },
  })

function requireCommand(command: string): void {
  if (command.trim() !== '') return
  throw new AppError('tool-failed', 'command is empty.', { failure: 'bad-arguments' })
}

const YES = 'yes, once'

/** The user may allow what the sandbox blocked for one more try. Without a user the result says what is missing. */
async function askFor(
  blocked: Blocked,
  command: string,
  { ask, signal }: ToolContext,
): Promise<Blocked | undefined> {
  if (blocked.kind !== 'network' && blocked.kind !== 'write') return undefined
  const wish = blocked.kind === 'network' ? 'use the network' : `write ${wishedPath(blocked)}`
  const question = `The sandbox kept this command from working. Run it again and let it ${wish}?\n${cleanControl(command)}`
  try {
    return (await ask({ question, options: [YES, 'no'] }, signal)) === YES ? blocked : undefined
  } catch (error) {
    if (error instanceof AppError && error.code === 'permission-denied') return undefined
    throw error
  }
}

const wishedPath = ({ path, create }: Extract<Blocked, { kind: 'write' }>): string =>
  cleanControl(create === 'folder' ? `the new folder ${path}` : `the file ${path}`)

/** Long enough for a wrong command to fail while the model is still looking. */
const FIRST_LOOK_MS = 400

async function start(command: string, { exec, signal }: ToolContext): Promise<ToolResult> {
  const { id } = await exec.start(command)
  await pause(FIRST_LOOK_MS, undefined, { signal }).catch(() => undefined)
  return jobResult(await exec.poll(id))
}

function toResult(result: ExecResult & { readonly job?: Job }, timeoutMs: number): ToolResult {
  const output = result.output.trimEnd()
  if (result.timedOut && result.job) {
    return { ok: true, text: joined(output, stillRunning(timeoutMs / 1000, result.job.id)) }
  }
  const left = result.job ? `[left running in the background as ${result.job.id}; job_stop ends it]` : ''
  if (result.exitCode === 0) return { ok: true, text: joined(output || '(no output)', left) }
  const exit = result.exitCode === undefined ? '[ended by a signal]' : `[exit ${result.exitCode}]`
  const missing = result.blocked ? blockedText(result.blocked) : ''
  return { ok: false, code: 'exit-code', text: joined(output, left, missing, exit) }
}

/** Each with the one thing that would allow it. */
function blockedText(blocked: Blocked): string {
  if (blocked.kind === 'network')
    return '[sandbox: there is no network here; only the person can allow it, once when asked or with `network = true` in [sandbox]]'
  if (blocked.kind === 'write')
    return `[sandbox: ${blocked.path} cannot be written; only the person can allow it, once when asked or with --permission bypass]`
  if (blocked.kind === 'outside')
    return `[sandbox: ${blocked.path ?? 'what it tried to write'} cannot be written by commands; only the person can allow it, with \`writable\` in [sandbox] of their own configuration or --permission bypass]`
  return `[sandbox: it was run as a command that only reads, and tried to write${blocked.why === undefined ? '' : `: ${blocked.why}`}]`
}

/** What a job printed since the last look, and how it stands. */
export function jobResult({ job, output }: { readonly job: Job; readonly output: string }): ToolResult {
  const text = output.trimEnd()
  if (job.state === 'running') {
    return {
      ok: true,
      text: joined(text, `[${job.id} is running${since(job)}; job_output shows more, job_stop ends it]`),
    }
  }
  const exit = job.exitCode === undefined ? 'stopped' : `exit ${job.exitCode}`
  const failed = job.exitCode !== undefined && job.exitCode !== 0
  const ended = joined(text, `[${job.id} ended, ${exit}]`)
  return failed ? { ok: false, code: 'exit-code', text: ended } : { ok: true, text: ended }
}

/** Whole minutes: enough to tell a long quiet build from a call that is repeated without thinking. */
function since({ startedAt }: Job): string {
  const minutes = Math.floor((Date.now() - startedAt) / 60_000)
  return minutes > 0 ? ` for ${minutes} min` : ''
}

const joined = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join('\n')
