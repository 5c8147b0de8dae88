/** Servers that behave, over stdio and HTTP, and servers that do not: each a real process or a real socket. */
import { createServer as createHttpServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { McpServer as SdkServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { onTestFinished } from 'vitest'
import { openMcp } from '../../src/mcp/open.ts'
import type { McpParts, McpServer } from '../../src/mcp/open-server.ts'
import type { Equipment } from '../../src/protocol/equipment.ts'
import type { Tool, ToolResult } from '../../src/protocol/tool.ts'
import { childProgram } from '../support/child.ts'
import { launchAsItIs } from '../support/launch.ts'
import { tempProject, toolContext } from '../support/project.ts'
import { addTools } from './tools.ts'

const CHILD = await childProgram(new URL('child.ts', import.meta.url))

const usual = { args: [], env: {}, headers: {}, timeoutMs: 15_000, replace: {}, category: 'meta' } as const

export const realServer = (more: Partial<McpServer> = {}): McpServer => ({
  ...usual,
  name: 'shop',
  command: process.execPath,
  args: [CHILD],
  ...more,
})

/**
 * A server in a few lines of JavaScript, to be as wrong as a test wants. `answer` gets each request and `say`; what it
 * does not answer stays unanswered.
 */
export const scriptedServer = (answer: string, more: Partial<McpServer> = {}): McpServer => ({
  ...usual,
  name: 'odd',
  command: process.execPath,
  args: [
    '-e',
    `const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
     const tools = [{ name: 'go', description: 'Goes', inputSchema: { type: 'object', properties: { to: { type: 'string' } } } }]
     const usual = ({ id, method, params }) => {
       if (method === 'initialize') say({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'odd', version: '1' } } })
       if (method === 'tools/list') say({ id, result: { tools } })
     }
     const answer = (request) => { ${answer} }
     require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => answer(JSON.parse(line)))`,
  ],
  ...more,
})

/** The same tools behind an address. `seen` are the headers of each request. */
export async function httpServer(): Promise<{ url: string; seen: Record<string, unknown>[] }> {
  const seen: Record<string, unknown>[] = []
  const http = createHttpServer(async (request, response) => {
    seen.push({ ...request.headers })
    const server = new SdkServer({ name: 'shop', version: '1.0.0' })
    addTools(server)
    const transport = new StreamableHTTPServerTransport({})
    response.on('close', () => void server.close())
    await server.connect(transport as never)
    await transport.handleRequest(request, response)
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    http.closeAllConnections()
    http.close()
  })
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`, seen }
}

/** A server behind an address that answers as the test says; `usual` speaks the protocol as far as it is expected. */
export async function oddHttpServer(
  answer: (request: Asked, response: ServerResponse, usual: () => void) => void,
): Promise<{ settings: McpServer; seen: string[] }> {
  const seen: string[] = []
  const http = createHttpServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    const asked = (text === '' ? {} : JSON.parse(text)) as Asked
    seen.push(`${request.method} ${asked.method ?? ''}`.trim())
    answer(asked, response, () => usualAnswer(asked, response))
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    http.closeAllConnections()
    http.close()
  })
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`
  return { settings: { ...usual, name: 'odd', url }, seen }
}

type Asked = { readonly id?: number; readonly method?: string }

function usualAnswer({ id, method }: Asked, response: ServerResponse): void {
  const results: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: '2025-03-26',
      capabilities: { tools: {} },
      serverInfo: { name: 'odd', version: '1' },
    },
    'tools/list': { tools: [{ name: 'go', inputSchema: { type: 'object' } }] },
  }
  const result = results[method ?? '']
  if (!result) return void response.writeHead(method === undefined ? 405 : 202).end()
  response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 'session-1' })
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
}

export type Opened = Equipment & { readonly warnings: string[] }

export async function open(servers: readonly McpServer[], more: Partial<McpParts> = {}): Promise<Opened> {
  const warnings: string[] = []
  const equipment = await openMcp({
    servers,
    cwd: await tempProject(),
    version: '0.0.0',
    launch: launchAsItIs,
    environment: () => ({ PATH: process.env['PATH'] ?? '' }),
    warn: (message) => void warnings.push(message),
    ...more,
  })
  onTestFinished(() => equipment.close())
  return { ...equipment, warnings }
}

/** Once the background has found out what the servers have. */
export async function toolNamed(equipment: Equipment, name: string): Promise<Tool> {
  for (;;) {
    const found = equipment.tools().find((tool) => tool.name === name)
    if (found) return found
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** As the engine would: what is thrown becomes a failure. */
export async function run(tool: Tool, input: unknown, signal?: AbortSignal): Promise<ToolResult> {
  const context = toolContext(await tempProject(), signal ? { signal } : {})
  return tool.run(input, context).catch((error: Error) => ({ ok: false, text: error.message }))
}
