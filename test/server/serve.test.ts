/** Starting and ending: what is refused before anything listens, what is printed, and a clean end. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createServeCommand } from '../../src/cli/serve.ts'
import { type ServeSettings, startServing } from '../../src/app/serve.ts'
import { tokensIn } from '../../src/server/http/tokens.ts'
import { renderBanner } from '../../src/server/admin/banner.ts'
import type { Serving } from '../../src/server/serving.ts'
import { testServing } from './serving.ts'
import { send, tempFolder } from './support.ts'
import { childProgram } from '../support/child.ts'
import { until } from '../support/wait.ts'

async function start(settings: Partial<ServeSettings> = {}, parts: Partial<Serving> = {}) {
  const dataFolder = settings.dataFolder ?? (await tempFolder())
  const started = await startServing({ port: 0, isAuthOff: false, ...settings, dataFolder }, async () =>
    testServing(join(dataFolder, 'sessions'), parts),
  )
  onTestFinished(() => started.close())
  return { ...started, dataFolder }
}

const tokenIn = (text: string): string => /export COVEY_TOKEN=(\S+)/.exec(text)?.[1] ?? ''

describe('the first start', () => {
  test('makes a token, shows it once and answers to it', async () => {
    const first = await start()
    const token = tokenIn(first.banner)

    const reply = await send(first.port, {
      path: '/v1/models',
      headers: { authorization: `Bearer ${token}` },
    })
    await first.close()
    const second = await start({ dataFolder: first.dataFolder })
    const again = await send(second.port, { path: '/v1/models', headers: { 'x-api-key': token } })

    expect(token).toMatch(/^covey_[\w-]{43}$/)
    expect([reply.status, again.status]).toEqual([200, 200])
    expect(second.banner).not.toContain('export COVEY_TOKEN')
    expect(await tokensIn(first.dataFolder).list()).toMatchObject([
      { name: 'first', scopes: ['chat', 'tools', 'admin'] },
    ])
  })

  test('makes none without auth, and none when it cannot listen', async () => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void taken.close())
    const dataFolder = await tempFolder()
    const address = taken.address() as { port: number }

    const open = await start({ isAuthOff: true })
    const refused = start({ port: address.port, dataFolder })

    expect(open.banner).toContain('every program on this machine may use it')
    expect((await send(open.port, { path: '/v1/models' })).status).toBe(200)
    await expect(refused).rejects.toThrow(`port ${address.port} is taken by another program`)
    expect(await tokensIn(dataFolder).list()).toEqual([])
  })
})

describe('other machines', () => {
  test.each(['0.0.0.0', '::', '192.168.1.20', 'example.org', '127.0.0.1.nip.io'])(
    '--host %s without a token is refused before anything is opened',
    async (host) => {
      let isOpened = false
      const dataFolder = await tempFolder()
      const settings = { host, port: 0, dataFolder, isAuthOff: false }

      const started = startServing(settings, async () => {
        isOpened = true
        return testServing(dataFolder)
      })

      await expect(started).rejects.toMatchObject({
        code: 'config-invalid',
        message: expect.stringContaining('there is no token yet'),
      })
      expect([isOpened, await readdir(dataFolder)]).toEqual([false, []])
    },
  )

  test('--host with --no-auth is refused, also with a token', async () => {
    const dataFolder = await tempFolder()
    await tokensIn(dataFolder).add('a', ['chat'])

    const started = start({ host: '0.0.0.0', isAuthOff: true, dataFolder })

    await expect(started).rejects.toThrow('--no-auth is for this machine only')
  })

  test('--host with a token listens there, under its own names only', async () => {
    const dataFolder = await tempFolder()
    const token = await tokensIn(dataFolder).add('a', ['chat'])

    const started = await start({ host: '0.0.0.0', dataFolder })
    const ask = (host: string) =>
      send(started.port, { path: '/v1/models', headers: { host, authorization: `Bearer ${token}` } })
    const statuses = [
      (await ask('127.0.0.1')).status,
      (await ask('evil.example')).status,
      (await ask('0.0.0.0')).status,
    ]

    expect(started.banner).toContain(`http://0.0.0.0:${started.port}`)
    expect(statuses).toEqual([200, 403, 403])
  })
})

describe('one server for one data folder', () => {
  test('a second is refused, and may start when the first has ended', async () => {
    const first = await start()

    await expect(start({ dataFolder: first.dataFolder })).rejects.toThrow('covey serve runs already')
    await first.close()

    const second = await start({ dataFolder: first.dataFolder })
    expect(second.port).toBeGreaterThan(0)
  })

  test('what fails while starting leaves nothing behind', async () => {
    const dataFolder = await tempFolder()
    const ended: string[] = []
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void taken.close())
    const { port } = taken.address() as { port: number }

    await expect(
      start({ dataFolder, port }, { close: async () => void ended.push('serving') }),
    ).rejects.toThrow('taken')

    expect(ended).toEqual(['serving'])
    expect(await readdir(join(dataFolder, 'serve'))).toEqual([])
  })
})

describe('the whole server', () => {
  test('has every route behind its lock', async () => {
    const started = await start()
    const token = tokenIn(started.banner)
    const description = await send(started.port, { path: '/openapi.json', headers: { 'x-api-key': token } })
    const { paths } = description.json() as { paths: Record<string, Record<string, { security: unknown[] }>> }

    const open: string[] = []
    for (const [path, methods] of Object.entries(paths)) {
      for (const [method, { security }] of Object.entries(methods)) {
        if (security.length === 0) open.push(`${method} ${path}`)
        const ask = { method: method.toUpperCase(), path: path.replace('{id}', 'x') }
        const reply = await send(started.port, ask)

        expect([ask, reply.status !== 401]).toEqual([ask, security.length === 0])
      }
    }

    expect(open).toEqual(['get /health', 'get /ready', 'get /', 'get /assets/{rest}', 'post /v1/page/token'])

    expect(Object.keys(paths)).toEqual(
      expect.arrayContaining([
        '/health',
        '/ready',
        '/metrics',
        '/openapi.json',
        '/v1/models',
        '/v1/sessions/{id}/events',
      ]),
    )
  })
})

describe('the command', () => {
  const runCommand = async (options: Record<string, unknown>, signal: AbortSignal) => {
    const home = await tempFolder()
    let out = ''
    let err = ''
    const run = createServeCommand(async ({ cwd, permission }) => ({
      port: 0,
      open: async () =>
        testServing(join(home, 'sessions'), {
          workspace: `${cwd} ${permission}`,
          warnings: ['mind the gap'],
        }),
    })).run({
      args: [],
      options,
      io: {
        out: (text) => void (out += text),
        err: (text) => void (err += text),
        stdin: process.stdin,
        piped: async () => undefined,
        isTty: false,
      },
      env: { HOME: home },
      cwd: home,
      signal,
    })
    return { run, home, out: () => out, err: () => err }
  }

  test('prints where it is, works until it is stopped, and ends with 0', async () => {
    const controller = new AbortController()
    const { run, home, out, err } = await runCommand({ permission: 'read-only' }, controller.signal)
    await until(() => out() !== '')

    controller.abort()

    expect(await run).toBe(0)
    expect(out()).toMatch(/listens on http:\/\/127\.0\.0\.1:\d+ and http:\/\/\[::1\]:\d+\n/)
    expect(out()).toContain(`${home} read-only`)
    expect(err()).toBe('covey: mind the gap\n')
  })

  test.each([
    [{ port: '70000' }, '--port'],
    [{ port: 'x' }, '--port'],
    [{ host: '0.0.0.0' }, 'there is no token yet'],
    [{ host: '0.0.0.0', auth: false }, '--no-auth is for this machine only'],
    [{ permission: 'all' }, '--permission'],
  ])('%j is wrong usage', async (options, message) => {
    const { run } = await runCommand(options, AbortSignal.timeout(5_000))

    await expect(run).rejects.toMatchObject({
      code: 'config-invalid',
      message: expect.stringContaining(message),
    })
  })
})

describe('a process', () => {
  async function startChild(home: string): Promise<{ child: ChildProcess; port: number; token: string }> {
    const program = await childProgram(new URL('child.ts', import.meta.url))
    const child = spawn(process.execPath, [program, join(home, 'sessions')], {
      env: { PATH: process.env['PATH'], HOME: home },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    let out = ''
    child.stdout?.on('data', (data: Buffer) => (out += data.toString()))
    await until(() => out.includes('Ctrl+C'))
    return { child, port: Number(/127\.0\.0\.1:(\d+)/.exec(out)?.[1]), token: tokenIn(out) }
  }

  test('ends with 0 on SIGTERM and on SIGINT with a watcher attached, and starts again after kill -9', async () => {
    const home = await tempFolder()
    const first = await startChild(home)
    first.child.kill('SIGKILL')
    await once(first.child, 'exit')

    const second = await startChild(home)
    const headers = { authorization: `Bearer ${first.token}`, 'content-type': 'application/json' }
    const created = await fetch(`http://127.0.0.1:${second.port}/v1/sessions`, { method: 'POST', headers })
    const { id } = (await created.json()) as { id: string }
    const watching = await fetch(`http://127.0.0.1:${second.port}/v1/sessions/${id}/events`, { headers })
    second.child.kill('SIGTERM')
    const [code] = (await once(second.child, 'exit')) as [number]
    const heard = await watching.text()

    const third = await startChild(home)
    third.child.kill('SIGINT')
    const [last] = (await once(third.child, 'exit')) as [number]

    expect([code, last]).toEqual([0, 0])
    expect(heard).toContain('event: open')
    expect(second.token).toBe('')
  })
})

test('the banner is made from what is', () => {
  const text = renderBanner({
    version: '1.2.3',
    addresses: [
      { host: '127.0.0.1', port: 17615 },
      { host: '::1', port: 17615 },
    ],
    models: ['covey/auto', 'qwen'],
    workspace: '/work/shop, permission ask, sandboxed',
    isAuthOff: false,
    firstToken: 'covey_x',
  })

  expect(text).toBe(`covey 1.2.3 listens on http://127.0.0.1:17615 and http://[::1]:17615
  models  covey/auto, qwen
  tools   /work/shop, permission ask, sandboxed
  token   made now and shown only this once:

export COVEY_TOKEN=covey_x

To paste:
  openai SDK  OPENAI_BASE_URL=http://127.0.0.1:17615/v1 OPENAI_API_KEY=$COVEY_TOKEN
  opencode    {"covey":{"npm":"@ai-sdk/openai-compatible","options":{"baseURL":"http://127.0.0.1:17615/v1","apiKey":"{env:COVEY_TOKEN}"},"models":{"covey/auto":{}}}}
  Continue    { name: Covey, provider: openai, model: covey/auto, apiBase: "http://127.0.0.1:17615/v1", apiKey: TOKEN }
  browser     covey web
  terminal    covey --attach http://127.0.0.1:17615 "prompt"

Ctrl+C ends it.
`)
})
