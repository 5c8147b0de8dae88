import { link, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { blockOf, refusedWrite } from '../../src/guard/blocked.ts'
import { grantFor, placeGrant } from '../../src/guard/permission/grant-for.ts'
import { tempProject } from '../support/project.ts'

const root = await tempProject({
  'notes/old.txt': '',
  'bin/tool': '',
  '.config/covey/config.toml': '',
  'project/.git/config': '',
})
await symlink(root, join(root, 'project/home'))
await link(join(root, 'bin/tool'), join(root, 'second-name'))

describe('what was blocked', () => {
  const context = { cwd: '/work', network: false, home: '/home/me', hidden: ['/home/me/.config/covey'] }
  const failed = (output: string, exitCode = 1) => ({ exitCode, output, timedOut: false, omittedBytes: 0 })

  test.each([
    ["touch: cannot touch '/usr/x': Read-only file system", '/usr/x'],
    ['/bin/bash: line 1: AGENTS.md: Read-only file system', 'AGENTS.md'],
    ["Error: EROFS: read-only file system, open '/usr/y'", '/usr/y'],
    ["OSError: [Errno 30] Read-only file system: '/home/me/.cache/x'", '/home/me/.cache/x'],
    ['error: could not write config file .git/config: Device or resource busy', '.git/config'],
  ])('is seen in: %s', (output, path) => {
    expect(refusedWrite(`some\nlines\n${output}\nmore`)).toEqual({ path })
  })

  test.each([
    'curl: (6) Could not resolve host: example.com',
    'npm error request to https://example.org/x failed, reason: getaddrinfo EAI_AGAIN example.org',
    'ping: connect: Network is unreachable',
    '[Errno -3] Temporary failure in name resolution',
    'dial tcp: lookup proxy.golang.org: no such host',
    'curl: (7) Failed to connect to 1.1.1.1 port 80',
  ])('may be the network: %s', async (output) => {
    const command = 'npm install'
    expect(await blockOf(failed(output), { ...context, command })).toEqual({ kind: 'network' })
    expect(await blockOf(failed(output), { ...context, command, network: true })).toBeUndefined()
    expect(await blockOf(failed(output), { ...context, command: 'cat notes.txt' })).toBeUndefined()
  })

  test.each([
    ['curl -s https://example.com', 6, { kind: 'network' }],
    ['wget -q https://example.com', 4, { kind: 'network' }],
    ['curl -s https://example.com', 22, undefined],
    ['npm test', 6, undefined],
  ])('%s, silent, with exit code %i', async (command, exitCode, expected) => {
    expect(await blockOf(failed('', exitCode), { ...context, command })).toEqual(expected)
  })

  test('a command that ran read-only is asked for as a whole', async () => {
    const output = "touch: cannot touch '/etc/x': Read-only file system"

    expect(await blockOf(failed(output), { ...context, command: 'ls', readsOnly: true })).toEqual({
      kind: 'read-only',
    })
    expect(
      await blockOf(failed('no such file'), { ...context, command: 'ls', readsOnly: true }),
    ).toBeUndefined()
  })
})

describe('a grant', () => {
  const home = root
  const context = {
    cwd: join(home, 'project'),
    home,
    hidden: [join(home, '.config/covey')],
    closed: [join(home, 'bin')],
  }
  const ask = (command: string, printed: string) => grantFor(command, printed.replace('~', home), context)

  test.each([
    ['touch ~/notes.txt', '~/notes.txt', { path: '~/notes.txt', create: 'file' }],
    ['touch "$HOME/notes.txt"', '~/notes.txt', { path: '~/notes.txt', create: 'file' }],
    ['echo x >> ~/notes/old.txt', '~/notes/old.txt', { path: '~/notes/old.txt' }],
    ['cp a.txt ~/notes', '~/notes/a.txt', { path: '~/notes/a.txt', create: 'file' }],
    ['cd ~/notes && touch ~/notes/b', '~/notes/b', { path: '~/notes/b', create: 'file' }],
    ['mkdir -p ~/new/deep', '~/new', { path: '~/new', create: 'folder' }],
    ['cp a.txt b.txt -t ~/notes', '~/notes/b.txt', { path: '~/notes/b.txt', create: 'file' }],
    ['timeout 5 touch ~/notes.txt', '~/notes.txt', { path: '~/notes.txt', create: 'file' }],
    ['bash -c "echo x > ~/notes.txt"', '~/notes.txt', { path: '~/notes.txt', create: 'file' }],
    ['python3 gen.py --output ~/notes.txt', '~/notes.txt', { path: '~/notes.txt', create: 'file' }],
    ['dd if=a of=$HOME/notes.txt', '~/notes.txt', { path: '~/notes.txt', create: 'file' }],
    ['git init ~/new', '~/new', { path: '~/new', create: 'folder' }],
    ['git config user.name x', '.git/config', { path: '~/project/.git/config' }],
  ])('names exactly what was attempted: %s', async (command, printed, { path, ...more }) => {
    const place = path.replace('~', home)
    expect(await ask(command, printed)).toEqual({ kind: 'write', path: place, ...more })
  })

  test.each([
    'echo "touch: cannot touch \'~/notes.txt\': Read-only file system"; exit 1',
    'echo ~/notes.txt: Read-only file system; exit 1',
    "printf '%s: Read-only file system' ~/notes.txt; exit 1",
    'cat <<< ~/notes.txt; exit 1',
    "node -e \"console.log('EROFS: read-only file system, open', '~/notes.txt')\"; exit 1",
    'python3 print.py ~/notes.txt; exit 1',
    'npm test -- ~/notes.txt',
    'cat ~/notes.txt; exit 1',
    'for f in ~/notes.txt; do echo $f: Read-only file system; done; exit 1',
    'X=~/notes.txt; echo $X: Read-only file system; exit 1',
    'cat < ~/notes.txt; exit 1',
    'touch ~/notes.txt.old; echo ~/notes.txt; exit 1',
    'grep -o ~/notes.txt log; exit 1',
    'touch a:~/notes.txt',
  ])('is not made by a command that only prints or reads the path: %s', async (command) => {
    expect(await ask(command.replaceAll('~', home), '~/notes.txt')).toEqual({ kind: 'outside' })
  })

  test.each(
    `.bashrc .profile .zshenv .config/autostart/x.desktop .config/systemd/user/x.service .local/bin/git .ssh/authorized_keys
    .gitconfig .vimrc .cargo/config.toml .config/covey/config.toml .local/share/covey/trust.json .npmrc notes/.envrc
    notes/.git/hooks/pre-commit notes/.vscode/tasks.json notes/AGENTS.md notes/sitecustomize.py bin/tool bin/new second-name`.split(
      /\s+/,
    ),
  )(
    'is never offered outside the project for what runs later, holds secrets or is a program: %s',
    async (name) => {
      expect(await ask(`touch ~/${name}`, `~/${name}`)).toEqual({ kind: 'outside', path: join(home, name) })
      expect(await ask(`echo x >> ~/${name}`, `~/${name}`)).toEqual({
        kind: 'outside',
        path: join(home, name),
      })
    },
  )

  test.each(['/etc/cron.d/x', '/usr/local/bin/x', '/opt/x/y', '/var/spool/cron/crontabs/x'])(
    'is never offered for the system: %s',
    async (path) => {
      expect(await ask(`touch ${path}`, path)).toEqual({ kind: 'outside', path })
    },
  )

  test.each(['home/notes.txt', 'home/.bashrc', 'home'])(
    'is not offered through a link of the project: %s',
    async (name) => {
      expect(await ask(`echo x > ${name}`, name)).toEqual({ kind: 'outside', path: join(context.cwd, name) })
    },
  )

  test.each([
    ['touch ~/a', '~/b'],
    ['cd ~/notes && touch b', 'b'],
    ['cat README.md', '~/.bashrc'],
    ['rm -rf ~', '~'],
    ['touch /x', '/x'],
    ['rm -rf ~/notes', '~/notes'],
    ['rm -rf ~/.config', '~/.config'],
    ['echo x >> ~/.config/covey/config.toml', '~/.config/covey/config.toml'],
    ['touch ~/.ssh/config', '~/.ssh/config'],
    ['touch ~/server.key', '~/server.key'],
    ['touch ../project/.covey/config.toml', '~/project/.covey/config.toml'],
    ['echo x > /proc/sys/kernel/x', '/proc/sys/kernel/x'],
    ['touch ~/*', '~/x'],
  ])('is not offered: %s', async (command, printed) => {
    expect(await ask(command, printed)).toMatchObject({ kind: 'outside' })
  })

  test('makes a new file for the run, and takes it away when nothing came of it', async () => {
    const path = join(home, 'made.txt')
    const clear = await placeGrant({ kind: 'write', path, create: 'file' })
    expect(await readFile(path, 'utf8')).toBe('')
    await clear(true)

    await expect(readFile(path)).rejects.toThrow('ENOENT')
  })
})
