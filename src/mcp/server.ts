/**
 * Our tools for other programs, over the Model Context Protocol. What a call may do is decided by the tool host behind it,
 * in the same way as for a session's own calls; here words are only turned into the protocol's and back.
 */
import type { Readable, Writable } from 'node:stream'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { errorMessage } from '../protocol/error.ts'
import type { ToolHost } from '../protocol/tool-host.ts'

export type McpServing = {
  readonly host: ToolHost
  readonly version: string
  readonly client: string
}

/** Until the other side closes its end, or `signal` aborts. */
export async function serveStdio(
  serving: McpServing,
  { stdin, stdout }: { readonly stdin: Readable; readonly stdout: Writable },
  signal: AbortSignal,
): Promise<void> {
  const server = createServer(serving, signal)
  const isOver = new Promise<void>((resolve) => {
    server.onclose = () => resolve()
    for (const event of ['end', 'close', 'error']) stdin.once(event, () => resolve())
    signal.addEventListener('abort', () => resolve(), { once: true })
    if (signal.aborted) resolve()
  })
  await server.connect(new StdioServerTransport(stdin, stdout) as Transport)
  await isOver
  await server.close()
}

export type HttpMessage = {
  readonly body: unknown
  readonly headers: Readonly<Record<string, string | undefined>>
}

export type HttpAnswer = { readonly status: number; readonly body?: unknown }

/** One message over HTTP. Nothing is kept between two of them, so a server that is started again is no other server. */
export async function answerHttp(
  serving: McpServing,
  { body, headers }: HttpMessage,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const server = createServer(serving, signal)
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  const known = Object.entries(headers).flatMap(([name, value]) =>
    value !== undefined && PASSED_ON.has(name) ? [[name, value] as [string, string]] : [],
  )
  try {
    await server.connect(transport as Transport)
    const request = new Request('http://localhost/mcp', { method: 'POST', headers: known })
    const response = await transport.handleRequest(request, { parsedBody: body ?? null })
    const text = await response.text()
    return { status: response.status, ...(text !== '' && { body: JSON.parse(text) as unknown }) }
  } finally {
    await server.close()
  }
}

/** All that the protocol needs; where the request came from was judged before. */
const PASSED_ON = new Set(['accept', 'content-type', 'mcp-protocol-version'])

function createServer({ host, version, client }: McpServing, signal: AbortSignal): Server {
  const server = new Server({ name: 'covey', version }, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, async () => ({
    tools: host.tools().map(({ name, description, parameters }) => ({
      name,
      ...(description !== undefined && { description }),
      inputSchema: { ...parameters, type: 'object' as const },
    })),
  }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const call = { tool: params.name, arguments: params.arguments ?? {}, client }
    const { ok, text } = await host
      .execute(call, AbortSignal.any([signal, extra.signal]))
      .catch((error: unknown) => ({ ok: false, text: errorMessage(error) }))
    return { content: [{ type: 'text' as const, text }], isError: !ok }
  })
  return server
}
