import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'smol-toml'
import { describe, expect, test } from 'vitest'
import { configCommand } from '../../src/cli/config.ts'
import { Config } from '../../src/config/schema.ts'
import { tempHome, type Home } from '../config/home.ts'
import { tinyFile } from '../models/tiny-file.ts'

async function run(home: Home, args: readonly string[], options: Record<string, unknown> = {}) {
  const printed = { out: '', err: '' }
  const exitCode = await configCommand.run({
    args,
    options,
    env: home.env,
    cwd: home.cwd,
    signal: new AbortController().signal,
    io: {
      out: (text) => void (printed.out += text),
      err: (text) => void (printed.err += text),
      stdin: process.stdin,
      piped: async () => undefined,
      isTty: false,
    },
  })
  return { exitCode, ...printed }
}

const secret = '[arms.cloud]\nkind = "openai"\napi_key = "sk-literal"\n'

describe('show', () => {
  test('prints what is in force as TOML that is itself a configuration', async () => {
    const home = tempHome({ user: secret }, { COVEY_ENGINE__MAX_TURNS: '9' })

    const { exitCode, out, err } = await run(home, ['show'])

    expect(exitCode).toBe(0)
    expect(err).toBe('')
    expect(Config.parse(parse(out))).toEqual({
      ...Config.parse({}),
      engine: { ...Config.parse({}).engine, max_turns: 9 },
      arms: { cloud: { kind: 'openai', api_key: '********', headers: {}, enabled: true, strengths: [] } },
    })
  })

  test('takes the profile from the flag, else from the environment', async () => {
    const home = tempHome(
      { user: '[profiles.a.sessions]\nkeep = 1\n[profiles.b.sessions]\nkeep = 2' },
      { COVEY_PROFILE: 'a' },
    )

    const byVariable = await run(home, ['show'])
    const byFlag = await run(home, ['show'], { profile: 'b' })

    expect(byVariable.out).toContain('keep = 1')
    expect(byFlag.out).toContain('keep = 2')
  })

  test('warns about a project that is not trusted', async () => {
    const home = tempHome({ project: 'offline = true' })

    const { exitCode, out, err } = await run(home, ['show'], { cwd: '.' })

    expect(exitCode).toBe(0)
    expect(out).toContain('offline = false')
    expect(err).toContain(`covey: ${home.projectFile} is not trusted`)
  })

  test('fails with every mistake when there are any', async () => {
    const home = tempHome({ user: 'modle = "x"' })

    await expect(run(home, ['show'])).rejects.toMatchObject({
      code: 'config-invalid',
      message: `${home.userFile}:1: modle is not a key; did you mean model?`,
    })
  })
})

describe('explain', () => {
  test('tells value, meaning, origin and default of a key', async () => {
    const home = tempHome({ user: 'engine.max_turns = 12' })

    const { out } = await run(home, ['explain', 'engine.max_turns'])

    expect(out).toBe(
      [
        'engine.max_turns = 12',
        '  A run ends after this many turns.',
        `  from ${home.userFile}:1 (user); default 50; a whole number of at least 1`,
        '',
      ].join('\n'),
    )
  })

  test('tells what could be set where nothing is', async () => {
    const { out } = await run(tempHome(), ['explain', 'engine'])

    expect(out).toContain(
      'engine.max_turns = 50\n  A run ends after this many turns.\n  the default; a whole',
    )
    expect(out).toContain(
      "engine.temperature = (not set)\n  Sampling temperature; the model's own when not set.\n  a number",
    )
  })

  test('prints no secret and no escape code', async () => {
    const home = tempHome({ user: `${secret}[checks]\n"*" = "\\u001b[31m"\n` })

    const all = await run(home, ['explain'])
    const arm = await run(home, ['explain', 'arms.cloud'])

    expect(all.out).toContain('arms.cloud.api_key = "********"')
    expect(all.out + arm.out).not.toMatch(/sk-literal|\u001B/)
  })
})

describe('check', () => {
  test('says so when everything is right', async () => {
    const home = tempHome({ user: 'model = "cloud"\n[arms.cloud]\nkind = "openai"' })

    expect(await run(home, ['check'])).toEqual({ exitCode: 0, out: 'The configuration is valid.\n', err: '' })
  })

  test('prints one line per mistake and ends with 2', async () => {
    const home = tempHome({ user: 'modle = "x"\nofline = true' })

    expect(await run(home, ['check'])).toEqual({
      exitCode: 2,
      out: '',
      err: [
        `${home.userFile}:1: modle is not a key; did you mean model?`,
        `${home.userFile}:2: ofline is not a key; did you mean offline?`,
        '',
      ].join('\n'),
    })
  })

  test('finds a model that names no arm, unless a server is given that may know it', async () => {
    const user = 'model = "clod"\n[arms.cloud]\nkind = "openai"'
    const withServer = { COVEY_BASE_URL: 'http://127.0.0.1:1/v1' }

    expect(await run(tempHome({ user }), ['check'])).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining('config.toml:1: model: No arm is called "clod"; did you mean "cloud"?'),
    })
    expect(await run(tempHome({ user }, withServer), ['check'])).toMatchObject({ exitCode: 0 })
    expect(await run(tempHome({ user: 'model = "scripted:a.jsonl"' }), ['check'])).toMatchObject({
      exitCode: 0,
    })
  })

  test.each([
    ['an imported file', 'mine'],
    ['an imported file by its file name', 'mine.gguf'],
    ['the built-in model', 'covey/nano'],
  ])('%s is a model', async (_, model) => {
    const home = tempHome({ user: `model = "${model}"` })
    const folder = join(home.env['HOME'] ?? '', '.local', 'share', 'covey', 'models')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'mine.gguf'), tinyFile())

    expect(await run(home, ['check'])).toEqual({ exitCode: 0, out: 'The configuration is valid.\n', err: '' })
  })

  test.each([
    ['by its model', '[arms.x]\nmodel = "mine"', 'arms.x', 'mine'],
    ['by its file name', '[arms.x]\nmodel = "mine.gguf"', 'arms.x', 'mine.gguf'],
    ['by its id', '[arms.mine]\nwindow = 8192', 'arms.mine', 'mine'],
  ])('an arm that means an imported file %s gets a message how to use it', async (_, user, key, model) => {
    const home = tempHome({ user })
    const folder = join(home.env['HOME'] ?? '', '.local', 'share', 'covey', 'models')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'mine.gguf'), tinyFile())

    const { exitCode, err } = await run(home, ['check'])

    expect(exitCode).toBe(2)
    expect(err).toBe(
      `${home.userFile}:2: ${key} needs base_url, the address of its server. The model ${model} is on this machine and needs no arm: ` +
        `remove the table and write \`model = "${model}"\` in front of all tables.\n`,
    )
  })

  test('a server that may not be used yet is a remark', async () => {
    const home = tempHome({ user: 'model = "ollama/qwen3"' })

    // Whether it is allowed depends on who listens on its port here.
    expect(await run(home, ['check'])).toMatchObject({ exitCode: 0, out: 'The configuration is valid.\n' })
  })

  test('a name that neither an arm nor a model has is a mistake', async () => {
    const home = tempHome({ user: 'model = "mine"' })

    expect(await run(home, ['check'])).toEqual({
      exitCode: 2,
      out: '',
      err: `${home.userFile}:1: model: No arm is called "mine" and none is configured; add [arms.mine] to config.toml. No model on this machine has that name either; \`covey models\` lists them.\n`,
    })
  })

  test('a key missing from the environment is a remark, not a mistake', async () => {
    const user = '[arms.cloud]\nkind = "openai"\napi_key = "${CLOUD_KEY}"'

    const missing = await run(tempHome({ user }), ['check'])
    const present = await run(tempHome({ user }, { CLOUD_KEY: 'x' }), ['check'])

    expect(missing).toMatchObject({
      exitCode: 0,
      err: 'arms.cloud cannot be asked until CLOUD_KEY is in the environment.\n',
    })
    expect(present.err).toBe('')
  })
})

test('path prints where the file is or would be', async () => {
  const home = tempHome()

  expect(await run(home, ['path'])).toEqual({ exitCode: 0, out: `${home.userFile}\n`, err: '' })
})

test.each([
  [['shwo'], 'config has no "shwo"; did you mean `covey config show`?'],
  [
    [],
    'say what to do: `covey config show`, `covey config explain`, `covey config check`, `covey config path`',
  ],
])('an unknown action %j is a mistake with the next step', async (args, message) => {
  await expect(run(tempHome(), args)).rejects.toMatchObject({ code: 'config-invalid', message })
})
