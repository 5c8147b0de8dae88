/**
 * What a line leads to: it runs, it is asked, or it is one of our own commands. Knows no pty: the shell's widgets and the
 * plain loop both bring lines here and act on the plan. What has to be written below the line first is `work`.
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { cleanControl } from '../lib/clean.ts'
import { errorMessage } from '../protocol/error.ts'
import type { ShellReply, ShellRequest } from './channel.ts'
import { type ColonLine, helpText, toColonLine } from './colon.ts'
import type { Helper, Surface } from './helper.ts'
import { classify, type Decision } from './line/classify.ts'
import type { Record } from './output/record.ts'
import { describeProposals } from './notes.ts'
import { proposalsIn } from './proposal.ts'
import { shellWords } from './quote.ts'

export type Plan =
  | { readonly reply: ShellReply; readonly command?: string }
  | { readonly work: (signal: AbortSignal) => Promise<ShellReply> }

type Line = Pick<ShellRequest, 'kind' | 'folder' | 'line'>
type Told = { readonly text: string; readonly reading: Decision['reading'] }

/** The keys by which a person takes another way, in words. */
export type Hints = {
  readonly run: string
  readonly ask: string
  readonly again: string
  readonly proposed: string
}

const KEYS: Hints = {
  run: 'Alt+Enter runs it instead',
  ask: 'Alt+Enter asks it instead',
  again: 'Enter again runs it',
  proposed: 'Enter runs it · Ctrl+C drops it',
}

export type DialogueParts = {
  readonly helper: Helper
  readonly record: Record
  readonly surface: Surface
  readonly hints?: Hints
  /** When the person last pressed a key; keys may wait in the terminal long before they are read. */
  lastKeyAt?(): number
}

const TOO_SOON_MS = 300
const FIX = 'This command failed. Why, and which command fixes it?'

export class Dialogue {
  readonly #helper: Helper
  readonly #record: Record
  readonly #surface: Surface
  readonly #hints: Hints
  readonly #lastKeyAt: () => number
  #proposals: readonly string[] = []
  #at = 0
  #placedAt = 0
  #last: Told | undefined
  /** A doubtful line that would destroy: the same line again runs. */
  #held: string | undefined
  /** The last command ran on a guess. */
  #guessed = false

  constructor({ helper, record, surface, hints = KEYS, lastKeyAt }: DialogueParts) {
    this.#lastKeyAt = lastKeyAt ?? (() => performance.now())
    this.#hints = hints
    this.#helper = helper
    this.#record = record
    this.#surface = surface
  }

  enter(line: Line): Plan {
    const colon = toColonLine(line.line)
    if (colon) return this.#colon(colon, line)
    if (this.#isTooSoon(line.line)) return { reply: { action: 'keep' } }
    const held = this.#held
    this.#held = undefined
    if (line.line === held || this.#proposals.includes(line.line))
      return this.#run(line.line, line.line, false)
    const decision = classify(line.line, line.kind)
    this.#last = { text: decision.text, reading: decision.reading }
    if (decision.reading === 'question') return this.#question(decision.text, line.folder, !decision.sure)
    if (decision.destroys && !decision.sure && !namesFiles(line)) return this.#hold(line.line)
    return this.#run(decision.text, line.line, !decision.sure)
  }

  /** Alt+Enter: the line is a question. Without a line the last one is taken the other way. */
  other({ line, folder, kind }: Line): Plan {
    const text = line.trim().replace(/^\?+\s*/, '')
    if (text !== '') {
      this.#last = { text: line, reading: 'question' }
      return this.#question(text, folder, false)
    }
    const last = this.#last
    if (!last) return { reply: { action: 'keep' } }
    if (last.reading === 'command') return this.other({ line: last.text, folder, kind })
    this.#last = { text: last.text, reading: 'command' }
    if (classify(`!${last.text}`, 'none').destroys) return this.#hold(last.text)
    return { reply: { action: 'run', text: last.text }, command: last.text }
  }

  /** Up and Down among several proposals. */
  pick(step: 1 | -1, line: string): Plan {
    const count = this.#proposals.length
    // What the person has changed stays.
    if (line !== '' && !this.#proposals.includes(line)) return { reply: { action: 'keep' } }
    if (count === 0) return { reply: { action: 'keep' } }
    this.#at = (this.#at + step + count) % count
    return { reply: { action: 'pick', text: this.#proposals[this.#at] ?? '' } }
  }

  /** Said before the next prompt, where the guess seems to have been wrong. */
  hintAfter(status: number): string | undefined {
    const isWrong = this.#guessed && status !== 0 && status !== 130
    this.#guessed = false
    return isWrong ? `ran as a command · ${this.#hints.ask}` : undefined
  }

  /** An Enter that was on its way when the proposal appeared is not a yes to it. */
  #isTooSoon(line: string): boolean {
    return this.#proposals.includes(line) && this.#lastKeyAt() - this.#placedAt < TOO_SOON_MS
  }

  #run(text: string, typed: string, isGuess: boolean): Plan {
    this.#proposals = []
    this.#guessed = isGuess
    return { reply: { action: 'run', ...(text !== typed && { text }) }, command: text }
  }

  #hold(text: string): Plan {
    this.#held = text
    return this.#said(
      `not run: as a command it would destroy something · ${this.#hints.again} · ${this.#hints.ask}`,
      {
        action: 'line',
        text,
      },
    )
  }

  #question(text: string, folder: string, isGuess: boolean): Plan {
    if (text.trim() === '') return this.#said('there is no question in that line', { action: 'none' })
    return {
      work: async (signal) => {
        if (isGuess) this.#note(`asked · ${this.#hints.run}`)
        return this.#ask(text, folder, signal)
      },
    }
  }

  async #ask(text: string, folder: string, signal: AbortSignal): Promise<ShellReply> {
    const taken = this.#record.take()
    try {
      const answered = await this.#helper.ask({ text, folder, output: taken.text }, this.#surface, signal)
      if (!answered.isAnswered) taken.giveBack()
      if (signal.aborted) return { action: 'none' }
      return await this.#propose(answered.text, answered.commands)
    } catch (error) {
      taken.giveBack()
      if (!signal.aborted) this.#note(errorMessage(error), 31)
      return { action: 'none' }
    }
  }

  async #propose(text: string, called: readonly string[]): Promise<ShellReply> {
    const { commands, refused } = proposalsIn(text, called)
    this.#proposals = commands
    this.#at = 0
    const effects = await Promise.all(commands.map((command) => this.#helper.judge(command)))
    for (const line of describeProposals({ commands, effects, refused, keys: this.#hints.proposed }))
      this.#surface.write(`${line}\r\n`)
    const [first] = commands
    if (first === undefined) return { action: 'none' }
    this.#placedAt = performance.now()
    return { action: commands.length > 1 ? 'pick' : 'line', text: first }
  }

  #colon(colon: ColonLine, { folder }: Line): Plan {
    if ('unknown' in colon)
      return this.#said(`there is no :${colon.unknown}; :help lists them`, { action: 'none' })
    if ('proposal' in colon) return this.#choose(colon.proposal)
    const { name, argument } = colon
    switch (name) {
      case 'help':
        return this.#said(helpText(), { action: 'none' })
      case 'forget':
        this.#record.clear()
        return this.#said('forgotten', { action: 'none' })
      case 'fix':
        return this.#fix(argument, folder)
      case 'agent':
        return this.#agent(argument)
      case 'context':
        return this.#does(() => this.#context(folder))
      case 'model':
        return this.#does(() => this.#model(argument, folder))
      case 'fast':
      case 'deep':
        return this.#does(async () => `${await this.#helper.usePreset(name, folder)} answers`)
    }
  }

  #choose(number: number): Plan {
    const text = this.#proposals[number - 1]
    if (text === undefined) {
      const count = this.#proposals.length
      const there = count === 0 ? 'no command is proposed' : `there are :1 to :${count}`
      return this.#said(`no proposal ${number}: ${there}`, { action: 'none' })
    }
    this.#at = number - 1
    return {
      work: async () => {
        const effects = await this.#helper.judge(text)
        for (const line of describeProposals({
          commands: [text],
          effects: [effects],
          refused: 0,
          keys: this.#hints.proposed,
        }))
          this.#surface.write(`${line}\r\n`)
        return { action: this.#proposals.length > 1 ? 'pick' : 'line', text }
      },
    }
  }

  #fix(argument: string, folder: string): Plan {
    const failed = this.#record.lastFailure
    if (!failed) return this.#said('no command has failed since the last question', { action: 'none' })
    const { command, status } = failed
    const question = `${FIX}\n$ ${command}\n[exit ${status}]${argument === '' ? '' : `\n\n${argument}`}`
    this.#last = undefined
    return this.#question(question, folder, false)
  }

  #agent(task: string): Plan {
    if (task === '') return this.#said('write the task behind it: :agent TASK', { action: 'none' })
    const text = shellWords(this.#helper.agentArgv(task))
    this.#last = undefined
    return { reply: { action: 'run', text }, command: text }
  }

  async #context(folder: string): Promise<string> {
    if (this.#record.isEmpty) return 'nothing: no command has run since the last question'
    return `[exec output]\n${await this.#helper.outgoing(this.#record.text(), folder)}`
  }

  async #model(argument: string, folder: string): Promise<string> {
    if (argument !== '') await this.#helper.useModel(argument, folder)
    const { current, list } = await this.#helper.models(folder)
    if (argument !== '') return `${current} answers`
    return list.map((id) => `${id === current ? '*' : ' '} ${id}`).join('\n') || current
  }

  #does(make: () => Promise<string>): Plan {
    return {
      work: async (signal) => {
        try {
          const text = await make()
          if (!signal.aborted) this.#print(text)
        } catch (error) {
          this.#note(errorMessage(error), 31)
        }
        return { action: 'none' }
      },
    }
  }

  #said(text: string, reply: ShellReply): Plan {
    return {
      work: async () => {
        this.#note(text)
        return reply
      },
    }
  }

  #print(text: string): void {
    this.#surface.write(`${cleanControl(text).replaceAll('\n', '\r\n')}\r\n`)
  }

  #note(text: string, colour = 2): void {
    const lines = cleanControl(text).split('\n')
    this.#surface.write(lines.map((line) => `\u001B[${colour}m${line}\u001B[0m\r\n`).join(''))
  }
}

/** Every plain word behind the program is there as a file: then they are names, not words of a sentence. */
function namesFiles({ line, folder }: Line): boolean {
  const words = line
    .trim()
    .split(/\s+/)
    .slice(1)
    .filter((word) => !word.startsWith('-'))
  return words.length > 0 && words.length <= 50 && words.every((word) => existsSync(resolve(folder, word)))
}
