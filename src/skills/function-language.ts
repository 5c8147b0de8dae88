/**
 * What each language of promoted functions knows to do. Code travels to its sandbox in the arguments of the program: the
 * folder it is kept in is hidden there, and so the bytes that were hashed are the bytes that run.
 */
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { AppError } from '../protocol/error.ts'
import type { JsonSchema } from '../protocol/model.ts'
import type { Exec, ExecResult, ToolContext } from '../protocol/tool.ts'
import { clip } from '../lib/text.ts'

/** One program argument may be 128 KiB on Linux, and base64 makes three bytes four. */
const MAX_ARGUMENT = 96_000
/** What a person can be asked to look at. */
export const MAX_SOURCE = 16_000

export type FunctionCode = { readonly source: string; readonly function: string }

export type FunctionFacts = {
  /** A JSON schema of an object with one property per parameter, in their order. */
  readonly parameters: JsonSchema
  /** The first line of its documentation. */
  readonly summary: string
  /** What keeps it from being a tool, in words that say what to write. */
  readonly problems: readonly string[]
}

export type Runner = Pick<ToolContext, 'signal'> &
  Partial<Pick<ToolContext, 'output'>> & { readonly exec: Pick<Exec, 'program'> }

export interface FunctionLanguage {
  readonly name: 'python' | 'typescript'
  inspect(code: FunctionCode, runner: Runner): Promise<FunctionFacts>
  /** The program that runs the example of the function's documentation. */
  exampleArgv(code: FunctionCode, mark: string): Promise<readonly string[]>
  callArgv(code: FunctionCode, mark: string, input: CallInput): readonly string[]
}

/** `order`: the names of the parameters as they were declared. */
export type CallInput = {
  readonly values: Readonly<Record<string, unknown>>
  readonly order: readonly string[]
}

export type Outcome = { readonly ok: boolean; readonly text: string; readonly failure?: 'timeout' }

const EXAMPLE_LIMIT_MS = 60_000
const CALL_LIMIT_MS = 110_000

export const runExample = (
  language: FunctionLanguage,
  code: FunctionCode,
  runner: Runner,
): Promise<Outcome> => runProgram(runner, EXAMPLE_LIMIT_MS, (mark) => language.exampleArgv(code, mark))

export const callFunction = (
  language: FunctionLanguage,
  code: FunctionCode,
  { input, runner }: { readonly input: CallInput; readonly runner: Runner },
): Promise<Outcome> => runProgram(runner, CALL_LIMIT_MS, async (mark) => language.callArgv(code, mark, input))

/** What the program says is the last line that begins with the mark; everything before is what the function printed. */
export async function runProgram(
  { exec, signal, output }: Runner,
  timeoutMs: number,
  toArgv: (mark: string) => Promise<readonly string[]>,
): Promise<Outcome> {
  const mark = `result-${randomBytes(8).toString('hex')}:`
  const argv = await toArgv(mark)
  const result = await exec.program(argv, {
    timeoutMs,
    signal,
    ...(output && { onOutput: visible(mark, output) }),
  })
  return readOutcome(result, mark, timeoutMs)
}

const visible = (mark: string, output: (text: string) => void) => (text: string) => {
  const shown = text.split(mark, 1)[0] ?? ''
  if (shown.trim() !== '') output(shown)
}

const Said = z.object({ ok: z.boolean(), text: z.string() })

function readOutcome(result: ExecResult, mark: string, timeoutMs: number): Outcome {
  const { output, timedOut, exitCode } = result
  const at = output.lastIndexOf(`\n${mark}`)
  const printed = (at === -1 ? output : output.slice(0, at)).trim()
  if (timedOut) return { ok: false, text: `It took longer than ${timeoutMs / 1000} s.`, failure: 'timeout' }
  const said = at === -1 ? undefined : parseSaid(output.slice(at + 1 + mark.length))
  if (!said) {
    const how = exitCode === undefined ? 'was ended by a signal' : `ended with exit code ${exitCode}`
    return { ok: false, text: joined(lastLines(printed), `It ${how} before it returned.`) }
  }
  const before = printed === '' ? '' : `[printed]\n${clip(printed, MAX_PRINTED)}\n[returned]`
  if (said.ok) return { ok: true, text: joined(before, said.text) }
  return { ok: false, text: joined(said.text, blockedText(result)) }
}

function blockedText({ blocked }: ExecResult): string {
  if (!blocked) return ''
  if (blocked.kind === 'network') return '[sandbox: there is no network here]'
  return `[sandbox: ${blocked.kind === 'write' ? blocked.path : 'what it tried to write'} cannot be written]`
}

const MAX_PRINTED = 4_000

function parseSaid(text: string): z.output<typeof Said> | undefined {
  try {
    return Said.parse(JSON.parse(text.split('\n', 1)[0] ?? ''))
  } catch {
    return undefined
  }
}

const joined = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join('\n')

export const lastLines = (text: string): string => text.split('\n').slice(-12).join('\n')

export function toArgument(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (Buffer.byteLength(text) > MAX_ARGUMENT) {
    throw new AppError('tool-failed', 'The arguments are over 96 kB; pass the path of a file instead.', {
      failure: 'bad-arguments',
    })
  }
  return Buffer.from(text).toString('base64')
}
