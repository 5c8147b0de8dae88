/** What a person does in a session, as requests. */
import type { Answer } from '../../../src/protocol/session-api.ts'
import { call, part, send } from '../api/call.ts'

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
  call(at(id, 'answer'), { body: { askId, answer: given } })
export const restore = (id: string, action: 'undo' | 'redo') =>
  call<Restored>(at(id, 'undo'), { body: { action } })
export const change = (id: string, wish: { arm?: string | null; mode?: string }) =>
  call<Controls>(at(id, 'controls'), { body: wish })
export const fork = async (id: string): Promise<string> =>
  (await call<{ id: string }>(at(id, 'fork'), { body: {} })).id
export const remove = (id: string) => call(at(id, 'remove'), { method: 'POST' })
export const files = async (id: string, query: string, signal: AbortSignal): Promise<readonly string[]> =>
  (await call<{ paths: readonly string[] }>(`${at(id, 'files')}?q=${part(query)}`, { signal })).paths

/** Files first, in front of the message that speaks of them. */
export async function prompt(id: string, text: string, attached: readonly Attached[]): Promise<void> {
  for (const [, path = ''] of text.matchAll(/(?:^|\s)@(\S+)/g))
    await call(at(id, 'mention'), { body: { path } }).catch(() => undefined)
  for (const { name, text: content } of attached) {
    if (content !== undefined)
      await call(at(id, 'command'), {
        body: { name: 'exec-output', argument: `The file ${name}:\n${content}` },
      })
  }
  const images = attached.flatMap(({ image }) => (image ? [image] : []))
  const said = images.length > 0 ? [{ role: 'user', text, images }] : text
  await call(at(id, 'prompt'), { body: { prompt: said } })
}

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
