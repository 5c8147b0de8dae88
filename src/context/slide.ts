import type { Message } from '../protocol/message.ts'
import { type Group, toGroups } from './history.ts'

export type Slid = { readonly messages: readonly Message[]; readonly dropped: number }

/**
 * At most `max` messages. Whole exchanges leave, oldest first: a prompt with everything that came of it, so that what is
 * left never starts with a reply. Only the newest exchange is taken apart, by whole groups behind its prompt; its prompt
 * and its last group stay even if they alone are more.
 */
export function slideWindow(messages: readonly Message[], max: number): Slid {
  const kept = toExchanges(toGroups(messages))
  let count = messages.length
  while (count > max && kept.length > 1) count -= sizeOf(kept.shift() ?? [])
  const [first = []] = kept
  const [prompt, ...rest] = isPrompt(first[0]) ? first : [[], ...first]
  while (count > max && kept.length === 1 && rest.length > 1) count -= rest.shift()?.length ?? 0
  if (count === messages.length) return { messages, dropped: 0 }
  const left = [[prompt ?? [], ...rest], ...kept.slice(1)].flat(2)
  return { messages: left, dropped: messages.length - left.length }
}

/** Each begins with the person's own words; the first may have lost them. */
function toExchanges(groups: readonly Group[]): Group[][] {
  const exchanges: Group[][] = []
  for (const group of groups) {
    const last = exchanges.at(-1)
    if (last && !isPrompt(group)) last.push(group)
    else exchanges.push([group])
  }
  return exchanges
}

const isPrompt = (group: Group | undefined): boolean =>
  group?.[0]?.role === 'user' && group[0].origin === undefined

const sizeOf = (exchange: readonly Group[]): number => exchange.flat().length
