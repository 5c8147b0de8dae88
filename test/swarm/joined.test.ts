/** The swarm as a person meets it: a whole run of the whole program. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { calls, says, scriptedModel } from '../../src/provider/scripted.ts'
import { tempProject } from '../support/project.ts'
import { endOf, ofType, run } from '../support/run.ts'

const flags = { 'swarm.mode': 'auto', 'swarm.workers': 3 }
const edit = (old: string, fresh: string) => [calls('edit_file', { path: 'a.ts', old, new: fresh })]

test('an edit that would miss has no vote, however many agree on it', async () => {
  const wrong = edit('const limit = 5', 'const limit = 10')
  const right = edit('const LIMIT = 5', 'const LIMIT = 10')
  const model = scriptedModel(wrong, wrong, right, right, right, [says('Done.')])
  const project = await tempProject({ 'a.ts': 'const LIMIT = 5\n' })

  const events = await run(model, project, { flags, prompt: 'Raise the limit to 10' })

  const [end] = ofType(events, 'vote').flatMap((event) => (event.stage === 'end' ? [event.report] : []))
  expect(end).toMatchObject({ state: 'elected' })
  expect(end?.discarded.length).toBe(2)
  expect(await readFile(join(project, 'a.ts'), 'utf8')).toBe('const LIMIT = 10\n')
  expect(endOf(events).reason).toBe('answered')
})

test('what only reads is asked once', async () => {
  const model = scriptedModel([calls('read_file', { path: 'a.ts' })], [says('It sets a limit.')])

  const events = await run(model, await tempProject({ 'a.ts': 'const LIMIT = 5\n' }), { flags })

  expect(model.asked).toHaveLength(2)
  expect(ofType(events, 'vote')).toEqual([])
})

test('a candidate that the guard would refuse has no vote', async () => {
  const forbidden = [calls('write_file', { path: '../outside.txt', content: 'x' })]
  const allowed = [calls('write_file', { path: 'inside.txt', content: 'x' })]
  const model = scriptedModel(forbidden, allowed, allowed, [says('Done.')])
  const project = await tempProject()

  const events = await run(model, project, { flags, prompt: 'Write x' })

  expect(await readFile(join(project, 'inside.txt'), 'utf8')).toBe('x')
  expect(ofType(events, 'tool-end').map(({ ok }) => ok)).toEqual([true])
})

test('where the workers do not agree, the arm that is named for it decides', async () => {
  const model = scriptedModel(edit('LIMIT = 5', 'LIMIT = 4'), edit('LIMIT = 5', 'LIMIT = 6'), [says('Done.')])
  const right = { name: 'edit_file', input: { path: 'a.ts', old: 'LIMIT = 5', new: 'LIMIT = 10' } }
  const project = await tempProject({
    'a.ts': 'const LIMIT = 5\n',
    'large.jsonl': `${JSON.stringify({ calls: [right] })}\n`,
  })
  const arbiter = `scripted:${join(project, 'large.jsonl')}`
  const few = { ...flags, 'swarm.workers': 2, 'swarm.most': 2, 'swarm.rounds': 1, 'swarm.arbiter': arbiter }

  const small = { ...model, name: 'small' }

  const events = await run(small, project, { flags: few, prompt: 'Raise the limit to 10' })

  const [end] = ofType(events, 'vote').flatMap((event) => (event.stage === 'end' ? [event.report] : []))
  expect(end).toMatchObject({ state: 'split', decider: 'arbiter' })
  expect(await readFile(join(project, 'a.ts'), 'utf8')).toBe('const LIMIT = 10\n')
})

test('an unknown arbiter fails before anything is asked', async () => {
  const model = scriptedModel([says('Hello.')])
  const options = { flags: { ...flags, 'swarm.arbiter': 'lage' }, incognito: false }

  await expect(run(model, await tempProject(), options)).rejects.toThrow(/lage/)
  expect(model.asked).toHaveLength(0)
})
