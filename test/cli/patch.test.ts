/** `covey patch`: what was proposed is listed, shown, applied and rejected. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createPatchCommand } from '../../src/cli/patch.ts'
import { createFiles } from '../../src/guard/paths/files.ts'
import { findPatchFolder, makePatchFolder } from '../../src/guard/paths/patch-folder.ts'
import { createPatchService } from '../../src/tools/patch/proposal-service.ts'
import { createProposePatch } from '../../src/tools/propose-patch.ts'
import { tempProject, toolContext } from '../support/project.ts'
import { callTool } from '../tools/call.ts'

/** Outside the project. */
const recordOf = (cwd: string): string => `${cwd}-patches.json`

const command = createPatchCommand(async (_, cwd) =>
  createPatchService({
    patches: () => findPatchFolder(cwd, recordOf(cwd)),
    project: createFiles({ root: cwd }),
  }),
)

async function run(
  cwd: string,
  args: readonly string[],
  options: Record<string, unknown> = {},
): Promise<string> {
  let out = ''
  const io = { out: (text: string) => void (out += text), err: () => {}, stdin: process.stdin, isTty: false }
  const signal = new AbortController().signal
  await command.run({
    args,
    options,
    cwd,
    env: {},
    signal,
    io: { ...io, piped: async () => undefined },
  })
  return out
}

async function proposed(plan = 'Say hello.'): Promise<{ cwd: string; id: string }> {
  const cwd = await tempProject({ 'a.txt': 'one\n' })
  const diff = '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+hello\n'
  const tool = createProposePatch({ patches: () => makePatchFolder(cwd, recordOf(cwd)) })
  const { text } = await callTool(tool, { plan, diff, tests: 'cat a.txt' }, toolContext(cwd))
  return { cwd, id: /^Proposed as (\w+)/.exec(text)?.[1] ?? '' }
}

test('a patch is listed, shown, applied', async () => {
  const { cwd, id } = await proposed()

  expect(await run(cwd, [])).toMatch(
    new RegExp(`^${id}  \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d  proposed  1 file    Say hello\\.\\n$`),
  )
  expect(await run(cwd, ['show'])).toBe(
    `${id} (proposed)\n\nSay hello.\n\nTests: cat a.txt\n\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+hello\n`,
  )
  expect(await run(cwd, ['apply', id])).toBe('M a.txt\n')
  expect(await readFile(join(cwd, 'a.txt'), 'utf8')).toBe('hello\n')
  expect(await run(cwd, ['ls'])).toMatch(/^No patch is waiting/)
  expect(await run(cwd, ['ls'], { all: true })).toContain('applied')
})

test('a patch is rejected', async () => {
  const { cwd, id } = await proposed()

  expect(await run(cwd, ['reject'])).toBe(`Rejected ${id}.\n`)
  await expect(run(cwd, ['apply', id])).rejects.toThrow(`${id} was rejected already.`)
})

test('no escape code of a plan reaches the terminal', async () => {
  const { cwd } = await proposed('\u001B[2Jgone\u202E')

  expect(await run(cwd, ['ls'])).toContain('\\x1b[2Jgone�')
  expect(await run(cwd, ['show'])).toContain('\\x1b[2Jgone�')
})

test('what cannot be done is said', async () => {
  const cwd = await tempProject()

  await expect(run(cwd, ['apply'])).rejects.toThrow('which patch? Give its id; covey patch ls lists them.')
  await expect(run(cwd, ['show', 'x'])).rejects.toThrow('there is no patch "x"')
  await expect(run(cwd, ['merge'])).rejects.toThrow('unknown action "merge" of covey patch')
})
