import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { families } from '../../src/dialect/all.ts'
import { damagedReply, random, randomReply } from './fuzz.ts'
import { allCases, pieces, read, summary } from './support.ts'
import { runs } from '../support/runs.ts'
import { seededRandom } from '../support/seed.ts'

/** Every so many characters, from another one at every commit. */
const STEP = runs(4, 1)
const chance = seededRandom('characters')
const first = (): number => Math.floor(chance() * STEP)

describe('unlikely replies', () => {
  it('are read the same in any cut', () => {
    const next = random(7)

    for (let index = 0; index < runs(20_000, 100_000); index++) {
      const reply = index % 2 ? randomReply(next) : damagedReply(next)
      const options = {
        thinking: index % 5 === 0,
        ...(index % 3 === 0 && { dialect: families[index % families.length]!.name }),
      }

      expect(read(pieces(reply, index + 1), options), JSON.stringify(reply)).toEqual(read(reply, options))
    }
  })

  it('may be any text at all', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.nat(1000), (reply, seed) => {
        expect(read(pieces(reply, seed + 1))).toEqual(read(reply))
      }),
      { numRuns: runs(4_000, 20_000) },
    )
  })
})

describe('every reply of the corpus', () => {
  it('is answered when one character is missing', () => {
    for (const { reply, ...options } of allCases()) {
      for (let at = first(); at < reply.length; at += STEP)
        read(reply.slice(0, at) + reply.slice(at + 1), options)
    }
  })

  it('never runs a call that is cut off with other arguments than it was to have', () => {
    for (const { reply, calls, ...options } of allCases()) {
      for (let end = first(); end < reply.length; end += STEP) {
        for (const call of summary(read(reply.slice(0, end), options)).calls)
          expect(calls).toContainEqual(call)
      }
    }
  })
})
