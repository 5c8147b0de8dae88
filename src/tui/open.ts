/**
 * A conversation on a terminal, from the first paint to the last word. The screen is there before the program is: what is
 * typed while it opens waits for it. One more client of SessionApi.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { ProcessTerminal } from '@mariozechner/pi-tui'
import { defined } from '../lib/object.ts'
import type { PromptOptions } from '../protocol/session-api.ts'
import type { AtStart } from '../protocol/start.ts'
import { createCompletion } from './completion.ts'
import { Conversation } from './conversation.ts'
import { Face } from './face.ts'
import { openHistory } from './history.ts'
import { holdTerminal } from './hold.ts'
import { InputBox } from './input.ts'
import { createKeys, type Keys } from './keys.ts'
import { commandsFor } from './commands.ts'
import { FOCUS_REPORTS, Notifier } from './notify.ts'
import type { Surface } from './screen.ts'
import type { Talk } from './talk.ts'
import { themeNames, useTheme } from './theme.ts'
import { warmUp } from './warm-up.ts'

export type TerminalParts = {
  readonly title: string
  readonly isVerbose: boolean
  readonly promptOptions: PromptOptions
  /** Where prompts are remembered; absent = nowhere. */
  readonly historyFile?: string
  /** Opens the program; questions it has on the way are asked on the screen. */
  open(atStart: AtStart): Promise<Talk>
  /** Called for every session that replaces the one before. */
  onTalk?(talk: Talk): void
  /** The colours chosen last. */
  readonly theme?: string
  keepTheme?(name: string): void
  /** Handles SIGINT until the returned function is called. */
  onInterrupt?(handle: () => void): () => void
  readonly signal: AbortSignal
}

/** Returns the id of the session that was talked to last. */
export async function runTerminal(parts: TerminalParts): Promise<string | undefined> {
  useTheme(parts.theme ?? 'standard')
  const terminal = new ProcessTerminal()
  const face = new Face({
    surface: surfaceOf(terminal),
    isVerbose: parts.isVerbose,
    facts: () => conversation.facts(),
  })
  let keys: Keys | undefined
  const now = (): number => performance.now()
  const notifier = new Notifier({ env: process.env, write: (text) => terminal.write(text), now })
  const turns = turnsOf(terminal, {
    take: (data) => void (notifier.takeFocus(data) || keys?.take(data)),
    resized: () => face.redraw(),
  })
  const conversation: Conversation = new Conversation({
    face,
    promptOptions: parts.promptOptions,
    isVerbose: parts.isVerbose,
    notifier,
    ...turns,
    copy: (text) => terminal.write(toClipboard(text)),
    ...defined({ onTalk: parts.onTalk, keepTheme: parts.keepTheme, onInterrupt: parts.onInterrupt }),
  })
  keys = createKeys(conversation, now)
  turns.start()
  face.input = inputOf(face, conversation)
  face.print([parts.title])
  face.drawNow()
  const release = holdTerminal(
    {
      end: () => conversation.quit(),
      say: (text) => face.say(text),
      leave() {
        face.suspend()
        turns.stop()
      },
    },
    parts.signal,
  )
  try {
    conversation.useHistory(await openHistory(parts.historyFile))
    await open(parts, conversation)
    return await conversation.ended
  } finally {
    await turns.settled()
    release()
  }
}

type Listening = { take(data: string): void; resized(): void }

/** Taking the terminal, and giving it back. */
function turnsOf(terminal: ProcessTerminal, { take, resized }: Listening) {
  let startedAt = 0
  return {
    start(): void {
      startedAt = performance.now()
      terminal.start(take, resized)
      terminal.write(FOCUS_REPORTS.on)
    },
    stop(): void {
      terminal.write(FOCUS_REPORTS.off)
      terminal.stop()
    },
    // The library switches the report of modified keys on so long after the start, also when it was stopped before.
    settled: () => pause(Math.max(0, startedAt + LATE_KEYS_MS - performance.now())),
  }
}

const LATE_KEYS_MS = 200

/** OSC 52: the terminal keeps it, also over ssh. */
const toClipboard = (text: string): string => `\u001B]52;c;${Buffer.from(text).toString('base64')}\u0007`

/** Smaller than this nothing can be drawn. */
const surfaceOf = (terminal: ProcessTerminal): Surface => ({
  get columns() {
    return Math.max(2, terminal.columns)
  },
  get rows() {
    return Math.max(4, terminal.rows)
  },
  write: (text) => terminal.write(text),
})

async function open(parts: TerminalParts, conversation: Conversation): Promise<void> {
  const opened = parts.open(conversation.atStart())
  // A user who leaves before it is open does not wait for it.
  const talk = await Promise.race([opened, conversation.ended.then(() => undefined)])
  if (!talk) return void opened.then(({ session }) => session.close()).catch(() => undefined)
  await conversation.begin(talk)
  warmUp()
}

function inputOf(face: Face, conversation: Conversation): InputBox {
  const completion = createCompletion({
    commands: () => commandsFor(conversation.talk),
    files: async () => (await conversation.talk?.files?.().catch(() => [])) ?? [],
    values: (command) => valuesOf(command, conversation.talk).catch(() => []),
  })
  const canvas = {
    get rows() {
      return face.height
    },
    redraw: () => face.redraw(),
  }
  const input = new InputBox(canvas, completion)
  input.onSubmit = (text) => conversation.submit(text)
  return input
}

async function valuesOf(command: string, talk: Talk | undefined) {
  const named = (names: readonly string[] = []) => names.map((name) => ({ value: name, label: name }))
  if (command === 'model') return named(talk?.arms?.list())
  if (command === 'mode') return named(talk?.modes?.list())
  if (command === 'theme') return named(themeNames)
  if (command !== 'resume') return []
  const sessions = (await talk?.session.list()) ?? []
  return sessions.map(({ id, title }) => ({ value: id, label: id, description: title.slice(0, 60) }))
}
