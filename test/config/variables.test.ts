import { expect, test } from 'vitest'
import { toToken } from '../../src/config/tool-host.ts'
import { filled, missingIn } from '../../src/config/variables.ts'

test('a variable is filled in as it is, whatever it holds', () => {
  expect(filled('Bearer ${KEY}', { KEY: '$& ${OTHER}', OTHER: 'x' })).toBe('Bearer $& ${OTHER}')
})

test('what is not set is missing, and so is what every object has', () => {
  const texts = ['${SET} ${EMPTY}', '${constructor}', '${EMPTY}']

  expect(missingIn(texts, { SET: 'x', EMPTY: '' })).toEqual(['EMPTY', 'constructor'])
  expect(filled('${constructor}', {})).toBe('')
})

test('a token is sent whole or not at all', () => {
  expect(toToken('a-${KEY}', { KEY: 'b' })).toBe('a-b')
  expect(toToken('a-${KEY}', {})).toBeUndefined()
  expect(toToken(undefined, {})).toBeUndefined()
})
