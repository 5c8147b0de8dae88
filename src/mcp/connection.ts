/**
 * One server: started when it is first needed, asked what it has, asked for more, ended. Nothing it does can break more
 * than the call it was asked for: one that dies or hangs is ended, and the next call starts it again.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  ErrorCode,
  McpError,
  PromptListChangedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'
import { maskUrls } from '../lib/mask-url.ts'
import { isObject } from '../lib/json.ts'
import { clip } from '../lib/text.ts'
import { AppError, errorMessage } from '../protocol/error.ts'
import type { Launch } from '../lib/process.ts'
import { createHttpTransport, leave } from './http-transport.ts'
import type { ServerOffer } from './offer.ts'
import { readOffer } from './read-offer.ts'
import { StdioTransport } from './stdio-transport.ts'
import { toOneLine } from './words.ts'

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
  /** How programs are started. */
  readonly launch: Launch
  /** Told what the server has, whenever that is heard. */
  onOffer(offer: ServerOffer): void
  warn(message: string): void
}

type Live = {
  readonly client: Client
  readonly transport: Transport
  lastWords(): string
  /** Lets a server forget us that keeps sessions. */
  leave?(): Promise<void>
}

export type McpRequest = { readonly method: string; readonly params?: Record<string, unknown> }

export class Connection {
  readonly #parts: ConnectionParts
  #live: Promise<Live> | undefined
  /** The one that counts, from its first moment: an older one that ends late changes nothing. */
  #current: Live | undefined
  #listing: Promise<unknown> = Promise.resolve()
  #isListingDue = false
  #isClosed = false

  constructor(parts: ConnectionParts) {
    this.#parts = parts
  }

  /** Starts the server if it does not run; its tools are known by then. */
  async ready(): Promise<void> {
    await this.#connected()
  }

  async ask<Schema extends z.ZodType>(
    request: McpRequest,
    schema: Schema,
    signal: AbortSignal,
  ): Promise<z.output<Schema>> {
    const live = await this.#connected()
    try {
      const options = { signal, timeout: this.#parts.settings.timeoutMs, resetTimeoutOnProgress: false }
      return schema.parse(await live.client.request({ ...request }, z.unknown(), options))
    } catch (error) {
      signal.throwIfAborted()
      throw await this.#explain(error, live)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#current?.leave?.()
    await this.#drop(this.#current)
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
      for (const changed of [ToolListChangedNotificationSchema, PromptListChangedNotificationSchema])
        client.setNotificationHandler(changed, () => this.#listSoon(live))
      await this.#list(live)
      return live
    } catch (error) {
      // The SDK does not end a program that started and never spoke.
      await transport.close().catch(() => undefined)
      throw new AppError(
        'tool-failed',
        `the MCP server ${this.#name} cannot be used: ${maskUrls(wordsOf(error, lastWords()))}`,
      )
    }
  }

  #way(): Omit<Live, 'client'> {
    const { settings, cwd, environment, launch } = this.#parts
    const { name, command, args, env, url = '', headers } = settings
    if (command === undefined) {
      const transport = createHttpTransport(url, headers)
      // The SDK's class says `| undefined` where its own interface does not.
      return { transport: transport as Transport, lastWords: () => '', leave: () => leave(transport) }
    }
    const transport = new StdioTransport({
      command,
      args,
      cwd,
      env: { ...environment(), ...env },
      name,
      launch,
    })
    return { transport, lastWords: () => transport.lastWords }
  }

  /** One at a time and not too often, however often the server says that something changed. */
  #listSoon(live: Live): void {
    if (this.#isListingDue) return
    this.#isListingDue = true
    this.#listing = this.#listing
      .then(() => pause(LIST_AGAIN_MS, undefined, { ref: false }))
      .then(() => {
        this.#isListingDue = false
        return this.#current === live ? this.#list(live) : undefined
      })
      .catch((error: unknown) => {
        if (this.#current === live) this.#warn(`cannot say what changed: ${wordsOf(error)}`)
      })
  }

  async #list({ client }: Live): Promise<void> {
    const { timeoutMs } = this.#parts.settings
    this.#parts.onOffer(await readOffer({ client, timeoutMs, warn: (message) => this.#warn(message) }))
  }

  #warn(message: string): void {
    this.#parts.warn(`MCP server ${this.#name}: ${clip(toOneLine(message), 500)}`)
  }

  /** Why a call failed, for the model; what cannot be relied on any more is ended. */
  async #explain(error: unknown, live: Live): Promise<AppError> {
    const server = `the MCP server ${this.#name}`
    if (error instanceof z.ZodError) {
      return new AppError('tool-failed', `${server} sent an invalid answer`)
    }
    if (isTimeout(error)) {
      await this.#drop(live)
      const seconds = this.#parts.settings.timeoutMs / 1000
      const message = `${server} did not answer within ${seconds} s and was ended; the next call starts it again`
      return new AppError('tool-failed', message, { failure: 'timeout' })
    }
    if (error instanceof McpError && error.code === ErrorCode.InvalidParams) {
      return new AppError('tool-failed', `${server} refused the arguments: ${wordsOf(error)}`, {
        failure: 'bad-arguments',
      })
    }
    // Servers use the SDK's own numbers for errors of theirs, so a number alone says nothing about the connection.
    if (error instanceof McpError && live.client.transport) {
      return new AppError('tool-failed', `${server}: ${wordsOf(error)}`)
    }
    await this.#drop(live)
    const message = `${server} was lost while this ran (${wordsOf(error, live.lastWords())}); the next call starts it again`
    return new AppError('tool-failed', message)
  }

  /** Also one that has not answered yet: no caller waits for it to start. */
  async #drop(live: Live | undefined): Promise<void> {
    if (this.#current === live) {
      this.#current = undefined
      this.#live = undefined
    }
    await live?.transport.close().catch(() => undefined)
    await live?.client.close().catch(() => undefined)
  }
}

const LIST_AGAIN_MS = 1_000

/** Only the SDK says how long it waited. */
const isTimeout = (error: unknown): boolean =>
  error instanceof McpError &&
  error.code === ErrorCode.RequestTimeout &&
  isObject(error.data) &&
  'timeout' in error.data

const wordsOf = (error: unknown, last = ''): string =>
  clip(toOneLine([errorMessage(error), last].filter(Boolean).join('; ')), 500)
