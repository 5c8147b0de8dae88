/**
 * One server: started when it is first needed, asked what it has, called, ended. Nothing it does can break more than the
 * call it was asked for: one that dies or hangs is ended, and the next call starts it again.
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ErrorCode, McpError, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'
import { clip } from '../lib/text.ts'
import { AppError, errorMessage } from '../protocol/error.ts'
import type { ToolResult } from '../protocol/tool.ts'
import { callResultSchema, toToolResult } from './content.ts'
import { type DeclaredTool, declaredToolSchema } from './declared.ts'
import { createHttpTransport, leave } from './http-transport.ts'
import { StdioTransport } from './stdio-transport.ts'

/** How to reach a server: a program to start, or an address. */
export type ServerSettings = {
  readonly name: string
  readonly command?: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly url?: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
}

export type ConnectionParts = {
  readonly settings: ServerSettings
  readonly cwd: string
  /** What a program gets of the environment beside its own variables: nothing that looks like a secret. */
  environment(): Readonly<Record<string, string>>
  readonly version: string
  /** Told what the server has, whenever that is heard. */
  onTools(tools: readonly DeclaredTool[]): void
  warn(message: string): void
}

type Live = {
  readonly client: Client
  readonly transport: Transport
  lastWords(): string
  /** Lets a server forget us that keeps sessions. */
  leave?(): Promise<void>
}

export class Connection {
  readonly #parts: ConnectionParts
  #live: Promise<Live> | undefined
  /** The one that counts, from its first moment: an older one that ends late changes nothing. */
  #current: Live | undefined
  #listing: Promise<void> | undefined
  #isClosed = false

  constructor(parts: ConnectionParts) {
    this.#parts = parts
  }

  /** Starts the server if it does not run; what it has was told by then. */
  async ready(): Promise<void> {
    await this.#connected()
  }

  async call(
    name: string,
    input: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<ToolResult> {
    const live = await this.#connected()
    try {
      const params = { name, arguments: input }
      const options = { signal, timeout: this.#parts.settings.timeoutMs, resetTimeoutOnProgress: false }
      const answer = await live.client.request({ method: 'tools/call', params }, callResultSchema, options)
      return toToolResult(answer)
    } catch (error) {
      signal.throwIfAborted()
      throw await this.#explain(error, live)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#current?.leave?.()
    await this.#drop()
  }

  #connected(): Promise<Live> {
    if (this.#isClosed)
      throw new AppError('tool-failed', `the MCP server ${this.#name} was ended with its session`)
    this.#live ??= this.#connect().catch((error: unknown) => {
      this.#live = undefined
      throw error
    })
    return this.#live
  }

  get #name(): string {
    return this.#parts.settings.name
  }

  async #connect(): Promise<Live> {
    const { settings, version } = this.#parts
    const way = this.#way()
    const { transport, lastWords } = way
    const client = new Client({ name: 'covey', version })
    const live: Live = { client, ...way }
    this.#current = live
    client.onclose = () => {
      if (this.#current === live) this.#live = undefined
    }
    try {
      await client.connect(transport, { timeout: settings.timeoutMs })
      client.setNotificationHandler(ToolListChangedNotificationSchema, () => void this.#listAgain(live))
      await this.#list(live)
      return live
    } catch (error) {
      // The SDK does not end a program that started and never spoke.
      await transport.close().catch(() => undefined)
      throw new AppError(
        'tool-failed',
        `the MCP server ${this.#name} cannot be used: ${wordsOf(error, lastWords())}`,
      )
    }
  }

  #way(): Omit<Live, 'client'> {
    const { settings, cwd, environment } = this.#parts
    const { command, args, env, url = '', headers } = settings
    if (command === undefined) {
      const transport = createHttpTransport(url, headers)
      // The SDK's class says `| undefined` where its own interface does not.
      return { transport: transport as Transport, lastWords: () => '', leave: () => leave(transport) }
    }
    const transport = new StdioTransport({ command, args, cwd, env: { ...environment(), ...env } })
    return { transport, lastWords: () => transport.lastWords }
  }

  /** One at a time, however often the server says that something changed. */
  #listAgain(live: Live): Promise<void> {
    this.#listing ??= this.#list(live)
      .catch((error: unknown) => this.#parts.warn(`MCP server ${this.#name}: ${errorMessage(error)}`))
      .finally(() => {
        this.#listing = undefined
      })
    return this.#listing
  }

  async #list({ client }: Live): Promise<void> {
    const tools: DeclaredTool[] = []
    let cursor: string | undefined
    let left = MAX_PAGES
    do {
      const params = cursor === undefined ? {} : { cursor }
      const options = { timeout: this.#parts.settings.timeoutMs }
      const page = await client.request({ method: 'tools/list', params }, pageSchema, options)
      tools.push(...this.#readable(page.tools))
      cursor = page.nextCursor
    } while (cursor !== undefined && --left > 0 && tools.length < MAX_TOOLS)
    this.#parts.onTools(tools.slice(0, MAX_TOOLS))
  }

  #readable(claims: readonly unknown[]): readonly DeclaredTool[] {
    return claims.flatMap((claim) => {
      const read = declaredToolSchema.safeParse(claim)
      if (read.success) return [read.data]
      const [issue] = read.error.issues
      const place = issue?.path.map(String).join('.') ?? ''
      this.#parts.warn(`MCP server ${this.#name}: one of its tools is left out (${place} ${issue?.message})`)
      return []
    })
  }

  /** Why a call failed, for the model; what cannot be relied on any more is ended. */
  async #explain(error: unknown, { lastWords }: Live): Promise<AppError> {
    const server = `the MCP server ${this.#name}`
    if (error instanceof z.ZodError || (error instanceof Error && error.name === '$ZodError')) {
      return new AppError('tool-failed', `${server} answered with something that is no result of a tool`)
    }
    const code = error instanceof McpError ? error.code : undefined
    if (code === ErrorCode.RequestTimeout) {
      await this.#drop()
      const seconds = this.#parts.settings.timeoutMs / 1000
      const message = `${server} did not answer within ${seconds} s and was ended; the next call starts it again`
      return new AppError('tool-failed', message, { failure: 'timeout' })
    }
    if (code === ErrorCode.InvalidParams) {
      return new AppError('tool-failed', `${server} refused the arguments: ${wordsOf(error)}`, {
        failure: 'bad-arguments',
      })
    }
    if (code !== undefined && code !== ErrorCode.ConnectionClosed) {
      return new AppError('tool-failed', `${server}: ${wordsOf(error)}`)
    }
    await this.#drop()
    const message = `${server} was lost while this ran (${wordsOf(error, lastWords())}); the next call starts it again`
    return new AppError('tool-failed', message)
  }

  /** Also one that has not said a word yet: nobody waits for it to start. */
  async #drop(): Promise<void> {
    const live = this.#current
    this.#current = undefined
    this.#live = undefined
    await live?.transport.close().catch(() => undefined)
    await live?.client.close().catch(() => undefined)
  }
}

const MAX_PAGES = 20
const MAX_TOOLS = 200

/** Each tool is read on its own: one that is wrong is no reason to lose the others. */
const pageSchema = z.object({
  tools: z.array(z.unknown()).max(1_000),
  nextCursor: z.string().max(10_000).optional(),
})

const wordsOf = (error: unknown, last = ''): string =>
  clip([errorMessage(error), last].filter(Boolean).join('; '), 500)
