/** What commands cannot make, find or keep: setuid files, second names of secrets, credentials of tools, a home. */
import { execFileSync } from 'node:child_process'
import { chmodSync, linkSync, rmSync, statSync } from 'node:fs'
import { readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { toChildEnvironment } from '../../../src/guard/sandbox/environment.ts'
import { findExposedSecrets } from '../../../src/guard/sandbox/exposed-secrets.ts'
import { tempProject } from '../../support/project.ts'
import { missing, named, patient, sandboxed } from '../with-sandbox.ts'

const describeSandboxed = describe.skipIf(missing !== undefined)

const has = (program: string): boolean => {
  try {
    execFileSync('sh', ['-c', `${program} --version`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Each by number where a library would not pass the mode on. */
const MODES = `
import ctypes, os, platform
libc = ctypes.CDLL(None, use_errno=True)
x64 = platform.machine() == 'x86_64'
def attempt(name, act):
  try: act(); print(name, 'made')
  except OSError as e: print(name, e.errno)
def call(name, number, *args):
  result = libc.syscall(number, *args)
  print(name, 'made' if result >= 0 else ctypes.get_errno())
open('f', 'w').close()
attempt('chmod', lambda: os.chmod('f', 0o4755))
attempt('fchmod', lambda: os.fchmod(os.open('f', os.O_RDONLY), 0o4755))
attempt('open', lambda: os.open('g', os.O_CREAT | os.O_WRONLY, 0o4755))
attempt('mknod', lambda: os.mknod('h', 0o104755))
call('fchmodat2', 452, -100, b'f', 0o4755, 0)
how = (ctypes.c_uint64 * 3)(os.O_CREAT | os.O_WRONLY, 0o4755, 0)
call('openat2', 437, -100, b'i', ctypes.byref(how), 24)
if x64: call('creat', 85, b'j', 0o6755); call('open', 2, b'k', 0o101, 0o2755)
os.chmod('f', 0o755); os.open('f', os.O_RDONLY, 0o7777); os.open('l', os.O_CREAT | os.O_WRONLY, 0o644)
print('plain ones work')
`

describeSandboxed(named('a program that would run as its owner'), () => {
  test.skipIf(!has('python3'))('cannot be made by any call (needs python3)', async () => {
    const cwd = await tempProject({ 'modes.py': MODES })
    const exec = await sandboxed(cwd)

    const { output } = await exec.shell('python3 modes.py; find . -perm /6000', patient())

    expect(output).not.toContain('made')
    expect(output).toMatch(/plain ones work\n$/)
  })

  test('cannot be made in a shared project either, whose folders hand on their group', async () => {
    const cwd = await tempProject({ 'sub/a': '' })
    chmodSync(cwd, 0o2775)
    const exec = await sandboxed(cwd)

    await exec.shell('chmod 2775 sub; chmod 4755 sub/a', patient())

    expect(statSync(join(cwd, 'sub')).mode & 0o7777).toBe(0o2775)
    expect(statSync(join(cwd, 'sub/a')).mode & 0o4000).toBe(0)
  })
})

describeSandboxed(named('a secret'), () => {
  test('is hidden under every name it has, and git says the same as outside', async () => {
    const cwd = await tempProject({ '.env': 'PRIVATE', 'deep/.ssh/config': 'PRIVATE', 'own.txt': 'own' })
    execFileSync('sh', ['-c', 'git init -q .; ln .env settings.txt; ln own.txt other.txt'], { cwd })
    linkSync(join(cwd, 'deep/.ssh/config'), join(cwd, 'deep/hosts'))
    await symlink('real.txt', join(cwd, 'server.key'))
    execFileSync(
      'sh',
      ['-c', 'printf PRIVATE > real.txt; git add -A; git rm -q --cached .env deep/.ssh/config'],
      {
        cwd,
      },
    )
    const status = execFileSync('git', ['status', '--short'], { cwd, encoding: 'utf8' })
    const exec = await sandboxed(cwd)

    const seen = await exec.shell('cat settings.txt deep/hosts real.txt server.key other.txt', patient())
    const said = await exec.shell('git status --short', patient())
    linkSync(join(cwd, '.env'), join(cwd, 'later.txt'))
    const later = await exec.shell('cat later.txt', patient())

    expect(seen.output).not.toContain('PRIVATE')
    expect(seen.output).toContain('own')
    expect(said.output).toBe(status)
    expect(later.output).not.toContain('PRIVATE')
  })

  test('among toolchains is hidden, the rest is there, and one that is removed stops nothing', async () => {
    const home = await tempProject({
      '.nvm/.npmrc': 'PRIVATE',
      '.nvm/versions/node/v1/bin/tool': '#!/bin/sh\necho works\n',
      '.nvm/versions/node/v1/etc/npmrc': 'PRIVATE',
      '.pyenv/versions/3/pip.conf': 'PRIVATE',
      '.pyenv/versions/3/lib/python3.1/site-packages/cacert.pem': 'BEGIN CERTIFICATE',
      '.local/share/uv/credentials/credentials.toml': 'PRIVATE',
      'other/.env': 'PRIVATE',
      'other/a.txt': 'open',
      'code/app/a.txt': '',
    })
    const tool = join(home, '.nvm/versions/node/v1/bin/tool')
    chmodSync(tool, 0o755)
    const exec = await sandboxed(join(home, 'code/app'), { home, readable: [join(home, 'other')] })

    const { output } = await exec.shell(
      `grep -rs PRIVATE ~; ${tool}; cat ~/other/a.txt; cat $(find ~ -name '*.pem')`,
      patient(),
    )
    rmSync(join(home, '.nvm/.npmrc'))
    const after = await exec.shell(tool, patient())

    expect(output).toBe('works\nopenBEGIN CERTIFICATE')
    expect(after.output).toBe('works\n')
  })
})

test('a store of packages is looked at on top only, a private key by its content', async () => {
  const folder = await tempProject({
    'lib/python3.1/test/key.pem': 'PRIVATE KEY',
    'node_modules/a/b/.env': '',
    'node_modules/.npmrc': '',
    'certs/authority.pem': 'CERTIFICATE',
    'certs/own.pem': 'BEGIN PRIVATE KEY',
    'keys/.ssh/id': '',
  })

  const found = findExposedSecrets([{ source: folder, target: '/home/me/tools' }])

  expect(found.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
    { path: '/home/me/tools/certs/own.pem', kind: 'file' },
    { path: '/home/me/tools/keys/.ssh', kind: 'folder' },
    { path: '/home/me/tools/node_modules/.npmrc', kind: 'file' },
  ])
})

describeSandboxed(named('the home folder of a command'), () => {
  test('keeps nothing, says so, and exactly the file is offered', async () => {
    const home = await tempProject({ 'code/app/a.txt': '', 'Documents/old.txt': 'old\n' })
    const exec = await sandboxed(join(home, 'code/app'), { home })
    const blocked = async (command: string) =>
      (await exec.shell(command.replaceAll('~', home), patient())).blocked

    expect(await blocked('touch ~/notes.txt')).toEqual({
      kind: 'write',
      path: join(home, 'notes.txt'),
      create: 'file',
    })
    expect(await blocked('echo x > ~/Documents/new.txt')).toEqual({
      kind: 'write',
      path: join(home, 'Documents/new.txt'),
      create: 'file',
    })
    expect(await blocked('echo x >> "~/Documents/old.txt"')).toEqual({
      kind: 'write',
      path: join(home, 'Documents/old.txt'),
    })
    expect(await blocked('cat ~/Documents/old.txt; false')).toBeUndefined()
    expect(await blocked('echo x > ~/nowhere/at/all.txt')).toBeUndefined()
    expect(await blocked('touch src/missing/a.txt')).toBeUndefined()
  })

  test('a file in a folder that is not there is written once it was allowed', async () => {
    const home = await tempProject({ 'code/app/a.txt': '', 'Documents/old.txt': 'old\n' })
    const exec = await sandboxed(join(home, 'code/app'), { home })
    const path = join(home, 'Documents/new.txt')

    await exec.shell(`echo x > ${path}`, patient({ grant: { kind: 'write', path, create: 'file' } }))

    expect(await readFile(path, 'utf8')).toBe('x\n')
  })
})

describe('the environment of a command', () => {
  test.each([
    ['NPM_CONFIG_AUTH', '_authToken=heronquillmarsh'],
    ['X', 'password=heronquillmarsh'],
    ['X', 'host=db user=app password=heronquillmarsh'],
    ['X', '{"user":"app","password":"heronquillmarsh"}'],
    ['X', '--token=heronquillmarsh --verbose'],
    ['X', 'client_secret: heronquillmarsh'],
    ['X', 'https://example.com/?api_key=heronquillmarsh'],
    ['DATABASE', 'postgres://app:heronquillmarsh@db.example.com/x'],
  ])('has no %s with %s', (name, value) => {
    expect(Object.keys(toChildEnvironment({ [name]: value }))).not.toContain(name)
  })

  test.each([
    ['NODE_OPTIONS', '--max-old-space-size=4096 --enable-source-maps'],
    ['LS_COLORS', 'rs=0:di=01;34:ln=01;36:*.tar=01;31'],
    ['LESS', '-R --prompt=x'],
    ['RUSTFLAGS', '-C target-cpu=native'],
    ['CFLAGS', '-O2 -DNAME=1'],
    ['HTTP_PROXY', 'http://proxy.example.com:8080'],
    ['GIT_SSL_CAINFO', '/etc/ssl/certs/ca-certificates.crt'],
  ])('keeps %s', (name, value) => {
    expect(toChildEnvironment({ [name]: value })).toMatchObject({ [name]: value })
  })
})
