/** Every row of docs/exit-codes.md, over the command line and `--json`. */
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { covey, coveyProcess } from '../support/covey.ts'
import { startModelServer } from '../support/model-server.ts'
import { tempProject } from '../support/project.ts'
import { emptyHome } from '../support/run.ts'

type Line = {
  readonly text?: string
  readonly error?: object
  readonly calls?: readonly { readonly name: string; readonly input: object }[]
}

async function runScript(
  lines: readonly Line[],
  flags: readonly string[] = [],
  prompt = 'What does a.txt say?',
) {
  const cwd = await tempProject({ 'a.txt': 'hello\n' })
  const script = join(await tempProject(), 'script.jsonl')
  await writeFile(script, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  const env = await emptyHome()
  const args = ['run', '--model', `scripted:${script}`, ...flags, prompt]
  const plain = await covey(args, { cwd, env })
  const json = await covey([...args, '--json'], { cwd, env })
  const last = JSON.parse(json.out.trim().split('\n').at(-1) ?? '{}') as Record<string, unknown>
  return { plain, json, last }
}

const NANO = fileURLToPath(new URL('../../models/covey-nano.gguf', import.meta.url))

const read = { calls: [{ name: 'read_file', input: { path: 'a.txt' } }] }

test('0: an answer', async () => {
  const { plain, json, last } = await runScript([read, { text: 'It says hello.' }])

  expect([plain.code, json.code]).toEqual([0, 0])
  expect(plain.out).toBe('It says hello.\n')
  expect(last).toMatchObject({ type: 'run-end', reason: 'answered' })
})

test('3: the built-in model declines', async () => {
  const cwd = await tempProject()
  const args = ['run', '--model', 'covey/nano', 'Design a distributed database and prove it correct']

  const { code, out, err } = await covey(args, { cwd, env: await emptyHome() })

  expect(code).toBe(3)
  expect(out).toContain('`covey doctor` looks for a larger one')
  expect(err).toContain('covey: No answer: the model declined the request. No file was changed.')
})

test('4: the built-in model asks before it runs what was not spelled out, in every mode', async () => {
  const cwd = await tempProject({ 'package.json': '{"scripts":{"test":"touch ran"}}' })
  const env = await emptyHome()
  const args = ['run', '--model', 'covey/nano', '--permission', 'bypass', 'run the tests']
  const plain = await covey(args, { cwd, env })
  const json = await covey([...args, '--json'], { cwd, env })

  expect([plain.code, json.code]).toEqual([4, 4])
  expect(plain.out).toContain('Not done: run_command npm test.')
  expect(plain.err).toContain('covey: Stopped. Not allowed: run_command. No file was changed.')
  expect(existsSync(join(cwd, 'ran'))).toBe(false)
})

describe('3: no answer', () => {
  test.each([
    ['empty', ''],
    ['a greeting', 'Hello! How can I help you today?'],
    ['an announcement', 'I will now read the file.'],
    ['the shape of a call', '<teleport_file><to>a.txt</to></teleport_file>'],
  ])('%s', async (_name, text) => {
    const { plain, json, last } = await runScript(Array.from({ length: 8 }, () => ({ text })))

    expect([plain.code, json.code]).toEqual([3, 3])
    expect(plain.out).toBe('')
    expect(plain.err).toContain('covey: No answer:')
    expect(last).toMatchObject({ type: 'run-end', reason: 'no-answer', changed: [] })
  })

  test('tells what is true on disk', async () => {
    const write = { calls: [{ name: 'write_file', input: { path: 'b.txt', content: 'x\n' } }] }
    const lines = [write, ...Array.from({ length: 40 }, () => ({ text: '' }))]

    const { plain, last } = await runScript(
      lines,
      ['--permission', 'bypass'],
      'Write x to b.txt and run `node b.js`.',
    )

    expect(plain.code).toBe(3)
    expect(plain.err).toContain('Changed: b.txt.')
    expect(last).toMatchObject({
      reason: 'no-answer',
      report: expect.stringContaining('`node b.js` was not run') as string,
    })
  })
})

test('3: stopped by a limit', async () => {
  const { plain, json, last } = await runScript([read, read, read], ['--max-turns', '1'])

  expect([plain.code, json.code]).toEqual([3, 3])
  expect(last).toMatchObject({ reason: 'max-turns' })
})

/** A server that never answers: the run lasts until something ends it. */
async function silentServer(): Promise<{ readonly url: string }> {
  const server = createServer(() => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` }
}

const silent = (url: string) => ['run', '--base-url', url, '--model', 'x', '--no-probe', '--json']

test('3: stopped by --timeout', async () => {
  const { url } = await silentServer()

  const ended = await covey([...silent(url), '--timeout', '0.5', 'What is 2 + 2?'], {
    cwd: await tempProject(),
    env: await emptyHome(),
  })

  expect(ended).toMatchObject({ code: 3, err: expect.stringContaining('stopped by --timeout') as string })
  expect(JSON.parse(ended.out.trim().split('\n').at(-1) ?? '{}')).toMatchObject({ reason: 'cancelled' })
})

test('130: interrupted', async () => {
  const { url } = await silentServer()

  const ended = await coveyProcess([...silent(url), 'What is 2 + 2?'], {
    cwd: await tempProject(),
    env: await emptyHome(),
    onOut: (text, kill) => {
      if (text.includes('"turn-start"')) kill('SIGINT')
    },
  })

  expect(ended.code).toBe(130)
  expect(JSON.parse(ended.out.trim().split('\n').at(-1) ?? '{}')).toMatchObject({ reason: 'cancelled' })
})

test('4: no answer because something was denied', async () => {
  const write = { calls: [{ name: 'write_file', input: { path: 'b.txt', content: 'x\n' } }] }
  const lines = [write, ...Array.from({ length: 8 }, () => ({ text: '' }))]

  const { plain, json, last } = await runScript(lines, ['--permission', 'read-only'], 'Write x to b.txt.')

  expect([plain.code, json.code]).toEqual([4, 4])
  expect(plain.err).toContain('Not allowed: write_file b.txt.')
  expect(last).toMatchObject({ reason: 'no-answer', denied: ['write_file b.txt'] })
})

test('1: an error, told once', async () => {
  const error = { code: 'credential', message: 'the key is wrong' }

  const { plain, json, last } = await runScript([{ text: '', error }])

  expect([plain.code, json.code]).toEqual([1, 1])
  expect(plain.err).toContain('the key is wrong')
  expect(last).toMatchObject({ type: 'run-end', reason: 'error' })
})

test('2: wrong usage', async () => {
  const cwd = await tempProject()

  expect((await covey(['run', '--no-such-flag', 'x'], { cwd, env: await emptyHome() })).code).toBe(2)
})

describe('a process exits with the code of its ending', () => {
  test('from a GGUF file, whose engine runs in a process of its own', async () => {
    const cwd = await tempProject()

    const run = await coveyProcess(['run', '--model', NANO, 'What files are in this folder?'], {
      cwd,
      env: await emptyHome(),
    })

    expect(run.code).toBe(0)
  })

  test('from a server', async () => {
    const cwd = await tempProject()
    const server = await startModelServer([{ text: 'Four.' }])

    const run = await coveyProcess(
      ['run', '--base-url', server.url, '--model', 'x', '--no-probe', 'What is 2 + 2?'],
      { cwd, env: await emptyHome() },
    )

    expect(run).toMatchObject({ code: 0, out: 'Four.\n' })
  })
})
