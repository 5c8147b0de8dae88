import { expect, test } from 'vitest'
import { covey, type CoveyRun } from '../support/covey.ts'
import { tempProject } from '../support/project.ts'
import { emptyHome } from '../support/run.ts'

async function run(...args: readonly string[]): Promise<CoveyRun> {
  const cwd = await tempProject({ 'play.jsonl': JSON.stringify({ text: 'Gladly.' }) })
  return covey(args, { cwd, env: await emptyHome() })
}

test('help with the name of a command shows the help of that command', async () => {
  const asked = await run('help', 'memory')

  expect(asked).toEqual(await run('memory', '--help'))
  expect(asked.out).toContain('covey memory rm 12')
})

test('help alone shows every command', async () => {
  const asked = await run('help')

  expect(asked).toEqual(await run('--help'))
  expect(asked).toMatchObject({ code: 0, out: expect.stringMatching(/\n {2}doctor .* Check what works/) })
})

test('words that only begin with help are a prompt', async () => {
  const asked = await run('-m', 'scripted:play.jsonl', 'help', 'me', 'write', 'a', 'parser')

  expect(asked).toMatchObject({ code: 0, out: 'Gladly.\n' })
})

test('a slip in the name of a command is named, also after help', async () => {
  expect((await run('modles', 'ls')).err).toContain('did you mean `covey models`?')
  expect(await run('help', 'modles')).toMatchObject({
    code: 2,
    err: expect.stringContaining('`covey models`'),
  })
})

test('a wrong flag of a command is refused with a word on help', async () => {
  const refused = await run('memory', 'ls', '--kinds', 'fact')

  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining("unknown option '--kinds'") })
})
