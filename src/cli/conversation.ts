/**
 * The plain conversation on a terminal: a prompt, an answer, questions asked where they arise. It is one more client of
 * SessionApi, so a full-screen one can take its place.
 */
import { createInterface, type Interface } from 'node:readline/promises'
import { cleanControl } from '../lib/clean.ts'
import type { SessionEvent } from '../protocol/event.ts'
import { errorMessage } from '../protocol/error.ts'
import type { SessionApi } from '../protocol/session-api.ts'
import type { Undo } from '../protocol/undo.ts'
import { answerQuestion } from './answer.ts'
import type { CommandContext, CommandIo } from './command.ts'
import { createPrinter } from './print.ts'
import { readLine } from './read-line.ts'
import type { RunFlags } from './run/flags.ts'
import { renderRestored } from './undo.ts'
import { promptAndWatch } from './watch.ts'

const HELP = `  /help       this list
  /compact    shorten the conversation now
  /sessions   earlier conversations of this folder
  /undo       take back what the last run did to your files; /redo does it again
  /name words a skill of that name (covey skills lists them)
  !command    run a command; the next question sees its output
  /quit       end (Ctrl+D); Ctrl+C ends the run in progress
`

/** Whom the person talks to, here or on another machine. */
export type Talk = {
  readonly session: SessionApi & { close(): Promise<void> }
  /** Who answers and what it may do, in one line. */
  readonly heading: string
  /** What the last session was about. */
  readonly recap?: string
  /** Whether a line names a skill; absent where that is not known here. */
  expands?(line: string): boolean
  /** Absent where the files are on another machine than the person. */
  readonly undo?: Undo
  /** Absent where commands would run on another machine than the person's. */
  runForPerson?(command: string, signal: AbortSignal): Promise<string>
}

export async function converse(talk: Talk, flags: RunFlags, context: CommandContext): Promise<number> {
  const { io } = context
  const { session } = talk
  const terminal = createInterface({ input: process.stdin, output: process.stdout, historySize: 200 })
  const typed = keepTyped(terminal)
  io.out(`covey · ${cleanControl(talk.heading)} · session ${session.id}\n/help for help\n`)
  if (talk.recap) io.out(`${cleanControl(talk.recap)}\n`)
  try {
    for (;;) {
      const line = typed.next(io.out) ?? (await readLine(terminal, PROMPT))
      if (line === undefined || line === '/quit') return 0
      // A server that is away, a command that cannot run: the conversation outlives the line.
      if (line !== '')
        await takeLine(line, { talk, session, terminal, flags, context }).catch(complaining(io))
    }
  } finally {
    terminal.close()
    await session.close()
  }
}

const complaining = (io: CommandIo) => (error: unknown) =>
  io.err(`covey: ${cleanControl(errorMessage(error))}\n`)

/** What is typed while an answer comes is asked afterwards, not lost. */
function keepTyped(terminal: Interface): { next(show: (text: string) => void): string | undefined } {
  const lines: string[] = []
  // Told only of lines that answer no question.
  terminal.on('line', (line) => lines.length < MOST_TYPED && lines.push(line.trim()))
  return {
    next(show) {
      const line = lines.shift()
      if (line !== undefined) show(`${PROMPT}${line}\n`)
      return line
    },
  }
}

const MOST_TYPED = 100
const PROMPT = '\n> '

type Conversation = {
  readonly talk: Talk
  readonly session: SessionApi
  readonly terminal: Interface
  readonly flags: RunFlags
  readonly context: CommandContext
}

async function takeLine(line: string, conversation: Conversation): Promise<void> {
  const { session, context } = conversation
  const { out } = context.io
  if (line === '/help') return out(HELP)
  if (line === '/compact') return session.command('compact')
  if (line === '/sessions') return out(await listSessions(conversation))
  if (line === '/undo' || line === '/redo') return moveFiles(line === '/undo' ? 'undo' : 'redo', conversation)
  const isSkill = conversation.talk.expands?.(line) ?? false
  if (line.startsWith('/') && !isSkill) return out(`unknown command ${line}; /help lists them\n`)
  if (line.startsWith('!')) return runForPerson(line.slice(1), conversation)
  await ask(line, conversation)
}

async function ask(prompt: string, conversation: Conversation): Promise<void> {
  const { session, terminal, flags, context } = conversation
  let proposed: string | undefined
  const { io, env } = context
  const cancelled = new AbortController()
  const cancel = () => cancelled.abort()
  terminal.on('SIGINT', cancel)
  // No user is left to answer.
  terminal.on('close', cancel)
  const print = createPrinter(io, {
    json: false,
    verbose: flags.verbose,
    colour: !env['NO_COLOR'],
    live: true,
  })
  const show = (event: SessionEvent) => {
    print(event)
    if (event.type === 'proposal') proposed = event.command
    void answerQuestion(event, { session, terminal, signal: cancelled.signal }).catch(complaining(io))
  }
  try {
    await promptAndWatch({ session, prompt, options: flags.prompt, show, signal: cancelled.signal })
  } finally {
    terminal.off('SIGINT', cancel)
    terminal.off('close', cancel)
  }
  if (proposed !== undefined) await offerCommand(proposed, conversation)
}

/** What a model without tools proposed runs only on a yes; the next question sees what it printed. */
async function offerCommand(command: string, conversation: Conversation): Promise<void> {
  const answer = await readLine(
    conversation.terminal,
    `Run "${cleanControl(command)}"? [y]es, [e]dit, anything else is no: `,
  )
  if (/^y(es)?$/i.test(answer ?? '')) return runForPerson(command, conversation)
  if (!/^e(dit)?$/i.test(answer ?? '')) return
  const edited = await readLine(conversation.terminal, 'Command: ')
  if (edited) await runForPerson(edited, conversation)
}

async function runForPerson(command: string, { talk, session, context }: Conversation): Promise<void> {
  if (!talk.runForPerson)
    return context.io.out('commands of your own run only in a session on this machine\n')
  const output = await talk.runForPerson(command, context.signal)
  context.io.out(`${cleanControl(output)}\n`)
  await session.command('exec-output', `$ ${command}\n${output}`)
}

/** The model believes its changes are still there, so the next question carries a note. */
async function moveFiles(
  direction: 'undo' | 'redo',
  { talk, session, context }: Conversation,
): Promise<void> {
  const { out } = context.io
  if (!talk.undo) return out('files are put back only in a session on this machine\n')
  const restored = await talk.undo[direction]()
  const text = renderRestored(restored, direction === 'undo' ? 'Undid' : 'Did again')
  out(text)
  await session.command('exec-output', `The person typed /${direction}. ${text}`)
}

async function listSessions({ session }: Conversation): Promise<string> {
  const sessions = await session.list()
  return sessions.map(({ id, title }) => `  ${id}  ${cleanControl(title)}\n`).join('') || '  none yet\n'
}
