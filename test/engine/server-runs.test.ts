/** Complete runs over real HTTP: what a person gets when the server behaves, and when it does not. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  startModelServer,
  type ModelServerOptions,
  type ScriptedServerReply,
} from '../support/model-server.ts'
import { tempProject } from '../support/project.ts'
import { createApp } from '../../src/app/open.ts'
import { emptyHome, endOf, ofType, promptAndCollect, run, textOf } from '../support/run.ts'

async function serve(script: readonly ScriptedServerReply[], options?: ModelServerOptions) {
  const server = await startModelServer(script, options)
  onTestFinished(() => server.close())
  return server
}

const call = (name: string, args: object) => ({ calls: [{ name, arguments: args }] })
const noWait = { sleep: async () => {} }

test('list, read, edit, run, answer', async () => {
  const folder = await tempProject({ 'sum.js': 'console.log(2 - 3)\n' })
  const server = await serve([
    call('list_files', { path: '.' }),
    call('read_file', { path: 'sum.js' }),
    call('edit_file', { path: 'sum.js', old: '2 - 3', new: '2 + 3' }),
    call('run_command', { command: 'node sum.js' }),
    { text: 'It prints 5 now.' },
  ])

  const events = await run(server, folder, { prompt: 'Make sum.js add.' })

  expect(await readFile(join(folder, 'sum.js'), 'utf8')).toBe('console.log(2 + 3)\n')
  expect(ofType(events, 'tool-end').map(({ name, ok }) => [name, ok])).toEqual([
    ['list_files', true],
    ['read_file', true],
    ['edit_file', true],
    ['run_command', true],
  ])
  expect(ofType(events, 'tool-end')[3]?.text).toContain('5')
  expect(textOf(events)).toBe('It prints 5 now.')
  expect(endOf(events)).toMatchObject({ reason: 'answered', turns: 5, changed: ['sum.js'] })
})

test('an answer arrives in pieces', async () => {
  const server = await serve([{ text: 'One two three four five six seven eight.', chunk: 5 }])

  const events = await run(server, await tempProject({}))

  expect(ofType(events, 'text-delta').length).toBeGreaterThan(4)
})

test('cancelling in the middle closes the connection and keeps the session legal', async () => {
  const server = await serve([{ text: 'This is going to take a while', fault: 'hang-mid-stream' }])

  const events = await run(server, await tempProject({}), {
    onEvent: (event, session) => {
      if (event.type === 'text-delta') void session.cancel()
    },
  })
  await server.clientGone

  expect(endOf(events).reason).toBe('cancelled')
})

test('429 then success', async () => {
  const server = await serve([
    { status: 429, headers: { 'retry-after': '2' }, body: 'slow down' },
    { text: 'Done.' },
  ])

  const events = await run(server, await tempProject({}), noWait)

  expect(ofType(events, 'retry')).toMatchObject([{ attempt: 1, delayMs: 2000 }])
  expect(endOf(events).reason).toBe('answered')
})

test('500 five times is the first request and four more, then an error that says so', async () => {
  const server = await serve([{ status: 500, body: { error: { message: 'boom' } } }], { repeatLast: true })

  const events = await run(server, await tempProject({}), noWait)

  expect(server.requests).toHaveLength(5)
  expect(endOf(events)).toMatchObject({ reason: 'error' })
  expect(endOf(events).report).toContain('Tried 5 times')
})

test('a server that loads its model is waited for', async () => {
  const loading = { status: 503, body: { error: { message: 'Loading model', code: 503 } } }
  const server = await serve([...Array.from({ length: 8 }, () => loading), { text: 'Ready.' }])

  const events = await run(server, await tempProject({}), noWait)

  expect(endOf(events).reason).toBe('answered')
})

test('413 is followed by one compaction and one more try', async () => {
  const long = 'word '.repeat(150)
  const server = await serve([
    ...Array.from({ length: 3 }, (_, index) => call('run_command', { command: `echo ${index} ${long}` })),
    { status: 413, body: { error: { message: 'payload too large' } } },
    { text: 'Done.' },
  ])

  const events = await run(server, await tempProject({}))

  expect(ofType(events, 'compaction')).toHaveLength(1)
  expect(server.requests).toHaveLength(5)
  expect(endOf(events).reason).toBe('answered')
})

test('a refused context teaches the real window', async () => {
  const files = Object.fromEntries([1, 2, 3, 4].map((n) => [`f${n}.txt`, `line of file ${n}\n`.repeat(60)]))
  const server = await serve(
    [...Object.keys(files).map((path) => call('read_file', { path })), { text: 'Read them all.' }],
    { window: 2048 },
  )

  const events = await run(server, await tempProject(files))

  expect(endOf(events).reason).toBe('answered')
  expect(ofType(events, 'compaction').every(({ after, before }) => after < before)).toBe(true)
})

test('a stream cut in a call runs nothing and is tried again', async () => {
  const write = call('write_file', { path: 'a.txt', content: 'hello\n' })
  const server = await serve([{ ...write, fault: 'end-early' }, write, { text: 'Written.' }])
  const folder = await tempProject({})

  const events = await run(server, folder, noWait)

  expect(ofType(events, 'tool-start')).toHaveLength(1)
  expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('hello\n')
  expect(endOf(events).reason).toBe('answered')
})

test('an answer cut by the output limit goes on', async () => {
  const server = await serve([{ text: 'The first half', finish: 'length' }, { text: ' and the second.' }])

  const events = await run(server, await tempProject({}))

  expect(textOf(events)).toBe('The first half and the second.')
  expect(server.requests[1]?.messages.at(-1)).toMatchObject({ role: 'user' })
  expect(endOf(events).reason).toBe('answered')
})

test('a call cut by the output limit is not run, and the model gets an error', async () => {
  const server = await serve([
    { calls: [{ name: 'run_command', arguments: '{"command":"touch made.tx' }], finish: 'length' },
    { text: 'I give up.' },
  ])
  const folder = await tempProject({})

  const events = await run(server, folder)

  expect(ofType(events, 'tool-end')).toMatchObject([{ ok: false, code: 'cut' }])
  await expect(readFile(join(folder, 'made.tx'))).rejects.toThrow('ENOENT')
})

test('of a cut write the complete lines are kept, and it can be finished', async () => {
  const server = await serve([
    {
      calls: [{ name: 'write_file', arguments: '{"path":"a.txt","content":"one\\ntwo\\nthr' }],
      finish: 'length',
    },
    call('write_file', { path: 'a.txt', content: 'three\n', append: true }),
    { text: 'Done.' },
  ])
  const folder = await tempProject({})

  const events = await run(server, folder)

  expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('one\ntwo\nthree\n')
  expect(ofType(events, 'tool-end')[0]?.text).toContain('append')
})

test('thinking that ate the whole answer is switched off for one more try', async () => {
  const reasoning = 'First this, then that, but what about the other thing entirely? '
  const server = await serve([{ reasoning, finish: 'length' }, { text: 'The answer.' }])

  const events = await run(server, await tempProject({}))

  expect(JSON.stringify(server.requests[1])).toContain('enable_thinking')
  expect(textOf(events)).toBe('The answer.')
  expect(endOf(events).reason).toBe('answered')
})

test('an unreachable server is one clear line', async () => {
  const server = await startModelServer([])
  await server.close()

  const events = await run(server, await tempProject({}), noWait)

  expect(endOf(events)).toMatchObject({ reason: 'error', turns: 1 })
  expect(ofType(events, 'error')).toMatchObject([{ code: 'model-unavailable' }])
  expect(endOf(events).report).toContain(server.url)
})

test('a wrong key is named and not tried again', async () => {
  const server = await serve([{ text: 'hello' }], { key: 'right' })

  const events = await run(server, await tempProject({}), { ...noWait, apiKey: 'wrong-key-value' })

  expect(ofType(events, 'error')).toMatchObject([{ code: 'credential' }])
  expect(JSON.stringify(events)).not.toContain('wrong-key-value')
  expect(server.requests).toHaveLength(1)
})

test('a server that cannot parse calls is shown its tools as text, once and for all', async () => {
  const unparsable = {
    status: 500,
    body: { error: { message: 'Failed to parse tool call: unexpected end of input' } },
  }
  const server = await serve([
    unparsable,
    { text: '<tool_call>\n{"name": "read_file", "arguments": {"path": "a.txt"}}\n</tool_call>' },
    { text: 'It says hello.' },
  ])

  const events = await run(server, await tempProject({ 'a.txt': 'hello\n' }), {
    prompt: 'What does a.txt say?',
  })

  expect(server.requests[0]?.['tools']).toHaveLength(8)
  expect(server.requests[1]?.['tools']).toBeUndefined()
  expect(JSON.stringify(server.requests[1]?.messages[0])).toContain('read_file(path')
  expect(JSON.stringify(server.requests[2]?.messages.at(-1))).toContain('hello')
  expect(endOf(events)).toMatchObject({ reason: 'answered' })
})

test('a model without native tools works from the start', async () => {
  const server = await serve([
    { text: 'I will look.\n<tool_call>\n{"name": "list_files", "arguments": {"path": "."}}\n</tool_call>' },
    { text: 'There is a.txt.' },
  ])
  const flags = { 'arms.small.base_url': server.url, 'arms.small.tools': 'text', 'arms.small.window': 4096 }
  const app = await createApp({
    env: await emptyHome(),
    cwd: await tempProject({ 'a.txt': '' }),
    flags,
    permission: 'bypass',
    incognito: true,
  })
  onTestFinished(() => app.close())
  const session = await app.openSession({ resume: 'new', canAsk: false })

  const events = await promptAndCollect(session, { prompt: 'What files are here?' })

  expect(server.requests.map((request) => request['tools'])).toEqual([undefined, undefined])
  expect(ofType(events, 'tool-end')).toMatchObject([{ name: 'list_files', ok: true }])
  expect(server.requests[1]?.messages[0]).toEqual(server.requests[0]?.messages[0])
})

test('in two stages the built-in model guesses the first category, and the choice stays open', async () => {
  const server = await serve([call('read_file', { path: 'a.txt' }), { text: 'It says hello.' }])

  const events = await run(server, await tempProject({ 'a.txt': 'hello\n' }), {
    prompt: 'read the file a.txt',
    flags: { 'engine.tools': 'two-stage' },
  })

  const names = (server.requests[0]!['tools'] as { function: { name: string } }[]).map(
    (tool) => tool.function.name,
  )
  expect(names).toEqual(expect.arrayContaining(['select_category', 'read_file']))
  expect(names).not.toContain('write_file')
  expect(ofType(events, 'classification')).toMatchObject([
    { classification: { category: 'read', source: 'slm' } },
  ])
  expect(endOf(events)).toMatchObject({ reason: 'answered', turns: 2 })
})
