/** The program as a person starts it: what goes to which stream, and exit codes. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { covey, coveyProcess, type CoveyOptions } from '../support/covey.ts'
import { startModelServer, type ScriptedServerReply } from '../support/model-server.ts'
import { tempProject } from '../support/project.ts'
import { emptyHome } from '../support/run.ts'

const script = (...lines: readonly object[]): string => lines.map((line) => JSON.stringify(line)).join('\n')

async function inProject(
  args: readonly string[],
  files: Record<string, string> = {},
  options: Partial<CoveyOptions> = {},
) {
  const cwd = await tempProject(files)
  const env = await emptyHome()
  return { cwd, env, ...(await covey(args, { cwd, env, ...options })) }
}

const listing = script(
  { calls: [{ name: 'list_files', input: { path: '.' } }] },
  { text: 'There is one file, a.txt.' },
)

test('a prompt is answered on stdout, tools are reported on stderr', async () => {
  const { code, out, err } = await inProject(['--model', 'scripted:play.jsonl', 'What files are here?'], {
    'play.jsonl': listing,
  })

  expect(out).toBe('There is one file, a.txt.\n')
  expect(err).toContain('→ list_files .')
  expect(code).toBe(0)
})

test('without any configuration the built-in model does the work', async () => {
  // A server that runs on this machine would be found and asked.
  const env = { ...(await emptyHome()), COVEY_ROUTER__DISCOVER: 'false' }
  const { code, out, err } = await inProject(
    ['What files are in this folder?'],
    { 'a.txt': '', 'src/b.ts': '' },
    { env },
  )

  expect(out).toContain('a.txt')
  expect(out).toContain('src')
  expect(err).toContain('covey/nano')
  expect(code).toBe(0)
})

test('unquoted words are one prompt', async () => {
  const { code, out } = await inProject(['-m', 'scripted:play.jsonl', 'what', 'files', 'are', 'here'], {
    'play.jsonl': listing,
  })

  expect(out).toContain('a.txt')
  expect(code).toBe(0)
})

test('--json prints every event as a line, numbered in order', async () => {
  const { out } = await inProject(['run', '--json', '-m', 'scripted:play.jsonl', 'List.'], {
    'play.jsonl': listing,
  })

  const [start, ...events] = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; id: number })
  expect(start).toEqual({ type: 'session-start', sessionId: expect.stringMatching(/^\d{8}-\d{4}-\w+$/) })
  expect(events.map(({ id }) => id)).toEqual(events.map(({ id }) => id).toSorted((a, b) => a - b))
  expect(events.at(0)?.type).toBe('run-start')
  expect(events.at(-1)).toMatchObject({ type: 'run-end', reason: 'answered' })
})

test('a real process reads what is piped into it', async () => {
  const cwd = await tempProject({ 'play.jsonl': script({ text: 'ok' }) })

  const run = await coveyProcess(['-m', 'scripted:play.jsonl'], {
    cwd,
    env: await emptyHome(),
    input: 'piped words',
  })

  // Where there is no sandbox, that is said.
  expect(run).toEqual({
    code: 0,
    out: 'ok\n',
    err: expect.stringMatching(/^(?:covey: commands run without a sandbox.*\n)?$/),
  })
})

test('what is piped reaches the model', async () => {
  const server = await startModelServer([{ text: 'Thanks.' }])
  onTestFinished(() => server.close())

  const { code } = await inProject(
    ['--base-url', server.url, '--model', 'm'],
    {},
    { input: 'a question from a pipe' },
  )

  expect(JSON.stringify(server.requests[0]?.messages)).toContain('a question from a pipe')
  expect(code).toBe(0)
})

test('a run that a rule ended exits with 3 and says why', async () => {
  const looping = Array.from({ length: 9 }, () => ({ calls: [{ name: 'list_files', input: { path: '.' } }] }))
  const { code, err } = await inProject(['-m', 'scripted:play.jsonl', 'Go.'], {
    'play.jsonl': script(...looping),
  })

  expect(code).toBe(3)
  expect(err).toContain('same call')
})

test('Ctrl+C ends the run with 130 and the session can be resumed', async () => {
  const hanging: ScriptedServerReply = {
    text: 'This takes for ever, and more, and more words follow.',
    fault: 'hang-mid-stream',
  }
  const server = await startModelServer([hanging, { text: 'Back again.' }])
  onTestFinished(() => server.close())
  const cwd = await tempProject({})
  const env = await emptyHome()
  const args = ['--base-url', server.url, '--model', 'm', '--json']

  const first = await coveyProcess([...args, 'Start.'], {
    cwd,
    env,
    onOut: (text, kill) => text.includes('text-delta') && kill('SIGINT'),
  })
  const second = await covey([...args, '--resume', 'Go on.'], { cwd, env })

  expect(first.code).toBe(130)
  expect(second.code).toBe(0)
  expect(JSON.stringify(server.requests[1]?.messages)).toContain('Start.')
})

test('without a user to ask the call is refused, with the flag that allows it', async () => {
  const { code, err, cwd } = await inProject(['-m', 'scripted:play.jsonl', 'Write.'], {
    'play.jsonl': script(
      { calls: [{ name: 'write_file', input: { path: 'made.txt', content: 'x\n' } }] },
      { text: 'I may not.' },
    ),
  })

  expect(err).toContain('--permission')
  await expect(readFile(join(cwd, 'made.txt'))).rejects.toThrow('ENOENT')
  expect(code).toBe(0)
})

test('incognito leaves nothing behind', async () => {
  const { env } = await inProject(['--incognito', '-m', 'scripted:play.jsonl', 'List.'], {
    'play.jsonl': listing,
  })

  await expect(readFile(join(env['XDG_DATA_HOME']!, 'covey', 'sessions'))).rejects.toThrow('ENOENT')
})

describe('bad input is one clear line:', () => {
  const wrong: readonly [name: string, args: readonly string[], code: number, says: RegExp][] = [
    ['an unknown flag', ['--modle', 'x', 'hi'], 2, /--modle/],
    ['a mistyped command', ['sesions', 'ls'], 2, /did you mean `covey sessions`/],
    ['a mode that does not exist', ['-p', 'yolo', 'hi'], 2, /--permission/],
    ['a number that is none', ['--max-turns', 'many', 'hi'], 2, /--max-turns/],
    ['a URL that is none', ['--base-url', 'nonsense', 'hi'], 2, /--base-url/],
    ['an unconfigured model', ['-m', 'nope', 'hi there'], 2, /No arm is called "nope"/],
    ['a script that does not exist', ['-m', 'scripted:no.jsonl', 'hi'], 2, /no\.jsonl/],
    [
      'a session that does not exist',
      ['-m', 'scripted:play.jsonl', '--resume-id', 'nope', 'hi'],
      2,
      /session "nope" does not exist/,
    ],
    ['nothing to resume', ['-m', 'scripted:play.jsonl', '--resume', 'hi'], 2, /No session of this folder/],
    ['a folder that does not exist', ['-m', 'scripted:play.jsonl', '--cwd', 'gone', 'hi'], 2, /gone/],
    ['no prompt and no terminal', ['-m', 'scripted:play.jsonl'], 2, /no prompt/],
    ['an unknown action', ['sessions', 'explode'], 2, /explode/],
  ]

  test.each(wrong)('%s', async (_name, args, code, says) => {
    const run = await inProject(args, { 'play.jsonl': script({ text: 'hello' }) })

    expect(run.err).toMatch(says)
    expect(run.err).not.toMatch(/\n\s+at /)
    expect(run.out).toBe('')
    expect(run.code).toBe(code)
  })

  test('a broken configuration key, with the one that was meant', async () => {
    const cwd = await tempProject({})
    const env = await emptyHome()
    await mkdir(join(env['XDG_CONFIG_HOME']!, 'covey'), { recursive: true })
    await writeFile(join(env['XDG_CONFIG_HOME']!, 'covey', 'config.toml'), '[engine]\nmax_turn = 5\n')

    const run = await covey(['hi'], { cwd, env })

    expect(run.err).toMatch(/max_turn\b.*max_turns/s)
    expect(run.code).toBe(2)
  })

  test('an unreachable server', async () => {
    const server = await startModelServer([])
    await server.close()

    const run = await inProject(['--base-url', server.url, '--timeout', '1', 'hi'])

    expect(run.err).toContain('127.0.0.1')
    expect(run.err).not.toMatch(/\n\s+at /)
    expect(run.code).not.toBe(0)
  })
})

test.each(['1.001', '2000000'])('--timeout %s is a time a run can have', async (seconds) => {
  const { code, out } = await inProject(['-m', 'scripted:play.jsonl', '--timeout', seconds, 'hi'], {
    'play.jsonl': script({ text: 'Hello.' }),
  })

  expect({ code, out }).toEqual({ code: 0, out: 'Hello.\n' })
})

test.each(['0', '-1', '1e308', '9999999', 'soon'])(
  '--timeout %s is refused with what it should be',
  async (seconds) => {
    const { code, err } = await inProject(['-m', 'scripted:play.jsonl', '--timeout', seconds, 'hi'])

    expect({ code, err }).toEqual({
      code: 2,
      err: 'covey: --timeout must be seconds, more than 0 and at most 2000000\n',
    })
  },
)
