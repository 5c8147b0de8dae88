/**
 * A conversation line by line: everything the screen does, without a single escape code, for a screen reader, a dumb
 * terminal or a log. The terminal itself edits the line.
 */
import { createInterface } from 'node:readline'
import { stripVTControlCharacters } from 'node:util'
import { cleanControl } from '../../lib/clean.ts'
import { errorMessage } from '../../protocol/error.ts'
import type { SessionEvent } from '../../protocol/event.ts'
import type { CommandUi, Pane } from '../../tui/ui.ts'
import { findCommand } from '../../tui/commands.ts'
import { type Meaning, meaningOf } from '../../tui/line.ts'
import { mentionFiles, showPast } from '../../tui/past.ts'
import { openPersonShell, runProgram } from '../../tui/shell.ts'
import type { Reopening, Talk } from '../../tui/talk.ts'
import { reduceView } from '../../view/reduce.ts'
import { emptyView, withoutItems } from '../../view/view.ts'
import { answerQuestion } from '../answer.ts'
import type { ConverseParts } from '../talk.ts'
import { createPrinter } from '../print.ts'
import { createLines, type Lines } from './lines.ts'

const WIDTH = 100

export async function talkInLines(first: Talk, parts: ConverseParts): Promise<number> {
  const { context } = parts
  const { io } = context
  const lines = createLines(createInterface({ input: io.stdin, terminal: false }), io.out)
  const plain = new PlainConversation(first, parts, lines)
  const release = context.onInterrupt?.(() => plain.interrupt())
  try {
    await plain.begin(first)
    for (;;) {
      const line = await lines.next('\n> ')
      if (line === undefined) break
      if (line.trim() === '') continue
      // A server that is away, a command that cannot run: the conversation outlives the line.
      await plain.take(line.trim()).catch((error: unknown) => plain.complain(error))
      if (plain.isOver) break
    }
    if (!plain.talk.isIncognito) io.out(`Go on with: covey --resume-id ${plain.talk.session.id}\n`)
    return 0
  } finally {
    release?.()
    lines.close()
    await plain.close()
  }
}

class PlainConversation implements CommandUi {
  readonly #parts: ConverseParts
  readonly #lines: Lines
  readonly face: Pane & { view: Pane['view']; compactions: number }
  talk: Talk
  isOver = false
  #stop: (() => void) | undefined
  #following = new AbortController()
  #ended: ((event: SessionEvent) => void) | undefined

  constructor(talk: Talk, parts: ConverseParts, lines: Lines) {
    this.talk = talk
    this.#parts = parts
    this.#lines = lines
    const { out } = parts.context.io
    this.face = {
      view: emptyView,
      width: WIDTH,
      height: 0,
      compactions: 0,
      print: (drawn) =>
        out(drawn.map((line) => `${cleanControl(stripVTControlCharacters(line))}\n`).join('')),
      say: (text) => out(`${cleanControl(text.trimEnd())}\n`),
      redraw: () => {},
    }
  }

  async begin(talk: Talk): Promise<void> {
    const { flags } = this.#parts
    this.talk = talk
    this.face.view = emptyView
    const mode = talk.modes?.current() ?? talk.mode
    this.face.say(
      `covey · ${talk.arm} · ${mode} · ${talk.confinement} · session ${talk.session.id}\n/help for help`,
    )
    for (const warning of talk.warnings ?? []) this.complain(new Error(warning))
    if (talk.isResumed) await showPast(this.face, talk, flags.verbose)
    else if (talk.recap) this.face.say(`${talk.recap} (/recap tells the model)`)
    this.#following.abort()
    this.#following = new AbortController()
    void this.#follow(talk, this.#following.signal).catch((error: unknown) => this.complain(error))
  }

  async take(line: string): Promise<void> {
    const { talk } = this
    const meaning = meaningOf(line, (text) => talk.expands?.(text) ?? false)
    if (meaning.kind === 'quit') return this.quit()
    if (meaning.kind === 'unknown') return this.face.say(meaning.text)
    if (meaning.kind === 'shell') return this.#shell(meaning)
    if (meaning.kind === 'command') return findCommand(meaning.name)?.run(this, meaning.argument, talk)
    await mentionFiles(this.face, talk, line)
    await this.#ask(line)
  }

  interrupt(): void {
    if (this.#stop) return this.#stop()
    this.face.say('\nCtrl+D ends the conversation.')
  }

  attempt(work: () => Promise<void>): void {
    void work().catch((error: unknown) => this.complain(error))
  }

  draft(text: string): void {
    this.face.say(`The message was:\n${text}`)
  }

  insert(text: string): void {
    this.face.say(`Write this into the message: ${text.trim()}`)
  }

  quit(): void {
    this.isOver = true
  }

  pick(title: string, items: Parameters<CommandUi['pick']>[1], take: (value: string) => void): void {
    this.face.say(
      [
        title,
        ...items.map(({ label, description = '' }, index) => `${index + 1}  ${label}  ${description}`),
      ].join('\n'),
    )
    this.#lines.once('number: ', (line) => {
      const item = items[Number(line) - 1] ?? items.find(({ value }) => value === line)
      if (item) take(item.value)
      else this.face.say('Nothing chosen.')
    })
  }

  async openShell(): Promise<void> {
    const { isTty } = this.#parts.context.io
    const { shell, cwd } = this.talk
    if (!isTty || !shell) return this.face.say('A shell needs a terminal; write !command instead.')
    await this.#lines.lend(() => openPersonShell(shell.argv(['shell']), cwd))
  }

  async runOwn(words: readonly string[]): Promise<void> {
    const { shell, cwd } = this.talk
    if (!shell) return this.face.say('Commands of your own run only in a session on this machine.')
    // Ctrl+C is meant for what runs.
    this.#stop = () => undefined
    try {
      await this.#lines.lend(async () => void (await runProgram(shell.argv(words), cwd)))
    } finally {
      this.#stop = undefined
    }
  }

  async reopen(wish: Reopening): Promise<void> {
    const next = await this.talk.reopen?.(wish)
    if (next) await this.begin(next)
  }

  async editInput(): Promise<void> {
    this.face.say('There is no box here; write the message on the line.')
  }

  complain(error: unknown): void {
    this.#parts.context.io.err(`covey: ${cleanControl(errorMessage(error))}\n`)
  }

  async close(): Promise<void> {
    this.#following.abort()
    await this.talk.session.close()
  }

  async #ask(prompt: string): Promise<void> {
    const { session } = this.talk
    const ended = new Promise<SessionEvent>((resolve) => {
      this.#ended = resolve
    })
    this.#stop = () => void session.cancel().catch(() => undefined)
    try {
      await session.prompt(prompt, this.#parts.flags.prompt)
      await ended
    } finally {
      this.#stop = this.#ended = undefined
    }
  }

  async #follow({ session }: Talk, signal: AbortSignal): Promise<void> {
    const { flags, context } = this.#parts
    const print = createPrinter(context.io, {
      json: false,
      verbose: flags.verbose,
      colour: false,
      live: true,
    })
    for await (const event of session.events({ signal })) {
      if (signal.aborted) return
      this.face.view = withoutItems(reduceView(this.face.view, event))
      if (event.type === 'compaction') this.face.compactions++
      print(event)
      // The user's input has ended, so the run does, too.
      void answerQuestion(event, { session, person: this.#lines, signal }).catch(() => session.cancel())
      if (event.type === 'proposal') this.#offer(event.command)
      if (event.type === 'run-end') this.#ended?.(event)
    }
  }

  #offer(command: string): void {
    this.#lines.once(`Run "${cleanControl(command)}"? [y]es, anything else is no: `, (line) => {
      if (/^y(?:es)?$/i.test(line))
        void this.#shell({ kind: 'shell', command, isPrivate: false }).catch((error: unknown) =>
          this.complain(error),
        )
    })
  }

  async #shell({ command, isPrivate }: Extract<Meaning, { kind: 'shell' }>): Promise<void> {
    const { shell, session } = this.talk
    if (!shell) return this.face.say('Commands of your own run only in a session on this machine.')
    if (shell.needsTerminal(command))
      return this.face.say(
        `${command.split(' ', 1)[0]} needs a whole screen; run it in another terminal, or start covey without --plain.`,
      )
    const stopped = new AbortController()
    this.#stop = () => stopped.abort()
    try {
      const onOutput = (text: string): void =>
        this.#parts.context.io.out(cleanControl(text.replaceAll('\r', '')))
      const { output, exitCode } = await shell.run(command, { signal: stopped.signal, onOutput })
      this.face.say(
        `${output === '' || output.endsWith('\n') ? '' : '\n'}${exitCode === undefined ? 'stopped' : `exit ${exitCode}`}`,
      )
      if (!isPrivate)
        await session.command('exec-output', `$ ${command}\n${output}\n[exit ${exitCode ?? 'by a signal'}]`)
    } finally {
      this.#stop = undefined
    }
  }
}
