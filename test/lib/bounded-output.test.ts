import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { BoundedOutput } from '../../src/lib/bounded-output.ts'

const KEPT = 256 * 1024

test('what fits comes back whole, however it was cut into chunks', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme-ascii' })), (chunks) => {
      const output = new BoundedOutput()
      for (const chunk of chunks) output.add(Buffer.from(chunk))

      expect(output.take()).toEqual({ text: chunks.join(''), omittedBytes: 0 })
    }),
  )
})

test('a character that is cut between two chunks is still one character', () => {
  const output = new BoundedOutput()
  const bytes = Buffer.from('🦆')

  output.add(bytes.subarray(0, 2))
  output.add(bytes.subarray(2))

  expect(output.take().text).toBe('🦆')
})

test('of too much the head and the tail stay, and the middle is counted', () => {
  const output = new BoundedOutput()
  output.add(Buffer.from('first\n'))
  for (let round = 0; round < 10; round++) output.add(Buffer.alloc(100_000, 'x'))
  output.add(Buffer.from('\nlast'))

  const { text, omittedBytes } = output.take()

  expect(omittedBytes).toBe(6 + 1_000_000 + 5 - 2 * KEPT)
  expect(text.startsWith('first\nxxx')).toBe(true)
  expect(text).toContain(`[… ${omittedBytes} bytes left out …]`)
  expect(text.endsWith('xxx\nlast')).toBe(true)
})

test('one chunk larger than everything that is kept leaves its own end', () => {
  const output = new BoundedOutput()
  output.add(Buffer.concat([Buffer.alloc(3 * KEPT, 'a'), Buffer.from('end')]))

  const { text, omittedBytes } = output.take()

  expect(omittedBytes).toBe(KEPT + 3)
  expect(text.endsWith('aend')).toBe(true)
})

test('taking begins anew', () => {
  const output = new BoundedOutput()
  output.add(Buffer.from('one'))
  output.take()
  output.add(Buffer.from('two'))

  expect(output.take()).toEqual({ text: 'two', omittedBytes: 0 })
  expect(output.take()).toEqual({ text: '', omittedBytes: 0 })
})
