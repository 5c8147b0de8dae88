/** One server of one session: its tools are known or being listed; it starts when first needed. */
import { errorMessage } from '../protocol/error.ts'
import type { Category } from '../protocol/tool.ts'
import { openCatalogue } from './catalogue.ts'
import type { Connection, ConnectionParts, ServerSettings } from './connection.ts'
import type { ServerOffer } from './offer.ts'

export type McpServer = ServerSettings & {
  /** Tools of the server that replace built-in ones, by the built-in name. */
  readonly replace: Readonly<Record<string, string>>
  readonly category: Category
}

export type McpParts = Omit<ConnectionParts, 'settings' | 'onOffer'> & {
  readonly servers: readonly McpServer[]
  /** Where it is kept what servers have; absent = nowhere. */
  readonly cacheFolder?: string
}

/** A server of this session, running or not. */
export type OpenServer = {
  /** What it is called here, alone. */
  readonly name: string
  readonly settings: McpServer
  /** The same value as long as nothing changed. */
  offer(): ServerOffer
  /** Once it runs and has said what it has. */
  ready(signal: AbortSignal): Promise<Connection>
  close(): Promise<void>
}

export async function openServer(
  { name, settings }: Pick<OpenServer, 'name' | 'settings'>,
  parts: McpParts,
): Promise<OpenServer> {
  const { cacheFolder: folder, cwd, warn } = parts
  const catalogue = await openCatalogue(folder === undefined ? undefined : { folder, settings, cwd }, warn)
  let opening: Promise<Connection> | undefined
  let isClosed = false
  const connection = (): Promise<Connection> => {
    opening ??= connect({ ...parts, settings, onOffer: catalogue.take })
    return opening
  }
  // The first session lists the tools; it does not wait for them.
  if (!catalogue.isKnown) {
    void connection()
      .then((opened) => opened.ready())
      .catch((error: unknown) => {
        if (!isClosed) warn(`MCP: ${errorMessage(error)}; its tools are missing.`)
      })
  }
  return {
    name,
    settings,
    offer: catalogue.offer,
    async ready(signal) {
      const opened = await connection()
      await orAborted(opened.ready(), signal)
      return opened
    },
    async close() {
      isClosed = true
      await (await opening)?.close()
      await catalogue.kept()
    },
  }
}

/** The SDK is large; who uses no server does not load it. */
async function connect(parts: ConnectionParts): Promise<Connection> {
  const { Connection } = await import('./connection.ts')
  return new Connection(parts)
}

/** A server that takes its time to start does not delay a caller that cancels. */
function orAborted(starting: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason)
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave, { once: true })
    starting.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}
