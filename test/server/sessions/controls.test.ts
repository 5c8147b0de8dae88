/** What a front end does with sessions beside talking in them, over HTTP and with a real app behind it. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openServing } from '../../../src/app/served.ts'
import { startServing } from '../../../src/app/serve.ts'
import { scriptedModel, says, calls } from '../../../src/provider/scripted.ts'
import { tokensIn } from '../../../src/server/http/tokens.ts'
import { bestPaths } from '../../../src/server/sessions/controls.ts'
import { tempProject } from '../../support/project.ts'
import { until } from '../../support/wait.ts'
import { send, tempFolder } from '../support.ts'

async function openApp() {
  const home = await tempFolder()
  const cwd = await tempProject({ 'a.txt': 'hello\n', 'src/cart.ts': 'export const total = 1\n' })
  const env = {
    HOME: home,
    XDG_DATA_HOME: join(home, 'data'),
    XDG_CONFIG_HOME: join(home, 'config'),
    PATH: process.env['PATH'],
  }
  const dataFolder = join(home, 'data', 'covey')
  const model = scriptedModel(
    [calls('edit_file', { path: 'a.txt', old: 'hello', new: 'bye' })],
    [says('Changed.')],
    [says('The second answer.')],
  )
  const started = await startServing({ port: 0, isAuthOff: false, dataFolder }, () =>
    openServing({ env, cwd, model, permission: 'accept-edits' }),
  )
  onTestFinished(() => started.close())
  const tokens = tokensIn(dataFolder)
  const owner = await tokens.add('owner', ['admin'])
  const viewer = await tokens.add('viewer', ['read'])
  const worker = await tokens.add('worker', ['tools'])
  const ask = async (method: string, path: string, body?: unknown, token = owner) => {
    const reply = await send(started.port, {
      method,
      path,
      headers: { authorization: `Bearer ${token}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: reply.status, text: reply.text, json: () => JSON.parse(reply.text) as never }
  }
  return { ask, cwd, viewer, worker }
}

type App = Awaited<ReturnType<typeof openApp>>

async function talk({ ask }: App, prompt: string): Promise<string> {
  const { id } = (await ask('POST', '/v1/sessions')).json() as { id: string }
  await ask('POST', `/v1/sessions/${id}/prompt`, { prompt })
  await until(async () => {
    const { messages } = (await ask('GET', `/v1/sessions/${id}`)).json() as {
      messages: { role: string; text: string }[]
    }
    return messages.some(({ role, text }) => role === 'assistant' && text !== '')
  })
  return id
}

describe('a session', () => {
  test('is searched, forked, exported, undone and deleted', async () => {
    const app = await openApp()
    const { ask, cwd } = app
    const id = await talk(app, 'Say goodbye in a.txt')
    expect(await readFile(join(cwd, 'a.txt'), 'utf8')).toBe('bye\n')

    const hits = (await ask('GET', '/v1/sessions/search?q=goodbye')).json()
    const none = (await ask('GET', '/v1/sessions/search?q=nowhere')).json()
    const fork = await ask('POST', `/v1/sessions/${id}/fork`, {})
    const exported = await ask('GET', `/v1/sessions/${id}/export?format=md`)
    const controls = (await ask('GET', `/v1/sessions/${id}/controls`)).json()
    const undone = await ask('POST', `/v1/sessions/${id}/undo`, { action: 'undo' })
    const restored = await readFile(join(cwd, 'a.txt'), 'utf8')
    const removed = await ask('POST', `/v1/sessions/${id}/remove`)
    const gone = await ask('GET', `/v1/sessions/${id}`)

    expect(hits).toMatchObject({ data: [{ id, excerpt: expect.stringContaining('goodbye') as string }] })
    expect(none).toEqual({ data: [] })
    expect(fork.status).toBe(201)
    expect((fork.json() as { id: string }).id).not.toBe(id)
    expect(exported.text).toContain('Say goodbye in a.txt')
    expect(controls).toMatchObject({
      mode: { current: 'accept-edits', list: ['ask', 'accept-edits', 'auto', 'read-only'] },
      runs: [{ paths: ['a.txt'], isUndone: false }],
    })
    expect(undone.json()).toMatchObject({ restored: ['a.txt'], conflicts: [] })
    expect(restored).toBe('hello\n')
    expect([removed.status, gone.status]).toEqual([200, 404])
  })

  test('is switched by who may approve, and looked at by who may read', async () => {
    const app = await openApp()
    const { ask, viewer, worker, cwd } = app
    const { id } = (await ask('POST', '/v1/sessions')).json() as { id: string }
    await writeFile(join(cwd, 'src', 'cat.ts'), '')

    const changed = await ask('POST', `/v1/sessions/${id}/controls`, { mode: 'read-only' })
    const unknown = await ask('POST', `/v1/sessions/${id}/controls`, { mode: 'everything' })
    const noArm = await ask('POST', `/v1/sessions/${id}/controls`, { arm: 'gpt-none' })
    const byWorker = await ask('POST', `/v1/sessions/${id}/controls`, { mode: 'auto' }, worker)
    const files = await ask('GET', `/v1/sessions/${id}/files?q=ca`, undefined, viewer)
    const refused = await Promise.all([
      ask('POST', '/v1/sessions', undefined, viewer),
      ask('POST', `/v1/sessions/${id}/prompt`, { prompt: 'x' }, viewer),
      ask('POST', `/v1/sessions/${id}/remove`, undefined, viewer),
      ask('POST', `/v1/sessions/${id}/undo`, { action: 'undo' }, viewer),
      ask('POST', `/v1/sessions/${id}/fork`, {}, viewer),
    ])

    expect(changed.json()).toMatchObject({ mode: { current: 'read-only' } })
    expect([unknown.status, noArm.status, byWorker.status]).toEqual([400, 400, 403])
    expect(files.json()).toEqual({ paths: ['src/cat.ts', 'src/cart.ts'] })
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403])
  })
})

test('a token that may only read opens no session, whatever it looks at', async () => {
  const app = await openApp()
  const { ask, viewer } = app
  const id = await talk(app, 'Say goodbye in a.txt')
  await ask('DELETE', `/v1/sessions/${id}`)

  const controls = await ask('GET', `/v1/sessions/${id}/controls`, undefined, viewer)
  const files = await ask('GET', `/v1/sessions/${id}/files?q=a`, undefined, viewer)
  const history = await ask('GET', `/v1/sessions/${id}`, undefined, viewer)
  const exported = await ask('GET', `/v1/sessions/${id}/export?format=md`, undefined, viewer)
  const list = (await ask('GET', '/v1/sessions')).json()

  expect(controls.json()).toEqual({
    arm: { current: null, list: [] },
    mode: { current: null, list: [] },
    runs: [],
  })
  expect(files.json()).toEqual({ paths: [] })
  expect([history.status, exported.status]).toEqual([200, 200])
  expect(list).toMatchObject({ data: [{ id, isOpen: false }] })
})

test('files go in front of the prompt that names them, once, however often it arrives', async () => {
  const app = await openApp()
  const { ask, worker } = app
  const { id } = (await ask('POST', '/v1/sessions')).json() as { id: string }
  const body = {
    prompt: 'Compare @a.txt with @../../etc/passwd',
    mentions: ['a.txt', '../../etc/passwd'],
    options: { key: 'a-key-of-a-page', attached: ['The file notes.txt:\nline one'] },
  }

  const sent = await ask('POST', `/v1/sessions/${id}/prompt`, body, worker)
  const again = await ask('POST', `/v1/sessions/${id}/prompt`, body, worker)
  const history = async () =>
    ((await ask('GET', `/v1/sessions/${id}`)).json() as { messages: { role: string; text: string }[] })
      .messages
  await until(async () => (await history()).some(({ text }) => text === 'Changed.'))

  const users = (await history()).filter(({ role }) => role === 'user')
  expect([sent.status, again.status]).toEqual([202, 202])
  expect(users).toHaveLength(1)
  expect(users[0]?.text.match(/\[exec output\][^]*/)?.[0]).toBe(
    '[exec output]\nThe file a.txt:\nhello\nThe file notes.txt:\nline one\n\n' + body.prompt,
  )
})

test('paths that begin with the words come first, then names, then the rest', () => {
  const paths = ['docs/src.md', 'src/a.ts', 'lib/old-src.ts', 'test/b.ts']

  expect(bestPaths(paths, 'src')).toEqual(['src/a.ts', 'docs/src.md', 'lib/old-src.ts'])
  expect(bestPaths(paths, '')).toHaveLength(4)
})
