/** Follows a stream of markdown and knows whether it stands inside a code fence. */
export type FenceReader = {
  push(character: string): void
  /** Where in the stream the code began; absent outside a fence. */
  readonly openedAt: number | undefined
}

const FENCE = /^[\s>]*(?<mark>`{3,}|~{3,})(?<info>.*)$/
/** A line longer than this is no fence; its rest need not be kept. */
const LONGEST_LINE = 120

export function createFenceReader(): FenceReader {
  let mark = ''
  let openedAt: number | undefined
  let line = ''
  let position = 0

  const endLine = (): void => {
    const found = line.length < LONGEST_LINE ? FENCE.exec(line)?.groups : undefined
    line = ''
    if (!found) return
    const { mark: marks = '', info = '' } = found
    if (openedAt === undefined) {
      mark = marks
      openedAt = position
    } else if (marks.startsWith(mark) && info.trim() === '') {
      openedAt = undefined
    }
  }

  return {
    push(character) {
      position++
      if (character === '\n') endLine()
      else if (line.length < LONGEST_LINE) line += character
    },
    get openedAt() {
      return openedAt
    },
  }
}
