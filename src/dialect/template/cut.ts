/** Taking a rendered call apart: the text before, between and behind the words that were put in. */

/** The pieces around `words`, which must occur in this order. */
export function cutAt(text: string, words: readonly string[]): string[] | undefined {
  const pieces: string[] = []
  let from = 0
  for (const word of words) {
    const at = text.indexOf(word, from)
    if (at === -1) return undefined
    pieces.push(text.slice(from, at))
    from = at + word.length
  }
  return [...pieces, text.slice(from)]
}

/** The JSON object that begins at `start`. */
export function objectAt(text: string, start: number): string | undefined {
  for (let end = text.indexOf('}', start); end !== -1; end = text.indexOf('}', end + 1)) {
    const candidate = text.slice(start, end + 1)
    try {
      JSON.parse(candidate)
      return candidate
    } catch {
      continue
    }
  }
  return undefined
}

export function commonEnd(one: string, other: string): string {
  let length = 0
  while (length < Math.min(one.length, other.length) && one.at(-1 - length) === other.at(-1 - length))
    length++
  return one.slice(one.length - length)
}

/** The last tag or token of a text, with what it may lack at its end. */
export const lastTag = (text: string): string =>
  text.slice(Math.max(0, text.lastIndexOf('<'), text.lastIndexOf('[')))

/** `<tool_call>\n<function=`: whole tags open the section, a tag still open holds the name. */
export function splitHead(head: string): { section: string; call: string } {
  const at = Math.max(head.lastIndexOf('<'), head.lastIndexOf('['))
  const isOpen = at !== -1 && !/[>\]]/.test(head.slice(at))
  return isOpen
    ? { section: head.slice(0, at).trim(), call: unquoted(head.slice(at)) }
    : { section: head, call: '' }
}

/** `</function>\n</tool_call>`: the first tag closes the call, the rest the section. */
export function splitTail(tail: string, hasCall: boolean): { call: string; section: string } {
  if (!hasCall) return { call: '', section: tail }
  const [call = ''] = tagsIn(tail)
  return { call, section: tail.slice(tail.indexOf(call) + call.length).trim() }
}

/** `</arg_key>\n<arg_value>` or `>\n`: what ends the key, and what opens the value if it has a tag of its own. */
export function splitKey(text: string): { end: string; open: string | undefined } {
  const [end, open] = tagsIn(text)
  if (end !== undefined && open !== undefined) return { end, open }
  return { end: text.trim().replace(/^["'].*?(?=[>\]])/s, ''), open: undefined }
}

/** `name="` is opened by `name=`; readers take the quotes with the name. */
export const unquoted = (open: string): string => open.replace(/=["']$/, '=')

const tagsIn = (text: string): string[] => text.match(/<[^<>]*>|\[[^[\]]*\]/g) ?? []

/** The last marker in front of a text, the first one behind it. */
export const markerBefore = (text: string): string | undefined =>
  /(<[^<>\n]+>|\[[^[\]\n]+\])\s*$/.exec(text)?.[1]
export const markerBehind = (text: string): string | undefined =>
  /^\s*(<[^<>\n]+>|\[[^[\]\n]+\])/.exec(text)?.[1]
