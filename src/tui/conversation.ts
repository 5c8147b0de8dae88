/** One person and one session: input becomes prompts, commands and answers; events become lines. */
import { errorMessage } from '../protocol/error.ts'
import type { Answer, PromptOptions } from '../protocol/session-api.ts'
import type { AtStart } from '../protocol/start.ts'
import type { SessionEvent } from '../protocol/event.ts'
import { findCommand } from './commands.ts'
import type { ConversationUi } from './ui.ts'
import { editInput, type Lendable, lendTerminal, openShell, runForPerson, runOwn } from './lending.ts'
import { mentionFiles, showPast } from './past.ts'
import type { Face } from './face.ts'
import type { Notifier } from './notify.ts'
import type { PromptHistory } from './history.ts'
import { meaningOf } from './line.ts'
import { Picker } from './picker.ts'
import { QuestionBox } from './question.ts'
import type { StatusFacts } from './status.ts'
import type { Reopening, Talk } from './talk.ts'
import { dim, red, useTheme, yellow } from './theme.ts'
import { clean, fit, oneLine, wrap } from './text.ts'

export type ConversationParts = Lendable & {
  readonly promptOptions: PromptOptions
  readonly isVerbose: boolean
  readonly notifier: Notifier
  onTalk?(talk: Talk): void
  /** For the next start. */
  keepTheme?(name: string): void
  /** To the clipboard of the terminal. */
  copy(text: string): void
}

export class Conversation implements ConversationUi {
  readonly #parts: ConversationParts
  readonly ended: Promise<string | undefined>
  talk: Talk | undefined
  #history: PromptHistory | undefined
  #end: (line: string | undefined) => void = () => {}
  #note: string | undefined
  #early: string[] = []
  #sending: Promise<void> = Promise.resolve()
  #following: AbortController | undefined

  constructor(parts: ConversationParts) {
    this.#parts = parts
    this.ended = new Promise((resolve) => {
      this.#end = resolve
    })
    parts.face.doing = { title: 'starting', output: '' }
  }

  get face(): Face {
    return this.#parts.face
  }

  get prompts(): readonly string[] {
    return this.#history?.prompts ?? []
  }

  facts(): StatusFacts {
    const { talk } = this
    const inputMode = this.face.input?.mode
    return {
      arm: talk?.arms?.current() ?? talk?.arm ?? 'covey',
      mode: talk?.modes?.current() ?? talk?.mode ?? '',
      confinement: talk?.confinement ?? '',
      ...(talk?.branch !== undefined && { branch: talk.branch }),
      ...(this.#note !== undefined && { note: this.#note }),
      ...(inputMode !== undefined && { inputMode }),
    }
  }

  atStart(): AtStart {
    return {
      status: (text) => {
        if (this.face.doing && !this.talk) this.face.doing = { title: text ?? 'starting', output: '' }
        this.face.redraw()
      },
      confirm: (question) =>
        new Promise((resolve) => {
          const options = ['yes', 'no']
          const asked = { kind: 'question', askId: 'start', question, options } as const
          this.#show(asked, (answer) => resolve('text' in answer && answer.text === 'yes'))
        }),
    }
  }

  useHistory(history: PromptHistory): void {
    this.#history = history
    for (const prompt of history.prompts) this.face.input?.remember(prompt)
  }

  async begin(talk: Talk): Promise<void> {
    const { face } = this
    this.talk = talk
    if (talk.notify) this.#parts.notifier.settings = talk.notify
    face.input?.useKeys(talk.keys ?? 'standard')
    face.doing = undefined
    const heading = [talk.arm, talk.modes?.current() ?? talk.mode, talk.confinement].map(oneLine).join(' · ')
    const session = talk.isIncognito ? 'incognito' : `session ${talk.session.id}`
    face.print([dim(fit(`${heading} · ${session}`, face.width)), dim('/help for help')])
    for (const warning of talk.warnings ?? [])
      face.print(wrap(yellow(clean(`covey: ${warning}`)), face.width))
    if (talk.isResumed) await showPast(this.face, talk, this.#parts.isVerbose)
    else if (talk.recap) face.print(wrap(dim(clean(`${talk.recap} (/recap tells the model)`)), face.width))
    this.attempt(() => this.#follow(talk))
    for (const text of this.#early.splice(0)) this.submit(text)
  }

  submit(text: string): void {
    const line = text.trim()
    if (line === '') return
    if (!this.talk) {
      if (/^(?:\/?(?:quit|exit))$/.test(line)) return this.quit()
      this.#early.push(text)
      this.face.doing = { title: `starting (${this.#early.length} queued)`, output: '' }
      return this.face.redraw()
    }
    const { talk } = this
    this.attempt(() => this.#take(line, talk))
  }

  attempt(work: () => Promise<void>): void {
    void work().catch((error: unknown) => this.#complain(error))
  }

  draft(text: string): void {
    this.face.input?.setText(text)
  }

  insert(text: string): void {
    this.face.input?.insert(text)
    this.face.redraw()
  }

  cancel(): void {
    const { face } = this
    if (face.doing?.stop) return face.doing.stop()
    const waiting = face.view.queue.map(({ prompt }) => prompt)
    const box = face.input
    if (waiting.length > 0 && box) box.setText([...waiting, box.text].filter(Boolean).join('\n'))
    this.attempt(async () => this.talk?.session.cancel())
  }

  quit(): void {
    this.#following?.abort()
    this.#end(this.talk?.session.id)
  }

  note(text: string | undefined): void {
    this.#note = text
    this.face.redraw()
  }

  pick(title: string, items: Parameters<ConversationUi['pick']>[1], take: (value: string) => void): void {
    const close = (): void => {
      this.face.picker = undefined
      this.face.redraw()
    }
    this.face.picker = new Picker({
      title,
      items,
      leave: close,
      pick(value) {
        close()
        take(value)
      },
    })
    this.face.redraw()
  }

  lend<T>(work: () => Promise<T>): Promise<T> {
    return lendTerminal(this.#parts, work)
  }

  editInput(): Promise<void> {
    return editInput(this)
  }

  openShell(): Promise<void> {
    return openShell(this)
  }

  runOwn(words: readonly string[]): Promise<void> {
    return runOwn(this, words)
  }

  keepTheme(name: string): void {
    useTheme(name)
    this.face.redraw()
    if (!this.talk?.isIncognito) this.#parts.keepTheme?.(name)
  }

  copy(text: string): void {
    this.#parts.copy(text)
  }

  async reopen(wish: Reopening): Promise<void> {
    const { talk, face } = this
    if (!talk?.reopen) return
    this.#following?.abort()
    face.doing = { title: 'opening', output: '' }
    try {
      const next = await talk.reopen(wish)
      this.#parts.onTalk?.(next)
      face.begin()
      await this.begin(next)
    } catch (error) {
      face.doing = undefined
      void this.#follow(talk).catch(() => undefined)
      throw error
    }
  }

  async #take(line: string, talk: Talk): Promise<void> {
    const meaning = meaningOf(line, (text) => talk.expands?.(text) ?? false)
    if (meaning.kind !== 'quit') {
      this.face.input?.remember(line)
      if (!talk.isIncognito) void this.#history?.add(line)
    }
    if (meaning.kind === 'quit') return this.quit()
    if (meaning.kind === 'unknown') return this.face.say(meaning.text)
    if (meaning.kind === 'shell') return runForPerson(this, meaning)
    if (meaning.kind === 'command') return findCommand(meaning.name)?.run(this, meaning.argument, talk)
    const before = this.#sending
    this.#sending = this.#send(line, talk, before)
    await this.#sending
  }

  /** In the order they were typed, however long a file that one of them names takes to read. */
  async #send(line: string, talk: Talk, before: Promise<void>): Promise<void> {
    await before.catch(() => undefined)
    await mentionFiles(this.face, talk, line)
    await talk.session.prompt(line, this.#parts.promptOptions)
  }

  async #follow({ session }: Talk): Promise<void> {
    const stop = new AbortController()
    this.#following = stop
    for await (const event of session.events({ signal: stop.signal })) {
      if (stop.signal.aborted) return
      this.face.take(event)
      this.#parts.notifier.take(event)
      this.#ask()
      if (event.type === 'proposal') this.#offer(event)
    }
  }

  /** The question that is first in the View has the keys. */
  #ask(): void {
    const [first] = this.face.view.questions
    if (this.face.question?.askId === first?.askId) return
    this.face.question = undefined
    if (!first) return
    this.#show(first, (answer) => this.attempt(async () => this.talk?.session.answer(first.askId, answer)))
  }

  #show(
    question: ConstructorParameters<typeof QuestionBox>[0]['question'],
    take: (answer: Answer) => void,
  ): void {
    const { face } = this
    const canvas = {
      get rows() {
        return face.height
      },
      redraw: () => face.redraw(),
    }
    const answer = (said: Answer): void => {
      if (face.question === box) face.question = undefined
      take(said)
    }
    const box = new QuestionBox({ question, canvas, answer })
    face.question = box
    face.redraw()
  }

  /** What a model without tools proposed runs only on a yes. */
  #offer({ command }: Extract<SessionEvent, { type: 'proposal' }>): void {
    const question = {
      kind: 'question',
      askId: 'proposal',
      question: `Run this?\n${command}`,
      options: ['yes', 'edit it first', 'no'],
    } as const
    this.#show(question, (answer) => {
      const said = 'text' in answer ? answer.text : 'no'
      if (said === 'yes') this.submit(`!${command}`)
      else if (said === 'edit it first') this.face.input?.setText(`!${command}`)
    })
  }

  #complain(error: unknown): void {
    this.face.print(wrap(red(clean(`covey: ${errorMessage(error)}`)), this.face.width))
  }
}
