/** Stage one of a compaction: an old result becomes one line that says what it was and how to see it again. */
import type { AssistantMessage, ToolCall, ToolMessage } from '../protocol/message.ts'
import { gistOf, labelCall } from './call-label.ts'
import type { CountTokens } from './count.ts'
import { handleIn } from './cut.ts'
import type { Group } from './history.ts'

export function shrinkGroup(group: Group, count: CountTokens): Group {
  const [head, ...results] = group
  if (head?.role !== 'assistant') return group
  const shrunk = results.map((message) => {
    const call = head.calls.find((candidate) => message.role === 'tool' && candidate.id === message.callId)
    return message.role === 'tool' && call ? shrinkResult(message, call, count) : message
  })
  return [withoutReasoning(head), ...shrunk]
}

/** Old thoughts go with old results, and the generated tokens that hold them. */
const withoutReasoning = ({ text, calls, flag }: AssistantMessage): AssistantMessage => ({
  role: 'assistant',
  text,
  calls,
  ...(flag && { flag }),
})

function shrinkResult(result: ToolMessage, call: ToolCall, count: CountTokens): ToolMessage {
  if (readShrunk(result.text)) return result
  const tokens = count(result.text)
  const line = shrunkLine(result, call, tokens)
  return count(line) < tokens ? { ...result, text: line } : result
}

function shrunkLine({ text, ok }: ToolMessage, call: ToolCall, tokens: number): string {
  const { name, target, input } = labelCall(call)
  const handle = handleIn(text)
  const what = `${ok ? 'result' : 'failed result'}${handle ? ` ${handle}` : ''}`
  const isTelling = !ok || name === 'run_command' || name === 'search_text'
  const gist = isTelling ? ` “${gistOf(name, text, 100)}”` : ''
  const how = handle ? `; read_result ${handle} to see it` : ''
  const from = typeof input['from'] === 'number' ? ` from ${input['from']}` : ''
  const about = `${name} ${target}${from}`.trim()
  return `[${what}, ${tokens.toLocaleString('en-US')} tokens, shortened: ${about}${gist}${how}]`
}

/** What a shrunk line still knows; nothing for a result that is whole. */
export function readShrunk(text: string): { readonly handle?: string; readonly gist: string } | undefined {
  const found = /^\[(?:failed )?result(?: (\S+))?, [\d,]+ tokens, shortened: [^“]*(?:“(.*)”)?/s.exec(text)
  if (!found) return undefined
  return { gist: found[2] ?? '', ...(found[1] && { handle: found[1] }) }
}
