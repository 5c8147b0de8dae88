/** Where a sign of mood stands, as to what is ordered: the same words mean something else there. */
import { expect, test } from 'vitest'
import { moodPlaces } from '../../../src/nano/intent/mood-place.ts'

const folder = { name: 'make_folder', input: { path: 'photos' } }

const placesIn = (request: string): string[] =>
  moodPlaces(folder, request).filter((sign) =>
    /^(?:negated|postponed|conditional|reported|asked-about) [a-z ]+$/.test(sign),
  )

test.each([
  ['make a folder photos tomorrow', 'postponed within'],
  ['the pictures come tomorrow, make a folder photos', 'postponed before'],
  ['make a folder photos, the pictures come tomorrow', 'postponed behind'],
  ['Make a folder photos. The pictures come tomorrow.', 'postponed sentence behind'],
  ['The pictures come tomorrow. Make a folder photos.', 'postponed sentence before'],
  ['tomorrow the folder photos', 'postponed unordered'],
  ["don't make a folder photos", 'negated unordered'],
  ['if it rains, make a folder photos', 'conditional before'],
])('%s: %s', (request, place) => {
  expect(placesIn(request)).toEqual([place])
})

test('how a request orders something is a sign, too', () => {
  expect(moodPlaces(folder, 'make a folder photos')).toContain('order opens tells plain')
  expect(moodPlaces(folder, 'there should be a folder photos')).toContain('order none tells wished')
  expect(moodPlaces(folder, 'is there a folder photos?')).toContain('order none asks plain')
})
