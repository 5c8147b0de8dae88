import { expect, test } from 'vitest'
import { ofSetting } from '../../../src/embedded/nano/setting.ts'

const lines = [
  { path: 'app.properties', number: 3, text: 'retry.max=3' },
  { path: 'app.json', number: 4, text: '"delayMs": 250,' },
  { path: 'list.md', number: 1, text: 'Release manager: Marek Duda' },
  { path: 'list.md', number: 2, text: 'Owner: Ann' },
  { path: 'other.md', number: 2, text: 'Owner: Bea' },
]
const edit = (path: string, old: string, value: string) => ({
  name: 'edit_file',
  input: { path, old, new: value },
})

test.each([
  [
    'change retry.max to 5 in app.properties',
    edit('app.properties', 'retry.max', '5'),
    'retry.max=3',
    'retry.max=5',
  ],
  ['set delayMs to 0', edit('app.json', 'delayMs', '0'), '"delayMs": 250,', '"delayMs": 0,'],
  [
    'the release manager is Pawel Wrona',
    edit('list.md', 'release manager', 'Pawel Wrona'),
    'Release manager: Marek Duda',
    'Release manager: Pawel Wrona',
  ],
])('the value of a setting is changed, not its name: %s', (request, call, old, value) => {
  expect(ofSetting(call, lines, request)).toEqual(edit(String(call.input.path), old, value))
})

test.each([
  ['rename retry.max to retry.limit', edit('app.properties', 'retry.max', 'retry.limit')],
  ['replace Marek Duda with Pawel', edit('list.md', 'Marek Duda', 'Pawel')],
  ['Owner to Bea', edit('nowhere.md', 'Owner', 'Bea')],
  ['change Release manager to Deputy: Tom', edit('list.md', 'Release manager', 'Deputy: Tom')],
])('and nothing else: %s', (request, call) => {
  expect(ofSetting(call, lines, request)).toEqual(call)
})
