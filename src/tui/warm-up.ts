/**
 * The Markdown library and the measure of a line compile large expressions when they are first used: 200 ms, which the first word
 * of the first reply would wait for. They are used once while nothing is asked yet, in pieces, so that no key waits for all of it.
 */
import { drawReply } from './items.ts'
import { fit } from './text.ts'

const WIDTH = 80

/** An expression is interpreted the first time and compiled when it is used again. */
const ROUNDS = 2

const SAMPLES = [
  'Some words, a [link](a.md), <b> and `code`.',
  `${'Words that are **wrapped** at the edge. '.repeat(5)}\n${'plain words '.repeat(20)}`,
  '## A title\n\n1. **one** é\n\n> two\n\n| a | b |\n|---|---|\n| c | 漢 |',
]

export function warmUp(): void {
  const steps = Array.from({ length: ROUNDS }, () => [
    () => void fit('a wide 漢 é 👩‍👩‍👧 line', 10),
    ...SAMPLES.map((sample) => () => void drawReply(sample, WIDTH)),
  ]).flat()
  const next = (): void => {
    steps.shift()?.()
    if (steps.length > 0) setTimeout(next, PAUSE_MS).unref()
  }
  setTimeout(next, PAUSE_MS).unref()
}

const PAUSE_MS = 20
