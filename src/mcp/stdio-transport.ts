/**
 * A server as a child process. Unlike the SDK's own transport it starts the server in a process group of its own and
 * ends the whole group (`npx` starts the real server as its child), gives it exactly the environment it is handed, and
 * ends a server that says more than anyone asked for.
 */
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { isJSONRPCRequest, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { createMark } from '../lib/marked.ts'
import type { Launch, OpenProcess } from '../lib/process.ts'
import { cleanOutput } from '../lib/text.ts'
import { AppError, errorMessage } from '../protocol/error.ts'

export type StdioProgram = {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** By which name, and how it is started. */
  readonly name: string
  readonly launch: Launch
}

/** One message, and all that may come between two requests of ours. */
const MAX_MESSAGE = 8 * 1024 * 1024
const MAX_UNASKED = { bytes: 16 * 1024 * 1024, lines: 20_000 }
const STDERR_KEPT = 2_000

export class StdioTransport implements Transport {
  onclose?: () => void
  onmessage?: (message: JSONRPCMessage) => void
  readonly #program: StdioProgram
  readonly #buffer = new ReadBuffer({ maxBufferSize: MAX_MESSAGE })
  readonly #mark = createMark()
  #process: OpenProcess | undefined
  #heard = { bytes: 0, lines: 0 }
  #stderr = ''
  /** Why it could not be started, or why we ended it. */
  #fault: string | undefined

  constructor(program: StdioProgram) {
    this.#program = program
  }

  /** Its last unsolicited output, or its error: for the message to the user. */
  get lastWords(): string {
    return this.#fault ?? cleanOutput(this.#stderr).trim().split('\n').slice(-3).join(' / ')
  }

  async start(): Promise<void> {
    const { command, args, env, cwd, name, launch } = this.#program
    const started = await launch(name, [command, ...args], { cwd, env: { ...env, ...this.#mark.env } })
    this.#process = started
    started.stdout.on('data', (chunk: Buffer) => this.#hear(chunk))
    started.stderr.on('data', (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString('utf8')).slice(-STDERR_KEPT)
    })
    // A server that is gone no longer reads; its exit reports that.
    for (const stream of [started.stdin, started.stdout, started.stderr]) stream.on('error', () => {})
    started.ended
      .catch((error: unknown) => void (this.#fault = errorMessage(error)))
      .then(() => this.close())
      .catch(() => undefined)
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#process?.stdin
    if (!stdin?.writable) throw new AppError('tool-failed', 'the server has ended')
    // Answers do not count: a server that asks and asks would be heard for ever.
    if (isJSONRPCRequest(message)) this.#heard = { bytes: 0, lines: 0 }
    await new Promise<void>((resolve, reject) => {
      stdin.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()))
    })
  }

  /** Whatever it started ends with it. */
  async close(): Promise<void> {
    const ending = this.#process
    this.#process = undefined
    if (!ending) return
    ending.stdin.end()
    await ending.stop()
    await this.#mark.end()
    this.onclose?.()
  }

  #hear(chunk: Buffer): void {
    if (this.#fault !== undefined) return
    this.#heard.bytes += chunk.length
    if (this.#heard.bytes > MAX_UNASKED.bytes)
      return this.#giveUp('it sent more than 16 MiB without being asked')
    try {
      this.#buffer.append(chunk)
    } catch {
      return this.#giveUp('it sent a message of more than 8 MiB')
    }
    for (;;) {
      const line = this.#readLine()
      if (line === null) return
      if (++this.#heard.lines > MAX_UNASKED.lines)
        return this.#giveUp(`it sent more than ${MAX_UNASKED.lines} lines without being asked`)
    }
  }

  /** Null where no line is complete. */
  #readLine(): 'heard' | 'no message' | null {
    try {
      const message = this.#buffer.readMessage()
      if (message === null) return null
      this.onmessage?.(message)
      return 'heard'
    } catch {
      // Programs print what they like on stdout, and the next line may be a message.
      return 'no message'
    }
  }

  #giveUp(fault: string): void {
    this.#fault = fault
    this.#buffer.clear()
    void this.close()
  }
}
