/** What a command in the real sandbox sees of a home, a repository and the system made for the test. */
import { execFileSync } from 'node:child_process'
import { mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { detectSandbox } from '../../../src/guard/sandbox/detect.ts'
import type { SandboxOptions } from '../../../src/guard/sandbox/context.ts'
import { createExec } from '../../../src/guard/exec.ts'
import { tempProject } from '../../support/project.ts'
import { missing, named, patient, sandboxed } from '../with-sandbox.ts'
import { runs } from '../../support/runs.ts'

const describeSandboxed = describe.skipIf(missing !== undefined)

const has = (program: string): boolean => {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

async function homeWithProject(files: Record<string, string> = {}): Promise<{ home: string; cwd: string }> {
  const home = await tempProject({
    '.ssh/id_ed25519': 'PRIVATE',
    '.ollama/id': 'PRIVATE',
    '.bash_history': 'PRIVATE',
    'other/.env': 'PRIVATE',
    '.config/covey/config.toml': 'PRIVATE',
    '.gitconfig':
      '[user]\n\tname = Ann Example\n\temail = ann@example.com\n[core]\n\tpager = evil\n[alias]\n\tx = !evil\n',
    'code/app/a.txt': 'a\n',
    ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`code/app/${path}`, text])),
  })
  return { home, cwd: join(home, 'code/app') }
}

const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
    cwd,
    encoding: 'utf8',
  })

async function run(cwd: string, command: string, options: Partial<SandboxOptions> = {}): Promise<string> {
  return (await (await sandboxed(cwd, options)).shell(command, patient())).output
}

describeSandboxed(named('the home folder'), () => {
  test('is empty but for the project, toolchains and a harmless configuration of git', async () => {
    const { home, cwd } = await homeWithProject()
    await mkdir(join(home, '.rustup'))

    const output = await run(cwd, `find ~ -maxdepth 2 | sort; cat ~/.gitconfig; grep -rl PRIVATE ~; true`, {
      home,
    })

    expect(output.replaceAll(home, '~').split('\n')).toEqual([
      '~',
      '~/.config',
      '~/.config/git',
      '~/.gitconfig',
      '~/.rustup',
      '~/code',
      '~/code/app',
      '[user]',
      '\tname = "Ann Example"',
      '[user]',
      '\temail = "ann@example.com"',
      '',
    ])
  })

  test('opens where the configuration of the person says so', async () => {
    const { home, cwd } = await homeWithProject()
    const options = { home, readable: [join(home, 'other')], writable: [join(home, 'out')] }
    await mkdir(join(home, 'out'))

    await run(cwd, 'ls ~/other/.env && echo x > ~/out/x; echo x > ~/other/y', options)

    expect(await readdir(join(home, 'out'))).toEqual(['x'])
    expect(await readdir(join(home, 'other'))).toEqual(['.env'])
  })

  test('is not there at all for the commands of another machine, nor is its environment', async () => {
    const { home, cwd } = await homeWithProject()
    await mkdir(join(home, '.rustup'))
    const env = { PATH: process.env['PATH'], EDITOR: 'ed', LANG: 'C.UTF-8', HOME: home }
    const sandbox = await detectSandbox({
      roots: [cwd],
      home,
      env,
      host: true,
      readable: [join(home, 'other')],
    })
    if ('missing' in sandbox) throw new Error(sandbox.missing)
    const exec = createExec({ cwd, env, sandbox })
    onTestFinished(() => exec.close().finally(() => sandbox.close()))

    const { output } = await exec.shell('ls -A ~; echo "$EDITOR|$LANG"; cat a.txt', patient())

    expect(output).toBe('code\n|C.UTF-8\na\n')
  })
})

describeSandboxed(named('links in the project'), () => {
  test.each([
    ['.zed', '../../.ssh'],
    ['.git/modules', '../../../.ssh'],
    ['.env', '../../.ssh/id_ed25519'],
    ['AGENTS.md', '../../.bash_history'],
    ['deploy.key', '/usr'],
  ])('%s -> %s opens and covers nothing', async (name, target) => {
    const { home, cwd } = await homeWithProject()
    git(cwd, 'init', '-q')
    await symlink(target, join(cwd, name))

    const output = await run(
      cwd,
      `cat ${name} ${name}/*; echo x > ${name}/new; echo x > ${name}; ls /usr/bin/env`,
      { home },
    )

    expect(output).not.toContain('PRIVATE')
    expect(output).toContain('/usr/bin/env')
    expect(await readdir(join(home, '.ssh'))).toEqual(['id_ed25519'])
    expect(await readFile(join(home, '.bash_history'), 'utf8')).toBe('PRIVATE')
  })

  test('an index that is a device does not stop a command', async () => {
    const { home, cwd } = await homeWithProject({ '.env': 'x' })
    git(cwd, 'init', '-q')
    await symlink('/dev/zero', join(cwd, '.git/index'))

    expect(await run(cwd, 'echo runs', { home })).toBe('runs\n')
  })

  test('a folder that is swapped for one while others run never shows what it leads to', async () => {
    const { home, cwd } = await homeWithProject({ 'sub/.env': 'PRIVATE', 'sub/.vscode/x': '' })
    const exec = await sandboxed(cwd, { home })
    await exec.start(
      'while true; do mv sub aside 2>/dev/null; ln -s ../../other sub 2>/dev/null; rm -f sub; mv aside sub 2>/dev/null; done',
    )
    const outputs: string[] = []
    for (let round = 0; round < runs(2, 6); round++) {
      const output = await exec
        .shell('cat sub/.env aside/.env sub/.vscode/* 2>&1', patient())
        .then((result) => result.output, String)
      outputs.push(output)
    }

    expect(outputs.join('\n')).not.toContain('PRIVATE')
  })
})

describeSandboxed(named('partial and hidden'), () => {
  test('paths that a rule denies do not exist', async () => {
    const { home, cwd } = await homeWithProject({ 'secret/x': 'DENIED', 'src/b': 'DENIED', 'src/c': 'kept' })
    const denies = (path: string): boolean => path === 'secret' || path === 'src/b'

    const output = await run(
      cwd,
      'cat secret/x ./src/../secret/x src/b; cd secret; ls; cat ../src/c; grep -r DENIED ..',
      {
        home,
        denies,
      },
    )

    expect(output).not.toContain('DENIED')
    expect(output).toContain('kept')
  })

  test('20,500 files in a dot folder change nothing', async () => {
    const { home, cwd } = await homeWithProject({ 'z/.env': 'PRIVATE' })
    execFileSync('sh', ['-c', 'mkdir .many; cd .many; seq 20500 | xargs touch'], { cwd })
    git(cwd, 'init', '-q')

    const output = await run(cwd, 'cat z/.env; echo x >> .git/config; echo x > .git/hooks/pre-commit', {
      home,
    })

    expect(output).not.toContain('PRIVATE')
    expect(output.match(/Read-only file system/g)?.length).toBe(2)
  })

  test('a socket of another program is closed, and so is one reached by a relative name', async () => {
    const { home, cwd } = await homeWithProject()
    let hits = 0
    const server = createServer(() => hits++).listen(join(cwd, 'door'))
    onTestFinished(() => void server.close())

    await run(cwd, `node -e "require('net').connect('door').on('error', () => process.exit(1))"`, { home })

    expect(hits).toBe(0)
  })
})

/** Calls by number, so that no library stands between. */
const SYSCALLS = `
import ctypes, errno, os, platform, socket
libc = ctypes.CDLL(None, use_errno=True)
x64 = platform.machine() == 'x86_64'
calls = dict(keyctl=(250,219), add_key=(248,217), bpf=(321,280), userfaultfd=(323,282), io_uring_setup=(425,425),
  mount=(165,40), umount2=(166,39), pivot_root=(155,41), move_mount=(429,429), fsopen=(430,430), open_tree=(428,428),
  mount_setattr=(442,442), setns=(308,268), perf_event_open=(298,241), init_module=(175,105), kexec_load=(246,104),
  open_by_handle_at=(304,265), clone3=(435,435))
for name, numbers in calls.items():
  result = libc.syscall(numbers[0 if x64 else 1], 0, 0, 0, 0, 0)
  print(name, result, errno.errorcode.get(ctypes.get_errno()))
print('unshare', libc.unshare(0x10000000), errno.errorcode.get(ctypes.get_errno()))
print('clone', libc.syscall(56 if x64 else 220, 0x10000000 | 17, 0, 0, 0, 0), errno.errorcode.get(ctypes.get_errno()))
for family in (17, 38, 40, 44):
  try: socket.socket(family, 1); print('family', family, 'open')
  except OSError as e: print('family', family, errno.errorcode[e.errno])
for protocol in (0, 9, 15):
  try: socket.socket(16, 3, protocol); print('netlink', protocol, 'open')
  except OSError as e: print('netlink', protocol, errno.errorcode[e.errno])
socket.socketpair(); socket.socket(1, 1); socket.socket(2, 1)
import fcntl
try: fcntl.ioctl(0, 0x5412, b'x'); print('sti open')
except OSError as e: print('sti', errno.errorcode[e.errno])
pid = os.fork()
if pid == 0: os._exit(0)
os.waitpid(pid, 0)
print('done')
`

describeSandboxed(named('the kernel'), () => {
  test.skipIf(!has('python3'))('refuses what no command needs (needs python3)', async () => {
    const cwd = await tempProject({ 'calls.py': SYSCALLS })

    const lines = (await run(cwd, 'python3 calls.py')).trim().split('\n')

    const refused = lines.filter((line) => / -1 (?:EPERM|ENOSYS)$|EAFNOSUPPORT$|sti EPERM$/.test(line))
    expect(lines.filter((line) => !refused.includes(line))).toEqual(['netlink 0 open', 'done'])
    expect(refused.length).toBe(18 + 2 + 4 + 2 + 1)
    expect(lines).toContain('clone3 -1 ENOSYS')
  })

  test('cannot be configured, and keeps its keys and memory to itself', async () => {
    const output = await run(
      await tempProject(),
      'for f in sys/kernel/panic sys/vm/drop_caches sysrq-trigger; do echo 0 > /proc/$f || echo closed; done 2>/dev/null; head -c 9 /proc/keys; head -c1 /proc/kcore | wc -c; ls /sys/firmware /sys/kernel/debug | wc -w; cat /etc/shadow /etc/gshadow 2>&1 | grep -c root:',
    )

    expect(output.match(/closed/g)?.length).toBe(3)
    expect(output.trim().split('\n').at(-1)).toBe('0')
  })

  test('nothing that was open when Covey started is open in it', async () => {
    expect(await run(await tempProject(), 'ls /proc/self/fd | tr "\\n" " "')).toBe('0 1 2 3 ')
  })
})

describeSandboxed(named('secrets and git'), () => {
  const everything = ['status', '--short']

  async function project(): Promise<{ home: string; cwd: string }> {
    const made = await homeWithProject({
      '.env': 'KEY=1\n',
      '.gitignore': 'ignored.pem\n',
      'ignored.pem': 'x',
    })
    git(made.cwd, 'init', '-q')
    return made
  }

  test('a file git knows is unchanged, also right after it was added', async () => {
    const { home, cwd } = await project()
    git(cwd, 'add', '-A')
    git(cwd, 'commit', '-qm', 'first')

    expect(
      await run(cwd, 'git status --short; git diff; git add -A; echo $?; git commit -qam x; cat .env', {
        home,
      }),
    ).toMatch(/^0\nOn branch[^]*# This$/)
    expect(git(cwd, ...everything)).toBe('')
    expect(git(cwd, 'show', 'HEAD:.env')).toBe('KEY=1\n')
  })

  test('one it does not know stays unknown, and is not added', async () => {
    const { home, cwd } = await project()

    const output = await run(
      cwd,
      'git status --short; git add -A; echo $?; git commit -qm x; git status --short; git ls-files',
      {
        home,
      },
    )

    expect(output).toBe('?? .env\n?? .gitignore\n?? a.txt\n0\n?? .env\n.gitignore\na.txt\n')
    expect(git(cwd, ...everything)).toBe('?? .env\n')
    expect(git(cwd, 'log', '--format=%an <%ae>')).toBe('Ann Example <ann@example.com>\n')
  })

  test('one that was changed is shown as changed, and its change is left out of a commit', async () => {
    const { home, cwd } = await project()
    git(cwd, 'add', '-A')
    git(cwd, 'commit', '-qm', 'first')
    await writeFile(join(cwd, '.env'), 'KEY=longer\n')

    const output = await run(
      cwd,
      'git status --short; echo b > b.txt; git add -A; echo $?; git commit -qam x',
      { home },
    )

    expect(output).toContain(' M .env\n')
    expect(output).toContain('note: .env is hidden in the sandbox')
    expect(git(cwd, 'show', 'HEAD:.env')).toBe('KEY=1\n')
    expect(git(cwd, ...everything)).toBe(' M .env\n')
  })
})

describeSandboxed(named('a folder that a rule closes'), () => {
  test('is neither read nor taken for deleted by git', async () => {
    const { home, cwd } = await homeWithProject()
    git(cwd, 'init', '-q', '-b', 'main')
    await mkdir(join(cwd, 'closed/deep'), { recursive: true })
    await writeFile(join(cwd, 'closed/a.txt'), 'PRIVATE\n')
    await writeFile(join(cwd, 'closed/deep/b.txt'), 'PRIVATE\n')
    git(cwd, 'add', '-A')
    git(cwd, 'commit', '-qm', 'first')
    await writeFile(join(cwd, 'closed/unknown.txt'), 'PRIVATE\n')

    const output = await run(
      cwd,
      'git status --short; grep -r . closed | grep PRIVATE; ls closed; echo x > new.txt; git add -A; git commit -qam second; git show --stat --format= HEAD; git status --short',
      { home, denies: (path) => path === 'closed' || path.startsWith('closed/') },
    )

    expect(output).toBe('a.txt\ndeep\n new.txt | 1 +\n 1 file changed, 1 insertion(+)\n')
    expect(git(cwd, 'show', 'HEAD:closed/a.txt')).toBe('PRIVATE\n')
    expect(git(cwd, 'status', '--short')).toBe('?? closed/unknown.txt\n')
  })
})

describeSandboxed(named('work in a repository'), () => {
  test('in a linked worktree commits arrive in the repository, whose configuration stays as it is', async () => {
    const { home, cwd } = await homeWithProject()
    const main = join(home, 'code/main')
    await mkdir(main)
    git(main, 'init', '-q')
    git(main, 'commit', '-qm', 'first', '--allow-empty')
    await rename(cwd, `${cwd}-old`)
    git(main, 'worktree', 'add', '-q', cwd)

    const output = await run(
      cwd,
      'echo b > b.txt; git add -A && git commit -qm second && git status --short; echo x >> ../main/.git/config; echo x > ../main/.git/hooks/post-commit; ls ../main',
      { home },
    )

    expect(output.match(/Read-only file system/g)?.length).toBe(2)
    expect(git(main, 'log', '--format=%s', 'app').trim().split('\n')).toEqual(['second', 'first'])
  })

  test('a project that names the repository of another does not get it', async () => {
    const { home, cwd } = await homeWithProject({ '.git': 'gitdir: ../../other/.git\n' })
    git(join(home, 'other'), 'init', '-q')

    expect(await run(cwd, 'git log; ls ../../other', { home })).toMatch(
      /not a git repository[^]*No such file/,
    )
  })

  test('in a folder of a monorepo with a submodule', async () => {
    const { home, cwd } = await homeWithProject({
      'packages/a/package.json': '{}',
      'packages/b/.env': 'PRIVATE',
    })
    const library = await tempProject({ 'lib.txt': '' })
    git(library, 'init', '-q')
    git(library, 'add', '-A')
    git(library, 'commit', '-qm', 'library')
    git(cwd, 'init', '-q')
    git(cwd, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'packages/a/lib')
    git(cwd, 'add', 'packages/a', '.gitmodules')
    git(cwd, 'commit', '-qm', 'first')

    const output = await run(
      join(cwd, 'packages/a'),
      'echo x > new.txt; git add . && git commit -qm second && git status --short .; (cd lib && echo y > y.txt && git add . && git commit -qm inner); cat ../b/.env; echo x > ../b/y; git -C lib config core.fsmonitor x',
      { home },
    )

    expect(git(cwd, 'log', '--format=%s').split('\n')[0]).toBe('second')
    expect(git(join(cwd, 'packages/a/lib'), 'log', '--format=%s').split('\n')[0]).toBe('inner')
    expect(output).not.toContain('PRIVATE')
    expect(output).toContain('../b/y: Read-only file system')
    expect(output).toMatch(/could not (?:write|lock) config file/)
  })

  test('npm test and node run', async () => {
    const { home, cwd } = await homeWithProject({
      'package.json': '{"type":"module","scripts":{"test":"node --test"}}',
      'a.test.js': "import test from 'node:test'\ntest('works', () => {})\n",
    })

    expect(await run(cwd, 'npm test 2>&1', { home })).toMatch(/pass 1/)
  })

  test.skipIf(!has('cargo'))('cargo builds (needs cargo)', async () => {
    const cwd = await tempProject({
      'Cargo.toml': '[package]\nname = "x"\nversion = "0.1.0"\nedition = "2021"\n',
      'src/main.rs': 'fn main() { println!("built"); }\n',
    })
    const exec = await sandboxed(cwd)

    expect((await exec.shell('cargo run -q --offline', patient({ timeoutMs: 120_000 }))).output).toBe(
      'built\n',
    )
  })
})

describeSandboxed(named('a path opened for one command'), () => {
  test('is that path alone, and is gone again when nothing was written', async () => {
    const { home, cwd } = await homeWithProject()
    const exec = await sandboxed(cwd, { home })
    const open = (name: string) => patient({ grant: { kind: 'write', path: join(home, name) } })

    await exec.shell('echo kept > ~/notes.txt; echo lost > ~/other.txt', open('notes.txt'))
    await exec.shell('true', open('unused.txt'))
    await exec.shell('echo kept > ~/made/a', open('made/'))

    expect(await readFile(join(home, 'notes.txt'), 'utf8')).toBe('kept\n')
    expect(await readdir(join(home, 'made'))).toEqual(['a'])
    expect((await readdir(home)).filter((name) => !name.startsWith('.'))).toEqual([
      'code',
      'made',
      'notes.txt',
      'other',
    ])
  })
})
