import { expect, test } from 'vitest'
import { BoundedOutput } from '../../../src/lib/bounded-output.ts'
import { estimateTokens } from '../../../src/context/count.ts'
import { looksLikeError, mayHoldErrors } from '../../../src/lib/output/signs.ts'
import { shortenOutput } from '../../../src/lib/output/shorten.ts'
import { recordings } from './recordings.ts'
import { runs } from '../../support/runs.ts'

const MEGABYTES = runs(8, 50)

/** All of it in pieces as a pipe gives them, the failures in the middle. */
function fill(output: BoundedOutput, middle: string): void {
  const passing = Buffer.from('ok 7 - number 7 is fine\n  ---\n  duration_ms: 0.1\n  ...\n'.repeat(1000))
  const pieces = Math.ceil((MEGABYTES * 500_000) / passing.length)
  for (let index = 0; index < pieces; index++) output.add(passing)
  const bytes = Buffer.from(middle)
  for (let at = 0; at < bytes.length; at += 100) output.add(bytes.subarray(at, at + 100))
  for (let index = 0; index < pieces; index++) output.add(passing)
  output.add(Buffer.from('# tests 900046\n# pass 900042\n# fail 4\n'))
}

test('a failure in the middle of many megabytes is kept and shown', () => {
  const recorded = recordings().find(({ name }) => name === 'node20-tap')?.text ?? ''
  const output = new BoundedOutput({ keepsFailures: true })

  fill(output, recorded.replaceAll(/^# (?:tests|pass|fail) .*\n/gm, ''))
  const { text, omittedBytes } = output.take()
  const shown = shortenOutput(text, { tokens: 600, countTokens: estimateTokens, failed: true })

  expect(omittedBytes).toBeGreaterThan(MEGABYTES * 800_000)
  expect(text.length).toBeLessThan(1_000_000)
  expect(shown.split('\n')[0]).toBe('4 of 900046 failed')
  for (const fact of ['counts pieces', 'cart.test.js:11:12', '2 !== 6', 'the shop is closed on sundays']) {
    expect(shown).toContain(fact)
  }
})

test('what looks like failures is kept only where it is asked for, and never without end', () => {
  const noise = Buffer.from('error: again\n'.repeat(10_000))
  const [plain, telling] = [new BoundedOutput(), new BoundedOutput({ keepsFailures: true })]

  for (let index = 0; index < 20; index++) for (const output of [plain, telling]) output.add(noise)

  expect(plain.take().text.length).toBeLessThan(530 * 1024)
  expect(telling.take().text.length).toBeLessThan(660 * 1024)
})

test('a text that cannot hold errors has no line that looks like one', () => {
  const lines = recordings().flatMap(({ text }) => text.split('\n'))

  expect(lines.filter((line) => looksLikeError(line) && !mayHoldErrors(line))).toEqual([])
  expect(lines.some((line) => !mayHoldErrors(line))).toBe(true)
})
