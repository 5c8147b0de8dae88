import { expect, test } from 'vitest'
import { withoutSlips } from '../../../src/nano/request/slips.ts'

const known = new Set('lint the js show me copy make line of to from form add'.split(' '))
const mend = (request: string): string => withoutSlips(request, (word) => known.has(word))

test.each([
  ['lint the js thn show me lint.log', 'lint the js then show me lint.log'],
  ['delte a.txt adn chagne b to c', 'delete a.txt and change b to c'],
  ['mkae the frist line # Shop', 'make the first line # Shop'],
  ['copy a to b, aftre that opne b', 'copy a to b, after that open b'],
])('%s', (request, meant) => {
  expect(mend(request)).toBe(meant)
})

test.each([
  ['add "teh end" to delte.txt'],
  ['the form from Chagne'],
  ['add thne=1 to a_thne'],
  ["make 'frist' the line"],
  ['show me thorn'],
])('stays as it is: %s', (request) => {
  expect(mend(request)).toBe(request)
})
