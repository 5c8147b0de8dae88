/**
 * The tools of MCP servers for one session. Opening it starts nothing that anybody waits for: what a server has is known
 * from last time, or asked for in the background; the server itself starts with the first call and ends with the session.
 */
import { AppError, errorMessage } from '../protocol/error.ts'
import type { Equipment } from '../protocol/equipment.ts'
import { isObject } from '../lib/json.ts'
import { type Category, defineTool, type Tool } from '../protocol/tool.ts'
import { readCached, writeCached } from './cache.ts'
import type { Connection, ConnectionParts, ServerSettings } from './connection.ts'
import { type DeclaredTool, toDescription, toInput } from './declared.ts'
import { toToolName, uniqueName } from './names.ts'

export type McpServer = ServerSettings & {
  /** Tools of the server that take the place of built-in ones, by the built-in name. */
  readonly replace: Readonly<Record<string, string>>
  readonly category: Category
}

export type McpParts = Omit<ConnectionParts, 'settings' | 'onTools'> & {
  readonly servers: readonly McpServer[]
  /** Where it is kept what servers have; absent = nowhere. */
  readonly cacheFolder?: string
}

export async function openMcp(parts: McpParts): Promise<Equipment> {
  const opened = await Promise.all(parts.servers.map((server) => openServer(server, parts)))
  let listed: { readonly from: readonly unknown[]; readonly tools: readonly Tool[] } = { from: [], tools: [] }
  return {
    sources: [],
    tools() {
      const from = opened.map((server) => server.declared())
      const isSame = from.length === listed.from.length && from.every((list, at) => list === listed.from[at])
      // The same tools as before as long as nothing changed: their schemas are made once.
      if (!isSame) listed = { from, tools: toTools(opened) }
      return listed.tools
    },
    close: async () => void (await Promise.all(opened.map((server) => server.close()))),
  }
}

type OpenServer = {
  readonly settings: McpServer
  declared(): readonly DeclaredTool[]
  connection(): Promise<Connection>
  close(): Promise<void>
}

async function openServer(settings: McpServer, parts: McpParts): Promise<OpenServer> {
  const catalogue = await openCatalogue(settings, parts)
  let opening: Promise<Connection> | undefined
  let isClosed = false
  const connection = (): Promise<Connection> => {
    opening ??= connect({ ...parts, settings, onTools: catalogue.take })
    return opening
  }
  // Somebody has to be first; the session does not wait for it.
  if (!catalogue.isKnown) {
    void connection()
      .then((opened) => opened.ready())
      .catch((error: unknown) => {
        if (!isClosed) parts.warn(`MCP: ${errorMessage(error)}; its tools are missing.`)
      })
  }
  return {
    settings,
    declared: catalogue.declared,
    connection,
    async close() {
      isClosed = true
      await (await opening)?.close()
      await catalogue.kept()
    },
  }
}

type Catalogue = {
  /** From last time. */
  readonly isKnown: boolean
  /** The same list as long as nothing changed. */
  declared(): readonly DeclaredTool[]
  take(tools: readonly DeclaredTool[]): void
  /** Once what was taken is on disk. */
  kept(): Promise<void>
}

async function openCatalogue(settings: McpServer, { cacheFolder, warn }: McpParts): Promise<Catalogue> {
  const cached = cacheFolder === undefined ? undefined : await readCached(cacheFolder, settings)
  let declared = cached ?? []
  let keeping: Promise<void> = Promise.resolve()
  return {
    isKnown: cached !== undefined,
    declared: () => declared,
    take(tools) {
      if (cached && JSON.stringify(tools) === JSON.stringify(declared)) return
      declared = tools
      if (cacheFolder === undefined) return
      keeping = keeping
        .then(() => writeCached(cacheFolder, settings, tools))
        .catch((error: unknown) => warn(errorMessage(error)))
    },
    kept: () => keeping,
  }
}

/** The SDK is large; who uses no server does not load it. */
async function connect(parts: ConnectionParts): Promise<Connection> {
  const { Connection } = await import('./connection.ts')
  return new Connection(parts)
}

function toTools(servers: readonly OpenServer[]): readonly Tool[] {
  const taken = new Set<string>()
  return servers.flatMap((server) =>
    server.declared().map((declared) => {
      const { settings } = server
      const wished = Object.hasOwn(settings.replace, declared.name)
        ? settings.replace[declared.name]
        : undefined
      const own = uniqueName(toToolName(settings.name, declared.name), taken)
      const name = wished !== undefined && !taken.has(wished) ? wished : own
      taken.add(name)
      return toTool(server, declared, { name, own })
    }),
  )
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
    /**
     * The server runs outside the sandbox and may do anything, whatever it says about itself: as with the web, every mode
     * that leaves a question open asks.
     */
    access: () => [{ kind: 'fetch', target: own }],

    async run(input, { signal }) {
      const given = isObject(input) ? input : {}
      requireNoPlaceholder(given)
      const connection = await server.connection()
      await orAborted(connection.ready(), signal)
      requireStillFits(server, declared.name, given)
      return connection.call(declared.name, given, signal)
    },
  })
}

/** A server that takes its time to start does not hold up whoever wants to leave. */
function orAborted(starting: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason)
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave, { once: true })
    starting.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}

const PLACEHOLDER = /\[secret:[\w-]{1,64}:\w{1,16}:\d+\]/

/** A value that nobody approved stays here; the bare placeholder would be written where the value stood. */
function requireNoPlaceholder(input: Readonly<Record<string, unknown>>): void {
  const placeholder = PLACEHOLDER.exec(JSON.stringify(input))?.[0]
  if (placeholder === undefined) return
  throw new AppError(
    'permission-denied',
    `${placeholder} stands for a secret, and MCP servers get none. Leave it out, or ask the person to do this.`,
    { failure: 'denied' },
  )
}

/** What the model was shown may be from last time. */
function requireStillFits(server: OpenServer, tool: string, input: unknown): void {
  const declared = server.declared().find(({ name }) => name === tool)
  if (!declared) {
    const names = server.declared().map(({ name }) => name)
    const message = `the MCP server ${server.settings.name} no longer has ${tool}; it has ${names.join(', ') || 'nothing'}`
    throw new AppError('tool-failed', message, { failure: 'unknown-tool' })
  }
  const [issue] = toInput(declared).safeParse(input).error?.issues ?? []
  if (!issue) return
  throw new AppError('tool-failed', `argument "${issue.path.map(String).join('.')}" ${issue.message}`, {
    failure: 'bad-arguments',
  })
}
