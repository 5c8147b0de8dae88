/**
 * What the end of a reply released, where the output limit made that end. A call closed only by the end of the stream may
 * be truncated and is not run. A call that something follows, or that its own closing tag ended, is whole.
 */
import type { ReplyEvent, ReplyReader } from '../../protocol/dialect.ts'
import { CUT_OFF } from './call.ts'

export type LimitedReader = {
  push(chunk: string): readonly ReplyEvent[]
  /** `isCut`: the output limit made this end. */
  end(isCut: boolean): readonly ReplyEvent[]
}

/** So much of the end of a reply tells whether a call is closed. */
const TAIL_LENGTH = 64

export function toLimitedReader(reader: ReplyReader): LimitedReader {
  let tail = ''
  return {
    push(chunk) {
      tail = (tail + chunk).slice(-TAIL_LENGTH)
      return reader.push(chunk)
    },
    end: (isCut) => (isCut ? atLimit(reader.end(), tail) : reader.end()),
  }
}

const CLOSED = /(?:<\/[\w:-]+>|<[|\uFF5C][^<>]*end[^<>]*[|\uFF5C]>|\[\/[A-Z_]+\])\s*$/

function atLimit(events: readonly ReplyEvent[], tail: string): readonly ReplyEvent[] {
  const last = events.findLastIndex(({ type }) => type !== 'proposal')
  return events.flatMap((event, index): ReplyEvent[] => {
    if (event.type === 'proposal') return []
    const isOpen = event.type === 'tool-call' && index === last && !CLOSED.test(tail)
    return isOpen ? [{ type: 'bad-call', name: event.call.name, reason: CUT_OFF }] : [event]
  })
}
