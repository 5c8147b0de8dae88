/**
 * What servers have as tools of a session. A server runs outside the sandbox and may do anything, whatever it says
 * about itself: as with the web, every mode that leaves a question open asks before each call.
 */
import { isObject } from '../lib/json.ts'
import { AppError } from '../protocol/error.ts'
import { defineTool, type Tool } from '../protocol/tool.ts'
import { callResultSchema, toToolResult } from './content.ts'
import { type DeclaredTool, toDescription, toInput } from './declared.ts'
import { toToolName, uniqueName } from './names.ts'
import type { OpenServer } from './open-server.ts'
import { resourceDescription, resourceInput, useResources } from './resources.ts'

export function toTools(servers: readonly OpenServer[]): readonly Tool[] {
  const taken = new Set<string>()
  const claim = (name: string): string => {
    taken.add(name)
    return name
  }
  return servers.flatMap((server) => {
    const { name, settings, offer } = server
    const { tools, hasResources } = offer()
    const called = tools.map((declared) => {
      const own = claim(uniqueName(toToolName(name, declared.name), taken))
      const wish = Object.hasOwn(settings.replace, declared.name)
        ? settings.replace[declared.name]
        : undefined
      return toTool(server, declared, {
        own,
        name: wish === undefined || taken.has(wish) ? own : claim(wish),
      })
    })
    if (!hasResources) return called
    return [...called, toResourceTool(server, claim(uniqueName(toToolName(name, 'read_resource'), taken)))]
  })
}

type Names = { readonly name: string; readonly own: string }

function toTool(server: OpenServer, declared: DeclaredTool, { name, own }: Names): Tool {
  return defineTool({
    name,
    description: toDescription(declared),
    category: server.settings.category,
    input: toInput(declared),
    // What takes the place of a built-in tool is shown as that was.
    deferred: name === own,
    timeoutMs: Number.POSITIVE_INFINITY,
    access: () => [{ kind: 'fetch', target: own }],

    async run(input, { signal }) {
      const given = isObject(input) ? input : {}
      requireNoPlaceholder(given)
      const connection = await server.ready(signal)
      requireStillFits(server, declared.name, given)
      const request = { method: 'tools/call', params: { name: declared.name, arguments: given } }
      return toToolResult(await connection.ask(request, callResultSchema, signal))
    },
  })
}

const toResourceTool = (server: OpenServer, name: string): Tool =>
  defineTool({
    name,
    description: resourceDescription(server.name),
    category: server.settings.category,
    input: resourceInput,
    deferred: true,
    timeoutMs: Number.POSITIVE_INFINITY,
    access: () => [{ kind: 'fetch', target: name }],

    async run(input, { signal }) {
      requireNoPlaceholder(input)
      return useResources(await server.ready(signal), input.uri, signal)
    },
  })

const PLACEHOLDER = /\[secret:[\w-]{1,64}:\w{1,16}:\d+\]/

/** An unapproved secret stays here; without this check the bare placeholder would be sent in its place. */
function requireNoPlaceholder(input: object): void {
  const placeholder = PLACEHOLDER.exec(JSON.stringify(input))?.[0]
  if (placeholder === undefined) return
  throw new AppError(
    'permission-denied',
    `${placeholder} stands for a secret, and MCP servers get none. Leave it out, or ask the person to do this.`,
    { failure: 'denied' },
  )
}

const MOST_NAMES = 20

/** What the model was shown may be from last time. */
function requireStillFits({ name, settings, offer }: OpenServer, tool: string, input: unknown): void {
  const { tools } = offer()
  const declared = tools.find((one) => one.name === tool)
  if (!declared) {
    const names = tools.slice(0, MOST_NAMES).map((one) => toToolName(name, one.name))
    const has = [...names, ...(tools.length > MOST_NAMES ? ['more'] : [])].join(', ') || 'nothing'
    const message = `the MCP server ${settings.name} no longer has ${toToolName(name, tool)}; it has ${has}`
    throw new AppError('tool-failed', message, { failure: 'unknown-tool' })
  }
  const [issue] = toInput(declared).safeParse(input).error?.issues ?? []
  if (!issue) return
  throw new AppError('tool-failed', `argument "${issue.path.map(String).join('.')}" ${issue.message}`, {
    failure: 'bad-arguments',
  })
}
