/** Short ways to write conversations, and random legal ones for the properties. */
import * as fc from 'fast-check'
import type {
  AssistantMessage,
  Message,
  ToolCall,
  ToolMessage,
  UserMessage,
} from '../../src/protocol/message.ts'

export const user = (text: string, extra: Partial<UserMessage> = {}): UserMessage => ({
  role: 'user',
  text,
  ...extra,
})

export const says = (text: string): AssistantMessage => ({ role: 'assistant', text, calls: [] })

export const call = (id: string, name: string, input: unknown): ToolCall => ({
  id,
  name,
  input: JSON.stringify(input),
})

export const calls = (...list: ToolCall[]): AssistantMessage => ({ role: 'assistant', text: '', calls: list })

export const result = (callId: string, text: string): ToolMessage => ({
  role: 'tool',
  callId,
  text,
  ok: true,
})

export const failure = (callId: string, text: string): ToolMessage => ({
  role: 'tool',
  callId,
  text,
  ok: false,
  code: 'failed',
})

/** Words, code, control bytes and half characters: what really turns up in files. */
const piece = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 12 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 6 }) },
  fc.constantFrom('[result]', '<tool_call>', '</tool_response>', '\n\n', '(start)', '{"a":1}'),
)

const toolName = fc.constantFrom('read_file', 'edit_file', 'run_command', 'search_text', 'call_tool')

const turn = fc.record({
  kind: fc.constantFrom('user', 'note', 'says', 'calls', 'calls'),
  text: piece,
  isSilent: fc.boolean(),
  reasoning: fc.option(piece, { nil: undefined }),
  calls: fc.array(
    fc.record({
      name: toolName,
      value: piece,
      isBroken: fc.integer({ max: 9, min: 0 }),
      text: piece,
      ok: fc.boolean(),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  swap: fc.boolean(),
})

type Turn = typeof turn extends fc.Arbitrary<infer Value> ? Value : never

/** Whole groups; every text in them is different, so that a lost one is missed. */
export const groups = (maxLength: number): fc.Arbitrary<Message[][]> =>
  fc.array(turn, { maxLength }).map((turns) => turns.map(toGroup))

function toGroup(given: Turn, index: number): Message[] {
  const text = `t${index}·${given.text}`
  if (given.kind === 'user') return [user(text)]
  if (given.kind === 'note') return [user(text, { origin: 'note' })]
  if (given.kind === 'says')
    return [{ ...says(text), ...(given.reasoning && { reasoning: given.reasoning }) }]
  const list = given.calls.map(({ name, value, isBroken }, at) => {
    const input = JSON.stringify({ path: `p${index}-${at}·${value}` })
    return { id: `c${index}-${at}`, name, input: isBroken === 0 ? input.slice(0, -1) : input }
  })
  const results = given.calls.map((one, at): ToolMessage => ({
    role: 'tool',
    callId: `c${index}-${at}`,
    text: `r${index}-${at}·${one.text}`,
    ok: one.ok,
    ...(!one.ok && { code: 'failed' as const }),
  }))
  const head: AssistantMessage = { role: 'assistant', text: given.isSilent ? '' : text, calls: list }
  return [head, ...(given.swap ? results.toReversed() : results)]
}
