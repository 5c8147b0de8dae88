/** Output that was cut, mixed or damaged: it is shown in some way, within its room, in time that grows with its length. */
import { expect, test } from 'vitest'
import { estimateTokens } from '../../../src/context/count.ts'
import { shortenOutput } from '../../../src/lib/output/shorten.ts'
import { recordings } from './recordings.ts'

const all = recordings()

/** Room beside the text for what `foldMiddle` says itself. */
const SLACK = 40

function check(text: string, tokens: number): void {
  for (const failed of [true, false]) {
    const shown = shortenOutput(text, { tokens, countTokens: estimateTokens, failed })
    expect(estimateTokens(shown)).toBeLessThanOrEqual(Math.max(tokens, 1) + SLACK)
  }
}

/** The same numbers in every run. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
}

test('output that ends or begins anywhere is shown within its room', () => {
  const random = randomFrom(7)
  for (const { text } of all) {
    const lines = text.split('\n')
    for (let round = 0; round < 4; round++) {
      const at = Math.floor(random() * lines.length)
      check(lines.slice(0, at).join('\n'), 150 + Math.floor(random() * 500))
      check(lines.slice(at).join('\n'), 150 + Math.floor(random() * 500))
    }
  }
})

test('output of two tools, line by line at random, is shown within its room', () => {
  const random = randomFrom(11)
  for (const [index, { text }] of all.entries()) {
    const queues = [text.split('\n'), (all[(index * 7 + 3) % all.length]?.text ?? '').split('\n')]
    const mixed: string[] = []
    while (queues.some((queue) => queue.length > 0)) {
      const queue = queues[random() < 0.5 ? 0 : 1]
      mixed.push(...(queue?.splice(0, 1 + Math.floor(random() * 5)) ?? []))
    }
    check(mixed.join('\n'), 600)
  }
})

test('time grows with the length of the output, for every tool', () => {
  const timeOf = (text: string): number => {
    const started = performance.now()
    shortenOutput(text, { tokens: 600, countTokens: estimateTokens, failed: true })
    return performance.now() - started
  }
  for (const { text } of all.filter(({ name }) => !name.endsWith('-color'))) {
    const once = `${text}\n`.repeat(Math.ceil(60_000 / text.length))
    timeOf(once)
    const [short, long] = [timeOf(once), timeOf(once.repeat(8))]
    // Eight times as long; a quadratic step would take sixty times as long.
    expect(long).toBeLessThan(Math.max(short, 5) * 40)
  }
})
