/** The state of one reply while it is read: where it stands, what it may call, where its text goes. */
import type { Draft } from './call.ts'
import { finishCall } from './call.ts'
import type { Family } from '../families/family.ts'
import { Input } from './input.ts'
import type { MarkerTable, Owned } from './marker-table.ts'
import { openingAhead } from './marker-table.ts'
import type { ReadContext } from './section.ts'
import { createEffort } from './section.ts'
import { Sink } from './sink.ts'
import { ToolBook } from './tool-book.ts'

/** No honest reply comes near these; they bound the work that a hostile one can cause. */
const MAX_CALLS = 500
const MAX_TRIES = 2000
const MAX_FENCES = 20_000

export type ReadingOptions = {
  readonly tools: ToolBook
  readonly table: MarkerTable
  readonly hint: Family | undefined
  readonly earlier: (text: string) => boolean
  readonly native: boolean
}

export class Reading {
  readonly input = new Input()
  readonly sink = new Sink()
  readonly options: ReadingOptions
  channel: 'text' | 'reasoning' = 'text'
  /** What ends the thinking that is open; undefined: whatever ends any thinking. */
  thinkEnds: readonly string[] | undefined
  /** The closing half of a frame that was opened around the answer. */
  frame = ''
  readonly #context: ReadContext
  /** A call was mentioned without being made. */
  hasQuoted = false
  fences = 0
  /** Markers that opened no call. */
  failures = 0
  #tries = 0
  #ids = new Set<string>()

  constructor(options: ReadingOptions) {
    this.options = options
    const opening: ReadContext['opening'] = (input, offset) => openingAhead(options.table, input, offset)
    this.#context = { tools: options.tools, stops: [], opening, depth: 0, effort: createEffort() }
  }

  get context(): ReadContext {
    return this.#context
  }

  say(text: string): void {
    if (this.channel === 'reasoning') this.sink.reasoning(text)
    else this.sink.text(text)
  }

  /** One more guess that something unmarked is a call; false when there were too many. */
  try(): boolean {
    return this.#tries++ < MAX_TRIES && !this.isExhausted
  }

  /** Even marked calls are text from here on. */
  get isExhausted(): boolean {
    return this.failures > MAX_TRIES || this.sink.calls >= MAX_CALLS
  }

  /** Unmarked text is not looked at any more. */
  get isTired(): boolean {
    return this.#tries > MAX_TRIES || this.fences > MAX_FENCES || this.isExhausted
  }

  /** Inside thinking, only the family's own marker says that thinking is over. */
  endsThinking(marker: Owned): boolean {
    const { hint } = this.options
    return !hint || marker.owners.has(hint.name)
  }

  emit(drafts: readonly Draft[]): void {
    for (const draft of drafts) {
      this.sink.calls++
      this.sink.event(this.#unique(finishCall(draft, this.options.tools, () => `call-${this.sink.calls}`)))
    }
    this.sink.afterCall = true
  }

  /** Text goes there from here on, whatever opened or ended thinking before. */
  switchTo(channel: 'text' | 'reasoning'): void {
    this.channel = channel
    this.thinkEnds = undefined
  }

  #unique(event: ReturnType<typeof finishCall>): ReturnType<typeof finishCall> {
    if (event.type !== 'tool-call') return event
    let { id } = event.call
    for (let number = this.sink.calls; this.#ids.has(id); number++) id = `call-${number}`
    this.#ids.add(id)
    return { ...event, call: { ...event.call, id } }
  }
}
