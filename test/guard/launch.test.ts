/** Programs that configuration names: the person's with the files they trusted, the project's in the sandbox. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createLaunch, type LaunchParts } from '../../src/guard/launch.ts'
import { detectSandbox } from '../../src/guard/sandbox/detect.ts'
import { tempProject } from '../support/project.ts'
import { missing, named } from './with-sandbox.ts'

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

type Trusted = Readonly<Record<string, string>>

function launching(root: string, trusted: Trusted = {}, parts: Partial<LaunchParts> = {}) {
  const pins = new Map(Object.entries(trusted).map(([path, text]) => [join(root, path), hashOf(text)]))
  const launch = createLaunch({
    root,
    ofProject: new Set(),
    openTrust: async () => ({ isTrusted: (path, hash) => pins.get(path) === hash }),
    ...parts,
  })
  return async (argv: readonly string[], name = 'format') => {
    const running = await launch(name, argv, { cwd: root, env: { PATH: process.env['PATH'] ?? '' } })
    running.stdin.end()
    const { exitCode } = await running.ended
    await running.stop()
    return exitCode
  }
}

const sh = (command: string): readonly string[] => ['/bin/sh', '-c', command]

describe('what the person configures', () => {
  test('runs outside when it names no file of the project', async () => {
    expect(await launching(await tempProject())(sh('exit 3'))).toBe(3)
  })

  test('runs a file of the project only with the content that is trusted', async () => {
    const root = await tempProject({ 'tools/hook.sh': 'exit 4\n' })
    const launch = launching(root, { 'tools/hook.sh': 'exit 4\n' })

    expect(await launch(sh('sh tools/hook.sh'))).toBe(4)
    await writeFile(join(root, 'tools/hook.sh'), 'exit 5\n')
    await expect(launch(sh('sh tools/hook.sh'))).rejects.toThrow(
      'format runs tools/hook.sh, a file of the project that is not trusted as it is now. Look at it, then run: covey trust add tools/hook.sh',
    )
  })

  test.each([
    ['an absolute path', 'sh ROOT/tools/hook.sh'],
    ['a link outside that leads in', 'sh OUTSIDE/hook.sh'],
    ['a link to a folder outside', 'cd OUTSIDE/tools && ./hook.sh'],
    ['another folder', 'cd tools; sh hook.sh'],
    ['a wildcard', 'for f in tools/*.sh; do sh $f; done'],
    ['the current folder', 'sh "$PWD/tools/hook.sh"'],
    ['another script', 'sh tools/outer.sh'],
    ['a module', 'node tools/module'],
    ['a folder', 'node tools'],
    ['a package script', 'npm run -s lint'],
    ['a target', 'make lint'],
    ['a file that is too large to compare', 'sh tools/large.sh'],
  ])('is refused when it names an untrusted file by %s', async (_, command) => {
    const root = await tempProject({
      'tools/hook.sh': 'exit 0\n',
      'tools/outer.sh': '. ./tools/hook.sh\n',
      'tools/module.js': '',
      'tools/index.js': '',
      'tools/large.sh': Buffer.alloc(16 * 1024 * 1024 + 1, '\n'),
      'package.json': '{}',
      Makefile: '',
    })
    const outside = await tempProject()
    await symlink(join(root, 'tools/hook.sh'), join(outside, 'hook.sh'))
    await symlink(join(root, 'tools'), join(outside, 'tools'))
    const launch = launching(root, { 'tools/outer.sh': '. ./tools/hook.sh\n' })

    const line = command.replace('ROOT', root).replace('OUTSIDE', outside)

    await expect(launch(sh(line))).rejects.toThrow(/not trusted as (?:it is|they are) now/)
  })

  test('reads data of the project without a question', async () => {
    const root = await tempProject({ 'data.json': '{}' })

    expect(await launching(root)(sh('test -f data.json'))).toBe(0)
  })
})

describe('a hook of the person', () => {
  const ofPerson = new Set(['format'])
  const CONFIG = "require('node:fs').writeFileSync(process.argv[2], '')"

  test.skipIf(missing)(
    named('that loads code of the project runs it in the sandbox, and outside where it says so'),
    async () => {
      const outside = await tempProject()
      const tool = await tempProject({ 'lint.cjs': "require(process.cwd() + '/lint.config.cjs')" })
      const root = await tempProject({ 'lint.config.cjs': CONFIG })
      const sandbox = await detectSandbox({ roots: [root], readable: [tool] })
      const parts = { sandbox: async () => sandbox }
      const line = (name: string) => sh(`node ${tool}/lint.cjs ${join(outside, name)}; touch ${name}`)

      await launching(root, {}, { ...parts, ofPerson })(line('inside'))
      await launching(root, {}, parts)(line('beside'))
      if (!('missing' in sandbox)) await sandbox.close()

      expect(['inside', 'beside'].map((name) => existsSync(join(root, name)))).toEqual([true, true])
      expect(['inside', 'beside'].map((name) => existsSync(join(outside, name)))).toEqual([false, true])
    },
  )

  test.skipIf(missing)(named('runs a script of the project only as it was trusted, there too'), async () => {
    const root = await tempProject({ 'tools/hook.sh': 'exit 4\n' })
    const sandbox = await detectSandbox({ roots: [root] })
    const launch = launching(
      root,
      { 'tools/hook.sh': 'exit 4\n' },
      { ofPerson, sandbox: async () => sandbox },
    )

    expect(await launch(sh('sh tools/hook.sh'))).toBe(4)
    await writeFile(join(root, 'tools/hook.sh'), 'exit 0\n')
    await expect(launch(sh('sh tools/hook.sh'))).rejects.toThrow('not trusted as it is now')
    if (!('missing' in sandbox)) await sandbox.close()
  })

  test('runs outside where there is no sandbox', async () => {
    const parts = { ofPerson, sandbox: async () => ({ missing: 'bwrap is not there' }) }

    expect(await launching(await tempProject(), {}, parts)(sh('exit 3'))).toBe(3)
  })
})

describe('what the project configures', () => {
  const ofProject = new Set(['format'])

  test('does not run without a sandbox', async () => {
    const root = await tempProject()
    const launch = launching(
      root,
      {},
      { ofProject, sandbox: async () => ({ missing: 'bwrap is not there' }) },
    )

    await expect(launch(sh('touch ran'))).rejects.toThrow(
      'format is configured by the project and runs only in a sandbox, and there is none: bwrap is not there.',
    )
    expect(existsSync(join(root, 'ran'))).toBe(false)
  })

  test.skipIf(missing)(
    named('runs in the sandbox: the project is there, other folders are not'),
    async () => {
      const root = await tempProject()
      const outside = await tempProject()
      const sandbox = await detectSandbox({ roots: [root] })
      const launch = launching(root, {}, { ofProject, sandbox: async () => sandbox })

      const exitCode = await launch(sh(`touch ran; touch ${outside}/ran`))
      if (!('missing' in sandbox)) await sandbox.close()

      expect(exitCode).not.toBe(0)
      expect([existsSync(join(root, 'ran')), existsSync(join(outside, 'ran'))]).toEqual([true, false])
    },
  )
})
