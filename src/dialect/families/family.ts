/**
 * A family of models: the markers it writes, how it thinks, how it is written back. Families are data; what they share
 * is the shape of their calls (`shape.ts`), never the vendor.
 */
import type { Dialect } from '../../protocol/dialect.ts'
import type { Draft } from '../read/call.ts'
import type { Input, Step } from '../read/input.ts'
import type { ItemReader, ReadContext, Section } from '../read/section.ts'
import type { Shape } from '../read/shape.ts'

/** What a control marker makes of the text behind it. */
export type Control = {
  /** Where text goes from here on. */
  readonly channel?: 'text' | 'reasoning'
  readonly drafts?: readonly Draft[]
  /** Not a control after all: this is text. */
  readonly text?: string
}

export type ControlReader = (input: Input, context: ReadContext) => Step<Control>

export type Marker =
  | { readonly kind: 'section'; readonly open: string; readonly section: Section }
  /** `inner`: an ordinary word, which opens a call only inside a section. */
  | { readonly kind: 'item'; readonly open: string; readonly read: ItemReader; readonly inner?: boolean }
  /** `strict`: an ordinary tag, which only opens thinking at the start of a line. */
  | {
      readonly kind: 'think'
      readonly open: string
      readonly close: readonly string[]
      readonly strict: boolean
    }
  /** Ends thinking that something else opened. */
  | { readonly kind: 'answer'; readonly open: string }
  | { readonly kind: 'control'; readonly open: string; readonly read: ControlReader }
  /** Never shown; `last`: only where nothing follows, because it may be an ordinary word. */
  | { readonly kind: 'token'; readonly open: string; readonly last?: boolean }
  /** Wraps the whole answer; dropped where it stands at its beginning and its end. */
  | { readonly kind: 'frame'; readonly open: string; readonly close: string }

export type Family = Dialect & {
  /** Names of models that belong to it. */
  readonly models: RegExp
  readonly markers: readonly Marker[]
  readonly shape: Shape
  /** Habits that only count where the model is known to have them. */
  readonly habits: readonly Habit[]
  /** Its models call no tools; `show` says what they can do instead. */
  readonly proposesOnly: boolean
}

/**
 * recipient: the reply begins with a recipient, because the prompt ended with its marker · python: bare lines of calls ·
 * steps: the reply begins with reasoning that has no opening tag
 */
export type Habit = 'recipient' | 'python' | 'steps'

export const section = (
  open: string,
  close: string | readonly string[] = [],
  more: Partial<Section> = {},
): Marker => ({
  kind: 'section',
  open,
  section: { open, close: typeof close === 'string' ? [close] : close, ...more },
})

export const item = (open: string, read: ItemReader): Marker => ({ kind: 'item', open, read })

export const innerItem = (open: string, read: ItemReader): Marker => ({
  kind: 'item',
  open,
  read,
  inner: true,
})

/** A token of the family's own marks its thinking, wherever it stands. */
export const think = (open: string, ...close: string[]): Marker => ({
  kind: 'think',
  open,
  close,
  strict: false,
})

/** An ordinary tag marks it. */
export const thinkTag = (name: string): Marker => ({
  kind: 'think',
  open: `<${name}>`,
  close: [`</${name}>`],
  strict: true,
})

export const answers = (...texts: string[]): Marker[] => texts.map((open) => ({ kind: 'answer', open }))

export const control = (open: string, read: ControlReader): Marker => ({ kind: 'control', open, read })

export const tokens = (...texts: string[]): Marker[] => texts.map((open) => ({ kind: 'token', open }))

export const frame = (open: string, close: string): Marker => ({ kind: 'frame', open, close })
