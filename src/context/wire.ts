/** Messages as an OpenAI-compatible server takes them, and how two of one role become one. */

export type WirePart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } }

export type WireCall = {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

export type WireMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string | readonly WirePart[] }
  | {
      readonly role: 'assistant'
      readonly content: string
      readonly reasoning_content?: string
      readonly tool_calls?: readonly WireCall[]
    }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string }

/** Neighbours of these roles become one message. Bytes of the first never change, so a cached prefix stays one. */
export function mergeNeighbours(
  messages: readonly WireMessage[],
  roles: readonly WireMessage['role'][],
): WireMessage[] {
  const merged: WireMessage[] = []
  for (const message of messages) {
    const joined = roles.includes(message.role) ? joinSameRole(merged.at(-1), message) : undefined
    if (joined) merged[merged.length - 1] = joined
    else merged.push(message)
  }
  return merged
}

function joinSameRole(first: WireMessage | undefined, second: WireMessage): WireMessage | undefined {
  if (first?.role === 'user' && second.role === 'user') {
    return { role: 'user', content: joinContent(first.content, second.content) }
  }
  if (first?.role !== 'assistant' || second.role !== 'assistant') return undefined
  const reasoning = joinText(first.reasoning_content ?? '', second.reasoning_content ?? '')
  return {
    role: 'assistant',
    content: joinText(first.content, second.content),
    ...(reasoning && { reasoning_content: reasoning }),
  }
}

export function joinContent(
  first: string | readonly WirePart[],
  second: string | readonly WirePart[],
): string | readonly WirePart[] {
  if (typeof first === 'string' && typeof second === 'string') return joinText(first, second)
  return [...toParts(first), ...toParts(second)]
}

const toParts = (content: string | readonly WirePart[]): readonly WirePart[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content

const joinText = (first: string, second: string): string => [first, second].filter(Boolean).join('\n\n')
