/** A client of a tool host that looks for whatever is not in its workspace, and for what is hidden in it, with every tool. */
import { existsSync } from 'node:fs'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempProject } from '../../support/project.ts'
import { openTestHost, testHome } from '../../support/tool-host.ts'

const SECRET = ['ghp', 'Zq8mK2vT9xLw4RbN7cYd1HfJ6sPgA3eU5iOk'].join('_')
const PLAIN = 'tr0ub4dor-and-3'

/** The ways a value takes to get past a mask. */
const shapes = [SECRET, PLAIN].flatMap((value) => [
  value,
  Buffer.from(value).toString('base64').replace(/=+$/, '').slice(0, -2),
  [...value].toReversed().join(''),
  Buffer.from(value).toString('hex'),
])

const hasSandbox = (process.env['PATH'] ?? '').split(':').some((folder) => existsSync(join(folder, 'bwrap')))
const noSandbox = hasSandbox ? '' : ' (skipped: needs bwrap)'

async function openWalled() {
  const base = await testHome()
  const home = base.env['HOME'] ?? ''
  const other = await tempProject({ 'other.txt': `of another workspace ${PLAIN}` })
  const own = await tempProject({
    'a.txt': 'hello',
    '.env': `PLAIN=${PLAIN}\nGITHUB_TOKEN=${SECRET}\n`,
    'config/.env.local': `PLAIN=${PLAIN}\n`,
  })
  await mkdir(join(home, 'notes'), { recursive: true })
  await writeFile(join(home, 'notes', 'n.txt'), PLAIN)
  await symlink(join(home, 'notes'), join(own, 'folder'))
  await symlink(join(home, 'notes', 'n.txt'), join(own, 'note.csv'))
  await symlink(join(own, '.env'), join(own, 'env.csv'))
  await symlink('/proc/self/environ', join(own, 'process.csv'))
  await writeFile(
    join(base.env['XDG_CONFIG_HOME'] ?? '', 'covey', 'config.toml'),
    `[tool_host]\ntools = ["*"]\n[tool_host.workspaces]\nown = "${own}"\nother = "${other}"\n`,
  )
  const env = { ...base.env, GITHUB_TOKEN: SECRET, INNOCENT: PLAIN }
  return { host: await openTestHost({ home: { ...base, env }, permission: 'auto' }), own, other, home }
}

test.skipIf(noSandbox !== '')(`no tool of a host shows what is not the client's${noSandbox}`, async () => {
  const { host, own, other, home } = await openWalled()
  const note = join(home, 'notes', 'n.txt')
  const paths = [
    'folder/n.txt',
    'note.csv',
    'env.csv',
    'process.csv',
    '.env',
    './.env',
    'config/../.env',
    'config/.env.local',
    '/proc/self/environ',
    '/proc/1/environ',
    note,
    join(other, 'other.txt'),
  ]
  const commands = [
    `base64 ${note}`,
    `cat ${join(other, 'other.txt')}`,
    'cat folder/n.txt',
    'cat note.csv',
    'rev env.csv',
    'cat < .env',
    'tar c . | base64 -w0',
    'cp .env x.txt; rev x.txt',
    'ln .env hard; rev hard',
    'git init -q; git add -Af; git show :.env | rev',
    'mv .env y.txt; rev y.txt; mv y.txt .env',
    'python3 -c "print(open(\'.env\').read()[::-1])"',
    'cat /proc/*/environ | base64 -w0',
    `rev /proc/1/root${own}/.env`,
    `rev /proc/1/root${note}`,
    'rev config/.env.local',
    `for f in $(find / -name other.txt -o -name n.txt 2>/dev/null); do rev $f; done`,
  ]
  const code = 'print(open(".env").read()[::-1]); print(open("folder/n.txt").read())'
  const script = `const fs = require('fs'); console.log(fs.readFileSync('.env', 'utf8'), fs.readFileSync('note.csv', 'utf8'))`
  const tries = [
    ...paths.flatMap((path) => [
      ['read_file', { path }] as const,
      ['data_view', { path }] as const,
      ['search_text', { pattern: '.', path }] as const,
    ]),
    ...commands.map((command) => ['run_command', { command }] as const),
    ['search_text', { pattern: 'tr0ub4dor|ghp_' }],
    ['python', { code }],
    ['javascript', { code: script }],
    ['fetch_url', { url: `file://${own}/.env` }],
    ['fetch_url', { url: `http://127.0.0.1:${host.port}/v1/tools` }],
    ['system_info', {}],
    ['propose_patch', { path: '.env', patch: '' }],
    ['apply_patch', { patch: `*** Begin Patch\n*** Update File: .env\n-PLAIN=x\n+y\n*** End Patch` }],
  ] as const

  const control = await host.execute({ tool: 'run_command', arguments: { command: 'rev a.txt' } })
  const got: string[] = []
  for (const [tool, input] of tries) {
    const { body } = await host.execute({ tool, arguments: input })
    if (shapes.some((shape) => body.text.includes(shape))) got.push(`${tool} ${JSON.stringify(input)}`)
  }

  expect(control.body).toMatchObject({ ok: true, text: expect.stringContaining('olleh') })
  expect(tries.length).toBeGreaterThan(50)
  expect(got).toEqual([])
})
