import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { chmod, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { detectSandbox } from '../../../src/guard/sandbox/detect.ts'
import { createRunCommand } from '../../../src/tools/run-command.ts'
import { commandLimits } from '../../../src/tools/time-limit.ts'
import { tempProject, toolContext } from '../../support/project.ts'
import { callTool } from '../../tools/call.ts'
import { missing, named, patient, processesIn, sandboxed } from '../with-sandbox.ts'
import { eventually } from '../../support/wait.ts'

const describeSandboxed = describe.skipIf(missing !== undefined)

async function repository(files: Record<string, string> = {}): Promise<string> {
  const cwd = await tempProject({ 'a.txt': 'a\n', ...files })
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd, stdio: 'ignore' })
  git('init', '-q', '.')
  git('config', 'user.email', 'a@example.com')
  git('config', 'user.name', 'a')
  return cwd
}

/** A folder that is neither the workspace nor in /tmp, and that the person could write. */
const outside = await mkdtemp(join(homedir(), '.covey-test-'))
afterAll(() => rm(outside, { recursive: true, force: true }))

describeSandboxed(named('in the sandbox'), () => {
  test('the workspace and /tmp can be written, nothing else', async () => {
    const cwd = await tempProject({ 'a.txt': 'a' })
    const exec = await sandboxed(cwd)

    const { output } = await exec.shell(
      `echo b > b.txt; echo t > /tmp/t; cat /tmp/t; echo x > ${outside}/x; echo y > /etc/y; echo z > ~/z; echo q > /dev/sda`,
      patient(),
    )

    expect(await readFile(join(cwd, 'b.txt'), 'utf8')).toBe('b\n')
    expect(output).toMatch(/^t\n/)
    expect(output).toContain('/etc/y: Read-only file system')
    expect(output).toContain(`${outside}/x: No such file or directory`)
    expect(existsSync(join(homedir(), 'z'))).toBe(false)
    expect(await readdir(outside)).toEqual([])
    expect(existsSync('/tmp/t')).toBe(false)
  })

  test('/tmp lasts from one command to the next', async () => {
    const exec = await sandboxed(await tempProject())

    await exec.shell('echo kept > /tmp/note', patient())

    expect((await exec.shell('cat /tmp/note', patient())).output).toBe('kept\n')
  })

  test('there are no rights, no other processes, and no namespaces to make', async () => {
    const exec = await sandboxed(await tempProject())

    const { output } = await exec.shell(
      'grep -E "^(CapEff|CapBnd|NoNewPrivs)" /proc/self/status; ls /proc | grep -c "^[0-9]"; unshare -U true || echo none',
      patient(),
    )

    expect(output).toMatch(/CapEff:\t0+\nCapBnd:\t0+\nNoNewPrivs:\t1\n[1-9]\n[^]*none\n$/)
  })

  test('a link in the workspace leads to nothing that can be written', async () => {
    const cwd = await tempProject()
    await symlink(outside, join(cwd, 'link'))
    const exec = await sandboxed(cwd)

    const { exitCode } = await exec.shell('echo x > link/x', patient())

    expect(exitCode).not.toBe(0)
    expect(await readdir(outside)).toEqual([])
  })

  test('a session that only reads cannot write the workspace either', async () => {
    const cwd = await tempProject({ '.env': 'KEY=1' })
    const exec = await sandboxed(cwd, { readOnly: true })

    const { output } = await exec.shell('touch x; cat .env', patient())

    expect(output).toContain('Read-only file system')
    expect(output).not.toContain('KEY')
    expect(await readdir(cwd)).toEqual(['.env'])
  })

  test('programs without a shell run in it too', async () => {
    const exec = await sandboxed(await tempProject())

    expect((await exec.program(['touch', '/etc/x'], patient())).output).toContain('Read-only file system')
  })
})

describeSandboxed(named('protected paths in the sandbox'), () => {
  test('secrets that exist are not seen, wherever they are', async () => {
    const home = await tempProject({ '.ssh/id_ed25519': 'PRIVATE', '.aws/credentials': 'PRIVATE' })
    const cwd = await tempProject({
      '.env': 'PRIVATE',
      'sub/server.key': 'PRIVATE',
      'real/hidden.txt': 'PRIVATE',
    })
    const hidden = await mkdtemp('/var/tmp/covey-test-')
    await writeFile(join(hidden, 'token'), 'PRIVATE')
    await symlink('../real/hidden.txt', join(cwd, 'sub/.npmrc'))
    const exec = await sandboxed(cwd, { home, hidden: [hidden] })

    const { output } = await exec.shell(
      `cat .env sub/server.key sub/.npmrc real/hidden.txt ${home}/.ssh/* ${home}/.aws/* ${hidden}/token; grep -r PRIVATE .; cp .env copy; cat copy; mv sub moved; cat moved/server.key`,
      patient(),
    )

    await rm(hidden, { recursive: true })
    expect(output).not.toContain('PRIVATE')
    expect(await readFile(join(cwd, '.env'), 'utf8')).toBe('PRIVATE')
  })

  test('what decides what runs later can be read and not changed', async () => {
    const cwd = await repository({
      'AGENTS.md': 'rules\n',
      '.vscode/settings.json': '{}',
      '.github/workflows/ci.yml': 'on: push',
      '.git/modules/libs/a/HEAD': 'ref: refs/heads/main\n',
      '.git/modules/libs/a/config': '[core]\n',
      '.git/modules/libs/a/commondir': '.',
      '.git/modules/libs/a/hooks/x.sample': '',
    })
    const config = await readFile(join(cwd, '.git/config'), 'utf8')
    const exec = await sandboxed(cwd)

    const { output } = await exec.shell(
      `cat AGENTS.md; echo x >> AGENTS.md; rm -f AGENTS.md; mv AGENTS.md b; echo x > .vscode/tasks.json; rm -rf .vscode; mv .vscode v;
       echo x > .git/hooks/pre-commit; echo x >> .git/config; git config core.fsmonitor ./x; mv .git g; rm -rf .git/hooks; echo x > .github/workflows/x.yml;
       cd .git && echo x > hooks/post-commit; ln -sf /tmp/x config; 
       echo x > modules/libs/a/config; echo x > modules/libs/a/hooks/post-checkout`,
      patient(),
    )

    expect(output).toMatch(/^rules\n/)
    expect(await readFile(join(cwd, 'AGENTS.md'), 'utf8')).toBe('rules\n')
    expect(await readFile(join(cwd, '.git/config'), 'utf8')).toBe(config)
    expect(await readdir(join(cwd, '.vscode'))).toEqual(['settings.json'])
    expect(await readdir(join(cwd, '.github/workflows'))).toEqual(['ci.yml'])
    expect((await readdir(join(cwd, '.git/hooks'))).filter((name) => !name.endsWith('.sample'))).toEqual([])
    expect(await readFile(join(cwd, '.git/modules/libs/a/config'), 'utf8')).toBe('[core]\n')
    expect(await readdir(join(cwd, '.git/modules/libs/a/hooks'))).toEqual(['x.sample'])
  })

  test('nothing is left behind, not by commands side by side and not by one that was cut off', async () => {
    const cwd = await tempProject({ 'a.txt': '' })
    const exec = await sandboxed(cwd)
    const cancel = new AbortController()
    const cut = exec.shell('sleep 60', patient({ signal: cancel.signal }))

    await Promise.all([
      exec.shell('sleep 0.2', patient()),
      exec.shell('true', patient()),
      exec.program(['true'], patient()),
    ])
    cancel.abort()
    await cut

    expect(await readdir(cwd)).toEqual(['a.txt'])
  })

  test('git goes on working, and commits no stand-in', async () => {
    const cwd = await repository({ '.env': 'KEY=1' })
    const exec = await sandboxed(cwd)

    const { output, exitCode } = await exec.shell(
      'git add -A && git commit -qm first && git status --short && git ls-files',
      patient(),
    )

    expect({ output, exitCode }).toEqual({ output: '?? .env\na.txt\n', exitCode: 0 })
    expect(await readFile(join(cwd, '.env'), 'utf8')).toBe('KEY=1')
  })

  test('a secret that git knows is not replaced in the next commit', async () => {
    const cwd = await repository({ 'server.key': 'PRIVATE' })
    execFileSync('git', ['add', '-A'], { cwd })
    execFileSync('git', ['commit', '-qm', 'x'], { cwd })
    const exec = await sandboxed(cwd)

    await exec.shell(
      'echo b > b.txt; git add -A; git commit -qam y; git add b.txt; git commit -qm z',
      patient(),
    )

    expect(execFileSync('git', ['show', 'HEAD:server.key'], { cwd, encoding: 'utf8' })).toBe('PRIVATE')
  })
})

type Attack = { id: string; input: string; setup: string }

const attacks = readFileSync(new URL('../fixtures/shell.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Attack)

const RUN_ALL = `mkdir marks; while read -r id setup input; do mkdir "$id"
(cd "$id"; timeout 1 bash -c "$(echo "$setup" | base64 -d)"; timeout 1 bash -c "$(echo "$input" | base64 -d)") </dev/null >/dev/null 2>&1 &
[ $(( ++count % 12 )) = 0 ] && wait
done < rows; wait; echo done`

/** Runs these attacks with their mark somewhere else, each in a folder of its own. */
async function runAttacks(chosen: readonly Attack[], markIn: (cwd: string) => string): Promise<string> {
  const cwd = await tempProject({ 'run.sh': RUN_ALL })
  const marked = (text: string, id: string): string =>
    Buffer.from(text.replaceAll('MK', `${markIn(cwd)}/${id}`)).toString('base64')
  const rows = chosen.map(({ id, input, setup }) => `${id} ${marked(setup, id)} ${marked(input, id)}\n`)
  await writeFile(join(cwd, 'rows'), rows.join(''))
  const { output } = await (await sandboxed(cwd)).shell('bash run.sh', patient({ timeoutMs: 60_000 }))
  expect(output).toBe('done\n')
  return cwd
}

describeSandboxed(named('the corpus of hidden writes, run for real'), () => {
  test('leaves no mark outside the workspace', async () => {
    await runAttacks(attacks, () => outside)

    expect(await readdir(outside)).toEqual([])
  })

  test('would leave marks if it could', async () => {
    const cwd = await runAttacks(attacks.slice(0, 20), (folder) => join(folder, 'marks'))

    expect((await readdir(join(cwd, 'marks'))).length).toBeGreaterThan(15)
  })
})

/** A process that writes to `beat` for as long as it lives. */
const heart = 'while true; do date +%s%N >> beat; sleep 0.05; done'

describeSandboxed(named('what a command starts'), () => {
  test.each([
    ['in the background', `${heart} & wait`],
    ['in a session of its own', `setsid bash -c '${heart}' & wait`],
    ['that does not hear a hangup', `nohup bash -c '${heart}' > /dev/null & wait`],
    ['by forking twice', `( ( ${heart} ) & ) & sleep 60`],
    ['that ignores every signal', `trap '' TERM INT HUP; ${heart}`],
    [
      'from another language',
      `node -e "require('child_process').spawn('bash',['-c','${heart}'],{detached:true,stdio:'ignore'}).unref()"; sleep 60`,
    ],
  ])('%s ends when it is cancelled', async (_, command) => {
    const cwd = await tempProject()
    const exec = await sandboxed(cwd)
    const cancel = new AbortController()
    const running = exec.shell(command, patient({ signal: cancel.signal }))
    await eventually(() => expect(existsSync(join(cwd, 'beat'))).toBe(true))

    cancel.abort()
    await running

    await eventually(async () => expect(await processesIn(cwd)).toBe(0))
    const beats = await readFile(join(cwd, 'beat'), 'utf8')
    await pause(150)
    expect(await readFile(join(cwd, 'beat'), 'utf8')).toBe(beats)
  })

  test('ends with it', async () => {
    const cwd = await tempProject()
    const exec = await sandboxed(cwd)

    await exec.shell(`setsid bash -c '${heart}' > /dev/null 2>&1 & sleep 0.2`, patient())

    await eventually(async () => expect(await processesIn(cwd)).toBe(0))
  })

  test('is limited in number, and a fork bomb is over when it is cancelled', async () => {
    const cwd = await tempProject()
    const exec = await sandboxed(cwd, { limits: { processes: 60 } })
    const cancel = new AbortController()
    const running = exec.shell('bomb() { bomb | bomb & }; bomb; sleep 60', patient({ signal: cancel.signal }))
    await pause(700)

    expect(await processesIn(cwd)).toBeLessThanOrEqual(60)
    cancel.abort()
    await running

    await eventually(async () => expect(await processesIn(cwd)).toBe(0))
  })

  test('is limited in memory', async () => {
    const exec = await sandboxed(await tempProject(), { limits: { memoryBytes: 200 * 1024 * 1024 } })

    const { exitCode, output } = await exec.shell(
      `node -e "const all = []; for (let i = 0; i < 100; i++) all.push(Buffer.alloc(10_000_000, 1)); console.log('had a gigabyte')"`,
      patient(),
    )

    expect(exitCode).not.toBe(0)
    expect(output).not.toContain('had a gigabyte')
  })
})

describeSandboxed(named('what was blocked'), () => {
  test.each([
    ['touch /usr/local/x', { kind: 'outside', path: '/usr/local/x' }],
    ['echo x > AGENTS.md', { kind: 'write', path: 'WORKSPACE/AGENTS.md' }],
    ['echo x > .vscode/tasks.json', { kind: 'write', path: 'WORKSPACE/.vscode/tasks.json' }],
    ['cp a.txt /usr/b.txt', { kind: 'outside', path: '/usr/b.txt' }],
    // What is printed, or handed to code, names nothing: only what the command itself writes does.
    [`node -e "fs.writeFileSync('/usr/x', 'x')"`, { kind: 'outside' }],
    [`echo "touch: cannot touch '/usr/y': Read-only file system"; false`, { kind: 'outside' }],
    ['curl -sS http://example.invalid', { kind: 'network' }],
    ['git clone -q https://example.invalid/x.git', { kind: 'network' }],
    ['false', undefined],
    ['curl -sS http://127.0.0.1:1', undefined],
  ])('is named: %s', async (command, expected) => {
    const cwd = await tempProject({ 'a.txt': '', 'AGENTS.md': '', '.vscode/tasks.json': '{}' })
    const exec = await sandboxed(cwd)

    const { blocked } = await exec.shell(command, patient())

    const found = blocked && JSON.parse(JSON.stringify(blocked).replace(cwd, 'WORKSPACE'))
    expect(found).toEqual(expected)
  })

  test('can be allowed for one run', async () => {
    const cwd = await tempProject()
    const exec = await sandboxed(cwd)
    const grant = { kind: 'write', path: outside } as const

    const first = await exec.shell(`touch ${outside}/granted`, patient({ grant }))
    await exec.shell(`touch ${outside}/again`, patient())

    expect(first.exitCode).toBe(0)
    expect(await readdir(outside)).toEqual(['granted'])
    await rm(join(outside, 'granted'))
  })

  test('is put to the person, and the command is run again with what they allowed', async () => {
    const cwd = await tempProject({ 'AGENTS.md': 'old' })
    const exec = await sandboxed(cwd)
    const questions: string[] = []
    const run = (answer: string) =>
      callTool(
        createRunCommand(commandLimits),
        { command: 'echo new > AGENTS.md && cat AGENTS.md' },
        {
          ...toolContext(cwd, {
            exec,
            ask: async ({ question }) => {
              questions.push(question)
              return answer
            },
          }),
        },
      )

    const refused = await run('no')
    const allowed = await run('yes, once')

    expect(refused.text).toMatch(
      /\[sandbox: .*AGENTS\.md.* cannot be written; only the person can allow it, once when asked or with --permission bypass\]/,
    )
    expect(questions[0]).toContain('echo new > AGENTS.md')
    expect(allowed).toMatchObject({ ok: true })
    expect(await readFile(join(cwd, 'AGENTS.md'), 'utf8')).toBe('new\n')
  })
})

describe('finding a sandbox', () => {
  test('none is found where there is none', async () => {
    expect(
      await detectSandbox({ roots: [await tempProject()], env: { PATH: '/nowhere' }, platform: 'linux' }),
    ).toEqual({
      missing: 'bwrap is not installed',
    })
    expect(await detectSandbox({ roots: [await tempProject()], platform: 'win32' })).toEqual({
      missing: 'there is no sandbox for win32',
    })
  })

  test('a refused one is absent, and the reason is reported', async () => {
    const folder = await tempProject({
      bwrap: '#!/bin/sh\necho "bwrap: setting up uid map: Permission denied" >&2\nexit 1\n',
    })
    await chmod(join(folder, 'bwrap'), 0o755)

    const found = await detectSandbox({
      roots: [await tempProject()],
      env: { PATH: folder },
      platform: 'linux',
    })

    expect(found).toEqual({
      missing: expect.stringMatching(
        /^bwrap was refused: bwrap: setting up uid map: Permission denied \(this system/,
      ),
    })
  })

  test('a program of that name in the workspace is never used', async () => {
    const cwd = await tempProject({ 'bin/bwrap': '#!/bin/sh\ntouch "$(dirname "$0")/used"\n' })
    await chmod(join(cwd, 'bin/bwrap'), 0o755)

    const found = await detectSandbox({ roots: [cwd], env: { PATH: `${cwd}/bin:./bin` }, platform: 'linux' })

    expect(found).toEqual({ missing: 'bwrap is not installed' })
    expect(existsSync(join(cwd, 'bin/used'))).toBe(false)
  })
})
