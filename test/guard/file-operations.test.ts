/** Copying and moving is reading and writing: what the guard forbids stays forbidden by another name. */
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { calls, says, scriptedModel } from '../../src/provider/scripted.ts'
import { tempProject } from '../support/project.ts'
import { ofType, run } from '../support/run.ts'

const KEY = 'sk-proj-0123456789abcdefghijklmnopqrstuv'

async function project(): Promise<string> {
  const outer = await tempProject({ 'outside.txt': 'not of the project\n' })
  const root = join(outer, 'project')
  await mkdir(join(root, '.git', 'hooks'), { recursive: true })
  await writeFile(join(root, '.env'), `OPENAI_API_KEY=${KEY}\n`)
  await writeFile(join(root, 'a.txt'), 'hello\n')
  await symlink(outer, join(root, 'link'))
  return root
}

test.each([
  ['a secret is copied to another name', 'copy_file', { from: '.env', to: 'x.txt' }],
  ['a secret is moved to another name', 'move_file', { from: '.env', to: 'x.txt' }],
  ['a secret is deleted', 'delete_file', { path: '.env' }],
  ['a system file is copied in', 'copy_file', { from: '/etc/passwd', to: 'x.txt' }],
  ['a file outside is copied in', 'copy_file', { from: '../outside.txt', to: 'x.txt' }],
  ['a file is moved out', 'move_file', { from: 'a.txt', to: '../x.txt' }],
  ['a file is copied out by a link', 'copy_file', { from: 'a.txt', to: 'link/x.txt' }],
  ['a file outside is deleted by a link', 'delete_file', { path: 'link/outside.txt' }],
  ['a folder is made outside', 'make_folder', { path: '../x' }],
  ['a hook of git is placed', 'copy_file', { from: 'a.txt', to: '.git/hooks/pre-commit' }],
])('in no mode without a question: %s', async (_what, name, input) => {
  for (const permission of ['auto', 'accept-edits'] as const) {
    const root = await project()
    const before = await listed(root)
    const model = scriptedModel([calls(name, input)], [says('Refused.')])

    const events = await run(model, root, { permission })

    expect(ofType(events, 'tool-end').map(({ ok }) => ok)).toEqual([false])
    expect(await listed(root)).toEqual(before)
    expect(await readFile(join(root, '.env'), 'utf8')).toContain(KEY)
  }
})

const listed = async (root: string): Promise<readonly string[]> => [
  ...(await readdir(join(root, '..'))),
  ...(await readdir(root)),
  ...(await readdir(join(root, '.git', 'hooks'))),
]
