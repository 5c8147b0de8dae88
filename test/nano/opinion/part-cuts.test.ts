import { describe, expect, test } from 'vitest'
import { partsAt, placesToCut } from '../../../src/nano/opinion/part-cuts.ts'

const pieces = (request: string): string[] =>
  placesToCut(request).map(({ begin }) => request.slice(begin).split(' ').slice(0, 2).join(' '))

describe('where a request may be cut', () => {
  test.each([
    ['lint, test and build', ['test and', 'and build']],
    ['1. lint 2. test', ['test']],
    ['off todo n onto done', ['n onto']],
    ['put "a, b and c" there', []],
    ['flash it after setting the baud', ['setting the']],
  ])('%s', (request, expected) => {
    expect(pieces(request)).toEqual(expected)
  })

  test('nowhere where it is too long to be read', () => {
    expect(placesToCut('lint, '.repeat(1000))).toEqual([])
  })

  test('what the rules cut is among them', () => {
    const request = 'copy a.md to b.md and then show it'

    expect(placesToCut(request).filter(({ isRule }) => isRule)).toHaveLength(1)
  })
})

describe('the parts', () => {
  const parts = (request: string, likely: (joint: string) => number): string[] => {
    const places = placesToCut(request)
    return partsAt(
      request,
      places,
      places.map(({ joint }) => likely(joint)),
    )
  }

  test('are those between the likely cuts', () => {
    expect(parts('off todo n onto done, now', (joint) => (joint === 'n' ? 0.8 : 0.1))).toEqual([
      'off todo',
      'n onto done, now',
    ])
  })

  test('a cut of the rules is kept unless it is unlikely', () => {
    const request = 'copy a.md to b.md and then show it'

    expect(parts(request, () => 0.3)).toHaveLength(2)
    expect(parts(request, () => 0.1)).toEqual([request])
  })

  test('what is to be done first comes first', () => {
    expect(parts('flash it after the baud is 9600', () => 0.9)).toEqual(['the baud is 9600', 'flash it'])
  })
})
