/** What the test servers have, over stdio and over HTTP. */
import { type McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js'
import { z } from 'zod'

export function addTools(server: McpServer): void {
  server.registerTool(
    'add',
    {
      description: 'Adds two numbers',
      inputSchema: { a: z.number(), b: z.number().describe('The second one') },
      annotations: { readOnlyHint: true },
    },
    async ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }),
  )
  server.registerTool('fail', { description: 'Fails' }, async () => ({
    content: [{ type: 'text', text: 'out of stock' }],
    isError: true,
  }))
  server.registerTool('environment', { description: 'Shows what it got' }, async () => ({
    content: [{ type: 'text', text: JSON.stringify(process.env) }],
  }))
  server.registerTool('mixed', { description: 'Shows several kinds of content' }, async () => ({
    content: [
      { type: 'text', text: 'a picture:' },
      { type: 'image', mimeType: 'image/png', data: 'AAAA' },
      { type: 'resource', resource: { uri: 'shop://list', mimeType: 'text/plain', text: 'apples' } },
      { type: 'resource_link', uri: 'shop://more', name: 'more', mimeType: 'text/html' },
    ],
  }))
  server.registerResource(
    'list',
    'shop://list',
    { description: 'What is to be bought', mimeType: 'text/plain' },
    async ({ href }) => ({ contents: [{ uri: href, mimeType: 'text/plain', text: 'apples' }] }),
  )
  server.registerResource(
    'picture',
    new ResourceTemplate('shop://picture/{of}', { list: undefined }),
    { description: 'A picture of something' },
    async ({ href }) => ({ contents: [{ uri: href, mimeType: 'image/png', blob: 'AAAA' }] }),
  )
  server.registerPrompt(
    'order',
    { description: 'Orders something', argsSchema: { what: z.string(), many: z.string().optional() } },
    ({ what, many }) => ({
      messages: [{ role: 'user', content: { type: 'text', text: `Order ${many ?? 'one'} of: ${what}` } }],
    }),
  )
}
