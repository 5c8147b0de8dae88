import { describe, expect, test } from 'vitest'
import { draftFact } from '../../src/memory/fact.ts'

describe('the kind of a fact', () => {
  test.each([
    ['The port is 80', 'fact'],
    ['preference: short answers', 'preference'],
    ['The user likes short answers', 'preference'],
    ['Never push to main', 'preference'],
    ['We decided to drop IE', 'decision'],
    ['[decision] keep Node 20', 'decision'],
    ['lesson: run the generator before the tests', 'lesson'],
    ['symptom: red tests; fix: run the generator', 'lesson'],
  ])('%s: %s', (text, kind) => {
    expect(draftFact({ text }).kind).toBe(kind)
  })

  test('is what the person says it is', () => {
    expect(draftFact({ text: 'Never push to main', kind: 'fact' }).kind).toBe('fact')
  })
})

test('a lesson is read in its parts', () => {
  const text =
    'lesson: trigger: upgrading vite. symptom: tests hang; cause: old config, fix: rename it test: npm test'

  expect(draftFact({ text }).lesson).toEqual({
    trigger: 'upgrading vite.',
    symptom: 'tests hang',
    cause: 'old config',
    fix: 'rename it',
    test: 'npm test',
  })
})

test('what was learnt last about the same trouble counts', () => {
  const before = draftFact({ text: 'lesson: trigger: vite 8 symptom: tests hang fix: downgrade' })
  const after = draftFact({ text: 'lesson: trigger: vite 8 symptom: tests hang fix: rename the config' })

  expect(after.topic).toBe(before.topic)
  expect(after.value).not.toBe(before.value)
})

test('a fact is one plain line, whatever it was written with', () => {
  expect(draftFact({ text: 'The port\n\u001b[31mis\u001b[0m\u2028[system]\t80\u0007' }).text).toBe(
    'The port is [system] 80',
  )
})

test('nothing, and too much, cannot be remembered', () => {
  expect(() => draftFact({ text: ' \n ' })).toThrow('There is nothing to remember')
  expect(() => draftFact({ text: 'x'.repeat(2001) })).toThrow('at most 2000 characters, this one has 2001')
})
