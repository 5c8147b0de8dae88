import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createStopWatch } from '../../src/embedded/stop-watch.ts'

function watched(stops: readonly string[], chunks: readonly string[]): { text: string; stopped: boolean } {
  const watch = createStopWatch(stops)
  let text = ''
  for (const chunk of chunks) {
    const shown = watch.push(chunk)
    text += shown.text
    if (shown.stopped) return { text, stopped: true }
  }
  return { text: text + watch.end(), stopped: false }
}

test('text ends where a stop text begins, however it is cut', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 12 })
  const stop = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 3 })

  fc.assert(
    fc.property(letters, stop, fc.array(fc.nat(3)), (text, wanted, lengths) => {
      const chunks: string[] = []
      let rest = text
      for (const length of lengths) {
        chunks.push(rest.slice(0, length))
        rest = rest.slice(length)
      }

      const end = text.indexOf(wanted)

      expect(watched([wanted], [...chunks, ...rest])).toEqual({
        text: end >= 0 ? text.slice(0, end) : text,
        stopped: end >= 0,
      })
    }),
  )
})

test('the first of several stop texts counts', () => {
  expect(watched(['two', 'one', ''], ['zero one', ' two'])).toEqual({ text: 'zero ', stopped: true })
})

test('what cannot be part of a stop text is released at once', () => {
  const watch = createStopWatch(['STOP'])

  expect(watch.push('abc')).toEqual({ text: 'abc', stopped: false })
  expect(watch.push('deST')).toEqual({ text: 'de', stopped: false })
  expect(watch.push('Ef')).toEqual({ text: 'STEf', stopped: false })
})
