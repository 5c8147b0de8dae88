import { expect, test } from 'vitest'
import { wholeLine } from '../../../src/embedded/nano/whole-line.ts'
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
