import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect, onTestFinished, test } from 'vitest'
import { createChannel } from '../../src/lib/channel.ts'
import { serveStdio } from '../../src/mcp/server.ts'
import type { ToolHost } from '../../src/protocol/tool-host.ts'
import { coveyProgram } from '../support/program.ts'
import { tempProject } from '../support/project.ts'
import { openTestHost, testHome } from '../support/tool-host.ts'

const textOf = ({ content }: Awaited<ReturnType<Client['callTool']>>): string =>
  (content as { text: string }[]).map(({ text }) => text).join('')

async function connected(transport: StdioClientTransport | StreamableHTTPClientTransport): Promise<Client> {
  const client = new Client({ name: 'tester', version: '1' })
  onTestFinished(() => client.close())
  await client.connect(transport as never)
  return client
}

test('`covey mcp serve` offers our tools over stdio, under our guard', async () => {
  const folder = await tempProject({ 'notes.txt': 'buy milk', '.env': 'KEY=1' })
  const { env } = await testHome()
  const client = await connected(
    new StdioClientTransport({
      command: process.execPath,
      args: [...coveyProgram, 'mcp', 'serve', '--permission', 'accept-edits'],
      cwd: folder,
      env: env as Record<string, string>,
      stderr: 'ignore',
    }),
  )

  const { tools } = await client.listTools()
  const read = await client.callTool({ name: 'read_file', arguments: { path: 'notes.txt' } })
  const wrote = await client.callTool({
    name: 'write_file',
    arguments: { path: 'new.txt', content: 'hello' },
  })
  const secret = await client.callTool({ name: 'read_file', arguments: { path: '.env' } })
  const wrong = await client.callTool({ name: 'no_such_tool', arguments: {} })

  expect(tools.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['read_file', 'write_file', 'run_command']),
  )
  expect(tools.map(({ name }) => name)).not.toContain('ask_user')
  expect(textOf(read)).toContain('buy milk')
  expect(wrote.isError).toBe(false)
  expect(await readFile(join(folder, 'new.txt'), 'utf8')).toBe('hello')
  expect(secret.isError).toBe(true)
  expect(textOf(secret)).toContain('.env, which may hold secrets')
  expect(wrong.isError).toBe(true)
})

test('`/mcp` of a tool host takes the same calls over HTTP, with a token only', async () => {
  const host = await openTestHost({ files: { 'a.txt': 'one' }, permission: 'accept-edits' })
  const transport = (token: string) =>
    new StreamableHTTPClientTransport(new URL(`${host.url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    })

  const client = await connected(transport(host.token))
  const read = await client.callTool({ name: 'read_file', arguments: { path: 'a.txt' } })
  const edited = await client.callTool({
    name: 'edit_file',
    arguments: { path: 'a.txt', old: 'one', new: 'two' },
  })

  expect(textOf(read)).toContain('one')
  expect(edited.isError).toBe(false)
  expect(await readFile(join(host.folder, 'a.txt'), 'utf8')).toBe('two')
  await expect(connected(transport('wrong'))).rejects.toThrow(/token/i)
})

test('what is no message of the protocol is refused in its words', async () => {
  const host = await openTestHost()
  const ask = async (body: string, accept = 'application/json, text/event-stream') => {
    const headers = { 'content-type': 'application/json', accept, authorization: `Bearer ${host.token}` }
    const response = await fetch(`${host.url}/mcp`, { method: 'POST', headers, body })
    return { status: response.status, text: await response.text() }
  }

  const replies = [
    await ask('{"hello":1}'),
    await ask('{"jsonrpc":"2.0","method":"notifications/initialized"}'),
    await ask('{"jsonrpc":"2.0","id":1,"method":"no/such"}'),
    await ask('{"jsonrpc":"2.0","id":1,"method":"tools/list"}', 'application/json'),
    await ask('nonsense'),
  ]

  expect(replies.map(({ status }) => status)).toEqual([400, 202, 200, 406, 400])
  expect(replies[1]?.text).toBe('')
  expect(replies[2]?.text).toContain('Method not found')
})

test('a program that leaves in the middle of a call ends the call', async () => {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()]
  const calling = createChannel<AbortSignal>()
  const host: ToolHost = {
    tools: () => [],
    workspaces: [],
    execute: (_call, signal) => {
      calling.push(signal)
      return new Promise(() => {})
    },
    close: async () => {},
  }
  const serving = serveStdio(
    { host, version: '1', client: 'tester' },
    { stdin, stdout },
    new AbortController().signal,
  )
  stdin.write('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_file"}}\n')
  const { value: signal } = await calling[Symbol.asyncIterator]().next()

  stdin.end()
  await serving

  expect(signal?.aborted).toBe(true)
})
