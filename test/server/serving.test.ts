/** `covey serve` as a client meets it: the whole program behind real HTTP. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { AppOptions } from '../../src/app/open.ts'
import { startServing } from '../../src/app/serve.ts'
import { openServing, prepareServing } from '../../src/app/served.ts'
import { type ScriptedServerReply, startModelServer } from '../support/model-server.ts'
import { tempProject } from '../support/project.ts'
import { emptyHome } from '../support/run.ts'

async function serve(script: readonly ScriptedServerReply[], options: Partial<AppOptions> = {}) {
  const upstream = await startModelServer(script)
  const env = await emptyHome()
  const cwd = await tempProject({ 'a.txt': 'hello\n' })
  const dataFolder = join(env['XDG_DATA_HOME'] ?? '', 'covey')
  const open = () =>
    openServing({ env, cwd, baseUrl: upstream.url, model: 'small', window: 8192, probe: false, ...options })
  const started = await startServing({ dataFolder, port: 0, isAuthOff: true }, open)
  onTestFinished(async () => {
    await started.close()
    await upstream.close()
  })
  const base = `http://127.0.0.1:${started.port}`
  return {
    upstream,
    cwd,
    base,
    get: async (path: string) => (await fetch(base + path)).json() as Promise<Reply>,
    async post(path: string, body: object) {
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(base + path, { method: 'POST', headers, body: JSON.stringify(body) })
      return { status: response.status, body: (await response.json()) as Reply }
    },
  }
}

type Reply = {
  readonly data?: readonly { readonly id: string }[]
  readonly error?: { readonly message: string; readonly code: string }
  readonly choices?: readonly { readonly message: { readonly content: string | null } }[]
  readonly covey?: { readonly swarm?: object }
}

const chat = (model: string, content: string) => ({ model, messages: [{ role: 'user', content }] })
const contentOf = ({ body }: { readonly body: Reply }) => body.choices?.[0]?.message.content

test('listens where the chosen profile says', async () => {
  const env = await emptyHome()
  const profiles = join(env['XDG_CONFIG_HOME'] ?? '', 'covey', 'profiles')
  await mkdir(profiles, { recursive: true })
  await writeFile(join(profiles, 'lab.toml'), '[server]\nport = 8123\n')

  const { host, port } = await prepareServing({ env, cwd: await tempProject(), profile: 'lab' })

  expect({ host, port }).toEqual({ host: undefined, port: 8123 })
})

test('lists the available models, the usual one first', async () => {
  const { get } = await serve([])

  const { data = [] } = await get('/v1/models')

  expect(data.map(({ id }) => id)).toEqual([
    'covey/auto',
    'covey/swarm',
    'small',
    'covey/nano',
    'covey/agent',
  ])
})

test("a client's secret does not reach the model, and comes back to the client", async () => {
  const key = `AKIA${'Q3EGFZ7KXW2NLRTB'}`
  const { upstream, post } = await serve([
    ({ messages }) => ({ text: `It is ${/\[secret:[^\]]+\]/.exec(JSON.stringify(messages))?.[0]}.` }),
  ])

  const reply = await post('/v1/chat/completions', chat('covey/auto', `What is ${key}?`))

  expect(JSON.stringify(upstream.requests)).not.toContain(key)
  expect(contentOf(reply)).toBe(`It is ${key}.`)
})

test('the same conversation is sent as the same bytes, secrets included', async () => {
  const key = `AKIA${'Q3EGFZ7KXW2NLRTB'}`
  const { upstream, post } = await serve([{ text: 'One.' }, { text: 'Two.' }])
  const first = { role: 'user', content: `What is ${key}?` }

  await post('/v1/chat/completions', { model: 'small', messages: [first] })
  await post('/v1/chat/completions', {
    model: 'small',
    messages: [first, { role: 'assistant', content: 'One.' }, { role: 'user', content: 'And now?' }],
  })

  const [before, after] = upstream.requests.map(({ messages }) => messages)
  expect(after?.slice(0, before?.length)).toEqual(before)
})

test('an agent does the task with its own tools, and with tools in the request does nothing', async () => {
  const call = { calls: [{ name: 'write_file', arguments: { path: 'b.txt', content: 'x' } }] }
  const { cwd, post } = await serve([call, { text: 'Written.' }, call], { permission: 'accept-edits' })
  const tools = [{ type: 'function', function: { name: 'write_file', parameters: { type: 'object' } } }]

  const done = await post('/v1/chat/completions', chat('covey/agent', 'Write x into b.txt'))
  const handed = await post('/v1/chat/completions', { ...chat('covey/agent', 'Again'), tools })

  expect(contentOf(done)).toBe('Written.')
  expect(await readFile(join(cwd, 'b.txt'), 'utf8')).toBe('x')
  expect(handed.body.choices?.[0]).toMatchObject({
    finish_reason: 'tool_calls',
    message: { tool_calls: [{ function: { name: 'write_file' } }] },
  })
})

test('an agent behind a server that may not ask is refused what would need a question', async () => {
  const call = { calls: [{ name: 'write_file', arguments: { path: 'b.txt', content: 'x' } }] }
  const { upstream, post } = await serve([call, { text: 'Not allowed.' }], { permission: 'ask' })

  await post('/v1/chat/completions', chat('covey/agent', 'Write x into b.txt'))

  expect(JSON.stringify(upstream.requests[1]?.messages)).toContain('No user is available to approve it')
})

test('several answers are voted on where that is asked for', async () => {
  const { post } = await serve([{ text: 'Paris' }, { text: 'Paris' }, { text: 'Lyon' }, { text: 'Paris' }])

  const reply = await post('/v1/chat/completions', chat('covey/swarm', 'What is the capital of France?'))

  expect(contentOf(reply)).toBe('Paris')
  expect(reply.body.covey?.swarm).toMatchObject({
    state: 'elected',
    decider: 'vote',
    missing: [],
    usage: expect.any(Object),
  })
})

test('a stream tells how the vote goes before it tells the answer', async () => {
  const { base } = await serve([{ text: 'Paris' }, { text: 'Paris' }, { text: 'Lyon' }, { text: 'Paris' }])
  const body = JSON.stringify({ ...chat('covey/swarm', 'What is the capital of France?'), stream: true })

  const response = await fetch(`${base}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  const chunks = (await response.text())
    .split('\n')
    .flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6)) as Chunk] : []))

  const stages = chunks.flatMap(({ covey }) => covey?.swarm?.stage ?? [])
  const firstWord = chunks.findIndex(({ choices }) => choices[0]?.delta.content)
  const lastVote = chunks.findLastIndex(({ covey }) => covey?.swarm)
  expect(stages).toEqual(['start', 'candidate', 'candidate', 'end'])
  expect(chunks[lastVote]?.covey?.swarm).toMatchObject({ stage: 'end', state: 'elected', confidence: 1 })
  expect(lastVote).toBeLessThan(firstWord)
})

type Chunk = {
  readonly choices: readonly { readonly delta: { readonly content?: string } }[]
  readonly covey?: { readonly swarm?: { readonly stage: string } }
}

test('is ready while a model can be asked, and not when its server is gone', async () => {
  const { upstream, get } = await serve([])

  const before = await get('/ready')
  await upstream.close()
  // The last answer is believed for a moment.
  await expect.poll(() => get('/ready')).toEqual({ status: 'not ready' })

  expect(before).toEqual({ status: 'ready' })
})

test.each([
  ['/v1/chat/completions', chat('smal', 'hi'), 'did you mean "small"?'],
  ['/v1/embeddings', { model: 'small', input: 'x' }, 'embeddings'],
])('%s with a model that cannot do it says which can', async (path, body, message) => {
  const { post } = await serve([])

  const reply = await post(path, body)

  expect(reply.status).toBe(404)
  expect(reply.body.error?.message).toContain(message)
})
