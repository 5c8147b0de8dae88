/** Output that was cut, mixed or damaged: it is shown in some way, within its room, in time that grows with its length. */
import { expect } from 'vitest'
import { estimateTokens } from '../../../src/context/count.ts'
import { shortenOutput } from '../../../src/lib/output/shorten.ts'
import { type Recording, recordings } from './recordings.ts'

const all = recordings()

function check(text: string, tokens: number): void {
  for (const failed of [true, false]) {
    const shown = shortenOutput(text, { tokens, countTokens: estimateTokens, failed })
    expect(estimateTokens(shown)).toBeLessThanOrEqual(tokens)
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

/** Every `step`th recording. */
const every = (step: number): readonly Recording[] => all.filter((_, index) => index % step === 0)

export function checkCuts(step: number, rounds: number): void {
  const random = randomFrom(7)
  for (const { text } of every(step)) {
    const lines = text.split('\n')
    for (let round = 0; round < rounds; round++) {
      const at = Math.floor(random() * lines.length)
      check(lines.slice(0, at).join('\n'), 150 + Math.floor(random() * 500))
      check(lines.slice(at).join('\n'), 150 + Math.floor(random() * 500))
    }
  }
}

export function checkMixed(step: number): void {
  const random = randomFrom(11)
  for (const [index, { text }] of every(step).entries()) {
    const queues = [text.split('\n'), (all[(index * 7 + 3) % all.length]?.text ?? '').split('\n')]
    const mixed: string[] = []
    while (queues.some((queue) => queue.length > 0)) {
      const queue = queues[random() < 0.5 ? 0 : 1]
      mixed.push(...(queue?.splice(0, 1 + Math.floor(random() * 5)) ?? []))
    }
    check(mixed.join('\n'), 600)
  }
}

/** The processor's time, and the best of three: other programs run beside the tests. */
function timeOf(text: string): number {
  const times = [1, 2, 3].map(() => {
    const before = process.cpuUsage()
    shortenOutput(text, { tokens: 600, countTokens: estimateTokens, failed: true })
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  })
  return Math.min(...times)
}

/** Eight times as long takes about eight times the time; a quadratic step would take sixty times. */
export function checkTime(step: number): void {
  for (const { text } of every(step)) {
    const once = `${text}\n`.repeat(Math.ceil(40_000 / text.length))
    const [short, long] = [timeOf(once), timeOf(once.repeat(8))]
    expect(long).toBeLessThan(Math.max(short, 10) * 40)
  }
}
