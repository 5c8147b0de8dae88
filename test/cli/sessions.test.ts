/** `covey sessions`: what was said is found again. */
import { expect, test } from 'vitest'
import { covey } from '../support/covey.ts'
import { tempProject } from '../support/project.ts'
import { emptyHome } from '../support/run.ts'

test('a session is listed, searched, shown, exported, forked and deleted', async () => {
  const cwd = await tempProject({ 'play.jsonl': '{"text":"The <answer> is 42."}\n' })
  const env = await emptyHome()
  const run = (...args: readonly string[]) => covey(args, { cwd, env })
  await run('-m', 'scripted:play.jsonl', 'What is the question?')

  const listed = await run('sessions')
  const id = /^\S+/.exec(listed.out)?.[0] ?? ''
  expect(listed.out).toContain('What is the question?')

  expect((await run('sessions', 'search', 'ANSWER')).out).toContain(id)
  expect((await run('sessions', 'show', id)).out).toContain('The <answer> is 42.')
  expect((await run('sessions', 'export', id, 'html')).out).toContain('The &#60;answer&#62; is 42.')
  expect(JSON.parse((await run('sessions', 'export', id, 'json')).out)).toMatchObject({ session: { id } })

  const forked = await run('sessions', 'fork', id, '1')
  expect(forked.out).toMatch(/Forked as \S+/)

  expect((await run('sessions', 'rm', id)).code).toBe(0)
  const gone = await run('sessions', 'show', id)
  expect(gone.code).toBe(2)
  expect(gone.err).toContain(id)
})

test('doctor names what is there and what to do', async () => {
  const cwd = await tempProject({})

  const { out, code } = await covey(['doctor'], { cwd, env: await emptyHome() })

  expect(out).toContain('✓ node')
  expect(out).toContain('no arm configured')
  expect(code).toBe(0)
})
