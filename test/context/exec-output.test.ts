import { expect, test } from 'vitest'
import { createExecOutput, withExecOutput } from '../../src/context/exec-output.ts'

test('output and question become one message', () => {
  expect(withExecOutput('a.ts\nb.ts', 'Which is newer?')).toBe('[exec output]\na.ts\nb.ts\n\nWhich is newer?')
  expect(withExecOutput('', 'Which is newer?')).toBe('Which is newer?')
})

test('several outputs concatenate and are taken once', () => {
  const buffer = createExecOutput()
  buffer.add('first\n')
  buffer.add('')
  buffer.add('second\n\n')

  expect(buffer.take()).toBe('first\nsecond')
  expect(buffer.take()).toBe('')
})

test('a failed request gives it back, in front of what came since', () => {
  const buffer = createExecOutput()
  buffer.add('first')
  const taken = buffer.take()
  buffer.add('second')

  buffer.giveBack(taken)

  expect(buffer.take()).toBe('first\nsecond')
})

test('reset clears it', () => {
  const buffer = createExecOutput()
  buffer.add('first')

  buffer.clear()

  expect(buffer.take()).toBe('')
})

test('it is bounded: the oldest goes and that is said', () => {
  const buffer = createExecOutput()
  buffer.add('a'.repeat(900_000))
  buffer.add('b'.repeat(900_000))

  const taken = buffer.take()

  expect(taken).toMatch(/^\[… 800001 characters left out …\]\na+\nb+$/)
  expect(taken.length).toBeLessThan(1_000_050)
})
