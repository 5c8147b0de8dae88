import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createPermissionsCommand } from '../../src/cli/permissions.ts'
import { createTrustCommand } from '../../src/cli/trust.ts'
import type { Command } from '../../src/cli/command.ts'
import { openRuleBook } from '../../src/guard/permission/rule-book.ts'
import { openTrust } from '../../src/guard/trust.ts'
import { tempProject } from '../support/project.ts'

const noon = () => new Date('2026-11-15T12:00:00Z')
const hash = 'a'.repeat(64)

async function run(command: Command, args: readonly string[], cwd: string, options = {}): Promise<string> {
  let text = ''
  await command.run({
    args,
    options,
    env: {},
    cwd,
    signal: new AbortController().signal,
    io: {
      out: (more) => void (text += more),
      err: () => {},
      stdin: process.stdin,
      piped: async () => undefined,
      isTty: false,
    },
  })
  return text
}

describe('the rules that were answered with always', () => {
  test('are kept in a private file', async () => {
    const path = join(await tempProject(), 'data/permissions.json')
    const book = await openRuleBook(path, noon)

    await book.add('/work', [{ tool: 'run_command', pattern: 'npm test', verdict: 'allow' }])
    await book.add('/work', [{ tool: 'run_command', pattern: 'npm test', verdict: 'allow' }])

    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect((await openRuleBook(path)).list()).toEqual([
      {
        folder: '/work',
        tool: 'run_command',
        pattern: 'npm test',
        verdict: 'allow',
        addedAt: '2026-11-15T12:00:00.000Z',
      },
    ])
  })

  test('of two processes that add at once none is lost', async () => {
    const path = join(await tempProject(), 'permissions.json')
    const [one, two] = await Promise.all([openRuleBook(path), openRuleBook(path)])

    await one.add('/a', [{ tool: '*', pattern: 'one', verdict: 'allow' }])
    await two.add('/a', [{ tool: '*', pattern: 'two', verdict: 'allow' }])
    await Promise.all(
      ['3', '4', '5'].map((pattern) => two.add('/a', [{ tool: '*', pattern, verdict: 'allow' }])),
    )

    expect((await openRuleBook(path)).list().map(({ pattern }) => pattern)).toEqual([
      'one',
      'two',
      '3',
      '4',
      '5',
    ])
  })

  test('a damaged file is named, not overwritten', async () => {
    const path = join(await tempProject({ 'permissions.json': '{"rules": [{' }), 'permissions.json')

    await expect(openRuleBook(path)).rejects.toThrow(`${path} is damaged`)
    expect(await readFile(path, 'utf8')).toBe('{"rules": [{')
  })

  test('are listed and removed on the command line', async () => {
    const path = join(await tempProject(), 'permissions.json')
    const book = await openRuleBook(path, noon)
    await book.add('/work', [{ tool: 'run_command', pattern: 'npm test', verdict: 'allow' }])
    await book.add('/other', [{ tool: 'run_command', pattern: 'rm x', exact: true, verdict: 'allow' }])
    const command = createPermissionsCommand(
      () => openRuleBook(path),
      async () => ({ missing: 'not asked for' }),
    )

    expect(await run(command, [], '/work')).toBe('  1  2026-11-15  allow run_command npm test  /work\n')
    expect(await run(command, ['ls'], '/work', { all: true })).toContain(
      '  2  2026-11-15  allow run_command exactly rm x  /other\n',
    )
    expect(await run(command, ['rm', '1'], '/work')).toBe('Removed: allow run_command npm test.\n')
    expect(await run(command, [], '/work')).toBe('Nothing is permanently allowed in this folder.\n')
    await expect(run(command, ['rm', '7'], '/work')).rejects.toThrow('Give its number')
    await expect(run(command, ['rm', 'x'], '/work')).rejects.toThrow('Give its number')
    await expect(run(command, ['clear'], '/work')).rejects.toThrow('unknown action "clear"')
  })
})

describe('trust in files of a project', () => {
  test('holds for the very content and no other', async () => {
    const path = join(await tempProject(), 'trust.json')
    await (await openTrust(path, noon)).add('/work/.covey/config.toml', hash)

    const trust = await openTrust(path)

    expect(trust.isTrusted('/work/.covey/config.toml', hash)).toBe(true)
    expect(trust.isTrusted('/work/.covey/config.toml', 'b'.repeat(64))).toBe(false)
    expect(trust.isTrusted('/other/.covey/config.toml', hash)).toBe(false)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  })

  test('moves to the new content when it is given again, and can be taken back', async () => {
    const trust = await openTrust(join(await tempProject(), 'trust.json'), noon)
    await trust.add('/a', hash)
    await trust.add('/a', 'b'.repeat(64))

    expect(trust.list()).toEqual([
      { path: '/a', contentHash: 'b'.repeat(64), addedAt: '2026-11-15T12:00:00.000Z' },
    ])
    expect(await trust.remove('/a')).toBe(true)
    expect(await trust.remove('/a')).toBe(false)
    expect(trust.isTrusted('/a', 'b'.repeat(64))).toBe(false)
  })

  test('is given, shown and taken back on the command line', async () => {
    const cwd = await tempProject({ '.covey/config.toml': 'offline = true\n' })
    const file = join(cwd, '.covey/config.toml')
    const data = join(await tempProject(), 'trust.json')
    const command = createTrustCommand(() => openTrust(data, noon))

    expect(await run(command, [], cwd)).toBe('No file of any project is trusted.\n')
    expect(await run(command, ['add'], cwd)).toBe(
      `Trusted as it is now: ${file}. After a change it needs approval again.\n`,
    )
    expect(await run(command, [], cwd)).toBe(`2026-11-15  ${file}  trusted\n`)
    await writeFile(file, 'offline = false\n')
    expect(await run(command, ['ls'], cwd)).toBe(`2026-11-15  ${file}  changed since, not trusted\n`)
    expect(await run(command, ['rm'], cwd)).toBe(`No longer trusted: ${file}.\n`)
    expect(await run(command, ['rm'], cwd)).toBe(`${file} was not trusted.\n`)
    await expect(run(command, ['add', 'none.toml'], cwd)).rejects.toThrow('there is nothing to trust')
  })

  test('a data folder that does not exist yet is made, for its owner only', async () => {
    const base = await tempProject()
    await mkdir(join(base, 'share'))
    await (await openTrust(join(base, 'share/covey/trust.json'))).add('/a', hash)

    expect((await stat(join(base, 'share/covey'))).mode & 0o777).toBe(0o700)
  })
})
