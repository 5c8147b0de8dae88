/** A project's configuration comes from anybody: until it is trusted, its mistakes stop nothing. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createTrustCommand } from '../../src/cli/trust.ts'
import { loadConfig } from '../../src/config/load.ts'
import { Config } from '../../src/config/schema.ts'
import { openTrustOf } from '../../src/app/config.ts'
import { tempProject } from '../support/project.ts'

async function project(text: string) {
  const cwd = await tempProject({ '.covey/config.toml': text })
  const home = await tempProject()
  return { cwd, env: { HOME: home }, file: join(cwd, '.covey', 'config.toml') }
}

test.each([
  ['text that is not TOML', 'model = = 1'],
  ['a key that does not exist', '[engine]\nmax_turn = 1\n'],
  ['a value of another type', 'model = 3\n'],
])('%s is a warning until the file is trusted, and a mistake then', async (_, text) => {
  const { cwd, env, file } = await project(text)

  const loaded = await loadConfig({ cwd, env })

  expect(loaded.config).toEqual(Config.parse({}))
  expect(loaded.warnings).toEqual([expect.stringContaining(`${file} is not trusted and has mistakes`)])
  await expect(loadConfig({ cwd, env, isTrusted: () => true })).rejects.toMatchObject({
    code: 'config-invalid',
  })
})

test('a link to a device or out of the project is a warning, too', async () => {
  const { cwd, env, file } = await project('')
  for (const target of ['/dev/zero', '/etc/hostname', '.']) {
    rmSync(file)
    symlinkSync(target, file)

    const loaded = await loadConfig({ cwd, env })

    expect(loaded.warnings).toEqual([expect.stringContaining(`${file} is not trusted and has mistakes`)])
  }
})

test('covey trust shows the mistakes, and trusts no file that has some', async () => {
  const { cwd, env, file } = await project('[engine]\nmax_turn = 1\n')
  let out = ''
  const io = { out: (text: string) => void (out += text), err: () => {}, stdin: process.stdin, isTty: false }
  const context = {
    options: {},
    cwd,
    env,
    signal: new AbortController().signal,
    io: { ...io, piped: async () => undefined },
  }
  const command = createTrustCommand(openTrustOf)

  await command.run({ ...context, args: [] })

  const mistake = `${file}:2: engine.max_turn is not a key; did you mean engine.max_turns?`
  expect(out).toBe(`No file of any project is trusted.\nNot valid, so nothing of it counts:\n${mistake}\n`)
  await expect(command.run({ ...context, args: ['add'] })).rejects.toThrow(
    `${file} is not valid; correct it first:\n${mistake}`,
  )
  writeFileSync(file, '[engine]\nmax_turns = 1\n')
  await command.run({ ...context, args: ['add'] })
  expect((await openTrustOf(env)).list().map(({ path }) => path)).toEqual([file])
})

test('a device is not trusted and not waited for', async () => {
  const { cwd, env } = await project('')
  mkdirSync(join(cwd, 'scripts'))
  symlinkSync('/dev/zero', join(cwd, 'scripts', 'check.sh'))
  const io = { out: () => {}, err: () => {}, stdin: process.stdin, isTty: false }
  const context = {
    options: {},
    cwd,
    env,
    signal: new AbortController().signal,
    io: { ...io, piped: async () => undefined },
  }

  const added = createTrustCommand(openTrustOf).run({ ...context, args: ['add', 'scripts/check.sh'] })

  await expect(added).rejects.toThrow('cannot be read, so there is nothing to trust')
})
