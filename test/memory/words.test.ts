import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { stem } from '../../src/memory/stem.ts'
import { similarTerms } from '../../src/memory/synonyms.ts'
import { termsOf, wordsOf } from '../../src/memory/words.ts'

describe('words', () => {
  test.each([
    ['maxRetryCount', ['max', 'retry', 'count', 'maxretrycount']],
    ['max_retry-count', ['max', 'retry', 'count', 'maxretrycount']],
    ['HTTPServer', ['http', 'server', 'httpserver']],
    ['utf8', ['utf8']],
    ['v1.2.3', ['v1', '2', '3', 'v123']],
    ["don't café", ['dont', 'cafe']],
    ['数据库', ['数据', '据库']],
  ])('%s', (text, expected) => {
    expect(wordsOf(text)).toEqual(expected)
  })

  test('terms are stemmed and small words are gone', () => {
    expect(termsOf('What is the deployment of our databases?')).toEqual(['deploy', 'databas'])
  })

  test('any text gives terms that a full-text index takes as they are', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 0x10ffff })), (points) => {
        expect(
          termsOf(String.fromCodePoint(...points)).filter((term) => !/^[\p{L}\p{N}]+$/u.test(term)),
        ).toEqual([])
      }),
    )
  })
})

describe('stems', () => {
  test.each([
    [['deploy', 'deploys', 'deployed', 'deploying', 'deployment'], 'deploy'],
    [['configure', 'configured', 'configuration'], 'configur'],
    [['query', 'queries'], 'queri'],
    [['hop', 'hopping'], 'hop'],
    [['relate', 'relational'], 'relat'],
  ])('%s are one', (words, expected) => {
    expect(new Set(words.map(stem))).toEqual(new Set([expected]))
  })

  test.each(['aws', 'sky', 'k8s', 'über'])('%s stays', (word) => {
    expect(stem(word)).toBe(word)
  })
})

test('a word of the trade finds its neighbours, and never itself', () => {
  expect(similarTerms('databas')).toContain('db')
  expect(similarTerms('databas')).not.toContain('databas')
  expect(similarTerms('zebra')).toEqual([])
})
