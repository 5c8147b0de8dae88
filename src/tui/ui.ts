/** What commands and keys act on. */
import type { SelectItem } from '@mariozechner/pi-tui'
import type { SessionEvent } from '../protocol/event.ts'
import { viewOf } from '../view/reduce.ts'
import type { View } from '../view/view.ts'
import type { Face } from './face.ts'
import type { Reopening, Talk } from './talk.ts'

/** Where a command writes: the screen, or lines. */
export type Pane = Pick<Face, 'view' | 'width' | 'height' | 'compactions' | 'print' | 'say' | 'redraw'>

/** What a slash command may do, on a screen or line by line. */
export type CommandUi = {
  readonly face: Pane
  /** Absent while the program opens. */
  readonly talk: Talk | undefined
  quit(): void
  /** Does it now; a failure is shown. */
  attempt(work: () => Promise<void>): void
  /** A message to change and send: in the box, or shown. */
  draft(text: string): void
  /** Into the message where the cursor is, or shown. */
  insert(text: string): void
  pick(title: string, items: readonly SelectItem[], take: (value: string) => void): void
  reopen(wish: Reopening): Promise<void>
  editInput(): Promise<void>
  /** A shell of the person's own, in the folder of the session, until they leave it. */
  openShell(): Promise<void>
  /** Another command of this program has the terminal until it ends; Ctrl+C ends it. */
  runOwn(words: readonly string[]): Promise<void>
  /** To the clipboard; absent in plain mode, which writes no escape codes. */
  copy?(text: string): void
  /** For the next start, too; absent where nothing is coloured. */
  keepTheme?(name: string): void
}

export type ConversationUi = CommandUi & {
  readonly face: Face
  readonly prompts: readonly string[]
  submit(text: string): void
  /** Ends the run; what waited for it comes back into the box. */
  cancel(): void
  note(text: string | undefined): void
  /** Gives the terminal to something else for a while. */
  lend<T>(work: () => Promise<T>): Promise<T>
}

/** Everything the session has kept. */
export async function wholeView({ session }: Talk, upTo: number): Promise<View> {
  const stop = new AbortController()
  const events: SessionEvent[] = []
  if (upTo === 0) return viewOf([])
  for await (const event of session.events({ after: 0, signal: stop.signal })) {
    if (event.id <= upTo) events.push(event)
    if (event.id >= upTo) break
  }
  stop.abort()
  return viewOf(events)
}
