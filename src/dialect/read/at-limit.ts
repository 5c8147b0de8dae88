/**
 * What the end of a reply released, where the output limit made that end. A call closed only by the end of the stream may
 * be truncated and is not run. A call that something follows, or that its own closing tag ended, is whole.
 */
import type { ReplyEvent } from '../../protocol/dialect.ts'
import { CUT_OFF } from './call.ts'

/** So much of the end of a reply tells whether a call is closed. */
export const TAIL_LENGTH = 64

const CLOSED = /(?:<\/[\w:-]+>|<[|\uFF5C][^<>]*end[^<>]*[|\uFF5C]>|\[\/[A-Z_]+\])\s*$/

/** `tail` is the end of what the model wrote. */
export function atLimit(events: readonly ReplyEvent[], tail: string): readonly ReplyEvent[] {
  const last = events.findLastIndex(({ type }) => type !== 'proposal')
  return events.flatMap((event, index): ReplyEvent[] => {
    if (event.type === 'proposal') return []
    const isOpen = event.type === 'tool-call' && index === last && !CLOSED.test(tail)
    return isOpen ? [{ type: 'bad-call', name: event.call.name, reason: CUT_OFF }] : [event]
  })
}
