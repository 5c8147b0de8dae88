/** Tools on a paired machine: known by its key alone, on the port where others come with a token. */
import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer as createHttps } from 'node:https'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { askJson, dial, type Question } from '../../../src/federation/dial.ts'
import type { Identity } from '../../../src/federation/identity.ts'
import { lanFiles } from '../../../src/federation/lan/open.ts'
import { tlsOptionsOf } from '../../../src/federation/listener.ts'
import { askHost } from '../../../src/federation/tools/call.ts'
import { findToolHost, openWishedTools } from '../../../src/federation/tools/find.ts'
import type { ToolResult } from '../../../src/protocol/tool.ts'
import { builtinTools } from '../../../src/tools/all.ts'
import { rawClient } from '../../server/support.ts'
import { until } from '../../support/wait.ts'
import { tempProject, toolContext } from '../../support/project.ts'
import {
  openTestHost,
  pairedPeer,
  type TestHome,
  testHome,
  type TestHost,
  type TestPeer,
  unpairedPeer,
} from '../../support/tool-host.ts'

const { signal } = new AbortController()

/** The tools of the host, as a session on the peer has them. */
async function toolsFor({ peers }: TestPeer, port: number) {
  const remote = await openWishedTools(
    { url: `peer/tower:${port}`, token: 'covey_of-another', peers },
    signal,
  )
  const local = builtinTools({ list: () => [], patches: () => Promise.reject(new Error('not here')) })
  const tools = remote?.replace(local) ?? []
  const here = await tempProject()
  return async (name: string, input: object): Promise<ToolResult> => {
    const tool = tools.find((candidate) => candidate.name === name)
    return tool ? tool.run(input, toolContext(here)) : expect.unreachable(`no ${name}`)
  }
}

/** The answer to these exact bytes, from any client. */
function say(port: number, identity: Partial<Identity>, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = ''
    const { key, certificate: cert } = identity
    const socket = connectTls({ port, host: '127.0.0.1', key, cert, rejectUnauthorized: false })
    socket.on('data', (data: Buffer) => (said += data.toString()))
    socket.on('close', () => resolve(said)).on('error', reject)
    socket.write(text)
  })
}

/** One request of a machine that behaves. */
async function send(host: TestHost, identity: Identity, question: Question) {
  const { id: expected } = await lanFiles(host.data).identity()
  const address = `127.0.0.1:${host.port}`
  const socket = await dial({ identity, address, expected, timeoutMs: 5_000 }, signal)
  return askJson(socket, question, 5_000)
}

const listing = { path: '/v1/tools' }
const execute = (tool: string, input: object, more: object = {}) => ({
  path: '/v1/tools/execute',
  body: { tool, arguments: input, ...more },
})

const refused = {
  status: 403,
  body: {
    error: {
      code: 'machine_refused',
      message: 'This machine may not run tools here.',
      param: null,
      type: 'permission_error',
    },
  },
}

describe('a machine that may', () => {
  test('reads, writes and runs commands in the folder of the host', async () => {
    const host = await openTestHost({ files: { 'a.txt': 'there' }, permission: 'bypass' })
    const run = await toolsFor(await pairedPeer(host), host.port)

    const read = await run('read_file', { path: 'a.txt' })
    const wrote = await run('write_file', { path: 'b.txt', content: 'new' })
    const ran = await run('run_command', { command: 'pwd' })

    expect([read.ok, wrote.ok]).toEqual([true, true])
    expect(ran.text).toContain(host.folder)
    expect(await readFile(join(host.folder, 'b.txt'), 'utf8')).toBe('new')
  })

  test('is shown at the start, with the line that lets another one in', async () => {
    const home = await testHome()
    const { identity } = await pairedPeer(home)
    const line = '`covey peers scope NAME generate,status,tools` allows'

    const open = await openTestHost({ home, host: '0.0.0.0' })
    const own = await openTestHost()

    expect(open.banner).toContain(`  peers    laptop (${identity.id.slice(0, 8)}); ${line} another\n`)
    expect(open.banner).toMatch(/ {2}peer {3}covey --tool-host peer\/\S+:\d+ "prompt"\n/)
    expect(own.banner).toContain(`  peers    no paired machine may; ${line} one\n`)
  })

  test('uses the routes for tools, the protocol for them, and none that are for others', async () => {
    const host = await openTestHost()
    const { identity } = await pairedPeer(host)
    const list = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
    const head =
      'host: covey\r\naccept: application/json, text/event-stream\r\ncontent-type: application/json'
    const message = `POST /mcp HTTP/1.1\r\n${head}\r\nconnection: close\r\ncontent-length: ${list.length}\r\n\r\n${list}`

    const paths = ['/v1/tools', '/health', '/metrics', '/nothing']
    const answers = await Promise.all(paths.map((path) => send(host, identity, { path })))
    const overMcp = await say(host.port, identity, message)

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 403, 404])
    expect(overMcp).toMatch(/^HTTP\/1\.1 200 .*"name":"read_file"/s)
  })

  test('sends a key again, and the call has happened once', async () => {
    const host = await openTestHost({ permission: 'bypass' })
    const { identity } = await pairedPeer(host)
    const call = execute('run_command', { command: 'echo ran >> log.txt' }, { idempotency_key: 'first-try' })

    const replies = [await send(host, identity, call), await send(host, identity, call)]

    expect(replies[0]).toEqual(replies[1])
    expect(await readFile(join(host.folder, 'log.txt'), 'utf8')).toBe('ran\n')
  })

  test('shares neither keys nor jobs with another one of its name', async () => {
    const host = await openTestHost({ permission: 'bypass' })
    const [one, other] = [await pairedPeer(host, 'same'), await pairedPeer(host, 'same')]
    const call = execute('run_command', { command: 'echo ran >> log.txt' }, { idempotency_key: 'same-key' })
    const job = execute('run_command', { command: 'sleep 5', background: true })

    const replies = [await send(host, one.identity, call), await send(host, other.identity, call)]
    const started = await send(host, one.identity, job)
    const id = /job-\d+/.exec(JSON.stringify(started.body))?.[0]
    const seen = await send(host, other.identity, execute('job_output', { id }))

    expect(replies.map(({ status }) => status)).toEqual([200, 200])
    expect(await readFile(join(host.folder, 'log.txt'), 'utf8')).toBe('ran\nran\n')
    expect(seen.body).toMatchObject({ ok: false })
  })
})

describe('a machine that may not', () => {
  const questions: readonly Question[] = [
    listing,
    execute('write_file', { path: 'a.txt', content: 'x' }),
    { path: '/mcp', body: {} },
    { path: '/health' },
    { path: '/openapi.json' },
    { path: '/nothing' },
    { path: '/%ff' },
  ]

  test('gets the same answer at every path, and the host writes it down', async () => {
    const host = await openTestHost({ permission: 'bypass' })
    const stranger = await unpairedPeer(host)
    const unscoped = await pairedPeer(host)
    await lanFiles(host.data).book.setScopes('laptop', ['generate', 'status'])

    for (const { identity } of [stranger, unscoped]) {
      for (const question of questions) expect(await send(host, identity, question)).toEqual(refused)
    }

    expect(existsSync(join(host.folder, 'a.txt'))).toBe(false)
    expect(await readFile(join(host.data, 'audit.log'), 'utf8')).toContain(refused.body.error.message)
  })

  test('is not helped by a token, nor by showing no key', async () => {
    const host = await openTestHost()
    const { identity } = await unpairedPeer(host)
    const head = `GET /v1/tools HTTP/1.1\r\nhost: covey\r\nauthorization: Bearer ${host.token}\r\nconnection: close\r\n\r\n`

    const answers = [await say(host.port, identity, head), await say(host.port, {}, head)]

    expect(answers).toEqual([
      expect.stringMatching(/^HTTP\/1\.1 403 /),
      expect.stringMatching(/^HTTP\/1\.1 403 /),
    ])
  })

  test('learns what to type at the host', async () => {
    const host = await openTestHost()
    const peer = await unpairedPeer(host)

    await expect(toolsFor(peer, host.port)).rejects.toThrow(
      `peer/tower:${host.port} does not let this machine run tools; there, type \`covey peers scope ${peer.identity.id.slice(0, 8)} generate,status,tools\`.`,
    )
  })

  test.each([
    ['loses the scope', (home: TestHome) => lanFiles(home.data).book.setScopes('laptop', ['generate'])],
    ['is removed', (home: TestHome) => lanFiles(home.data).book.remove('laptop')],
  ])('any more because it %s is out at its next call', async (_what, end) => {
    const host = await openTestHost({ permission: 'bypass' })
    const run = await toolsFor(await pairedPeer(host), host.port)
    const before = await run('write_file', { path: 'a.txt', content: 'x' })
    await end(host)

    await expect(run('write_file', { path: 'b.txt', content: 'x' })).rejects.toThrow(
      /does not let this machine/,
    )
    expect([before.ok, existsSync(join(host.folder, 'b.txt'))]).toEqual([true, false])
  })

  test('any more is out on the connection that it has, too', async () => {
    const host = await openTestHost()
    const { identity } = await pairedPeer(host)
    const { key, certificate: cert } = identity
    const socket = connectTls({ port: host.port, host: '127.0.0.1', key, cert, rejectUnauthorized: false })
    onTestFinished(() => void socket.destroy())
    let said = ''
    socket.on('data', (data: Buffer) => (said += data.toString()))
    const ask = () => socket.write('GET /health HTTP/1.1\r\nhost: covey\r\n\r\n')

    ask()
    await until(() => said.includes('{"status":"ok"}'))
    await lanFiles(host.data).book.remove('laptop')
    ask()
    await until(() => said.includes('machine_refused'))

    expect(said.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 403'])
  })
})

describe('without any token', () => {
  test('a host for other machines starts where one is paired for it, and accepts no other client', async () => {
    const home = await testHome()
    const peer = await pairedPeer(home)
    const host = await openTestHost({ home, host: '0.0.0.0', files: { 'a.txt': 'there' } })

    const run = await toolsFor(peer, host.port)
    const read = await run('read_file', { path: 'a.txt' })
    const plain = await rawClient(host.port)
    plain.socket.write('GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n')
    await plain.closed

    expect(read).toEqual({ ok: true, text: expect.stringContaining('there') })
    expect(plain.read()).toBe('')
    expect(host.token).toBe('')
    expect(host.banner).toContain('  token    none is known, so only paired machines come in\n')
  })

  test('it does not start where no machine may run tools', async () => {
    const home = await testHome()
    const peer = await pairedPeer(home)
    await lanFiles(home.data).book.setScopes(peer.identity.id, ['generate'])

    await expect(openTestHost({ home, host: '0.0.0.0' })).rejects.toThrow(
      'or let a paired machine in with `covey peers scope NAME generate,status,tools`',
    )
  })
})

describe('the machine that asks', () => {
  test('talks only to the key it knows; another listener receives nothing, and nothing was run', async () => {
    const [host, impostor] = [await openTestHost({ permission: 'bypass' }), await openTestHost()]
    const line = await openLine(host.port)
    const peer = await pairedPeer(host)
    const run = await toolsFor(peer, line.port)
    line.to(impostor.port)

    const wrote = await run('write_file', { path: 'a.txt', content: 'x' })

    expect(wrote).toMatchObject({
      ok: false,
      code: 'failed',
      text: expect.stringMatching(/answers there, not .*; write_file was not run\.$/s),
    })
    await expect(toolsFor(peer, impostor.port)).rejects.toThrow(/cannot be used .*answers there, not/)
    expect(existsSync(join(impostor.folder, 'a.txt'))).toBe(false)
  })

  test('knows that nothing was run where no host answers, or one without TLS', async () => {
    const host = await openTestHost({ permission: 'bypass' })
    const line = await openLine(host.port)
    const run = await toolsFor(await pairedPeer(host), line.port)
    const mute = createServer((socket) => void socket.on('error', () => {}).end('HTTP/1.1 200 OK\r\n\r\n'))
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void mute.close())
    const write = () => run('write_file', { path: 'a.txt', content: 'x' })

    line.to((mute.address() as AddressInfo).port)
    const toMute = await write()
    line.to(9)
    const toNobody = await write()

    const notRun = { ok: false, code: 'failed', text: expect.stringContaining('write_file was not run') }
    expect([toMute, toNobody]).toEqual([notRun, notRun])
  })

  test('does not know how a write ended whose connection was cut, and does not send it again', async () => {
    const host = await openTestHost({ permission: 'bypass' })
    const line = await openLine(host.port)
    const run = await toolsFor(await pairedPeer(host), line.port)
    const log = join(host.folder, 'log.txt')

    const running = run('run_command', { command: 'echo once >> log.txt; sleep 1' })
    await until(() => existsSync(log) && readFileSync(log, 'utf8') !== '')
    line.cut()
    const result = await running

    expect(result).toMatchObject({
      ok: false,
      code: 'interrupted',
      text: expect.stringMatching(/^unknown outcome: the tool host peer\/tower:\d+ was lost/),
    })
    expect(await readFile(log, 'utf8')).toBe('once\n')
  })

  test('has sent nothing where it gave up while the connection was made', async () => {
    const host = await openTestHost({ permission: 'bypass' })
    const { identity } = await pairedPeer(host)
    const { id: expected } = await lanFiles(host.data).identity()
    const controller = new AbortController()
    const dialling = { identity, address: `127.0.0.1:${host.port}`, expected, timeoutMs: 5_000 }
    const open = async () => {
      const socket = await dial(dialling, signal)
      controller.abort(new Error('gave up'))
      return socket
    }
    const call = { ...execute('write_file', { path: 'a.txt', content: 'x' }), answer: z.unknown() }

    const asked = askHost({ url: 'peer/tower', peer: { ownId: identity.id, open } }, call, controller.signal)

    await expect(asked).rejects.toThrow('gave up')
    expect((await send(host, identity, listing)).status).toBe(200)
    expect(existsSync(join(host.folder, 'a.txt'))).toBe(false)
  })

  test('ends the call there when it is cancelled here', async () => {
    const host = await openTestHost({ permission: 'bypass' })
    const { peers } = await pairedPeer(host)
    const remote = await openWishedTools({ url: `peer/tower:${host.port}`, peers }, signal)
    const local = builtinTools({ list: () => [], patches: () => Promise.reject(new Error('not here')) })
    const command = remote?.replace(local).find(({ name }) => name === 'run_command')
    const controller = new AbortController()
    const context = toolContext(host.folder, { signal: controller.signal })

    const running = command?.run(
      { command: "trap 'touch ended' TERM; touch begun; sleep 60 & wait" },
      context,
    )
    await until(() => existsSync(join(host.folder, 'begun')))
    controller.abort(new Error('cancelled'))

    await expect(running).rejects.toThrow('cancelled')
    await until(() => existsSync(join(host.folder, 'ended')))
  })

  test.each([
    ['attic', /no peer is called "attic"; paired are tower \([0-9a-f]{8}\)\. .*through NATS only models/],
    ['nowhere', /no address of nowhere is known\. .*through NATS only models.*`peers` of \[federation\]/],
  ])('says what it knows when it is asked for %s', async (name, message) => {
    const { peers, data } = await unpairedPeer(await testHome())
    if (name === 'nowhere') await lanFiles(data).book.add({ id: 'f'.repeat(64), name, addresses: [] })

    await expect(openWishedTools({ url: `peer/${name}`, peers }, signal)).rejects.toThrow(message)
  })

  test('finds a machine by the beginning of its id, and at an address of the configuration', async () => {
    const host = await openTestHost({ files: { 'a.txt': 'there' } })
    const { data, peers } = await pairedPeer(host)
    const { id } = await lanFiles(host.data).identity()
    await lanFiles(data).book.add({ id, name: 'tower', addresses: [] })

    const url = `peer/${id.slice(0, 8)}:${host.port}`
    const remote = await openWishedTools({ url, peers: { ...peers, addresses: ['127.0.0.1:1'] } }, signal)

    expect(remote?.where).toContain(`(${url}), folder default`)
  })
})

describe('`auto`', () => {
  test('takes a paired machine where none is here, and sends it no token', async () => {
    const home = await testHome()
    const { peers } = await pairedPeer(home)
    const heard: unknown[] = []
    const tls = tlsOptionsOf(await lanFiles(home.data).identity())
    const server = createHttps(tls, ({ url, headers }, response) => {
      heard.push([url, headers.authorization])
      const tools = { host: 'tower', rules: 'none', workspaces: ['w'], tools: [] }
      response.end(JSON.stringify(url === '/health' ? { status: 'ok' } : tools))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo

    const found = await findToolHost({ peers, own: [], port }, signal)
    const named = await openWishedTools({ url: `peer/tower:${port}`, token: 'covey_secret', peers }, signal)

    expect(found).toEqual({ url: 'peer/tower', peer: expect.anything() })
    expect(named?.where).toBe(`tower (peer/tower:${port}), folder w, none`)
    expect(heard).toEqual([
      ['/health', undefined],
      ['/v1/tools', undefined],
    ])
  })

  test('says which machine was there and refused', async () => {
    const home = await testHome()
    const { peers, identity } = await unpairedPeer(home)
    await pairedPeer(home)
    const { port } = await openTestHost({ home, host: '0.0.0.0' })

    await expect(findToolHost({ peers, own: [], port }, signal)).rejects.toThrow(
      `No tool host answers at http://127.0.0.1:${port}, peer/tower; start one with \`covey tools serve\`, or give its address. peer/tower does not let this machine run tools; there, type \`covey peers scope ${identity.id.slice(0, 8)} generate,status,tools\`.`,
    )
  })
})

/** A wire between two machines that can be cut, or led elsewhere. */
async function openLine(port: number) {
  let target = port
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect({ host: '127.0.0.1', port: target })
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => {}))
    client.pipe(upstream).pipe(client)
    upstream.on('close', () => client.destroy())
    client.on('close', () => upstream.destroy())
  })
  const cut = () => sockets.forEach((socket) => socket.destroy())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    cut()
    server.close()
  })
  const to = (other: number) => void (target = other)
  return { port: (server.address() as AddressInfo).port, cut, to }
}
