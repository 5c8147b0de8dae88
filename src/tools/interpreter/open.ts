/**
 * An interpreter that lives as long as the session, in the sandbox, and what a call of it comes to. It is started when
 * it is first needed. One that ends, is cancelled or takes too long is gone with its state; the result says so, and
 * the next call starts another.
 */
import { AppError, errorMessage } from '../../protocol/error.ts'
import type { CheckResult, Program, ToolContext, ToolResult } from '../../protocol/tool.ts'
import { BoundedOutput } from '../../lib/bounded-output.ts'
import { isObject } from '../../lib/json.ts'
import { findSyntaxProblem } from '../../lib/syntax.ts'
import { cleanOutput } from '../../lib/text.ts'
import { readFrames, toFrame } from './frames.ts'

export type Language = {
  /** As a person calls it. */
  readonly name: string
  readonly argv: readonly string[]
  /** What to do when the program is not there. */
  readonly missing: string
  /** Absent = the code as it is. */
  prepare?(code: string): Promise<string>
}

export type InterpreterLimits = { readonly callMs: number; readonly startMs: number }

export const interpreterLimits: InterpreterLimits = { callMs: 180_000, startMs: 30_000 }

export interface Interpreter {
  /** One call at a time; others wait. */
  run(code: string, context: ToolContext): Promise<ToolResult>
}

/** Code that forgets everything. */
const RESET = '%reset'

export function createInterpreter(language: Language, limits: InterpreterLimits): Interpreter {
  let queue: Promise<unknown> = Promise.resolve()
  let talk: Talk | undefined
  /** Told with the next result, where the call it happened to could not tell it. */
  let news = ''

  async function runNow(code: string, context: ToolContext, isAgain = false): Promise<ToolResult> {
    if (context.signal.aborted) throw cancelled()
    if (code.trim() === RESET) return reset()
    if (talk?.isOver()) await forget(`[${language.name} had ended by itself; this is a new one]`)
    talk ??= await startTalk(language, context, limits.startMs)
    const current = talk
    const prepared = (await language.prepare?.(code)) ?? code
    const end = await current.ask(prepared, { ...context, limitMs: limits.callMs })
    // It ended after the last call and was not seen to: nothing of this one was run.
    if (isOver(end) && !end.hasBegun && !isAgain) return runNow(code, context, true)
    const told = [news, current.output.take().text.trimEnd()].filter((text) => text !== '').join('\n')
    news = ''
    if (end === 'done') return { ok: true, text: told || '(no output)' }
    if (end === 'failed') return { ok: false, code: 'exit-code', text: told || '(failed without output)' }
    await forget(end === 'cancelled' ? `[the last call was cancelled; this is a new ${language.name}]` : '')
    if (end === 'cancelled') throw cancelled()
    return broken(told, { end, language, complaints: current.complaints(), limitMs: limits.callMs })
  }

  async function forget(why: string): Promise<void> {
    const ending = talk
    talk = undefined
    news = why
    await ending?.kill()
  }

  async function reset(): Promise<ToolResult> {
    await forget('')
    return { ok: true, text: `${language.name} was reset; nothing is defined.` }
  }

  return {
    run(code, context) {
      const result = queue.then(() => runNow(code, context))
      queue = result.catch(() => undefined)
      return result
    },
  }
}

/** Whether a parser can read it; `path` says which. */
export async function checkCode(path: string, code: string): Promise<CheckResult> {
  const problem = code.trim() === RESET ? undefined : await findSyntaxProblem(path, code)
  return problem
    ? { ok: false, why: `line ${problem.line} cannot be read: ${problem.message}` }
    : { ok: true }
}

const cancelled = (): AppError =>
  new AppError('tool-failed', 'The call was cancelled.', { failure: 'interrupted' })

type Broken = {
  readonly end: 'late' | Over
  readonly language: Language
  readonly complaints: string
  readonly limitMs: number
}

function broken(told: string, { end, language, complaints, limitMs }: Broken): ToolResult {
  const isLate = end === 'late'
  const how = isLate ? `was ended after ${limitMs / 1000} s` : `ended in the middle (${howEnded(end)})`
  const note = `[${language.name} ${how}: everything it had defined is lost; the next call starts a new one]`
  const text = [told, isLate ? '' : complaints, note].filter((line) => line !== '').join('\n')
  return { ok: false, code: isLate ? 'timeout' : 'exit-code', text }
}

function howEnded({ exitCode }: Over): string {
  if (exitCode === undefined) return 'by a signal'
  return exitCode > 128 ? `signal ${exitCode - 128}` : `exit ${exitCode}`
}

type Over = { readonly exitCode: number | undefined; readonly hasBegun?: boolean }
type End = 'done' | 'failed' | 'late' | 'cancelled' | Over

const isOver = (end: End): end is Over => typeof end === 'object'

type Asking = Pick<ToolContext, 'signal' | 'output'> & { readonly limitMs: number }

/** A running interpreter and the conversation with it. */
type Talk = {
  readonly output: BoundedOutput
  ask(code: string, asking: Asking): Promise<End>
  isOver(): boolean
  complaints(): string
  kill(): Promise<void>
}

async function startTalk(
  language: Language,
  { exec, signal: asked }: Pick<ToolContext, 'exec' | 'signal'>,
  startMs: number,
): Promise<Talk> {
  const program = await exec.open(language.argv).catch((error: unknown) => {
    throw notStarted(language, errorMessage(error))
  })
  const output = new BoundedOutput()
  const listener: Listener = { onOutput: () => {}, onEnd: () => {} }
  let over: Over | undefined
  const ended = listen(program, output, listener).then((end) => (over = end))
  const ready = new Promise<'ready'>((resolve) => (listener.onReady = () => resolve('ready')))
  const { stopped, forget } = whenStopped(asked)
  const first = await within(Promise.race([ready, ended, stopped]), startMs).finally(forget)
  if (first !== 'ready') {
    await program.kill()
    if (first === 'cancelled') throw cancelled()
    throw notStarted(language, program.complaints(), first === 'late' ? undefined : first.exitCode)
  }
  return {
    output,
    isOver: () => over !== undefined,
    complaints: () => program.complaints(),
    kill: () => program.kill(),
    async ask(code, { signal, output: show, limitMs }) {
      const answered = new Promise<End>((resolve) => {
        listener.onEnd = (ok) => resolve(ok ? 'done' : 'failed')
      })
      let hasBegun = false
      listener.onBegin = () => (hasBegun = true)
      const call = whenStopped(signal)
      listener.onOutput = toLive(show)
      // Not waited for: one that is over takes nothing, and `ended` says so; one that hangs reads nothing.
      program.write(toFrame({ code })).catch(() => undefined)
      const end = await within<End>(Promise.race([answered, ended, call.stopped]), limitMs)
      listener.onOutput = () => {}
      call.forget()
      return isOver(end) ? { ...end, hasBegun } : end
    },
  }
}

function whenStopped(signal: AbortSignal): { readonly stopped: Promise<'cancelled'>; forget(): void } {
  const done = new AbortController()
  const stopped = new Promise<'cancelled'>((resolve) => {
    signal.addEventListener('abort', () => resolve('cancelled'), { signal: done.signal })
    if (signal.aborted) resolve('cancelled')
  })
  return { stopped, forget: () => done.abort() }
}

function notStarted({ name, missing }: Language, why: string, exitCode?: number): AppError {
  const isMissing = exitCode === 127 || /ENOENT|: not found|execvp .*No such file/.test(why)
  return new AppError(
    'tool-failed',
    isMissing ? missing : `${name} could not be started: ${why || 'it says nothing'}`,
  )
}

type Listener = {
  onReady?: () => void
  /** The code of a call is about to run. */
  onBegin?: () => void
  onOutput: (text: string) => void
  onEnd: (ok: boolean) => void
}

/** Hears everything until the program is over; one that no longer speaks in messages is ended. */
async function listen(program: Program, output: BoundedOutput, listener: Listener): Promise<Over> {
  try {
    for await (const message of readFrames(program.output)) {
      if (!isObject(message)) continue
      if ('ready' in message) listener.onReady?.()
      if ('begin' in message) listener.onBegin?.()
      if (typeof message['output'] === 'string') {
        output.add(Buffer.from(message['output']))
        listener.onOutput(message['output'])
      }
      if (typeof message['end'] === 'boolean') listener.onEnd(message['end'])
    }
  } catch {
    await program.kill()
  }
  return program.ended.catch(() => ({ exitCode: 127 }))
}

async function within<T>(promise: Promise<T>, ms: number): Promise<T | 'late'> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'late'>((resolve) => (timer = setTimeout(() => resolve('late'), ms)))
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Watchers get the beginning; a flood would bury every other event. */
const LIVE_CHARACTERS = 64 * 1024

function toLive(show: (text: string) => void): (text: string) => void {
  let room = LIVE_CHARACTERS
  return (text) => {
    if (room <= 0) return
    const shown = cleanOutput(text.slice(0, room))
    room -= text.length
    show(room > 0 ? shown : `${shown}\n[… more output …]\n`)
  }
}
