import { describe, expect, it } from 'vitest'
import { families } from '../../src/dialect/all.ts'
import { damagedReply, naughtyTexts, random, randomReply } from './fuzz.ts'
import { allCases, characters, pieces, read, summary } from './support.ts'
import { runs } from '../support/runs.ts'

const STEP = runs(53, 17)

describe('unlikely replies', () => {
  it('are read the same in any cut, and never make the reader throw', () => {
    const next = random(1)
    const replies = Array.from({ length: runs(700, 2_000) }, (_, index) =>
      index % 2 ? randomReply(next) : damagedReply(next),
    )

    for (const [index, reply] of replies.entries()) {
      const options = {
        thinking: index % 5 === 0,
        ...(index % 3 === 0 && { dialect: families[index % families.length]!.name }),
      }
      const whole = read(reply, options)

      expect(read(characters(reply), options), JSON.stringify(reply)).toEqual(whole)
      expect(read(pieces(reply, index), options), JSON.stringify(reply)).toEqual(whole)
    }
  })

  it('are answered when they are cut off anywhere', () => {
    for (const { reply, ...options } of allCases()) {
      for (let end = reply.length % STEP; end < reply.length; end += STEP) {
        expect(() => read(reply.slice(0, end), options)).not.toThrow()
      }
    }
  })
})

describe('texts that break programs', () => {
  it('are just text', () => {
    for (const text of naughtyTexts) {
      expect(summary(read(`Hello ${text} end`)).calls, JSON.stringify(text)).toEqual([])
      expect(read(characters(text))).toEqual(read(text))
    }
  })

  it('come through as arguments', () => {
    for (const text of naughtyTexts) {
      const input = { path: 'a', content: text }
      const reply = `<tool_call>\n${JSON.stringify({ name: 'write_file', arguments: input })}\n</tool_call>`

      expect(summary(read(reply)).calls, JSON.stringify(text)).toEqual([['write_file', input]])
    }
  })
})
