/**
 * Renders a chat template with and without a call, a thought, a prompt, and cuts out what the template adds for each.
 * The words put in are unlike anything a template contains, so that they can be found again.
 */
import { openTemplate, type RenderTemplate } from '../../lib/template-process.ts'

export const WORDS = {
  user: 'UUUSER',
  content: 'CCCONTENT',
  name: 'FFFIRST_FUNCTION',
  secondName: 'SSSECOND_FUNCTION',
  firstKey: 'KKKEY_ONE',
  secondKey: 'KKKEY_TWO',
  firstValue: 'VVVALUE_ONE',
  secondValue: 'VVVALUE_TWO',
  thought: 'TTTHOUGHT',
  result: 'RRRESULT',
} as const

export type Probe = {
  /** What the assistant writes for one call with two arguments, and for two calls. */
  readonly call: string
  readonly twoCalls: string
  /** What stands before and behind a thought in front of an answer. */
  readonly thought: { readonly before: string; readonly after: string } | undefined
  /** The end of a prompt, where the reply begins. */
  readonly promptEnd: string
  /** What stands around a result. */
  readonly result: { readonly before: string; readonly after: string } | undefined
}

type Message = Readonly<Record<string, unknown>>

const user: Message = { role: 'user', content: WORDS.user }
const assistant = (more: Message = {}): Message => ({ role: 'assistant', content: WORDS.content, ...more })
const values = { [WORDS.firstKey]: WORDS.firstValue, [WORDS.secondKey]: WORDS.secondValue }

/** Undefined when the template cannot be rendered, or writes no calls. */
export async function probeTemplate(source: string): Promise<Probe | undefined> {
  const render = renderer(source)
  // Some templates want arguments as an object, some as text.
  for (const given of [values, JSON.stringify(values)]) {
    const plain = await render([user, assistant()])
    const prompt = (await render([user], true)) ?? ''
    const one = await render([user, assistant({ tool_calls: [call(WORDS.name, given, 0)] })])
    const two = await render([
      user,
      assistant({ tool_calls: [call(WORDS.name, given, 0), call(WORDS.secondName, given, 1)] }),
    ])
    const added = plain !== undefined && one !== undefined ? addedFor({ plain, prompt }, one) : undefined
    if (plain === undefined || added === undefined || added.includes('[object Object]')) continue
    const twoCalls = two === undefined ? undefined : addedFor({ plain, prompt }, two)
    return {
      call: added,
      twoCalls: twoCalls ?? '',
      thought: await thoughtIn(render),
      promptEnd: prompt.slice(-200),
      result: await resultIn(render, given),
    }
  }
  return undefined
}

type Render = (messages: readonly Message[], prompt?: boolean) => Promise<string | undefined>

function renderer(source: string): Render {
  const template = openTemplate(source)
  // Some templates loop over the calls of every message, even of one that has none.
  return async (messages, prompt = false) =>
    (await tryRender(template, messages, prompt)) ??
    tryRender(
      template,
      messages.map((message) => ({ tool_calls: [], ...message })),
      prompt,
    )
}

const tryRender = (
  template: RenderTemplate,
  messages: readonly Message[],
  prompt: boolean,
): Promise<string | undefined> =>
  template({
    messages,
    tools: [tool(WORDS.name), tool(WORDS.secondName)],
    add_generation_prompt: prompt,
    enable_thinking: true,
    bos_token: '',
    eos_token: '',
  }).catch(() => undefined)

const tool = (name: string): unknown => ({
  type: 'function',
  function: {
    name,
    description: 'A function.',
    parameters: {
      type: 'object',
      properties: { [WORDS.firstKey]: { type: 'string' }, [WORDS.secondKey]: { type: 'string' } },
    },
  },
})

const call = (name: string, given: unknown, index: number): unknown => ({
  id: `call0000${index}`,
  type: 'function',
  function: { name, arguments: given },
})

/** The text of `variant` after the content, minus the text after it without a call. */
function addedFor({ plain, prompt }: { plain: string; prompt: string }, variant: string): string | undefined {
  // The list of tools in front of the conversation holds the names as well; only what follows the question counts.
  const ending = (tailBehind(plain, WORDS.content) ?? '').trim()
  const added =
    tailBehind(variant, WORDS.content) ??
    withoutStart(tailBehind(variant, WORDS.user), tailBehind(prompt, WORDS.user))
  if (!added?.includes(WORDS.name) || !added.includes(WORDS.firstValue)) return undefined
  return ending !== '' && added.trimEnd().endsWith(ending) ? added.slice(0, added.lastIndexOf(ending)) : added
}

/** Some templates drop the content of a message that calls; then the call begins where the prompt ends. */
const withoutStart = (text: string | undefined, start = ''): string | undefined =>
  text?.startsWith(start) ? text.slice(start.length) : text

function tailBehind(text: string, word: string): string | undefined {
  const at = text.lastIndexOf(word)
  return at === -1 ? undefined : text.slice(at + word.length)
}

async function thoughtIn(render: Render): Promise<Probe['thought']> {
  for (const key of ['reasoning_content', 'thinking', 'reasoning', 'thought']) {
    const text = await render([user, assistant({ [key]: WORDS.thought })])
    const at = text?.lastIndexOf(WORDS.thought) ?? -1
    const content = text?.lastIndexOf(WORDS.content) ?? -1
    if (text === undefined || at === -1 || content < at) continue
    return { before: text.slice(0, at), after: text.slice(at + WORDS.thought.length, content) }
  }
  return undefined
}

async function resultIn(render: Render, given: unknown): Promise<Probe['result']> {
  const asked = assistant({ tool_calls: [call(WORDS.name, given, 0)] })
  const result: Message = { role: 'tool', tool_call_id: 'call00000', name: WORDS.name, content: WORDS.result }
  const without = await render([user, asked])
  const text = await render([user, asked, result])
  const at = text?.lastIndexOf(WORDS.result) ?? -1
  if (text === undefined || without === undefined || at === -1) return undefined
  let start = 0
  while (start < at && text[start] === without[start]) start++
  return { before: text.slice(start, at), after: text.slice(at + WORDS.result.length) }
}
