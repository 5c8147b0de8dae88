import { describe, expect, test } from 'vitest'
import { bwrapArgv, confinedArgv, limitedArgv } from '../../src/guard/bwrap.ts'
import { candidates } from '../../src/guard/cgroup.ts'
import { seatbeltProfile } from '../../src/guard/seatbelt.ts'

const plan = {
  program: '/usr/bin/bwrap',
  cwd: '/work',
  writable: ['/work'],
  temporary: '/var/private/tmp',
  outside: [{ path: '/home/me/.ssh', by: '/var/private/nothing' }],
  pinned: ['/work/.git'],
  inside: [
    { path: '/work/.git/hooks', by: '/work/.git/hooks' },
    { path: '/work/.env', by: '/var/private/hidden' },
  ],
  network: false,
  disablesUserNamespaces: true,
}

describe('how bubblewrap is called', () => {
  test('everything is read-only first, then opened, then closed again where it must be', () => {
    expect(bwrapArgv(plan, ['make', 'test']).join(' ')).toBe(
      '/usr/bin/bwrap --unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try --disable-userns ' +
        '--unshare-net --die-with-parent --new-session --cap-drop ALL --ro-bind / / --dev /dev --proc /proc ' +
        '--bind /var/private/tmp /tmp --ro-bind /var/private/nothing /home/me/.ssh --bind /work /work ' +
        '--bind /work/.git /work/.git --ro-bind /work/.git/hooks /work/.git/hooks --ro-bind /var/private/hidden /work/.env ' +
        '--chdir /work -- make test',
    )
  })

  test('the network stays where it is allowed', () => {
    expect(bwrapArgv({ ...plan, network: true }, ['ls'])).not.toContain('--unshare-net')
  })

  test('limits are put around it, and without them nothing starts', () => {
    expect(confinedArgv({ joins: [] }, ['bwrap'])).toEqual(['bwrap'])
    const [shell, , script, , ...rest] = confinedArgv({ joins: ['/cg/a/cgroup.procs'] }, ['bwrap', 'x'])
    expect([shell, ...rest]).toEqual(['/bin/sh', '1', '/cg/a/cgroup.procs', 'bwrap', 'x'])
    expect(script).toContain('|| exit 125')
    expect(limitedArgv({ joins: [], limits: { processes: 9, dataBytes: 2048 } }, ['x'])[2]).toContain(
      'ulimit -d 2 && exec',
    )
  })
})

test('control groups are looked for from the own one upwards, in both versions', () => {
  const mounts = [
    '30 24 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate',
    '31 24 0:27 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids',
    '32 24 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory',
  ].join('\n')

  const folders = candidates('4:memory:/a\n3:pids:/\n2:cpu:/\n0::/user.slice/x.scope\n', mounts).map(
    ({ folder }) => folder,
  )

  expect(folders).toEqual([
    '/sys/fs/cgroup/memory/a',
    '/sys/fs/cgroup/memory',
    '/sys/fs/cgroup/pids',
    '/sys/fs/cgroup/user.slice/x.scope',
    '/sys/fs/cgroup/user.slice',
    '/sys/fs/cgroup',
  ])
  expect(candidates('', '')).toEqual([])
})

describe('the profile for macOS', () => {
  const profile = {
    writable: ['/work'],
    temporary: '/private/var/tmp/x',
    secret: ['/Users/me/.ssh'],
    governance: ['/work/.git/hooks', '/work/.vscode'],
    network: false,
  }

  test('denies writing, opens the workspace, and closes the protected parts last', () => {
    expect(seatbeltProfile(profile).split('\n')).toEqual([
      '(version 1)',
      '(allow default)',
      '(deny network*)',
      '(deny file-write*)',
      '(allow file-write* (subpath "/work") (subpath "/private/var/tmp/x"))',
      '(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (regex #"^/dev/fd/"))',
      '(deny file-write* (subpath "/work/.git/hooks") (subpath "/work/.vscode"))',
      '(deny file-read* file-write* (subpath "/Users/me/.ssh"))',
      '(deny mach-lookup (global-name "com.apple.coreservices.launchservicesd"))',
      '(deny process-exec (literal "/usr/bin/osascript") (literal "/usr/bin/open"))',
    ])
  })

  test('opens the network where it is allowed', () => {
    expect(seatbeltProfile({ ...profile, network: true })).not.toContain('network')
  })

  test('a path cannot end the text it stands in', () => {
    expect(seatbeltProfile({ ...profile, secret: ['/a") (allow default) ("\\b'] })).toContain(
      '(subpath "/a\\") (allow default) (\\"\\\\b")',
    )
  })
})
