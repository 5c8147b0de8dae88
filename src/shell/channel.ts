/**
 * Two named pipes in a private folder, by which the widgets of the shell ask and are answered. The shell opens them only
 * while a widget runs, so no program it starts inherits them; every message carries the key of the init script.
 */
import { execFileSync } from 'node:child_process'
import { constants, openSync, closeSync, writeSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { toKind, type WordKind } from './line/classify.ts'

const verbs = ['enter', 'ask', 'more', 'start', 'up', 'down'] as const

export type ShellRequest = {
  readonly id: string
  /** `more`: a further line of a command; `start`: the text of the command that starts now. */
  readonly verb: (typeof verbs)[number]
  /** What the shell's `type` says of the first word. */
  readonly kind: WordKind
  readonly folder: string
  readonly line: string
}

export type ShellReply = {
  /**
   * `run` the line, or `text` in its place; `keep` it as it is; `ask`: it is a question, another reply follows; `none`: empty
   * the line; `line`: put `text` there; `pick`: the same, and the arrow keys choose among several.
   */
  readonly action: 'run' | 'keep' | 'ask' | 'none' | 'line' | 'pick'
  readonly text?: string
}

export type Channel = {
  readonly request: string
  readonly reply: string
  send(id: string, reply: ShellReply): void
  close(): void
}

const FIELDS = 6
/** A paste may be large; more than this is not a line. */
const MAX_WAITING = 4 * 1024 * 1024

export function openChannel(folder: string, key: string, take: (request: ShellRequest) => void): Channel {
  const request = join(folder, 'request')
  const reply = join(folder, 'reply')
  execFileSync('mkfifo', ['-m', '600', request, reply])
  // Both ends stay open here, so that the shell never waits for its own `open`.
  const reading = openSync(request, constants.O_RDWR | constants.O_NONBLOCK)
  const writing = openSync(reply, constants.O_RDWR | constants.O_NONBLOCK)
  const socket = new Socket({ fd: reading, readable: true, writable: false })
  const read = createRequestReader(key, take)
  socket.on('data', read)
  socket.on('error', () => undefined)
  return {
    request,
    reply,
    send(id, { action, text = '' }) {
      try {
        writeSync(writing, `${id} ${action} ${text}\0`)
      } catch {
        // The shell has stopped reading because it is ending; no widget waits for this.
      }
    },
    close() {
      socket.destroy()
      closeSync(writing)
    },
  }
}

export function createRequestReader(key: string, take: (request: ShellRequest) => void) {
  let waiting: Buffer = Buffer.alloc(0)
  return (chunk: Buffer): void => {
    waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk])
    for (;;) {
      const fields = firstFields(waiting)
      if (!fields) break
      // A message without the key was not written by a widget: its fields are skipped one by one.
      if (fields.texts[0] === key) {
        waiting = waiting.subarray(fields.end)
        const message = toRequest(fields.texts)
        if (message) take(message)
      } else waiting = waiting.subarray(waiting.indexOf(0) + 1)
    }
    if (waiting.length > MAX_WAITING) waiting = Buffer.alloc(0)
  }
}

function firstFields(data: Buffer): { readonly texts: readonly string[]; readonly end: number } | undefined {
  const texts: string[] = []
  let from = 0
  while (texts.length < FIELDS) {
    const end = data.indexOf(0, from)
    if (end < 0) return undefined
    texts.push(data.toString('utf8', from, end))
    from = end + 1
  }
  return { texts, end: from }
}

function toRequest([, id = '', name = '', type = '', folder = '', line = '']: readonly string[]) {
  const verb = verbs.find((each) => each === name)
  return verb && { id, verb, kind: toKind(type), folder, line }
}
