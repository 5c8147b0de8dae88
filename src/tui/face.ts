/**
 * The terminal's state and its drawing: the View of the session, how much of it is in the scrollback already, and what has
 * the keys. It decides nothing about the conversation; `keys.ts` and `commands.ts` do what a person asks for.
 */
import { performance } from 'node:perf_hooks'
import type { SessionEvent } from '../protocol/event.ts'
import { lifeOf } from '../view/life.ts'
import { reduceView } from '../view/reduce.ts'
import { emptyView, type Item, type View, withoutItems } from '../view/view.ts'
import type { Drawn, InputBox } from './input.ts'
import { drawItem, drawReply } from './items.ts'
import { contentLines, drawLive, type LiveParts } from './live.ts'
import { OpenReply, stableLength } from './open-reply.ts'
import type { Picker } from './picker.ts'
import type { QuestionBox } from './question.ts'
import { Screen, type Surface } from './screen.ts'
import type { StatusFacts } from './status.ts'
import { dim } from './theme.ts'
import { clean, wrap } from './text.ts'

/** A change is on the screen at once; while changes follow each other, a frame is drawn this often. */
const FRAME_MS = 50
const TICK_MS = 120

export type FaceParts = {
  readonly surface: Surface
  readonly isVerbose: boolean
  facts(): StatusFacts
}

export class Face {
  readonly #parts: FaceParts
  readonly #screen: Screen
  view: View = emptyView
  input: InputBox | undefined
  question: QuestionBox | undefined
  picker: Picker | undefined
  /** Something beside the session that takes a while. */
  doing: { title: string; output: string; stop?: () => void } | undefined
  isExpanded = false
  compactions = 0
  /** The newest things that were folded, to show on request. */
  folded: readonly Item[] = []
  #finished: string[] = []
  #written = ''
  readonly #reply = new OpenReply()
  #isSuspended = false
  #timer: NodeJS.Timeout | undefined
  /** When the timer is due. */
  #due = 0
  #drawnAt = 0
  #frame = 0
  #phase = ''
  #phaseAt = 0
  #wordsAt: number | undefined
  #rate: number | undefined

  constructor(parts: FaceParts) {
    this.#parts = parts
    this.#screen = new Screen(parts.surface)
  }

  get height(): number {
    return this.#parts.surface.rows
  }

  get width(): number {
    return this.#parts.surface.columns
  }

  take(event: SessionEvent): void {
    const before = this.view
    this.view = reduceView(before, event)
    this.#measure(event)
    if (event.type === 'compaction') this.compactions++
    if (this.#written !== '' && !this.view.open.text.startsWith(this.#written)) this.#closeReply(before)
    this.#finishItems()
    const isFirstWord = before.open.text === '' && this.view.open.text !== ''
    if (isFirstWord) this.#drawAt(performance.now())
    else this.redraw()
  }

  /** Another session is shown from here on. */
  begin(): void {
    this.view = emptyView
    this.question = undefined
    this.#written = ''
  }

  /** Lines for good, as they are. */
  print(lines: readonly string[]): void {
    this.#finished.push(...lines)
    this.redraw()
  }

  say(text: string): void {
    this.print(
      text
        .trimEnd()
        .split('\n')
        .flatMap((line) => wrap(clean(line), this.width)),
    )
  }

  redraw(): void {
    this.#drawAt(this.#drawnAt + FRAME_MS)
  }

  /** The earliest wish counts: nothing waits for the next turn of the spinner. */
  #drawAt(time: number): void {
    if (this.#isSuspended || (this.#timer && this.#due <= time)) return
    clearTimeout(this.#timer)
    this.#due = time
    this.#timer = setTimeout(() => this.drawNow(), Math.max(0, time - performance.now()))
  }

  drawNow(): void {
    if (this.#isSuspended) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#drawnAt = performance.now()
    this.#frame = Math.floor(this.#drawnAt / TICK_MS)
    const { columns, rows } = this.#parts.surface
    this.#overflow(columns, rows)
    const live = drawLive(this.#live(), columns, rows)
    const finished = this.#finished
    this.#finished = []
    this.#screen.draw({ finished, live: live.lines })
    if (this.doing || lifeOf(this.view).kind !== 'idle') this.#tick()
  }

  /** The live part goes away and nothing is drawn until `resume`. */
  suspend(): void {
    this.drawNow()
    this.#isSuspended = true
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#screen.leave()
  }

  resume(): void {
    if (this.#isSuspended) this.#screen.enter()
    this.#isSuspended = false
    this.redraw()
  }

  #tick(): void {
    const { kind } = lifeOf(this.view)
    if (kind === 'asking' && !this.doing) return
    this.#drawAt(this.#drawnAt + TICK_MS)
  }

  #live(): LiveParts {
    const { facts } = this.#parts
    const clock = {
      elapsedMs: this.#elapsed(),
      frame: this.#frame,
      ...(this.#rate !== undefined && { rate: this.#rate }),
    }
    return {
      view: this.view,
      reply: this.#reply.draw(this.view.open.text.slice(this.#written.length), this.width),
      isReplyWhole: this.#written === '',
      clock,
      facts: { ...facts(), ...(this.#rate !== undefined && !this.view.run && { rate: this.#rate }) },
      ...(this.doing && { doing: this.doing }),
      isExpanded: this.isExpanded,
      below: (width, rows) => this.#below(width, rows),
    }
  }

  #below(width: number, rows: number): Drawn {
    if (this.picker) return this.picker.draw(width, rows)
    if (this.question) return this.question.draw(width, rows)
    return this.input?.draw(width) ?? { lines: [] }
  }

  /** What is above the live part's room and will not change any more goes to the scrollback. */
  #overflow(columns: number, rows: number): void {
    const { text, tools } = this.view.open
    const room = rows - 6
    if (text === this.#written || tools.length > 0) return
    if (contentLines(this.#live(), columns).length <= Math.max(2, room)) return
    const stable = stableLength(text.slice(this.#written.length))
    if (stable === 0) return
    const part = text.slice(this.#written.length, this.#written.length + stable)
    this.#finished.push(...drawReply(part, columns))
    this.#written += part
  }

  #finishItems(): void {
    const { items } = this.view
    if (items.length === 0) return
    const options = { width: this.width, isExpanded: this.isExpanded, isVerbose: this.#parts.isVerbose }
    for (const item of items) this.#finished.push(...this.#withoutWritten(item, options))
    const folded = items.filter(({ kind }) => kind === 'tool' || kind === 'reply')
    if (folded.length > 0) this.folded = folded
    this.view = withoutItems(this.view)
  }

  /** The beginning of a long reply is in the scrollback already. */
  #withoutWritten(item: Item, options: Parameters<typeof drawItem>[1]): readonly string[] {
    const written = this.#written
    if (item.kind !== 'reply' || written === '') return drawItem(item, options)
    this.#written = ''
    if (item.text.startsWith(written)) return drawReply(item.text.slice(written.length), options.width)
    return [dim('· the reply was corrected:'), ...drawItem(item, options)]
  }

  /** A reply of which something is in the scrollback is over, or void. */
  #closeReply(before: View): void {
    const isTaken = this.view.items.some(({ kind }) => kind === 'reply')
    if (isTaken) return
    this.#written = ''
    const why = this.view.open.again ?? before.open.again
    this.#finished.push(
      dim(`· the text above was withdrawn${why === undefined ? '' : `, asked again: ${clean(why)}`}`),
    )
  }

  #elapsed(): number {
    const life = lifeOf(this.view)
    const phase = this.doing
      ? `doing ${this.doing.title}`
      : life.kind === 'tool'
        ? `tool ${life.tool.callId}`
        : life.kind
    if (phase !== this.#phase) {
      this.#phase = phase
      this.#phaseAt = performance.now()
    }
    return performance.now() - this.#phaseAt
  }

  #measure(event: SessionEvent): void {
    const now = performance.now()
    if (event.type === 'turn-start') this.#wordsAt = this.#rate = undefined
    if (event.type === 'text-delta' || event.type === 'reasoning-delta') {
      this.#wordsAt ??= now
      const { text, reasoning } = this.view.open
      const spent = now - this.#wordsAt
      // Four characters are about a token; the server's own count comes with the end of the reply.
      if (spent > 300) this.#rate = ((text.length + reasoning.length) / 4 / spent) * 1000
    }
    if (event.type === 'usage' && this.#wordsAt !== undefined && now - this.#wordsAt > 300)
      this.#rate = (event.usage.completion / (now - this.#wordsAt)) * 1000
  }
}
