import type { Message } from '../protocol/message.ts'
import { toGroups } from './history.ts'

export type Slid = { readonly messages: readonly Message[]; readonly dropped: number }

/**
 * At most `max` messages: whole groups leave, oldest first. The last group and the newest words of the person stay even
 * if they alone are more.
 */
export function slideWindow(messages: readonly Message[], max: number): Slid {
  const groups = toGroups(messages)
  const prompt = groups.findLastIndex(([head]) => head?.role === 'user' && head.origin === undefined)
  const left = new Set<number>()
  let count = messages.length
  for (const [index, group] of groups.entries()) {
    if (count <= max || index === groups.length - 1) break
    if (index === prompt) continue
    left.add(index)
    count -= group.length
  }
  if (left.size === 0) return { messages, dropped: 0 }
  return {
    messages: groups.flatMap((group, index) => (left.has(index) ? [] : group)),
    dropped: messages.length - count,
  }
}
