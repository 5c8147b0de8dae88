import { expect, test } from 'vitest'
import { pieceOf, sameChanges } from '../../../src/nano/edits/same-change.ts'

const change = (before: string, after: string) => ({ path: 'prod.toml', number: 4, before, after })
const inFiles = (files: Record<string, string>, before: string, after: string) =>
  sameChanges(change(before, after), new Map(Object.entries(files)))

test('the same name is set where it has another value, not where another name has the same one', () => {
  const texts = { 'staging.toml': 'pool = 10\ntimeout = 15\n', 'prod.toml': 'timeout = 10\n' }

  expect(inFiles(texts, 'timeout = 10', 'timeout = 25')).toEqual([
    { path: 'staging.toml', number: 2, before: 'timeout = 15', after: 'timeout = 25', by: 'key' },
  ])
})

test('quotes, commas and indents of the other file stay', () => {
  const texts = { 'a.json': '{\n  "port": 3000,\n}', 'b.yaml': 'web:\n  port: 4000\n' }

  expect(inFiles(texts, 'port: 3000', 'port: 3100').map(({ path, after }) => [path, after])).toEqual([
    ['a.json', '"port": 3100,'],
    ['b.yaml', 'port: 3100'],
  ])
})

test('a text is replaced in whole words', () => {
  const texts = {
    'dev.toml': 'host = "pinecart.example"\n',
    'old.md': 'for example\n',
    'both.md': 'a pinecart.example\nb pinecart.example\n',
  }

  expect(inFiles(texts, 'the domain is pinecart.example', 'the domain is pinecart.shop')).toEqual([
    {
      path: 'dev.toml',
      number: 1,
      before: 'host = "pinecart.example"',
      after: 'host = "pinecart.shop"',
      by: 'text',
    },
  ])
})

test('a removed entry goes where it stands with another price, too', () => {
  const texts = { '2024.csv': 'K-1,Ohio Star,22.00\nK-2,Log Cabin,30.00\n', 'notes.md': '- K-1\n' }

  expect(inFiles(texts, 'K-1,Ohio Star,24.00', '')).toEqual([
    { path: '2024.csv', number: 1, before: 'K-1,Ohio Star,22.00', after: '', by: 'key' },
  ])
})

test('where two lines may be meant none is', () => {
  expect(inFiles({ 'a.ini': 'port = 1\nport = 2\n' }, 'port = 5', 'port = 6')).toEqual([])
})

test('what was changed is found without what stayed around it', () => {
  expect(pieceOf(change('Phone: 555-0142 (home)', 'Phone: 555-0178 (home)'))).toEqual({
    gone: '555-0142',
    come: '555-0178',
  })
})
