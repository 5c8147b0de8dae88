import { describe, expect, test } from 'vitest'
import { fold } from '../../../src/nano/project/lines.ts'
import { createPathIndex } from '../../../src/nano/paths/named.ts'
import { closestOf, nearSigns, templateSigns } from '../../../src/nano/edits/near.ts'
import { newParts } from '../../../src/nano/edits/new.ts'
import { editCandidates } from '../../../src/nano/edits/ranking.ts'

const changesOf = (text: string, clause: string): string[] => {
  const texts = new Map([['settings.txt', `${text}\n`]])
  const project = { texts, index: createPathIndex([...texts.keys()]) }
  return editCandidates({ clause, project, recent: [] }).map(({ after }) => after)
}

describe('what a line may become', () => {
  test.each([
    ['until: 2025-10-17', 'the until date is 24 oct now', 'until: 2025-10-24'],
    ['planned: 2025-12-02', 'planned is the 9th, not the 2nd', 'planned: 2025-12-09'],
    ['Fri  9.00 - 16.00', 'Fri we shut at 5 now, not 4', 'Fri  9.00 - 17.00'],
    ['langs = ["en", "sv", "de"]', 'add fi to langs', 'langs = ["en", "sv", "de", "fi"]'],
    ['langs = ["en", "sv", "de"]', 'add fi to langs, after en', 'langs = ["en", "fi", "sv", "de"]'],
    ['prod = ["Priya", "Marek"]', 'take Marek out of prod', 'prod = ["Priya"]'],
    ['Owner: Joost, Priya, Marek', 'Priya is no owner any more', 'Owner: Joost, Marek'],
    ['Manager: A. Rowntree.', 'the manager is P. Lumb now, not Rowntree', 'Manager: P. Lumb.'],
  ])('%s, when asked "%s"', (text, clause, after) => {
    expect(changesOf(text, clause)).toContain(after)
  })

  test('a day that no month has is no date', () => {
    expect(changesOf('until: 2025-10-17', 'until is the 45th')).not.toContain('until: 2025-10-45')
  })
})

test('of two numbers each belongs to the name it stands beside', () => {
  const clause = 'harborne gets 200 and digbeth gets 160'
  const parts = newParts(clause, { paths: [], known: new Set() })
  const signs = (text: string): string[] => {
    const part = parts.find((one) => one.text === text)
    if (!part) throw new Error(`${text} is no candidate`)
    return nearSigns({ label: [fold('digbeth')], row: new Set(), file: new Set() }, part, closestOf(parts))
  }

  expect(signs('160')).toContain('label:beside')
  expect(signs('200')).toContain('label:behind')
})

test('a text of the same build is told from one with a word too many', () => {
  expect(templateSigns('repeat(3, 1fr)', 'repeat(4, 1fr)')).toEqual(['template:same built'])
  expect(templateSigns('repeat(3, 1fr)', 'repeat(4, 1fr) pls')).toEqual(['template:longer built'])
})
