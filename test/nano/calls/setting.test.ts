import { expect, test } from 'vitest'
import { createFiles } from '../../../src/guard/paths/files.ts'
import { tempProject } from '../../support/project.ts'
import { ofSetting } from '../../../src/nano/calls/setting.ts'

const files = createFiles({
  root: await tempProject({
    'app.properties': '# retries\nretry.max=3\n',
    'app.json': '{\n  "delayMs": 250,\n  "b": 1\n}\n',
    'list.md': 'Release manager: Marek Duda\nOwner: Ann\n',
    'two.md': 'Owner: Ann\nOwner: Bea\n',
  }),
})
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
])('the value of a setting is changed, not its name: %s', async (request, call, old, value) => {
  expect(await ofSetting(call, request, files)).toEqual(edit(String(call.input.path), old, value))
})

test.each([
  ['rename retry.max to retry.limit', edit('app.properties', 'retry.max', 'retry.limit')],
  ['replace Marek Duda with Pawel', edit('list.md', 'Marek Duda', 'Pawel')],
  ['Owner to Bea', edit('nowhere.md', 'Owner', 'Bea')],
  ['change Owner to Bea in two.md', edit('two.md', 'Owner', 'Bea')],
  ['change Release manager to Deputy: Tom', edit('list.md', 'Release manager', 'Deputy: Tom')],
])('and nothing else: %s', async (request, call) => {
  expect(await ofSetting(call, request, files)).toEqual(call)
})
