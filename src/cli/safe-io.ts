/**
 * The last stop of every text before a terminal. Commands clean what they know to be foreign; whatever they forget (the
 * name of a file, a model, a peer) is caught here. The few codes Covey writes itself pass.
 */
import { cleanControl } from '../lib/clean.ts'
import { maskUrls } from '../lib/mask-url.ts'
import type { CommandIo } from './command.ts'

export const DIM = '\u001B[2m'
export const NOT_DIM = '\u001B[22m'
/** To the start of the line, and the line empty: only what draws progress may say so. */
export const REDRAW = '\r\u001B[K'

/** What goes to stderr is about the work, never the work itself: there no address shows its password. */
export const safeIo = (io: CommandIo): CommandIo => ({
  ...io,
  out: (text) => io.out(safe(text)),
  err: (text) => io.err(safe(maskUrls(text))),
})

/** Only in front: further in, it could take back what the line says. */
const safe = (text: string): string =>
  text.startsWith(REDRAW) ? REDRAW + withDim(text.slice(REDRAW.length)) : withDim(text)

const withDim = (text: string): string =>
  text
    .split(/(\u001B\[2?2m)/)
    .map((part, index) => (index % 2 === 1 ? part : cleanControl(part)))
    .join('')
