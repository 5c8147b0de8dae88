/**
 * Questions that arise in a run, put to the person at a terminal: the exact command or path, why it is asked, which
 * secrets a yes gives out, and what "always" would mean. Nothing the model wrote can move the cursor or hide a letter.
 */
import type { Interface } from 'node:readline/promises'
import { cleanControl } from '../lib/clean.ts'
import type { SessionEvent } from '../protocol/event.ts'
import type { PermissionAnswer } from '../protocol/guard.ts'
import type { SessionApi } from '../protocol/session-api.ts'

export type Asking = {
  readonly session: SessionApi
  readonly terminal: Interface
  readonly signal: AbortSignal
}

export async function answerQuestion(event: SessionEvent, asking: Asking): Promise<void> {
  const { session, terminal, signal } = asking
  try {
    if (event.type === 'permission-ask') {
      const text = await terminal.question(permissionText(event), { signal })
      await session.answer(event.askId, toPermission(text.trim(), event.always !== undefined))
    }
    if (event.type === 'question-ask') {
      const choices = event.options?.length ? ` (${event.options.map(cleanControl).join(' / ')})` : ''
      const text = await terminal.question(`\n${cleanControl(event.question)}${choices}\n? `, { signal })
      await session.answer(event.askId, { text: text.trim() })
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

type PermissionAsk = Extract<SessionEvent, { type: 'permission-ask' }>

export function permissionText({ access, why, always, secrets = [] }: PermissionAsk): string {
  const lines = [
    ...access.map(({ kind, target }) => `${kind} ${target}`),
    `why: ${why}`,
    ...secrets.map(
      ({ kind, placeholder, path }) => `gives it the ${kind}${path ? ` of ${path}` : ''} (${placeholder})`,
    ),
    ...(always ? [`[a]lways would mean: ${always.text}`] : []),
  ]
  const choices = always ? '[y]es once, [a]lways, [n]o' : '[y]es once, [n]o'
  return `\n${lines.map(cleanControl).join('\n')}\nAllow? ${choices}, or say why not: `
}

export function toPermission(text: string, mayAlways: boolean): PermissionAnswer {
  if (/^y(es)?$/i.test(text)) return { allow: true }
  if (mayAlways && /^a(lways)?$/i.test(text)) return { allow: true, remember: true }
  const reason = /^(no?)?$/i.test(text) ? 'The person said no.' : `The person said no: ${text}`
  return { allow: false, reason }
}
