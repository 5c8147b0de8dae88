import { describe, expect, test } from 'vitest'
import { bwrapArgv, confinedArgv, limitedArgv } from '../../../src/guard/sandbox/bwrap.ts'
import { candidates } from '../../../src/guard/sandbox/cgroup.ts'
import { seatbeltProfile } from '../../../src/guard/sandbox/seatbelt.ts'

const call = {
  program: '/usr/bin/bwrap',
  cwd: '/work',
  mounts: [
    { target: '/usr', how: 'read-only', source: '/usr', why: '' },
    { target: '/bin', how: 'link', source: 'usr/bin', why: '' },
    { target: '/dev', how: 'dev', why: '' },
    { target: '/proc', how: 'proc', why: '' },
    { target: '/tmp', how: 'writable', source: '/private/tmp', why: '' },
    { target: '/home/me', how: 'temporary', why: '' },
    { target: '/work', how: 'writable', source: '/work', why: '' },
    { target: '/work/.env', how: 'hidden', source: '/private/hidden', why: '' },
    { target: '/', how: 'sealed', why: '' },
  ],
  network: false,
  disablesUserNamespaces: true,
  seccomp: 3,
} as const

describe('how bubblewrap is called', () => {
  test('mounts in their order, namespaces, no rights, and a filter for system calls', () => {
    expect(bwrapArgv(call, ['make', 'test']).join(' ')).toBe(
      '/usr/bin/bwrap --unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try --disable-userns ' +
        '--unshare-net --die-with-parent --new-session --cap-drop ALL --seccomp 3 --ro-bind /usr /usr ' +
        '--symlink usr/bin /bin --dev /dev --proc /proc --bind /private/tmp /tmp --tmpfs /home/me --bind /work /work ' +
        '--ro-bind /private/hidden /work/.env --remount-ro / --chdir /work -- make test',
    )
  })

  test('the network stays where it is allowed', () => {
    expect(bwrapArgv({ ...call, network: true }, ['ls'])).not.toContain('--unshare-net')
  })

  test('limits are put around it, and without them nothing starts', () => {
    expect(confinedArgv({ joins: [] }, ['bwrap'])).toEqual(['bwrap'])
    const [shell, , script, , ...rest] = confinedArgv({ joins: ['/cg/a/cgroup.procs'] }, ['bwrap', 'x'])
    expect([shell, ...rest]).toEqual(['/bin/sh', '1', '/cg/a/cgroup.procs', 'bwrap', 'x'])
    expect(script).toContain('|| exit 125')
    const limited = limitedArgv({ joins: [], limits: { processes: 9, dataBytes: 2048 }, waitsOn: 4 }, [
      'x',
    ])[2]
    expect(limited).toContain('ulimit -d 2 || exit 125')
    expect(limited).toContain('read -r go <&4 || exit 125')
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
  const plan = {
    home: '/Users/me',
    folder: '/private/var/folders/x/sandbox',
    mounts: [
      { target: '/usr', how: 'read-only', source: '/usr', why: '' },
      { target: '/tmp', how: 'writable', source: '/private/var/folders/x/sandbox/tmp', why: '' },
      { target: '/Users/me/.cargo/bin', how: 'read-only', source: '/Users/me/.cargo/bin', why: '' },
      { target: '/Users/me/work', how: 'writable', source: '/Users/me/work', why: '' },
      { target: '/Users/me/work/.vscode', how: 'read-only', source: '/Users/me/work/.vscode', why: '' },
      { target: '/Users/me/work/.env', how: 'hidden', source: '/private/x/hidden', why: '' },
    ],
    network: false,
  } as const

  test('closes the home folder, opens what the plan shows, and hides last', () => {
    expect(seatbeltProfile(plan).split('\n')).toEqual([
      '(version 1)',
      '(allow default)',
      '(deny network*)',
      '(allow network* (local ip "localhost:*"))',
      '(deny file-write*)',
      '(deny file-read* file-write* (subpath "/Users/me") (subpath "/Users") (subpath "/Volumes") (subpath "/private/var/root") (subpath "/private/var/folders") (subpath "/private/tmp") (subpath "/private/var/run"))',
      '(allow file-read-metadata (literal "/") (literal "/Users") (literal "/Users/me") (literal "/Users/me/.cargo") (literal "/Users/me/work"))',
      '(allow file-read* file-write* (subpath "/private/var/folders/x/sandbox/tmp"))',
      '(allow file-read* (subpath "/private/var/folders/x/sandbox/home"))',
      '(allow file-read* (subpath "/Users/me/.cargo/bin"))',
      '(deny file-write* (subpath "/Users/me/.cargo/bin"))',
      '(allow file-read* file-write* (subpath "/Users/me/work"))',
      '(allow file-read* (subpath "/Users/me/work/.vscode"))',
      '(deny file-write* (subpath "/Users/me/work/.vscode"))',
      '(deny file-read* file-write* (subpath "/Users/me/work/.env"))',
      '(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (regex #"^/dev/fd/"))',
      '(deny mach-lookup (global-name "com.apple.coreservices.launchservicesd"))',
      '(deny process-exec (literal "/usr/bin/osascript") (literal "/usr/bin/open"))',
    ])
  })

  test('opens the network where it is allowed', () => {
    expect(seatbeltProfile({ ...plan, network: true })).not.toContain('network')
  })

  test('a path cannot end its quoted text', () => {
    const path = '/a") (allow default) ("\\b'

    expect(
      seatbeltProfile({ ...plan, mounts: [{ target: path, how: 'hidden', source: '/x', why: '' }] }),
    ).toContain('(subpath "/a\\") (allow default) (\\"\\\\b")')
  })
})
