/** What a person does in a session, as requests. */
import type { Answer } from '../../../src/protocol/session-api.ts'
import { call, callAgain, part, send } from '../api/call.ts'

export type Choice = { readonly current: string | null; readonly list: readonly string[] }

export type Controls = {
  readonly arm: Choice
  readonly mode: Choice
  readonly runs: readonly {
    readonly runId: string
    readonly prompt: string
    readonly paths: readonly string[]
    readonly isUndone: boolean
  }[]
}

export type Restored = {
  readonly prompt: string
  readonly restored: readonly string[]
  readonly conflicts: readonly { readonly path: string; readonly why: string }[]
  readonly uncovered: readonly string[]
}

export type Attached = { readonly name: string; readonly text?: string; readonly image?: AttachedImage }
type AttachedImage = { readonly mediaType: string; readonly base64: string }

const at = (id: string, action: string): string => `/v1/sessions/${part(id)}/${action}`

export const createSession = async (): Promise<string> =>
  (await call<{ id: string }>('/v1/sessions', { method: 'POST' })).id

export const cancel = (id: string) => call(at(id, 'cancel'), { method: 'POST' })
export const compact = (id: string) => call(at(id, 'command'), { body: { name: 'compact' } })
export const answer = (id: string, askId: string, given: Answer) =>
  callAgain(at(id, 'answer'), { body: { askId, answer: given } })
export const restore = (id: string, action: 'undo' | 'redo') =>
  call<Restored>(at(id, 'undo'), { body: { action } })
export const change = (id: string, wish: { arm?: string | null; mode?: string }) =>
  call<Controls>(at(id, 'controls'), { body: wish })
export const fork = async (id: string): Promise<string> =>
  (await call<{ id: string }>(at(id, 'fork'), { body: {} })).id
export const remove = (id: string) => call(at(id, 'remove'), { method: 'POST' })
export const files = async (id: string, query: string, signal: AbortSignal): Promise<readonly string[]> =>
  (await call<{ paths: readonly string[] }>(`${at(id, 'files')}?q=${part(query)}`, { signal })).paths

/** A message on its way. The server takes in each key once, however often it arrives. */
export type Sent = { readonly key: string; readonly text: string; readonly attached: readonly Attached[] }

export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

export async function prompt(id: string, { key, text, attached }: Sent): Promise<void> {
  const mentions = [...text.matchAll(/(?:^|\s)@(\S+)/g)]
    .flatMap(([, path]) => path ?? [])
    .slice(0, MOST_MENTIONS)
  const texts = attached.flatMap(({ name, text: content }) =>
    content === undefined ? [] : [`The file ${name}:\n${content}`],
  )
  const images = attached.flatMap(({ image }) => (image ? [image] : []))
  const said = images.length > 0 ? [{ role: 'user', text, images }] : text
  const options = { key, ...(texts.length > 0 && { attached: texts }) }
  await callAgain(at(id, 'prompt'), { body: { prompt: said, options, mentions } })
}

const MOST_MENTIONS = 50

/** As a file of the person's machine. */
export async function download(id: string, format: 'md' | 'json' | 'html'): Promise<void> {
  const response = await send(`${at(id, 'export')}?format=${format}`)
  const address = URL.createObjectURL(new Blob([await response.text()], { type: 'application/octet-stream' }))
  const link = document.createElement('a')
  link.href = address
  link.download = `${id}.${format}`
  link.click()
  URL.revokeObjectURL(address)
}
