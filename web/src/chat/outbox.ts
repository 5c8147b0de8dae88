/**
 * The last message of a session that the server has not answered for, in this tab's storage: a reload in the middle
 * sends it again under the same key.
 */
import type { Sent } from './controls.ts'

export type Unanswered = Sent & {
  /** It is back in the box: the person decides whether it is sent again. */
  readonly isBack?: boolean
}

const at = (id: string): string => `covey-sent-${id}`

export function readUnanswered(id: string): Unanswered | undefined {
  const text = sessionStorage.getItem(at(id))
  return text === null ? undefined : (JSON.parse(text) as Unanswered)
}

export function keepUnanswered(id: string, sent: Unanswered): void {
  // Large attachments do not fit into a tab's storage. Without them it is not the same message.
  if (!store(at(id), sent)) store(at(id), { ...sent, attached: [], isBack: true })
}

export const forgetUnanswered = (id: string): void => sessionStorage.removeItem(at(id))

function store(name: string, value: unknown): boolean {
  try {
    sessionStorage.setItem(name, JSON.stringify(value))
    return true
  } catch {
    sessionStorage.removeItem(name)
    return false
  }
}
