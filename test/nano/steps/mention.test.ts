/** Steps that follow from a rename, a copy or a deletion, and are nowhere spelled. */
import { expect, test } from 'vitest'
import type { Decision } from '../../../src/nano/decide.ts'
import { inMention } from '../../../src/nano/steps/mention.ts'
import type { NanoCall, NanoStep } from '../../../src/nano/steps/run.ts'
import { createFiles } from '../../../src/guard/paths/files.ts'
import { tempProject } from '../../support/project.ts'

const project = {
  'README.md': '# Pi\n- old/dump.yaml: settings from before\n- settings.pi.yaml: those of the pi\n',
  'docs/deploy.md': 'uses old/dump.yaml and tools/run.sh\n',
  'board.ini': 'partitions = parts.csv\n',
  'parts.csv': 'a,b\n',
}
const files = createFiles({ root: await tempProject(project) })
const paths = Object.keys(project)

const step = (name: string, input: NanoCall['input']): NanoStep => ({
  call: { name, input },
  ok: true,
  text: '',
  shown: '',
})
const refused: Decision = { kind: 'refuse', reason: 'unclear' }
const moved = step('move_file', { from: 'settings.pi.yaml', to: 'settings.raspi.yaml' })
const deleted = step('delete_file', { path: 'old/dump.yaml' })

async function after(clause: string, last: NanoStep, decision = refused): Promise<NanoCall | undefined> {
  const found = await inMention(decision, {
    request: clause,
    clause,
    steps: [last],
    from: 1,
    paths,
    files,
  })
  return found === decision ? undefined : found.kind === 'guess' ? found.call : undefined
}

test('a renamed file is called by its new name where it is spoken of', async () => {
  expect(await after('and fix the name in the readme', moved)).toEqual({
    name: 'edit_file',
    input: { path: 'README.md', old: 'settings.pi.yaml', new: 'settings.raspi.yaml' },
  })
})

test('a file that went to another folder is called by its new path', async () => {
  const to = step('move_file', { from: 'tools/run.sh', to: 'bin/run.sh' })

  expect(await after('update the path in the deploy doc', to)).toEqual({
    name: 'edit_file',
    input: { path: 'docs/deploy.md', old: 'tools/run.sh', new: 'bin/run.sh' },
  })
})

test('the line about a deleted file goes whole', async () => {
  expect(await after('and take the line about it out of the readme', deleted)).toEqual({
    name: 'edit_file',
    input: { path: 'README.md', old: '- old/dump.yaml: settings from before\n', new: '' },
  })
})

test('something is pointed at the copy', async () => {
  const copied = step('copy_file', { from: 'parts.csv', to: 'parts_big.csv' })

  expect(await after('and point board.ini at the copy', copied)).toEqual({
    name: 'edit_file',
    input: { path: 'board.ini', old: 'parts.csv', new: 'parts_big.csv' },
  })
})

test('nothing follows where another file is named, none is, or the words are against it', async () => {
  expect(await after('and fix the name in board.ini', moved)).toBeUndefined()
  expect(await after('and take the line about it out', deleted)).toBeUndefined()
  expect(await after("but don't fix the name in the readme", moved)).toBeUndefined()
  expect(await after('and show me the readme', moved)).toBeUndefined()
})

test('an edit that does it already stays', async () => {
  const own: Decision = {
    kind: 'guess',
    isLikely: true,
    why: '',
    call: {
      name: 'edit_file',
      input: { path: 'README.md', old: 'settings.pi.yaml', new: 'settings.raspi.yaml' },
    },
  }

  expect(await after('and fix the name in the readme', moved, own)).toBeUndefined()
})
