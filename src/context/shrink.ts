/**
 * Stage one of a compaction: results give way, one by one, to a few words on what they were. Those that a newer one has
 * replaced go first, then the oldest and largest, until there is room. Small ones and what the present step read stay.
 */
import type { AssistantMessage, Message, ToolCall, ToolMessage } from '../protocol/message.ts'
import { type CallLabel, labelCall } from './call-label.ts'
import { type MessageView, messagesTokens } from './count.ts'
import type { Group } from './history.ts'
import { shownRange } from './result-text.ts'
import { isStub, stubFor } from './stub.ts'

/** A result below this is worth more than what it would free. */
const SMALLEST = 100

export function shrinkResults(groups: readonly Group[], room: number, view: MessageView): Message[] {
  const present = groups.findLastIndex(([head]) => head?.role === 'assistant')
  const messages = groups.flatMap((group, at) => (at < present ? withoutThoughts(group, view) : group))
  let used = messagesTokens(messages, view)
  for (const candidate of candidatesIn(groups.slice(0, Math.max(0, present)), view)) {
    if (used <= room && !candidate.isReplaced) break
    const { message, label, isReplaced, tokens } = candidate
    const text = stubFor(message, label, { tokens, isReplaced, count: view.count })
    const gain = tokens - view.count(text)
    if (gain <= 0) continue
    messages[messages.indexOf(message)] = { ...message, text }
    used -= gain
  }
  return messages
}

type Candidate = {
  readonly message: ToolMessage
  readonly label: CallLabel
  readonly tokens: number
  /** A newer result shows the same again. */
  readonly isReplaced: boolean
  /** Size by age: what is large and old goes before what is small or young. */
  readonly weight: number
}

function candidatesIn(groups: readonly Group[], { count }: MessageView): readonly Candidate[] {
  const shown = new Map<string, Shown[]>()
  const found: Candidate[] = []
  // From the newest back, so that what is replaced is known when it is met.
  for (const [age, group] of groups.toReversed().entries()) {
    for (const { message, call } of resultsOf(group).toReversed()) {
      const label = labelCall(call, message.text)
      const isReplaced = takeShown(shown, label, message)
      const tokens = count(message.text)
      if (tokens < SMALLEST || isStub(message.text)) continue
      found.push({ message, label, tokens, isReplaced, weight: tokens * (age + 1) })
    }
  }
  return found.toSorted((a, b) => Number(b.isReplaced) - Number(a.isReplaced) || b.weight - a.weight)
}

function resultsOf([head, ...results]: Group): { message: ToolMessage; call: ToolCall }[] {
  if (head?.role !== 'assistant') return []
  return results.flatMap((message) => {
    const call = head.calls.find(({ id }) => message.role === 'tool' && id === message.callId)
    return message.role === 'tool' && call ? [{ message, call }] : []
  })
}

type Shown = { readonly from: number; readonly to: number }

/** Whether a newer result shows all of it; what this one shows joins what is known. */
function takeShown(shown: Map<string, Shown[]>, { name, target }: CallLabel, message: ToolMessage): boolean {
  const range = name === 'read_file' ? shownRange(message.text) : undefined
  const isLook = range !== undefined || name === 'run_command' || name === 'search_text'
  if (!isLook || isStub(message.text)) return false
  const { from, to } = range ?? { from: 1, to: 1 }
  const key = `${name} ${target}`
  const newer = shown.get(key) ?? []
  shown.set(key, [...newer, { from, to }])
  return newer.some((page) => page.from <= from && page.to >= to)
}

/** Old thoughts go where the model is shown them, and with them the generated tokens that hold them. */
function withoutThoughts(group: Group, { reasoning = 'drop' }: MessageView): Group {
  const [head, ...results] = group
  if (head?.role !== 'assistant' || reasoning === 'drop' || head.reasoning === undefined) return group
  return [withoutReasoning(head), ...results]
}

const withoutReasoning = ({ text, calls, flag }: AssistantMessage): AssistantMessage => ({
  role: 'assistant',
  text,
  calls,
  ...(flag && { flag }),
})
