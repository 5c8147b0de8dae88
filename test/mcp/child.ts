/** A small MCP server made with the SDK, as a program of its own. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { addTools } from './tools.ts'

const server = new McpServer({ name: 'shop', version: '1.0.0' })
addTools(server)
await server.connect(new StdioServerTransport())
