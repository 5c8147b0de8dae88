/** A session that may change nothing also keeps nothing for later ones. */
import { expect, test } from 'vitest'
import { permissionModes } from '../../src/protocol/permission-modes.ts'
import { covey } from '../support/covey.ts'
import { tempProject } from '../support/project.ts'
import { emptyHome } from '../support/run.ts'

const play = [
  { calls: [{ name: 'remember', input: { text: 'The build needs FORTY minutes.' } }] },
  { calls: [{ name: 'plan', input: { action: 'Add', text: 'FORTY tasks' } }] },
  { calls: [{ name: 'plan', input: { action: 'show' } }] },
  { text: 'Done.' },
]
  .map((line) => JSON.stringify(line))
  .join('\n')

test.each(permissionModes)('mode %s', async (mode) => {
  const cwd = await tempProject({ 'play.jsonl': play })
  const env = await emptyHome()

  const run = await covey(['run', '--json', '--permission', mode, '-m', 'scripted:play.jsonl', 'Go.'], {
    cwd,
    env,
  })
  const kept = await covey(['memory', 'ls'], { cwd, env })
  const planned = await covey(['plan', 'show'], { cwd, env })

  const ends = run.out
    .split('\n')
    .filter((line) => line.includes('"tool-end"'))
    .map((line) => JSON.parse(line) as { ok: boolean; text: string })
  const isClosed = mode === 'read-only' || mode === 'deny'
  expect(ends.map(({ ok }) => ok)).toEqual([!isClosed, !isClosed, true])
  expect([kept.out.includes('FORTY'), planned.out.includes('FORTY')]).toEqual([!isClosed, !isClosed])
  if (isClosed) expect(ends.map(({ text }) => text)[0]).toContain('--permission ask')
})
