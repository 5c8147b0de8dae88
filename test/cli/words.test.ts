/** Words people type out of habit are commands or refused, never a question to a model. */
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { covey } from '../support/covey.ts'
import { tempProject } from '../support/project.ts'
import { emptyHome } from '../support/run.ts'

const typed = async (...args: string[]) => covey(args, { cwd: await tempProject(), env: await emptyHome() })

test('covey version is covey --version', async () => {
  expect(await typed('version')).toEqual({ code: 0, out: '0.0.0-test\n', err: '' })
})

test.each(['init', 'login', 'update'])('covey %s is refused with what to do', async (word) => {
  const { code, err } = await typed(word)

  expect(code).toBe(2)
  expect(err).toContain(`there is no command "${word}"; \`covey --help\` lists them`)
})

test.each(['bash', 'zsh', 'fish'])('covey completion %s names every command', async (shell) => {
  const { code, out } = await typed('completion', shell)

  expect(code).toBe(0)
  expect(out).toMatch(/\bsessions\b/)
  expect(out).toMatch(/-?-?permission\b/)
})

test('the script for bash is one that bash reads', async () => {
  const { out } = await typed('completion', 'bash')

  expect(spawnSync('bash', ['-n'], { input: out }).status).toBe(0)
})

test('covey completion without a shell says which there are', async () => {
  const { code, err } = await typed('completion')

  expect(code).toBe(2)
  expect(err).toContain('bash, zsh, fish')
})
