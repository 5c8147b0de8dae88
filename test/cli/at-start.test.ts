import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { createAtStart } from '../../src/cli/at-start.ts'
import { REDRAW } from '../../src/cli/safe-io.ts'

function terminal({ isTty = true, json = false, typed = '' } = {}) {
  const said: string[] = []
  const stdin = new PassThrough()
  stdin.write(typed)
  const clock = { now: 0 }
  const io = {
    out: (text: string) => void said.push(text),
    err: (text: string) => void said.push(text),
    stdin: stdin as unknown as NodeJS.ReadStream,
    piped: async () => undefined,
    isTty,
  }
  return { said, clock, atStart: createAtStart(io, { json, now: () => clock.now }) }
}

test('what takes long is one line that redraws itself and goes away', () => {
  const { said, clock, atStart } = terminal()

  for (const now of [0, 500, 900, 950, 1100]) {
    clock.now = now
    atStart.status(`looked at ${now}`)
  }
  atStart.status(undefined)

  expect(said).toEqual([`${REDRAW}looked at 900`, `${REDRAW}looked at 1100`, REDRAW])
})

test('what is over at once says nothing', () => {
  const { said, atStart } = terminal()

  atStart.status('looking')
  atStart.status(undefined)

  expect(said).toEqual([])
})

test.each([{ isTty: false }, { json: true }])('with %j nothing is shown and nothing is asked', (how) => {
  const { said, clock, atStart } = terminal(how)

  atStart.status('looking')
  clock.now = 10_000
  atStart.status('looking')

  expect([said, atStart.confirm]).toEqual([[], undefined])
})

test.each([
  ['y\n', true],
  ['YES\n', true],
  ['n\n', false],
  ['\n', false],
  ['yet\n', false],
])('a person who types %j means %s', async (typed, expected) => {
  const { said, atStart } = terminal({ typed })

  expect(await atStart.confirm?.('Use it?')).toBe(expected)
  expect(said).toEqual(['Use it?\n'])
})
