/** What a client of a tool host can learn of the machine behind it, and what is written down about its calls. */
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { toHostEnvironment } from '../../../src/guard/host/environment.ts'
import { openWishedTools } from '../../../src/federation/tools/find.ts'
import { toolContext, tempProject } from '../../support/project.ts'
import { openTestHost, pairedPeer, testHome } from '../../support/tool-host.ts'

const { signal } = new AbortController()
const SECRET = ['ghp', 'Zq8mK2vT9xLw4RbN7cYd1HfJ6sPgA3eU5iOk'].join('_')
const PLAIN = 'tr0ub4dor-and-3'

async function openWalled() {
  const base = await testHome()
  const other = await tempProject({ 'other.txt': `belongs to another workspace ${PLAIN}` })
  const own = await tempProject({ 'a.txt': 'hello', '.env': `PLAIN=${PLAIN}\nGITHUB_TOKEN=${SECRET}\n` })
  await writeFile(
    join(base.env['XDG_CONFIG_HOME'] ?? '', 'covey', 'config.toml'),
    `[tool_host.workspaces]\nown = "${own}"\nother = "${other}"\n`,
  )
  await mkdir(join(base.env['HOME'] ?? '', 'notes'), { recursive: true })
  await writeFile(join(base.env['HOME'] ?? '', 'notes', 'n.txt'), PLAIN)
  const env = { ...base.env, GITHUB_TOKEN: SECRET, INNOCENT: PLAIN, STAGE: SECRET, LC_ALL: 'C' }
  const host = await openTestHost({ home: { ...base, env }, permission: 'auto' })
  const lines = async () =>
    (await readFile(join(host.data, 'tool-host', 'tool-host.log'), 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ msg }) => msg === 'tool call')
      .map(({ time: _time, level: _level, ms, ...line }) => ({ ...line, ms: typeof ms }))
  return { host, own, other, home: base.env['HOME'] ?? '', lines }
}

/** The ways a value takes to get past a mask. */
const shapesOf = (value: string): readonly string[] => [
  value,
  Buffer.from(value).toString('base64').replace(/=+$/, '').slice(0, -2),
  [...value].toReversed().join(''),
  Buffer.from(value).toString('hex'),
]

const folders = (process.env['PATH'] ?? '').split(':')
const hasSandbox = folders.some((folder) => existsSync(join(folder, 'bwrap')))
const noSandbox = hasSandbox ? '' : ' (skipped: needs bwrap)'

describe.skipIf(noSandbox !== '')(`a client of a tool host${noSandbox}`, () => {
  test('does not see the environment of the host, in whatever shape', async () => {
    const { host } = await openWalled()
    const commands = [
      'env',
      'env | base64 -w0',
      'env | rev',
      'cat /proc/self/environ | xxd -p',
      'cat /proc/1/environ | rev',
    ]

    const control = await host.execute({ tool: 'run_command', arguments: { command: 'rev a.txt' } })
    expect(control.body).toMatchObject({ ok: true, text: expect.stringContaining('olleh') })
    for (const command of commands) {
      const { body } = await host.execute({ tool: 'run_command', arguments: { command } })
      for (const shape of [...shapesOf(SECRET), ...shapesOf(PLAIN)]) expect(body.text).not.toContain(shape)
    }
  })

  test('does not see secrets of the workspace, in whatever shape', async () => {
    const { host } = await openWalled()
    const commands = ['cat .env', 'base64 -w0 .env', 'rev .env', 'xxd -p .env']

    const control = await host.execute({ tool: 'run_command', arguments: { command: 'rev a.txt' } })
    expect(control.body).toMatchObject({ ok: true, text: expect.stringContaining('olleh') })
    for (const command of commands) {
      const { body } = await host.execute({ tool: 'run_command', arguments: { command } })
      for (const shape of [...shapesOf(SECRET), ...shapesOf(PLAIN)]) expect(body.text).not.toContain(shape)
    }
    const read = await host.execute({ tool: 'read_file', arguments: { path: '.env' } })
    expect(read.body.ok).toBe(false)
  })

  test('does not reach another workspace or the home by the tools for files', async () => {
    const { host, other, home } = await openWalled()
    const paths = [
      join(other, 'other.txt'),
      `../${other.split('/').at(-1)}/other.txt`,
      join(home, 'notes', 'n.txt'),
      '~/notes/n.txt',
    ]

    for (const path of paths) {
      const { body } = await host.execute({ tool: 'read_file', arguments: { path } })
      expect([path, body.ok]).toEqual([path, false])
      expect(body.text).not.toContain(PLAIN)
    }
    const asked = await host.execute({
      tool: 'read_file',
      arguments: { path: 'other.txt' },
      workspace: 'other',
    })
    expect(asked.body.ok).toBe(true)
  })
})

describe('a host writes down', () => {
  test('every call: who, what, about what, the verdict, how much and how long; no contents and no secret', async () => {
    const { host, lines } = await openWalled()
    const command = `echo ${SECRET} | cat\necho second line`

    await host.execute({ tool: 'read_file', arguments: { path: 'a.txt' } })
    await host.execute({ tool: 'read_file', arguments: { path: '.env' } })
    await host.execute({ tool: 'no_such_tool', arguments: { content: 'what was written' } })
    await host.execute({ tool: 'run_command', arguments: { command } })
    const written = await lines()

    const line = { client: 'first-tools', workspace: 'own', msg: 'tool call', ms: 'number' }
    expect(written).toEqual([
      { ...line, tool: 'read_file', target: 'a.txt', verdict: 'allowed', bytes: expect.any(Number) },
      {
        ...line,
        tool: 'read_file',
        target: '.env',
        verdict: 'denied',
        code: 'denied',
        bytes: expect.any(Number),
      },
      {
        ...line,
        tool: 'no_such_tool',
        target: '',
        verdict: 'invalid',
        code: 'unknown-tool',
        bytes: expect.any(Number),
      },
      expect.objectContaining({
        ...line,
        tool: 'run_command',
        target: expect.stringMatching(/^echo \[secret:.* …$/),
      }),
    ])
    expect(JSON.stringify(written)).not.toMatch(new RegExp(`${SECRET}|second line|hello|what was written`))
  })

  test('the name of a paired machine and a part of its key', async () => {
    const { host, lines } = await openWalled()
    const peer = await pairedPeer(host)
    const remote = await openWishedTools({ url: `peer/tower:${host.port}`, peers: peer.peers }, signal)
    const read = remote?.replace([]).find(({ name }) => name === 'read_file')

    await read?.run({ path: 'a.txt' }, toolContext(await tempProject()))

    expect(await lines()).toMatchObject([
      {
        client: `laptop (${peer.identity.id.slice(0, 8)})`,
        tool: 'read_file',
        target: 'a.txt',
        verdict: 'allowed',
      },
    ])
  })
})

test('of the environment a list of names is passed on, and nothing else', () => {
  const env = {
    PATH: '/bin',
    HOME: '/h',
    LC_ALL: 'C',
    Path: 'x',
    SSH_AUTH_SOCK: '/s',
    DATABASE_URL: 'x',
    LC_: '1',
    INNOCENT: 'x',
  }

  expect(toHostEnvironment(env)).toEqual({ PATH: '/bin', HOME: '/h', LC_ALL: 'C', Path: 'x' })
})
