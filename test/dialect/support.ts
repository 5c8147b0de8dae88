/** What the tests of dialects share: the tools a reply may call, and a reply read in different cuts. */
import { readdirSync, readFileSync } from 'node:fs'
import type { ReplyEvent } from '../../src/protocol/dialect.ts'
import type { ToolSchema } from '../../src/protocol/model.ts'
import type { ReplyReaderOptions } from '../../src/dialect/read/reply.ts'
import { createReplyReader } from '../../src/dialect/read/reply.ts'

const text = { type: 'string' }

export const tools: readonly ToolSchema[] = [
  tool('read_file', { path: text, from: { type: 'integer' } }, ['path']),
  tool('write_file', { path: text, content: text }, ['path', 'content']),
  tool('run_command', { command: text, timeout: { type: 'number' }, background: { type: 'boolean' } }, [
    'command',
  ]),
  tool('list_files', {}, []),
  tool(
    'set_options',
    {
      options: {
        type: 'object',
        properties: { depth: { type: 'integer' }, tags: { type: 'array', items: text } },
      },
      mode: { type: 'string', enum: ['fast', 'slow'] },
      label: { type: ['string', 'null'] },
    },
    ['options'],
  ),
]

function tool(name: string, properties: Record<string, unknown>, required: string[]): ToolSchema {
  return { name, description: `Does ${name}.`, parameters: { type: 'object', properties, required } }
}

export type Case = {
  readonly title: string
  readonly model?: string
  readonly reply: string
  readonly thinking?: boolean
  readonly text?: string
  readonly reasoning?: string
  readonly calls: readonly [string, unknown][]
  readonly bad?: number
}

export function readCases(file: string): Case[] {
  const lines = readFileSync(new URL(file, import.meta.url), 'utf8')
    .trim()
    .split('\n')
  return lines.map((line) => JSON.parse(line) as Case)
}

export const corpusFiles = (): string[] => readdirSync(new URL('corpus', import.meta.url)).toSorted()

export const allCases = (): Case[] => corpusFiles().flatMap((file) => readCases(`corpus/${file}`))

export type Options = Partial<ReplyReaderOptions>

/** The events of a reply, neighbouring deltas joined. */
export function read(reply: string | readonly string[], options: Options = {}): ReplyEvent[] {
  const reader = createReplyReader({ tools, ...options })
  const events: ReplyEvent[] = []
  for (const chunk of typeof reply === 'string' ? [reply] : reply) events.push(...reader.push(chunk))
  events.push(...reader.end())
  return join(events)
}

function join(events: readonly ReplyEvent[]): ReplyEvent[] {
  const joined: ReplyEvent[] = []
  for (const event of events) {
    const last = joined.at(-1)
    const isDelta = event.type === 'text-delta' || event.type === 'reasoning-delta'
    if (isDelta && last?.type === event.type) {
      joined[joined.length - 1] = { type: event.type, text: last.text + event.text }
    } else joined.push(event)
  }
  return joined
}

export type Summary = { text: string; reasoning: string; calls: [string, unknown][]; bad: number }

/** What a reply comes to, whatever the order. */
export function summary(events: readonly ReplyEvent[]): Summary {
  const result: Summary = { text: '', reasoning: '', calls: [], bad: 0 }
  for (const event of events) {
    if (event.type === 'text-delta') result.text += event.text
    if (event.type === 'reasoning-delta') result.reasoning += event.text
    if (event.type === 'tool-call')
      result.calls.push([event.call.name, JSON.parse(event.call.input) as unknown])
    if (event.type === 'bad-call') result.bad++
  }
  return result
}

export const expected = (given: Case): Summary => ({
  text: given.text ?? '',
  reasoning: given.reasoning ?? '',
  calls: given.calls.map(([name, input]) => [name, input]),
  bad: given.bad ?? 0,
})

export const characters = (reply: string): string[] => reply.split('')

/** A cut that is random but the same every time. */
export function pieces(reply: string, seed: number): string[] {
  const cut: string[] = []
  let state = seed
  for (let at = 0; at < reply.length;) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    const length = 1 + (state % 11)
    cut.push(reply.slice(at, at + length))
    at += length
  }
  return cut
}
