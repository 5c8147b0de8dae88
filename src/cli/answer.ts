/**
 * Questions that arise in a run, put to the person at a terminal: the exact command or path, why it is asked, which
 * secrets a yes gives out, and what "always" would mean. Nothing the model wrote can move the cursor or hide a letter.
 */
import { cleanControl } from '../lib/clean.ts'
import type { SessionEvent } from '../protocol/event.ts'
import type { PermissionAnswer } from '../protocol/guard.ts'
import type { SessionApi } from '../protocol/session-api.ts'
import type { Person } from './person.ts'

export type Asking = {
  readonly session: SessionApi
  readonly person: Pick<Person, 'ask'>
  readonly signal: AbortSignal
}

export async function answerQuestion(event: SessionEvent, asking: Asking): Promise<void> {
  const { session, person, signal } = asking
  try {
    if (event.type === 'permission-ask') {
      const text = await person.ask(permissionText(event), signal)
      await session.answer(event.askId, toPermission(text.trim(), event.always !== undefined))
    }
    if (event.type === 'question-ask') {
      const { question, options = [] } = event
      const choices = options.map((option, index) => `${index + 1}  ${cleanControl(option)}\n`).join('')
      const text = await person.ask(`\n${cleanControl(question)}\n${choices}? `, signal)
      await session.answer(event.askId, { text: toChoice(text.trim(), options) })
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** "2" means the second of the options. */
function toChoice(text: string, options: readonly string[]): string {
  const index = /^\d+$/.test(text) ? Number(text) - 1 : -1
  return options[index] ?? text
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
  const choices = always ? '[y]es once, [s]ession, [a]lways, [n]o' : '[y]es once, [n]o'
  return `\n${lines.map(cleanControl).join('\n')}\nAllow? ${choices}, or say why not: `
}

export function toPermission(text: string, mayAlways: boolean): PermissionAnswer {
  if (/^y(es)?$/i.test(text)) return { allow: true }
  if (mayAlways && /^s(ession)?$/i.test(text)) return { allow: true, remember: 'session' }
  if (mayAlways && /^a(lways)?$/i.test(text)) return { allow: true, remember: true }
  const reason = /^(no?)?$/i.test(text) ? 'The person said no.' : `The person said no: ${text}`
  return { allow: false, reason }
}
