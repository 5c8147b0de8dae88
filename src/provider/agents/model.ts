/**
 * Another vendor's command-line agent as a Model: it gets the conversation as one text and answers with text. It works by
 * its own means, under its own approvals; calls of our tools it cannot make.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import { createInterface } from 'node:readline'
import { readJson } from '../../lib/json.ts'
import { isInside } from '../../lib/path.ts'
import { clip } from '../../lib/text.ts'
import { AppError } from '../../protocol/error.ts'
import type { Message } from '../../protocol/message.ts'
import type { Model, ModelEvent, ModelRequest } from '../../protocol/model.ts'
import { type AgentLine, agentNames, type AgentName, agentPrograms } from './programs.ts'

export type AgentModelParts = {
  readonly id: string
  readonly agent: AgentName
  /** Where the program lies; see `findAgents`. */
  readonly path: string
  /** As the agent calls it; absent = the one it is set to. */
  readonly model?: string
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

export type FoundAgent = { readonly agent: AgentName; readonly path: string }

/** The agents on PATH. One that lies in the project is not the one we mean. */
export async function findAgents(env: NodeJS.ProcessEnv, cwd: string): Promise<readonly FoundAgent[]> {
  const folders = (env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !isInside(cwd, folder))
  const found = await Promise.all(
    agentNames.map(async (agent) => {
      for (const folder of folders) {
        const path = join(folder, agent)
        if (
          await access(path, constants.X_OK).then(
            () => true,
            () => false,
          )
        )
          return [{ agent, path }]
      }
      return []
    }),
  )
  return found.flat()
}

export const createAgentModel = (parts: AgentModelParts): Model => ({
  name: parts.id,
  async *stream(request, signal) {
    if (signal.aborted) return
    const child = start(parts, toPrompt(request))
    const leave = (): void => stop(child)
    signal.addEventListener('abort', leave, { once: true })
    try {
      yield* answerOf(child, parts)
    } catch (error) {
      if (!signal.aborted) throw error
    } finally {
      signal.removeEventListener('abort', leave)
      if (!signal.aborted) stop(child)
    }
  },
})

function start(
  { agent, path, model, cwd, env }: AgentModelParts,
  prompt: string,
): ChildProcessWithoutNullStreams {
  const child = spawn(path, agentPrograms[agent].args(model), { cwd, env, detached: true })
  // It may have gone before it read everything; how it ended says more.
  child.stdin.on('error', () => {})
  child.stdin.end(prompt)
  return child
}

/** How long it may take to put things in order once it has been asked to end. */
const ENDING_MS = 2_000

function stop(child: ChildProcessWithoutNullStreams): void {
  if (child.stdout.destroyed) return
  kill(child, 'SIGTERM')
  const timer = setTimeout(() => {
    kill(child, 'SIGKILL')
    // What it left behind may hold its output open.
    child.stdout.destroy()
    child.stderr.destroy()
  }, ENDING_MS)
  child.once('close', () => clearTimeout(timer))
}

/** The whole group: an agent starts programs of its own. */
function kill({ pid, exitCode, signalCode }: ChildProcessWithoutNullStreams, signal: NodeJS.Signals): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return
  try {
    process.kill(-pid, signal)
  } catch {
    // It has just ended.
  }
}

async function* answerOf(
  child: ChildProcessWithoutNullStreams,
  { agent, id }: AgentModelParts,
): AsyncGenerator<ModelEvent> {
  const ended = new Promise<number | undefined>((resolve, reject) => {
    child.once('error', (error) => reject(unavailable(id, error.message)))
    child.once('close', (code) => resolve(code ?? undefined))
  })
  ended.catch(() => undefined)
  let complaint = ''
  child.stderr.on(
    'data',
    (bytes: Buffer) => (complaint = (complaint + bytes.toString()).slice(-MAX_COMPLAINT)),
  )
  let isFirst = true
  const lines = createInterface({ input: child.stdout })
  // A stream that is destroyed has no end, and would be waited for without one.
  child.stdout.once('close', () => lines.close())
  for await (const text of lines) {
    const reading = readJson(text)
    for (const line of reading.ok ? agentPrograms[agent].read(reading.value) : []) {
      yield toEvent(line, { id, isFirst })
      if (line.type === 'text') isFirst = false
    }
  }
  const code = await ended
  if (code !== 0)
    throw unavailable(id, clip(complaint.trim(), 300) || `it ended with exit code ${code ?? '(none)'}`)
  yield { type: 'finish', reason: 'stop' }
}

const MAX_COMPLAINT = 4000

const unavailable = (id: string, why: string): AppError =>
  new AppError('model-unavailable', `${id} did not answer: ${why}`)

/** Each text is a message of its own. */
function toEvent(
  line: AgentLine,
  { id, isFirst }: { readonly id: string; readonly isFirst: boolean },
): ModelEvent {
  switch (line.type) {
    case 'text':
      return { type: 'text-delta', text: isFirst ? line.text : `\n\n${line.text}` }
    case 'activity':
      return { type: 'reasoning-delta', text: `[${line.text}]\n` }
    case 'usage':
      return { type: 'usage', usage: line.usage }
    case 'failure':
      throw unavailable(id, line.message)
  }
}

/** Our system text speaks of our tools; the agent has its own. */
function toPrompt({ messages }: ModelRequest): string {
  const [last, ...before] = messages.toReversed()
  if (before.length === 0) return last?.text ?? ''
  const said = before.toReversed().map(toText).filter(Boolean).join('\n\n')
  return `What was said before:\n\n${said}\n\nNow:\n\n${last?.text ?? ''}`
}

const toText = (message: Message): string => {
  if (message.role === 'user') return `User: ${message.text}`
  if (message.role === 'tool') return `Result: ${message.text}`
  const calls = message.calls.map(({ name, input }) => `[${name} ${input}]`)
  return `Assistant: ${[message.text, ...calls].filter(Boolean).join('\n')}`
}
