/** What the last session of a folder was about, in a few sentences: for the person who comes back, and for the model. */
import { isObject, readJson } from '../lib/json.ts'
import { clip } from '../lib/text.ts'
import type { Message } from '../protocol/message.ts'
import type { SessionInfo } from '../protocol/session-api.ts'
import type { SessionStore } from './store.ts'

const MAX_CHARACTERS = 500
const MAX_PATHS = 5

type RecapInput = { readonly info: SessionInfo; readonly messages: readonly Message[] }

/** Of the newest session of a folder; nothing when there is none, or none that can be read. */
export async function lastRecap(store: SessionStore, cwd: string): Promise<string | undefined> {
  const last = await store.last(cwd)
  const replay = last && (await store.read(last.id).catch(() => undefined))
  return replay && recap(replay)
}

/** Nothing when nothing was said. */
export function recap({ info, messages }: RecapInput): string | undefined {
  if (messages.length === 0) return undefined
  const day = new Date(info.updatedAt).toISOString().slice(0, 10)
  const changed = changedPaths(messages)
  const answer = messages.findLast((message) => message.role === 'assistant' && message.text !== '')?.text
  const sentences = [
    `Last session (${day}): "${clip(info.title, 120)}".`,
    ...(changed.length > 0
      ? [`Changed ${changed.slice(0, MAX_PATHS).join(', ')}${changed.length > MAX_PATHS ? ' and more' : ''}.`]
      : []),
    ...(answer ? [`It ended with: ${clip(answer.replace(/\s+/g, ' ').trim(), 200)}`] : []),
  ]
  return clip(sentences.join(' '), MAX_CHARACTERS)
}

const WRITERS = new Set(['write_file', 'edit_file'])

function changedPaths(messages: readonly Message[]): readonly string[] {
  const good = new Set(
    messages.flatMap((message) => (message.role === 'tool' && message.ok ? [message.callId] : [])),
  )
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? message.calls : []))
  const paths = calls
    .filter(({ id, name }) => WRITERS.has(name) && good.has(id))
    .map(({ input }) => pathIn(input))
  return [...new Set(paths.filter((path) => path !== undefined))]
}

function pathIn(input: string): string | undefined {
  const reading = readJson(input)
  const path = reading.ok && isObject(reading.value) ? reading.value['path'] : undefined
  return typeof path === 'string' ? path : undefined
}
