import { expect, test } from 'vitest'
import { wholeLine } from '../../../src/nano/calls/whole-line.ts'
import { createFiles } from '../../../src/guard/paths/files.ts'
import { tempProject } from '../../support/project.ts'

const text = '# Files\n- old.yaml: not used\n- new.yaml: in use\n- new.yaml again\n'
const files = createFiles({ root: await tempProject({ 'README.md': text }) })
const removal = (old: string) => ({ name: 'edit_file', input: { path: 'README.md', old, new: '' } })

test('a line that is spoken of goes whole', async () => {
  expect(await wholeLine(removal('old.yaml'), 'kill the line that mentions it', files)).toEqual(
    removal('- old.yaml: not used\n'),
  )
})

test.each([
  ['old.yaml', 'remove old.yaml from the readme'],
  ['not used', 'drop "not used" from the second line'],
  ['new.yaml', 'take the line with new.yaml out'],
])('%s alone goes where %s', async (old, clause) => {
  expect(await wholeLine(removal(old), clause, files)).toEqual(removal(old))
})

const menu = `footer:
  - title: Privacy
    url: /privacy/
  - title: Contact
    url: /contact/
`

test('what is indented under an entry of a list goes with it', async () => {
  const files = createFiles({ root: await tempProject({ 'menu.yaml': menu }) })
  const removal = (old: string) => ({ name: 'edit_file', input: { path: 'menu.yaml', old, new: '' } })
  const entry = '  - title: Contact\n    url: /contact/\n'

  expect(await wholeLine(removal('  - title: Contact\n'), 'take Contact out', files)).toEqual(removal(entry))
  expect(await wholeLine(removal('    url: /contact/\n'), 'without the url of contact', files)).toEqual(
    removal('    url: /contact/\n'),
  )
})

test('to the end of a file without a last line end, and over blank lines within it', async () => {
  const text = 'jobs:\n  - a: 1\n\n    b: 2\n\n  - a: 3\n    b: 4'
  const files = createFiles({ root: await tempProject({ 'jobs.yaml': text }) })
  const removed = async (old: string): Promise<unknown> =>
    (await wholeLine({ name: 'edit_file', input: { path: 'jobs.yaml', old, new: '' } }, 'take it out', files))
      .input['old']

  expect(await removed('  - a: 1\n')).toBe('  - a: 1\n\n    b: 2\n')
  expect(await removed('  - a: 3\n')).toBe('  - a: 3\n    b: 4')
})
