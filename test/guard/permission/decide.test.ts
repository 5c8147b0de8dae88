import * as fc from 'fast-check'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type PermissionMode, permissionModes } from '../../../src/protocol/permission-modes.ts'
import { createFiles } from '../../../src/guard/paths/files.ts'
import { createGrants } from '../../../src/guard/permission/grants.ts'
import { createPermissions, type PermissionParts } from '../../../src/guard/permission/decide.ts'
import { openRuleBook } from '../../../src/guard/permission/rule-book.ts'
import type { AuthorizeRequest, Rule, Verdict } from '../../../src/protocol/guard.ts'
import type { Access } from '../../../src/protocol/tool.ts'
import { builtinTools } from '../../../src/tools/all.ts'
import { fetchUrlTool } from '../../../src/tools/fetch-url.ts'
import { tempProject } from '../../support/project.ts'
import { runs } from '../../support/runs.ts'

const root = await tempProject({
  'src/a.ts': '',
  '.env': 'KEY=1',
  '.git/config': '',
  id_rsa: '',
  'secret/x': '',
})

const request = (tool: string, ...access: readonly Access[]): AuthorizeRequest => ({
  call: { id: '1', name: tool, input: '{}' },
  category: 'meta',
  access,
})
const run = (command: string): AuthorizeRequest => request('run_command', { kind: 'run', target: command })
const write = (path: string): AuthorizeRequest => request('write_file', { kind: 'write', target: path })
const read = (path: string): AuthorizeRequest => request('read_file', { kind: 'read', target: path })
const fetchUrl = (url: string): AuthorizeRequest => request('fetch_url', { kind: 'fetch', target: url })

const permissions = (parts: Partial<PermissionParts>) =>
  createPermissions({ mode: 'ask', roots: [root], sandboxed: false, ...parts })
const verdict = async (parts: Partial<PermissionParts>, asked: AuthorizeRequest): Promise<Verdict> =>
  (await permissions(parts).authorize(asked)).verdict
const rule = (tool: string, pattern: string | undefined, decided: Verdict): Rule => ({
  tool,
  verdict: decided,
  ...(pattern !== undefined && { pattern }),
})

/** One call of every tool that touches something, and of one that does not. */
const calls: Readonly<Record<string, Record<string, unknown>>> = {
  list_files: { path: '.' },
  read_file: { path: 'src/a.ts' },
  search_text: { pattern: 'x', path: '.' },
  find_files: { pattern: '*.ts' },
  edit_file: { path: 'src/a.ts', old: 'a', new: 'b' },
  write_file: { path: 'src/b.ts', content: '' },
  apply_patch: { patch: '*** Begin Patch\n*** Add File: src/c.ts\n+x\n*** End Patch' },
  run_command: { command: 'npm test' },
  fetch_url: { url: 'https://example.com/' },
  system_info: {},
}

const kindOfTool = (name: string): string =>
  /^(?:list|read|search|find)/.test(name)
    ? 'read'
    : /^(?:edit|write|apply)/.test(name)
      ? 'write'
      : ({ run_command: 'run', fetch_url: 'fetch' }[name] ?? 'nothing')

const requestOf = (name: string): AuthorizeRequest => {
  const tool = [...builtinTools({ list: () => [] }), fetchUrlTool].find((each) => each.name === name)
  return request(name, ...(tool?.access(tool.input.parse(calls[name])) ?? []))
}

/** What a mode says to a read, a write, a command, a sandboxed command, a fetch. */
const byMode: Readonly<Record<PermissionMode, readonly [Verdict, Verdict, Verdict, Verdict, Verdict]>> = {
  ask: ['allow', 'ask', 'ask', 'ask', 'ask'],
  'accept-edits': ['allow', 'allow', 'ask', 'ask', 'ask'],
  auto: ['allow', 'allow', 'ask', 'allow', 'ask'],
  'read-only': ['allow', 'deny', 'deny', 'deny', 'deny'],
  deny: ['deny', 'deny', 'deny', 'deny', 'deny'],
  bypass: ['allow', 'allow', 'allow', 'allow', 'allow'],
}

function expected(
  mode: PermissionMode,
  tool: string,
  options: { sandboxed: boolean; ruled?: Verdict },
): Verdict {
  const [reads, writes, runs, confined, fetches] = byMode[mode]
  const kinds: Record<string, Verdict> = {
    read: reads,
    write: writes,
    run: options.sandboxed ? confined : runs,
    fetch: fetches,
    nothing: 'allow',
  }
  const own = kinds[kindOfTool(tool)] ?? 'allow'
  if (options.ruled === 'deny' || own === 'deny') return 'deny'
  return options.ruled ?? own
}

describe('every mode says to every tool what it should', () => {
  const rows = permissionModes.flatMap((mode) =>
    Object.keys(calls).flatMap((tool) =>
      [true, false].flatMap((sandboxed) =>
        ([undefined, 'allow', 'ask', 'deny'] as const).map((ruled) => ({ mode, tool, sandboxed, ruled })),
      ),
    ),
  )

  test.each(permissionModes)('%s', async (mode) => {
    const own = rows.filter((row) => row.mode === mode)

    const found = await Promise.all(
      own.map(({ tool, sandboxed, ruled }) =>
        verdict(
          { mode, sandboxed, ...(ruled && { rules: [rule(tool, undefined, ruled)] }) },
          requestOf(tool),
        ),
      ),
    )

    expect(found).toEqual(
      own.map(({ tool, sandboxed, ruled }) => expected(mode, tool, { sandboxed, ...(ruled && { ruled }) })),
    )
  })
})

test('a command that only reads needs no question inside a sandbox, and does outside', async () => {
  for (const mode of ['ask', 'accept-edits', 'read-only'] as const) {
    expect(await verdict({ mode, sandboxed: true }, run('cat src/a.ts | head'))).toBe('allow')
    expect(await verdict({ mode, sandboxed: false }, run('cat src/a.ts | head'))).not.toBe('allow')
  }
})

test('nothing overrides a deny: not a mode, not a rule, not an answer', async () => {
  const tools = ['run_command', 'read_file', 'write_file', 'fetch_url']
  const requests: Record<string, AuthorizeRequest> = {
    run_command: run('git push origin main'),
    read_file: read('secret/x'),
    write_file: write('secret/x'),
    fetch_url: fetchUrl('https://api.example.com/v1'),
  }
  const patterns: Record<string, readonly string[]> = {
    run_command: ['git push', 'git', '*'],
    read_file: ['secret', 'secret/**', '**/x', 'SECRET/*', '*'],
    write_file: ['secret/', './secret/x', '*'],
    fetch_url: ['example.com', 'https://*.example.com/*', '*'],
  }
  const anyRule = fc.record({
    tool: fc.constantFrom('*', 'run_command', 'read_*', '*_file', 'fetch_url'),
    pattern: fc.constantFrom('*', 'git', 'git push', 'src/**', 'secret/x', '**', 'https://*', 'npm test'),
    verdict: fc.constantFrom<Verdict>('allow', 'ask'),
  })
  const cases = fc.record({
    tool: fc.constantFrom(...tools),
    pick: fc.nat(),
    glob: fc.constantFrom('*', 'same', 'start'),
    mode: fc.constantFrom(...permissionModes),
    sandboxed: fc.boolean(),
    before: fc.array(anyRule, { maxLength: 6 }),
    after: fc.array(anyRule, { maxLength: 6 }),
  })

  await fc.assert(
    fc.asyncProperty(cases, async ({ tool, pick, glob, mode, sandboxed, before, after }) => {
      const pattern = patterns[tool]![pick % patterns[tool]!.length]!
      const name = glob === '*' ? '*' : glob === 'same' ? tool : `${tool.slice(0, 3)}*`
      const guard = permissions({
        mode,
        sandboxed,
        rules: [...before, rule(name, pattern, 'deny'), ...after],
      })
      await guard.accept(requests[tool]!, { allow: true, remember: true })

      expect((await guard.authorize(requests[tool]!)).verdict).toBe('deny')
    }),
    { numRuns: runs(600, 10_000) },
  )
})

describe('a deny meets every spelling', () => {
  test.each([
    ['secret', '/w/secret/x'],
    ['secret/**', 'src/../secret/x'],
    ['secret/**', 'alias/x'],
    ['secret/**', 'SECRET/new'],
    ['*.pem', 'src/deep/key.pem'],
  ])('%s: %s', async (pattern, path) => {
    const base = await tempProject({ 'secret/x': '', 'src/deep/a': '' })
    await symlink('secret', join(base, 'alias'))
    const parts = { roots: [base], rules: [rule('*', pattern, 'deny')], mode: 'bypass' } as const

    expect(await verdict(parts, read(path.replace('/w', base)))).toBe('deny')
  })

  test.each([
    'git push',
    'cd x && git   push',
    '"git" push',
    'sudo git -C y push',
    "bash -c 'git push'",
    'cat secret/x',
  ])('commands: %s', async (command) => {
    const rules = [rule('*', 'git push', 'deny'), rule('*', 'secret/**', 'deny')]

    expect(await verdict({ mode: 'bypass', rules }, run(command))).toBe('deny')
  })

  test('a call wrapped in another one is judged as what it is', async () => {
    const wrapped: AuthorizeRequest = {
      ...run('ls'),
      call: { id: '1', name: 'call_tool', input: '{"name":"run_command","arguments":{"command":"ls"}}' },
    }

    expect(await verdict({ mode: 'bypass', rules: [rule('run_command', undefined, 'deny')] }, wrapped)).toBe(
      'deny',
    )
    expect(
      await verdict(
        { mode: 'bypass', rules: [rule('run_command', undefined, 'deny')] },
        { ...run('ls'), tool: 'run_command' },
      ),
    ).toBe('deny')
  })

  test('tools that come across a denied path do not see it either', async () => {
    const files = createFiles({ root, rules: [rule('*', 'secret/**', 'deny')] })

    await expect(files.read('secret/x')).rejects.toThrow('the rule "* secret/**" denies it')
    await expect(files.info('secret/x')).rejects.toMatchObject({ code: 'permission-denied' })
    await expect(files.write('secret/new', '')).rejects.toMatchObject({ code: 'permission-denied' })
  })
})

describe('protected paths', () => {
  test('are asked for on their own, in every mode that allows anything, and never covered by a rule', async () => {
    for (const mode of ['ask', 'accept-edits', 'auto'] as const) {
      const parts = { mode, rules: [rule('*', '*', 'allow'), rule('*', '.git/**', 'allow')] }
      const question = await permissions(parts).authorize(write('.git/hooks/pre-commit'))

      expect(question).toEqual({
        verdict: 'ask',
        why: 'write_file changes .git/hooks/pre-commit, which decides what runs later',
        remedy: { mode: 'bypass' },
      })
      expect(await verdict(parts, read('.env'))).toBe('ask')
    }
    expect(await verdict({ mode: 'bypass' }, read('.env'))).toBe('ask')
    expect(await verdict({ mode: 'read-only' }, write('.git/hooks/pre-commit'))).toBe('deny')
    expect(await verdict({ mode: 'deny' }, read('.env'))).toBe('deny')
  })

  test.each(['id_rsa', '.ssh/config', '.gnupg/x', 'certs/server.key', 'a.PEM'])(
    '%s is denied in every mode',
    async (path) => {
      for (const mode of permissionModes) {
        expect(await verdict({ mode, rules: [rule('*', '*', 'allow')] }, read(path))).toBe('deny')
      }
    },
  )

  test('bypass lifts names that decide what runs later, nothing else', async () => {
    const own = join(root, 'covey-config')
    const files = createFiles({ root, lifted: true, own: [own], rules: [rule('*', 'secret/**', 'deny')] })
    const bypass = { mode: 'bypass', own: [own], rules: [rule('*', 'secret/**', 'deny')] } as const
    for (const path of ['.github/workflows/ci.yml', '.git/config', 'AGENTS.md']) {
      expect(await verdict(bypass, write(path))).toBe('allow')
    }
    await files.write('.github/workflows/ci.yml', 'on: push')

    const expected = { '.env': 'ask', 'server.key': 'deny', 'secret/x': 'deny', '.covey/config.toml': 'ask' }
    for (const [path, wanted] of Object.entries({ ...expected, 'covey-config/config.toml': 'deny' })) {
      expect([path, await verdict(bypass, write(path))]).toEqual([path, wanted])
      await expect(files.write(path, 'x')).rejects.toMatchObject({ code: 'permission-denied' })
    }
    expect(await verdict(bypass, run(`echo x >> ${own}/config.toml`))).toBe('deny')
    expect(await verdict(bypass, run(`cd ${own} && sed -i s/ask/bypass/ config.toml`))).toBe('deny')
  })

  test('a yes opens one of them for one act', async () => {
    const grants = createGrants()
    const guard = permissions({ grants })
    const files = createFiles({ root, grants })
    const asked = write('.vscode/settings.json')

    await expect(files.write('.vscode/settings.json', '{}')).rejects.toMatchObject({
      code: 'permission-denied',
    })
    await guard.accept(asked, { allow: true, remember: true })
    await files.write('.vscode/settings.json', '{}')

    await expect(files.write('.vscode/settings.json', '{}')).rejects.toMatchObject({
      code: 'permission-denied',
    })
    await expect(files.write('.vscode/tasks.json', '{}')).rejects.toMatchObject({ code: 'permission-denied' })
    expect((await guard.authorize(asked)).verdict).toBe('ask')
  })

  test('a yes to reading does not open writing, and a no opens nothing', async () => {
    const grants = createGrants()
    const guard = permissions({ grants })
    const files = createFiles({ root, grants })

    await guard.accept(read('.env'), { allow: false })
    await expect(files.read('.env')).rejects.toMatchObject({ code: 'permission-denied' })

    await guard.accept(read('.env'), { allow: true })
    await expect(files.write('.env', 'x')).rejects.toMatchObject({ code: 'permission-denied' })
    expect(await files.read('.env')).toBe('KEY=1')
    await expect(files.read('.env')).rejects.toMatchObject({ code: 'permission-denied' })
  })

  test('what lies outside is refused before anyone is asked', async () => {
    expect(await permissions({}).authorize(write('../x'))).toEqual({
      verdict: 'deny',
      why: expect.stringMatching(
        /^\.\.\/x cannot be written: it lies outside the project\. It is reachable from a session started in \//,
      ),
    })
  })
})

describe('always', () => {
  test.each([
    ['npm test', [rule('run_command', 'npm test', 'allow')]],
    ['npm run build -- --silent', [rule('run_command', 'npm run build', 'allow')]],
    ['pytest -q tests', [rule('run_command', 'pytest', 'allow')]],
    ['cargo build --release', [rule('run_command', 'cargo build', 'allow')]],
    ['npm install left-pad', [{ ...rule('run_command', 'npm install left-pad', 'allow'), exact: true }]],
    ['node test.js', [{ ...rule('run_command', 'node test.js', 'allow'), exact: true }]],
    [
      'python3 tools/gen.py all',
      [{ ...rule('run_command', 'python3 tools/gen.py all', 'allow'), exact: true }],
    ],
    ['rm -rf build', [{ ...rule('run_command', 'rm -rf build', 'allow'), exact: true }]],
    ['ls | wc -l', [rule('run_command', 'ls', 'allow'), rule('run_command', 'wc', 'allow')]],
  ])('%s would be remembered as a rule that covers it', async (command, rules) => {
    const { always } = await permissions({}).authorize(run(command))

    expect(always?.rules).toEqual(rules)
    expect(await verdict({ rules }, run(command))).toBe('allow')
  })

  test.each([
    ["bash -c 'npm test'"],
    ['env A=1 npm test'],
    ['sudo npm test'],
    ['npm test $X'],
    ['rm -rf ../build'],
    ['rm -rf dist && git push --force'],
    ['git push -f origin main'],
    ['git reset --hard'],
    ['node -e 1'],
    ['node ../build.js'],
    ['frobnicate'],
    ['npm test \u200B'],
    ['npm test \u202Eabc'],
    ['npm test\u0007'],
    [`npm test ${'a'.repeat(300)}`],
    ['npm test > out'],
    ['cat .env'],
    ['git commit -m x'],
  ])('is not offered for %s', async (command) => {
    expect(await permissions({}).authorize(run(command))).toEqual({
      verdict: 'ask',
      why: expect.any(String),
      remedy: { mode: 'bypass' },
    })
  })

  test('git can be remembered inside a sandbox', async () => {
    const { always } = await permissions({ sandboxed: true }).authorize(run('git commit -m "a message"'))

    expect(always?.text).toBe('always allow "git commit" in this folder')
  })

  test('an exact rule covers nothing longer', async () => {
    const rules = [{ ...rule('*', 'rm build', 'allow'), exact: true }]

    expect(await verdict({ rules }, run('rm build'))).toBe('allow')
    expect(await verdict({ rules }, run('rm build src'))).toBe('ask')
  })

  test('a file and a site can be remembered, and no more than that', async () => {
    const guard = permissions({})
    await guard.accept(write('src/a.ts'), { allow: true, remember: true })
    await guard.accept(fetchUrl('https://docs.example.com/a?b'), { allow: true, remember: true })

    expect((await guard.authorize(write('src/a.ts'))).verdict).toBe('allow')
    expect((await guard.authorize(write('deep/src/a.ts'))).verdict).toBe('ask')
    expect((await guard.authorize(fetchUrl('https://docs.example.com/other'))).verdict).toBe('allow')
    expect((await guard.authorize(fetchUrl('https://docs.example.com.evil.org/'))).verdict).toBe('ask')
    expect((await guard.authorize(fetchUrl('http://docs.example.com/'))).verdict).toBe('ask')
  })

  test('is kept for the next session, in the same folder only', async () => {
    const folder = await tempProject()
    const path = join(folder, 'data/permissions.json')
    await permissions({ book: await openRuleBook(path) }).accept(run('npm test'), {
      allow: true,
      remember: true,
    })

    const book = await openRuleBook(path)
    expect(await verdict({ book }, run('npm test'))).toBe('allow')
    expect(await verdict({ book, roots: [folder] }, run('npm test'))).toBe('ask')
  })

  test('a yes without it is for once', async () => {
    const guard = permissions({})
    await guard.accept(run('npm test'), { allow: true })

    expect((await guard.authorize(run('npm test'))).verdict).toBe('ask')
  })
})

test('what cannot be seen is written out in the question', async () => {
  const { why } = await permissions({}).authorize(run('echo \u202Eevil\u200B'))

  expect(why).toBe('run_command runs a command: echo \\u{202e}evil\\u{200b}')
})

test('of several accesses the strictest decides', async () => {
  const both = request(
    'apply_patch',
    { kind: 'write', target: 'src/a.ts' },
    { kind: 'write', target: '../x' },
  )

  expect(await verdict({ mode: 'bypass' }, both)).toBe('deny')
})

test('inside a sandbox a rule for one part is enough when the others only read', async () => {
  const rules = [rule('run_command', 'npm test', 'allow')]

  expect(await verdict({ rules, sandboxed: true }, run('cd packages/a && npm test | tail -5'))).toBe('allow')
  expect(await verdict({ rules, sandboxed: false }, run('cd packages/a && npm test | tail -5'))).toBe('ask')
})

describe('code in another language than the shell', () => {
  const code = (target: string): AuthorizeRequest =>
    request('python', { kind: 'run', target, language: 'Python' })

  test('is judged as an unknown command, whatever a shell would make of it', async () => {
    for (const target of ['ls', 'x = 1', 'print("a")', 'cat src/a.ts']) {
      expect(await verdict({ mode: 'ask', sandboxed: true }, code(target))).toBe('ask')
      expect(await verdict({ mode: 'accept-edits', sandboxed: true }, code(target))).toBe('ask')
      expect(await verdict({ mode: 'auto', sandboxed: true }, code(target))).toBe('allow')
      expect(await verdict({ mode: 'auto', sandboxed: false }, code(target))).toBe('ask')
      expect(await verdict({ mode: 'read-only', sandboxed: true }, code(target))).toBe('deny')
      expect(await verdict({ mode: 'deny', sandboxed: true }, code(target))).toBe('deny')
    }
  })

  test('is asked for by its language, and never offers "always"', async () => {
    const asked = await permissions({ mode: 'ask', sandboxed: true }).authorize(code('npm test'))

    expect(asked).toEqual({
      verdict: 'ask',
      why: 'python runs Python: npm test',
      remedy: { mode: 'auto' },
    })
  })

  test('is allowed by a rule for the whole tool only', async () => {
    expect(await verdict({ rules: [rule('python', undefined, 'allow')] }, code('x'))).toBe('allow')
    expect(await verdict({ rules: [rule('python', 'x', 'allow')] }, code('x = 1'))).toBe('ask')
  })

  test('a deny holds for the tool, for a command named in it and for a path', async () => {
    const denied: readonly (readonly [Rule, string])[] = [
      [rule('python', undefined, 'deny'), '1'],
      [rule('py*', '*', 'deny'), '1'],
      [rule('*', 'git push', 'deny'), 'import os; os.system("git push origin")'],
      [rule('*', 'git push', 'deny'), "subprocess.run(['git', 'push'])"],
      [rule('*', 'secret/**', 'deny'), 'open("secret/x").read()'],
      [rule('*', 'secret/**', 'deny'), "open('SECRET/x')"],
    ]
    for (const [one, target] of denied) {
      const rules = [one, rule('*', undefined, 'allow')]
      expect(await verdict({ mode: 'bypass', sandboxed: true, rules }, code(target))).toBe('deny')
    }
  })

  test('nothing overrides a deny of the tool', async () => {
    const anyRule = fc.record({
      tool: fc.constantFrom('*', 'python', 'py*', 'run_command'),
      pattern: fc.constantFrom('*', 'x', 'git push', '**'),
      verdict: fc.constantFrom<Verdict>('allow', 'ask'),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyRule),
        fc.constantFrom(...permissionModes),
        fc.boolean(),
        fc.string(),
        async (rules, mode, sandboxed, target) => {
          const all = [...rules, rule('python', undefined, 'deny')]

          expect(await verdict({ mode, sandboxed, rules: all }, code(target))).toBe('deny')
        },
      ),
      { numRuns: runs(75, 300) },
    )
  })
})
