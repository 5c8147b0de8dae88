import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { prepareCall } from '../../../src/engine/prepare.ts'
import { runTool } from '../../../src/engine/run-tool.ts'
import { lanFiles } from '../../../src/federation/lan/open.ts'
import { findToolHost, openWishedTools } from '../../../src/federation/tools/find.ts'
import { openRemoteTools } from '../../../src/federation/tools/host.ts'
import { toToolSchema } from '../../../src/lib/schema.ts'
import { createPermissions, type PermissionParts } from '../../../src/guard/permission/decide.ts'
import type { Tool, ToolResult } from '../../../src/protocol/tool.ts'
import { openTokens } from '../../../src/server/http/tokens.ts'
import { builtinTools } from '../../../src/tools/all.ts'
import { tempProject, toolContext } from '../../support/project.ts'
import { openTestHost, type TestHost } from '../../support/tool-host.ts'
import { runs } from '../../support/runs.ts'

const { signal } = new AbortController()

const localTools = (): readonly Tool[] =>
  builtinTools({ list: () => [], patches: () => Promise.reject(new Error('not here')) })

async function remoteTools({ url, token }: { readonly url: string; readonly token: string }) {
  const remote = await openRemoteTools({ url, token }, signal)
  const tools = remote.replace(localTools())
  const here = await tempProject()
  const run = (name: string, input: object): Promise<ToolResult> =>
    requireTool(tools, name).run(input, toolContext(here))
  return { ...remote, tools, here, run }
}

function requireTool(tools: readonly Tool[], name: string): Tool {
  const tool = tools.find((candidate) => candidate.name === name)
  if (!tool) throw new Error(`no ${name}`)
  return tool
}

test('what reaches the world runs on the host, in its folder, and what is about the conversation stays', async () => {
  const host = await openTestHost({ files: { 'a.txt': 'there' }, permission: 'bypass' })
  const { tools, here, run, where } = await remoteTools(host)

  const read = await run('read_file', { path: 'a.txt' })
  const wrote = await run('write_file', { path: 'b.txt', content: 'new' })
  const ran = await run('run_command', { command: 'pwd' })
  const listed = await run('list_files', {})

  expect(read).toEqual({ ok: true, text: expect.stringContaining('there') })
  expect(wrote.ok).toBe(true)
  expect(await readFile(join(host.folder, 'b.txt'), 'utf8')).toBe('new')
  expect(existsSync(join(here, 'b.txt'))).toBe(false)
  expect(ran.text).toContain(host.folder)
  expect(listed.text).toContain('b.txt')
  expect(where).toContain(`(${host.url}), folder default, permission bypass, commands: `)
  expect(tools.map(({ name }) => name)).toEqual(localTools().map(({ name }) => name))
  expect(tools.filter(({ name, run: own }) => isLocal(name, own)).map(({ name }) => name)).toEqual([
    'read_result',
    'list_results',
    'ask_user',
    'call_tool',
  ])
})

/** Tools that are made anew for each session cannot be identified by what they run. */
const isLocal = (name: string, run: Tool['run']): boolean =>
  localTools().some((tool) => tool.name === name && tool.run === run)

test('what the host does not have does not run here instead', async () => {
  const host = await openTestHost({ config: '[tool_host]\ntools = ["read_file"]\n' })

  const { tools } = await remoteTools(host)

  expect(tools.map(({ name }) => name)).not.toContain('run_command')
  expect(tools.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['read_file', 'read_result', 'ask_user']),
  )
})

/** One call as a session here would run it. */
async function runHere(
  tools: readonly Tool[],
  call: { name: string; input: object },
  rules: Partial<PermissionParts>,
) {
  const root = await tempProject()
  const { authorize } = createPermissions({ mode: 'bypass', roots: [root], sandboxed: false, ...rules })
  const prepared = prepareCall(
    { id: 'c1', name: call.name, input: JSON.stringify(call.input) },
    { tools, options: {}, atLimit: false },
  )
  const { message } = await runTool(prepared, {
    toolAccess: {
      list: () => tools,
      authorize,
      askPermission: async () => ({ allow: false, reason: 'unattended' }),
      context: toolContext(root),
    },
    trace: { turns: 1, calls: [] },
    options: {},
    pageTokens: 1_000,
    countTokens: (text) => text.length,
    emit: () => {},
    told: async () => {},
    now: () => 0,
    signal,
  })
  return message
}

test('a deny here is never overridden there, and a deny there never here', async () => {
  const open = await openTestHost({ permission: 'bypass' })
  const strict = await openTestHost({ permission: 'read-only' })
  const call = { name: 'write_file', input: { path: 'secret/b.txt', content: 'x' } }

  const deniedHere = await runHere((await remoteTools(open)).tools, call, {
    rules: [{ tool: 'write_file', pattern: 'secret/**', verdict: 'deny' }],
  })
  const deniedThere = await runHere((await remoteTools(strict)).tools, call, {})
  const allowed = await runHere((await remoteTools(open)).tools, call, {})

  expect([deniedHere.code, deniedThere.code, allowed.ok]).toEqual(['denied', 'denied', true])
  expect(deniedHere.text).toContain('denied by the rule "write_file secret/**"')
  expect(deniedThere.text).toContain('This session only reads')
})

test('without a token, or with a wrong one, it says what to do', async () => {
  const { url } = await openTestHost()

  await expect(openRemoteTools({ url }, signal)).rejects.toThrow(
    `The tool host ${url} needs a token: make one there with \`covey token add NAME --scope tools\`, and set it here as COVEY_TOOL_HOST__TOKEN or \`token\` of [tool_host].`,
  )
  await expect(openRemoteTools({ url, token: 'covey_wrong' }, signal)).rejects.toThrow(
    /does not know this token/,
  )
})

test('a token that lost its right is refused in the middle of a session', async () => {
  const host = await openTestHost({ permission: 'bypass' })
  const { run } = await remoteTools(host)
  await openTokens(join(host.data, 'tokens')).remove('first-tools')

  await expect(run('write_file', { path: 'a.txt', content: 'x' })).rejects.toThrow(/does not know this token/)
  expect(existsSync(join(host.folder, 'a.txt'))).toBe(false)
})

test('an address where no tool host is says so', async () => {
  await expect(openRemoteTools({ url: 'http://127.0.0.1:9' }, signal)).rejects.toThrow(
    /The tool host http:\/\/127\.0\.0\.1:9 cannot be used .*covey tools serve/,
  )
})

/** Between client and host: `cut` says of the nth connection whether its answer is swallowed and the line cut. */
async function cuttingProxy(host: TestHost, cut: (connection: number) => boolean) {
  const port = Number(new URL(host.url).port)
  const seen = { requests: 0 }
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const number = ++seen.requests
    const upstream = connect({ host: '127.0.0.1', port })
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
    }
    // The Host header names the proxy's own port; the host looks at the name only.
    client.pipe(upstream)
    upstream.on('data', (data) => (cut(number) ? client.destroy() : client.write(data)))
    upstream.on('close', () => client.end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: host.token, seen }
}

test('a connection that is cut in a write has an unknown outcome and is not tried again', async () => {
  const host = await openTestHost({ permission: 'bypass' })
  const proxy = await cuttingProxy(host, (connection) => connection > 1)
  const { run } = await remoteTools(proxy)

  const result = await run('run_command', { command: 'echo once >> log.txt' })

  expect(result).toMatchObject({
    ok: false,
    code: 'interrupted',
    text: expect.stringMatching(/^unknown outcome: /),
  })
  expect(await readFile(join(host.folder, 'log.txt'), 'utf8')).toBe('once\n')
  expect(proxy.seen.requests).toBe(2)
})

test('a read whose answer is lost is asked for once more, and only once', async () => {
  const host = await openTestHost({ files: { 'a.txt': 'there' } })
  const once = await cuttingProxy(host, (connection) => connection === 2)
  const always = await cuttingProxy(host, (connection) => connection > 1)

  const read = await (await remoteTools(once)).run('read_file', { path: 'a.txt' })
  const lost = await (await remoteTools(always)).run('read_file', { path: 'a.txt' })

  expect(read).toEqual({ ok: true, text: expect.stringContaining('there') })
  expect(lost).toMatchObject({
    ok: false,
    code: 'failed',
    text: expect.stringContaining('read_file was not run'),
  })
  expect([once.seen.requests, always.seen.requests]).toEqual([3, 3])
})

test('a host that is gone before a write has certainly done nothing', async () => {
  const host = await openTestHost({ permission: 'bypass' })
  const { run } = await remoteTools(host)
  await host.close()

  const result = await run('write_file', { path: 'a.txt', content: 'x' })

  expect(result).toMatchObject({ ok: false, text: expect.stringContaining('write_file was not run') })
})

test('a host that answers nonsense has an unknown outcome for a write', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (data) => {
      const tool = {
        name: 'write_file',
        description: 'Writes',
        category: 'write',
        parameters: { type: 'object' },
      }
      const listing = { host: 'liar', rules: 'none', workspaces: ['w'], tools: [tool] }
      const body = data.toString().startsWith('GET') ? JSON.stringify(listing) : '{"ok":"perhaps"}'
      socket.end(
        `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
      )
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const { run } = await remoteTools({ url, token: 't' })

  expect((await run('write_file', { path: 'a', content: 'x' })).text).toMatch(/^unknown outcome: /)
})

test('a call that takes too long has an unknown outcome; one that is cancelled just ends', async () => {
  const host = await openTestHost({ permission: 'bypass' })
  const remote = await openRemoteTools({ url: host.url, token: host.token, callMs: 300 }, signal)
  const command = requireTool(remote.replace(localTools()), 'run_command')
  const controller = new AbortController()

  const late = await command.run({ command: 'sleep 5' }, toolContext(host.folder))
  const cancelled = command.run(
    { command: 'sleep 6' },
    toolContext(host.folder, { signal: controller.signal }),
  )
  controller.abort(new Error('cancelled'))

  expect(late.text).toMatch(/^unknown outcome: /)
  await expect(cancelled).rejects.toThrow('cancelled')
})

test('`auto` takes the first that answers, and says where it looked when none does', async () => {
  const host = await openTestHost()
  const port = Number(new URL(host.url).port)
  const peers = { ...lanFiles(await tempProject()), addresses: [] }

  const found = await findToolHost({ peers, own: ['127.0.0.2'], port }, signal)
  const named = await openWishedTools({ url: host.url, token: host.token, peers }, signal)

  expect(await openWishedTools({ peers }, signal)).toBeUndefined()
  expect(named?.where).toContain(host.url)
  expect(found).toEqual({ url: `http://127.0.0.1:${port}` })
  await expect(findToolHost({ peers, own: [], port: 9 }, signal)).rejects.toThrow(
    'No tool host answers at http://127.0.0.1:9; start one with `covey tools serve`, or give its address.',
  )
})

test('whatever the arguments, a remote tool is judged as the one of its name here', async () => {
  const host = await openTestHost()
  const { tools } = await remoteTools(host)
  const local = localTools()
  const calls = fc.constantFrom(...local.filter(({ name }) => host.banner.includes(name)))
  const path = fc.oneof(
    fc.string(),
    fc.constantFrom('.env', '../x', '/etc/passwd', 'a/b', '.git/hooks/pre-commit'),
  )

  fc.assert(
    fc.property(calls, path, (tool, text) => {
      const names = Object.keys((toToolSchema(tool).parameters['properties'] ?? {}) as object)
      const input = tool.input.safeParse(Object.fromEntries(names.map((name) => [name, text])))
      if (!input.success) return
      expect(requireTool(tools, tool.name).access(input.data)).toEqual(tool.access(input.data))
    }),
    { numRuns: runs(75, 300) },
  )
})
