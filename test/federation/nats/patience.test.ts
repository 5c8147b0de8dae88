import { describe, expect, test } from 'vitest'
import { newKey } from '../../../src/federation/nats/seal.ts'
import { readBeat, toBeat, toJobSecrets } from '../../../src/federation/nats/job-secrets.ts'
import { createPatience } from '../../../src/federation/nats/patience.ts'
import { sharedName } from '../../../src/app/peer-arms.ts'

const NODE = 'a'.repeat(64)

/** Time advances only by hand. */
function waiting() {
  let now = 0
  const patience = createPatience({ firstTokenMs: 100_000, silentMs: 30_000 }, () => now)
  let sequence = 0
  const part = (events: number, number = sequence++) => ({
    run: 'run',
    attempt: 1,
    node: NODE,
    sequence: number,
    from: 0,
    events: Array.from({ length: events }, () => ({ type: 'text-delta' as const, text: 'x' })),
  })
  return { patience, part, pass: (seconds: number) => void (now += seconds * 1000), at: () => now }
}

describe('waiting for an answer', () => {
  test('beats alone keep it alive up to the limit for the first token', () => {
    const { patience, part, pass } = waiting()

    for (let beat = 0; beat < 10; beat++) {
      expect(patience.whyOver()).toBeUndefined()
      pass(10)
      patience.hear(part(0))
    }
    pass(1)

    expect(patience.whyOver()).toMatch(/^it gave no first token within 100 s; federation.nats.first_token_s/)
  })

  test('after the first token only silence counts, and a recorded part does not break it', () => {
    const { patience, part, pass } = waiting()
    patience.hear(part(1))
    for (let beat = 0; beat < 20; beat++) {
      pass(20)
      patience.hear(part(0))
    }
    expect(patience.whyOver()).toBeUndefined()

    for (let replay = 0; replay < 20; replay++) {
      pass(2)
      patience.hear(part(1, replay))
    }

    expect(patience.whyOver()).toBe('it fell silent for 30 s in the middle of its answer')
    expect(patience.runs()).toEqual([])
  })

  test('the time that the server was away does not count', () => {
    const { patience, part, pass, at } = waiting()
    const early = at()
    pass(500)
    patience.forgive(early)
    expect(patience.whyOver()).toBeUndefined()
    patience.hear(part(1))
    const since = at()
    pass(500)
    patience.forgive(since)

    expect(patience.whyOver()).toBeUndefined()
  })
})

test('a beat counts only for its job, its run and its number', () => {
  const [secrets, other] = [toJobSecrets(newKey()), toJobSecrets(newKey())]
  const beat = toBeat(secrets, 'run', 7)

  expect(readBeat(secrets, 'run', beat)).toBe(7)
  for (const [owner, run, said] of [
    [other, 'run', beat],
    [secrets, 'another', beat],
    [secrets, 'run', beat.replace('7', '8')],
    [secrets, 'run', ''],
    [secrets, 'run', '7'],
  ] as const) {
    expect(readBeat(owner, run, said)).toBeUndefined()
  }
})

test('no two names of a job are the same, and none tells another', () => {
  const { id, result, jobBody, resultBody } = toJobSecrets(newKey())

  expect(new Set([id, result, jobBody, resultBody]).size).toBe(4)
})

test('a name that several machines have means all of them, and one that is whole means one', () => {
  const arms = ['peer/tower-0123abcd/m', 'peer/tower-89efabcd/m', 'peer/attic/m', 'peer/tower-0123abcd/n']

  expect(sharedName('peer/tower/m', arms)).toEqual(['peer/tower-0123abcd/m', 'peer/tower-89efabcd/m'])
  expect(
    ['peer/attic/m', 'peer/tower-0123abcd/m', 'peer/tower/n'].map((wish) => sharedName(wish, arms)),
  ).toEqual([[], [], []])
})
