/**
 * What MCP servers bring to one session: their tools, what they have to be read, their prompts. Opening it starts
 * nothing that anybody waits for: what a server has is known from last time, or asked for in the background; the
 * server itself starts with the first call and ends with the session.
 */
import type { Equipment, Expansion } from '../protocol/equipment.ts'
import type { Tool } from '../protocol/tool.ts'
import { toServerNames } from './names.ts'
import { type McpParts, type OpenServer, openServer } from './open-server.ts'
import { promptResultSchema, readPromptCall, toArguments, toPromptText } from './prompts.ts'
import { toTools } from './tools.ts'

export async function openMcp(parts: McpParts): Promise<Equipment> {
  const names = toServerNames(parts.servers.map(({ name }) => name))
  const opened = await Promise.all(
    parts.servers.map((settings) => openServer({ settings, name: names.get(settings.name) ?? '' }, parts)),
  )
  let listed: { readonly from: readonly unknown[]; readonly tools: readonly Tool[] } = { from: [], tools: [] }
  return {
    sources: [],
    tools() {
      const from = opened.map((server) => server.offer())
      const isSame =
        from.length === listed.from.length && from.every((offer, at) => offer === listed.from[at])
      // The same tools as before as long as nothing changed: their schemas are made once.
      if (!isSame) listed = { from, tools: toTools(opened) }
      return listed.tools
    },
    expand: (prompt) => expand(opened, prompt),
    close: async () => void (await Promise.all(opened.map((server) => server.close()))),
  }
}

/** The user names the prompt, so no permission is asked; the server starts when its text is needed. */
function expand(servers: readonly OpenServer[], words: string): Expansion | undefined {
  const call = readPromptCall(words)
  const server = servers.find(({ name }) => name === call?.server)
  const declared = server?.offer().prompts.find(({ name }) => name === call?.name)
  if (!call || !server || !declared) return undefined
  return {
    prompt: words,
    limits: {},
    async load(signal) {
      const params = { name: declared.name, arguments: toArguments(declared, call) }
      const connection = await server.ready(signal)
      return toPromptText(await connection.ask({ method: 'prompts/get', params }, promptResultSchema, signal))
    },
  }
}
