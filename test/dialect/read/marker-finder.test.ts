import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { MarkerFinder } from '../../../src/dialect/read/marker-finder.ts'

/** Where markers end in a text, by the automaton. */
function find(markers: readonly string[], text: string): [string, number][] {
  const finder = new MarkerFinder(markers)
  const found: [string, number][] = []
  let state = finder.start
  for (let index = 0; index < text.length; index++) {
    state = finder.step(state, text.charCodeAt(index))
    const marker = finder.markers[finder.ending(state)]
    if (marker !== undefined) found.push([marker, index + 1])
  }
  return found
}

it('finds a marker behind a false start', () => {
  expect(find(['<tool>'], '<to<tool><tool>')).toEqual([
    ['<tool>', 9],
    ['<tool>', 15],
  ])
})

it('holds back exactly what may still become a marker', () => {
  const finder = new MarkerFinder(['<think>', '<tool_call>'])
  let state = finder.start
  for (const char of 'abc <to') state = finder.step(state, char.charCodeAt(0))

  expect(finder.held(state)).toBe(3)
  expect(finder.held(finder.step(state, 'x'.charCodeAt(0)))).toBe(0)
})

it('knows that a longer marker may follow', () => {
  const finder = new MarkerFinder(['<|start|>', '<|start|>assistant'])
  let state = finder.start
  for (const char of '<|start|>') state = finder.step(state, char.charCodeAt(0))

  expect(finder.canGrow(state)).toBe(true)
  expect(finder.grow(state, 'a'.charCodeAt(0))).not.toBe(-1)
  expect(finder.grow(state, 'b'.charCodeAt(0))).toBe(-1)
})

it('finds what a plain search finds', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', '<'), minLength: 1, maxLength: 4 })

  fc.assert(
    fc.property(
      letters,
      fc.string({ unit: fc.constantFrom('a', 'b', '<', 'x'), maxLength: 40 }),
      (marker, text) => {
        const ends = Array.from(text, (_, index) => index + 1).filter((end) =>
          text.slice(0, end).endsWith(marker),
        )

        expect(find([marker], text).map(([, end]) => end)).toEqual(ends)
      },
    ),
  )
})
