/** The guard as a person meets it: whole runs of the whole program. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type AppOptions, createApp } from '../../src/app/open.ts'
import { openSessions } from '../../src/app/queries.ts'
import type { SessionEvent } from '../../src/protocol/event.ts'
import type { SessionApi } from '../../src/protocol/session-api.ts'
import { calls, says, scriptedModel } from '../../src/provider/scripted.ts'
import { builtinTools } from '../../src/tools/all.ts'
import { covey } from '../support/covey.ts'
import { tempProject } from '../support/project.ts'
import { emptyHome, endOf, ofType, openTestApp, promptAndCollect, run } from '../support/run.ts'
import { missing, named } from './with-sandbox.ts'

type Scripted = ReturnType<typeof scriptedModel>

const NEW = { resume: 'new', canAsk: false } as const

const resultsOf = (model: Scripted, turn: number) =>
  model.asked[turn]?.messages.filter((message) => message.role === 'tool') ?? []

describe('no tool goes round it', () => {
  const inputs: Readonly<Record<string, object>> = {
    list_files: { path: '.' },
    read_file: { path: 'a.txt' },
    search_text: { pattern: 'hello' },
    edit_file: { path: 'a.txt', old: 'hello', new: 'bye' },
    write_file: { path: 'b.txt', content: 'x' },
    make_folder: { path: 'd' },
    copy_file: { from: 'a.txt', to: 'b.txt' },
    move_file: { from: 'a.txt', to: 'b.txt' },
    delete_file: { path: 'a.txt' },
    run_command: { command: 'echo hi > c.txt' },
    find_files: { pattern: '*' },
    apply_patch: { patch: '--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-hello\n+bye\n' },
    fetch_url: { url: 'https://example.com' },
    python: { code: 'open("c.txt", "w")' },
    javascript: { code: 'require("fs").writeFileSync("c.txt", "")' },
    data_view: { path: 'a.txt' },
    propose_patch: { plan: 'p', diff: '--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-hello\n+bye\n', tests: '' },
  }
  const nowhere = () => Promise.reject(new Error('nothing is kept here'))
  const touching = builtinTools({ list: () => [], patches: nowhere }).filter(
    ({ name, access }) => access(inputs[name] ?? {}).length > 0,
  )

  test('the list of tools that touch anything is the one tried here', () => {
    expect(touching.map(({ name }) => name).toSorted()).toEqual(Object.keys(inputs).toSorted())
  })

  test.each(Object.keys(inputs))('%s is refused where nothing is allowed', async (name) => {
    const model = scriptedModel([calls(name, inputs[name] ?? {})], [says('Refused.')])
    const project = await tempProject({ 'a.txt': 'hello\n' })

    const events = await run(model, project, { permission: 'deny' })

    expect(ofType(events, 'tool-end').map(({ ok, code }) => [ok, code])).toEqual([[false, 'denied']])
    expect((await readdir(project)).toSorted()).toEqual(['a.txt'])
    expect(await readFile(join(project, 'a.txt'), 'utf8')).toBe('hello\n')
  })

  test.each(Object.keys(inputs))('%s is refused by a deny in every other mode', async (name) => {
    const model = scriptedModel([calls(name, inputs[name] ?? {})], [says('Refused.')])
    const project = await tempProject({ 'a.txt': 'hello\n' })
    const flags = { 'permission.rules': [{ tool: name, verdict: 'deny' }] }

    const events = await run(model, project, { permission: 'bypass', flags })

    expect(ofType(events, 'tool-end').map(({ code }) => code)).toEqual(['denied'])
    expect(ofType(events, 'tool-end')[0]?.text).toContain('nothing overrides that')
  })

  test('what a rule forbids altogether is not offered; what it forbids in part is', async () => {
    const model = scriptedModel([calls('more_tools', {})], [says('I see.')])
    const flags = {
      'permission.rules': [
        { tool: 'run_command', verdict: 'deny' },
        { tool: 'job_*', verdict: 'deny' },
        { tool: 'write_file', pattern: 'secret/**', verdict: 'deny' },
      ],
    }

    const events = await run(model, await tempProject(), { flags })

    const names = model.asked[0]?.tools.map(({ name }) => name)
    expect(names).toContain('write_file')
    expect(names).not.toContain('run_command')
    expect(ofType(events, 'tool-end')[0]?.text).toContain('write_file')
    expect(ofType(events, 'tool-end')[0]?.text).not.toMatch(/run_command|job_/)
  })
})

describe('a person at the terminal', () => {
  const answering =
    (answer: Parameters<SessionApi['answer']>[1]) => (event: SessionEvent, session: SessionApi) => {
      if (event.type === 'permission-ask') void session.answer(event.askId, answer)
    }

  test('says no with a reason, and the reason reaches the model', async () => {
    const model = scriptedModel([calls('write_file', { path: 'b.txt', content: 'x' })], [says('Well.')])

    await run(model, await tempProject(), {
      permission: 'ask',
      canAsk: true,
      onEvent: answering({ allow: false, reason: 'The person said no: put it into notes.md' }),
    })

    expect(resultsOf(model, 1).map(({ text }) => text)).toEqual([
      'Error: The person said no: put it into notes.md',
    ])
  })

  test('has seen that the call began before being asked', async () => {
    const write = (path: string) => calls('write_file', { path, content: 'x' })
    const model = scriptedModel([write('b.txt'), write('c.txt')], [write('d.txt')], [says('Done.')])

    const events = await run(model, await tempProject(), {
      permission: 'ask',
      canAsk: true,
      onEvent: answering({ allow: true }),
    })

    const order = events.flatMap(({ type }) => (/^(?:tool-start|permission-ask)$/.test(type) ? [type] : []))
    expect(order).toEqual(Array.from({ length: 3 }, () => ['tool-start', 'permission-ask']).flat())
  })

  test('allows once, and is asked again', async () => {
    const write = (path: string) => calls('write_file', { path, content: 'x', overwrite: true })
    const model = scriptedModel([write('b.txt')], [write('b.txt')], [says('Done.')])

    const events = await run(model, await tempProject(), {
      permission: 'ask',
      canAsk: true,
      onEvent: answering({ allow: true }),
    })

    expect(ofType(events, 'permission-ask')).toHaveLength(2)
    expect(ofType(events, 'permission-ask')[0]?.always?.text).toBe(
      'always allow exactly "b.txt" in this folder',
    )
  })

  test('allows always, is asked no more, and finds it in the audit log and in the list', async () => {
    const env = await emptyHome()
    const project = await tempProject()
    const command = () => calls('run_command', { command: 'npm test' })
    const options: Partial<AppOptions> = { env, incognito: false, permission: 'ask' }

    const first = await run(scriptedModel([command()], [says('Done.')]), project, {
      ...options,
      canAsk: true,
      onEvent: answering({ allow: true, remember: true }),
    })
    const second = await run(scriptedModel([command()], [says('Done.')]), project, options)

    const data = join(env['XDG_DATA_HOME'] ?? '', 'covey')
    const audit = (await readFile(join(data, 'audit.log'), 'utf8')).trim().split('\n')
    expect(ofType(first, 'permission-ask').map(({ always }) => always?.text)).toEqual([
      'always allow "npm test" in this folder',
    ])
    expect(ofType(second, 'tool-end').map(({ code }) => code)).not.toContain('denied')
    expect(JSON.parse(await readFile(join(data, 'permissions.json'), 'utf8'))).toMatchObject({
      rules: [{ tool: 'run_command', pattern: 'npm test', verdict: 'allow' }],
    })
    expect(audit.map((line) => JSON.parse(line) as object)).toMatchObject([
      { what: 'approved', tool: 'run_command', targets: ['npm test'], by: 'person' },
    ])
  })

  test('without a user to ask the answer is no, and says how to allow it', async () => {
    const model = scriptedModel([calls('write_file', { path: 'b.txt', content: 'x' })], [says('Well.')])

    await run(model, await tempProject(), { permission: 'ask' })

    expect(resultsOf(model, 1)[0]?.text).toContain('--permission accept-edits')
  })
})

describe.skipIf(missing !== undefined)(named('commands'), () => {
  test('run in the sandbox in mode auto, and what was blocked is named', async () => {
    const outside = `/usr/local/covey-marker-${process.pid}`
    const model = scriptedModel(
      [calls('run_command', { command: `echo in > inside.txt; echo out > ${outside}` })],
      [says('Done.')],
    )
    const project = await tempProject()

    await run(model, project, { permission: 'auto' })

    expect(await readFile(join(project, 'inside.txt'), 'utf8')).toBe('in\n')
    await expect(readFile(outside)).rejects.toThrow('ENOENT')
    expect(resultsOf(model, 1)[0]?.text).toContain(`[sandbox: ${outside} cannot be written`)
  })
})

describe.skipIf(missing !== undefined)(named('a command that seems to read'), () => {
  test('cannot write, and is asked for as a write when it tries', async () => {
    const command = 'f=-o; sort $f out.txt a.txt'
    const model = scriptedModel([calls('run_command', { command })], [says('Well.')])
    const project = await tempProject({ 'a.txt': 'b\na\n' })

    await run(model, project, { permission: 'ask' })

    const text = resultsOf(model, 1)[0]?.text ?? ''
    expect(text).toContain('[sandbox: it was run as a command that only reads, and tried to write: ')
    expect(text).toContain('--permission auto')
    await expect(readFile(join(project, 'out.txt'))).rejects.toThrow('ENOENT')
  })

  test('runs again with the right to write where the mode allows that', async () => {
    const command = 'f=-o; sort $f out.txt a.txt'
    const model = scriptedModel([calls('run_command', { command })], [says('Well.')])
    const project = await tempProject({ 'a.txt': 'b\na\n' })

    await run(model, project, { permission: 'auto' })

    expect(resultsOf(model, 1)[0]?.ok).toBe(true)
    expect(await readFile(join(project, 'out.txt'), 'utf8')).toBe('a\nb\n')
  })

  test('may be git, which refreshes no index then', async () => {
    const command = 'cd . && git init -q /tmp/r; git -C . status 2>&1 | head -1; echo $GIT_OPTIONAL_LOCKS'
    const reading =
      'git --no-pager log 2>&1 | head -1; for f in *.txt; do head -1 "$f"; done; echo $GIT_OPTIONAL_LOCKS'
    const model = scriptedModel(
      [calls('run_command', { command: reading })],
      [calls('run_command', { command })],
      [says('Well.')],
    )
    const project = await tempProject({ 'a.txt': 'first\n' })

    await run(model, project, { permission: 'ask' })

    expect(resultsOf(model, 1)[0]?.text).toMatch(/first\n0$/)
    expect(resultsOf(model, 2).at(-1)?.ok).toBe(false)
  })
})

test('without a sandbox the start says so and every command is asked for', async () => {
  const model = scriptedModel([calls('run_command', { command: 'ls' })], [says('Well.')])
  const env = { ...(await emptyHome()), PATH: '/nowhere' }

  const app = await openTestApp(model, await tempProject(), { env, permission: 'auto' })
  const session = await app.openSession(NEW)
  const events = await promptAndCollect(session, {})
  await session.close()

  expect(app.confinement).toBe('bwrap is not installed')
  expect(app.warnings.join()).toContain('commands run without a sandbox')
  expect(ofType(events, 'tool-end').map(({ code }) => code)).toEqual(['denied'])
})

describe('secrets', () => {
  const KEY = `AKIA${'Q3EGFZ7KXW2NLRTB'}`
  const PASSWORD = 'hunter2-Tr0ub4dor&3'
  const CANARIES = [KEY, PASSWORD]

  test('never reach the model, the session file, the events, the log or an export', async () => {
    const token = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`
    const env: NodeJS.ProcessEnv = { ...(await emptyHome()), DEPLOY_TOKEN: token }
    const project = await tempProject({
      'config.js': `export const key = '${KEY}'\nexport const port = 1\n`,
      'log.txt': `x\npassword=${PASSWORD}\n`,
      'notes.md': `the deploy key is ${KEY}\n`,
    })
    const model = scriptedModel(
      [calls('read_file', { path: 'config.js' }), calls('run_command', { command: 'cat log.txt; env' })],
      [calls('search_text', { pattern: 'key' })],
      [says(`The key is ${KEY.slice(0, 9)}`), says(`${KEY.slice(9)}, keep it.`)],
    )
    const logFile = join(env['HOME'] ?? '', 'covey.log')

    const events = await run(model, project, {
      env,
      incognito: false,
      prompt: `Is my password=${PASSWORD} the one in @notes.md?`,
      flags: { 'log.file': logFile, 'log.level': 'trace' },
    })

    const sessions = await openSessions(env, project)
    const [info] = await sessions.list()
    const everything = [
      JSON.stringify(model.asked),
      JSON.stringify(events),
      await sessions.export(info?.id ?? '', 'json'),
      await allText(join(env['XDG_DATA_HOME'] ?? '', 'covey')),
      await readFile(logFile, 'utf8'),
    ]
    const leaked = [...CANARIES, token].filter((canary) => everything.some((text) => text.includes(canary)))
    expect(leaked).toEqual([])
    expect(endOf(events).reason).toBe('answered')
    expect(JSON.stringify(model.asked)).toContain('[secret:aws-key')
  })

  test('turn back in the file they came from, also after the session was resumed', async () => {
    const env = await emptyHome()
    const project = await tempProject({ 'config.js': `const key = '${KEY}'\nconst port = 1\n` })
    const options = { env, incognito: false }

    const first = scriptedModel([calls('read_file', { path: 'config.js' })], [says('Read.')])
    const reading = await (await openTestApp(first, project, options)).openSession(NEW)
    await promptAndCollect(reading, {})
    await reading.close()
    const placeholder = /\[secret:[^\]]+\]/.exec(resultsOf(first, 1)[0]?.text ?? '')?.[0] ?? ''
    const content = `const key = '${placeholder}'\nconst port = 2\n`
    const second = scriptedModel(
      [calls('write_file', { path: 'config.js', content, overwrite: true })],
      [calls('write_file', { path: 'copy.js', content })],
      [calls('run_command', { command: `echo ${placeholder} > leak.txt` })],
      [says('Written.')],
    )
    const app = await openTestApp(second, project, options)
    const session = await app.openSession({ resume: 'last', canAsk: false })
    const events = await promptAndCollect(session, {})
    await session.close()

    expect(await readFile(join(project, 'config.js'), 'utf8')).toBe(`const key = '${KEY}'\nconst port = 2\n`)
    expect(ofType(events, 'tool-end').map(({ ok, code }) => [ok, code])).toEqual([
      [true, undefined],
      [false, 'denied'],
      [false, 'denied'],
    ])
    expect((await readdir(project)).toSorted()).toEqual(['config.js'])
  })

  test('a yes that names them gives them to one call', async () => {
    const project = await tempProject({ 'config.js': `const key = '${KEY}'\n` })
    const first = [calls('read_file', { path: 'config.js' })]
    let placeholder = ''
    const model = scriptedModel(
      first,
      (request) => {
        placeholder = /\[secret:[^\]]+\]/.exec(JSON.stringify(request.messages))?.[0] ?? ''
        return [calls('run_command', { command: `printf %s "${placeholder}" | wc -c` })]
      },
      [says('Done.')],
    )

    const events = await run(model, project, {
      permission: 'bypass',
      canAsk: true,
      onEvent: (event, session) => {
        if (event.type === 'permission-ask') void session.answer(event.askId, { allow: true })
      },
    })

    expect(ofType(events, 'permission-ask').map(({ secrets }) => secrets)).toEqual([
      [{ kind: 'aws-key', placeholder, path: 'config.js' }],
    ])
    expect(resultsOf(model, 2).at(-1)?.text).toContain('20')
    expect(JSON.stringify([events, model.asked])).not.toContain(KEY)
  })
})

describe('hooks', () => {
  const hooked = async (hooks: Readonly<Record<string, object>>) => {
    const env = await emptyHome()
    const project = await tempProject({ 'a.txt': 'hello\n' })
    return { env, project, flags: { hooks } as AppOptions['flags'] & object }
  }

  test('are asked at all seven moments of a session', async () => {
    const { env, project } = await hooked({})
    const told = join(env['HOME'] ?? '', 'told.jsonl')
    const events = [
      'session_start',
      'user_prompt',
      'pre_tool_use',
      'post_tool_use',
      'pre_compact',
      'stop',
      'session_end',
    ]
    const hooks = Object.fromEntries(
      events.map((event) => [event, { event, command: `cat >> ${told}; echo >> ${told}` }]),
    )
    await writeFile(join(project, 'long.txt'), 'hello world of long lines\n'.repeat(400))
    const model = scriptedModel(
      [calls('read_file', { path: 'long.txt' })],
      [calls('read_file', { path: 'long.txt', from: 30 })],
      [says('It says hello.')],
    )

    const app = await openTestApp(model, project, { env, window: 4096, flags: { hooks } })
    const session = await app.openSession(NEW)
    await promptAndCollect(session, { prompt: 'Read long.txt' })
    await session.command('compact')
    await session.close()

    const lines = (await readFile(told, 'utf8')).split('\n').filter(Boolean)
    const seen = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(seen.map(({ event }) => event)).toEqual([
      'session_start',
      'user_prompt',
      'pre_tool_use',
      'post_tool_use',
      'pre_tool_use',
      'post_tool_use',
      'stop',
      'pre_compact',
      'session_end',
    ])
    expect(seen[3]).toMatchObject({ tool: 'read_file', ok: true, text: expect.stringContaining('hello') })
    expect(seen[6]).toMatchObject({ reason: 'answered', turns: 3 })
  })

  test('may deny a call and transform one, which is judged again', async () => {
    const transformed = JSON.stringify({
      action: 'allow',
      transformed: { path: '.ssh/id_rsa', content: 'x' },
    })
    const { env, project, flags } = await hooked({
      no: { event: 'pre_tool_use', tool: 'read_file', command: 'echo not this one >&2; exit 2' },
      other: { event: 'pre_tool_use', tool: 'write_file', command: `echo '${transformed}'` },
    })
    const model = scriptedModel(
      [calls('read_file', { path: 'a.txt' }), calls('write_file', { path: 'b.txt', content: 'x' })],
      [says('Done.')],
    )

    await run(model, project, { env, flags })

    const [denied, judged] = resultsOf(model, 1).map(({ text }) => text)
    expect(denied).toContain('Hook no denied it: not this one')
    expect(judged).toContain('.ssh/id_rsa cannot be written')
  })

  test('may refuse a prompt and rewrite one', async () => {
    const { env, project, flags } = await hooked({
      polite: {
        event: 'user_prompt',
        command: `echo '{"action":"allow","transformed":"Please read a.txt"}'`,
      },
    })
    const model = scriptedModel([says('Fine.')])

    await run(model, project, { env, flags, prompt: 'read it' })
    const refused = await run(scriptedModel([says('Fine.')]), project, {
      env,
      flags: { hooks: { no: { event: 'user_prompt', command: 'echo not today >&2; exit 2' } } },
    })

    expect(model.asked[0]?.messages.at(-1)).toMatchObject({
      text: expect.stringContaining('Please read a.txt'),
    })
    expect(endOf(refused)).toMatchObject({ reason: 'error', report: 'Hook no denied it: not today' })
  })

  test('of type prompt ask the model of the session', async () => {
    const { env, project, flags } = await hooked({
      review: { event: 'pre_tool_use', type: 'prompt', tool: 'write_*', prompt: 'Is this harmless?' },
    })
    const model = scriptedModel(
      [calls('write_file', { path: 'b.txt', content: 'x' })],
      [says('DENY it writes a file')],
      [says('Well.')],
    )

    const events = await run(model, project, { env, flags })

    expect(model.asked[1]?.messages[0]).toMatchObject({ text: expect.stringContaining('Is this harmless?') })
    expect(ofType(events, 'tool-end')[0]?.text).toContain('Hook review denied it')
  })
})

test('a trusted project configuration counts until it changes', async () => {
  const env = await emptyHome()
  const project = await tempProject({ '.covey/config.toml': '[permission]\nmode = "read-only"\n' })
  const mode = async () => {
    const app = await createApp({ env, cwd: project, model: scriptedModel() })
    await app.close()
    return app.permissionMode
  }

  const before = await mode()
  const added = await covey(['trust', 'add'], { cwd: project, env })
  const trusted = await mode()
  await writeFile(join(project, '.covey/config.toml'), '[permission]\nmode = "bypass"\n')
  const changed = await mode()

  expect(added.code).toBe(0)
  expect([before, trusted, changed]).toEqual(['ask', 'read-only', 'ask'])
})

async function allText(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  return (await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name), 'latin1')))).join(
    '\n',
  )
}

test('looking at a folder shows what is there, and nothing that the sandbox put up', async () => {
  const project = await tempProject({ 'a.txt': 'hello\n' })
  const model = scriptedModel(
    [calls('list_files', {}), calls('find_files', { pattern: '*' })],
    [says('Seen.')],
  )

  const events = await run(model, project, { permission: 'auto' })

  expect(ofType(events, 'tool-end').map(({ text }) => text)).toEqual(['a.txt', 'a.txt'])
})
