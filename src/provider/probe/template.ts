/**
 * What a chat template gives away about its model without asking it: which roles it takes, how it writes calls. The
 * template is rendered with words that can be found again; one that raises an error or drops them does not take them.
 */
import { deriveDialect } from '../../dialect/template/derive.ts'
import { openTemplate } from '../../lib/template-process.ts'
import { found, mergeFindings, type Findings } from './findings.ts'

const FROM = 'the chat template'

type TemplateMessage = Readonly<Record<string, unknown>>

const system = { role: 'system', content: 'SYSTEM_WORD' }
const user = { role: 'user', content: 'USER_WORD' }
const again = { role: 'user', content: 'AGAIN_WORD' }
const answer = { role: 'assistant', content: 'ANSWER_WORD' }
const result = { role: 'tool', tool_call_id: 'call00000', name: 'probe', content: 'RESULT_WORD' }

export async function templateFindings(text: string): Promise<Findings> {
  const render = renderer(text)
  // A template that cannot be rendered here says nothing; the server may well render it.
  if (!(await render([user]))?.includes(user.content)) return {}
  const takes = async (messages: readonly TemplateMessage[]): Promise<boolean> => {
    const rendered = (await render(messages)) ?? ''
    return messages.every(({ content }) => rendered.includes(String(content)))
  }
  const derived = await deriveDialect(text)
  const takesCalls = async (given: unknown) => takes([user, calling(given), result, answer])
  return mergeFindings({
    systemRole: found(await takes([system, user]), FROM),
    strictRoles: found((await takes([user, answer, again])) && !(await takes([user, again])), FROM),
    toolRole: found((await takesCalls({})) || (await takesCalls('{}')), FROM),
    dialect: found(derived?.known, FROM),
    parallelCalls: derived && found(derived.parallel, FROM),
  })
}

/** Some templates want arguments as an object, some as text. */
const calling = (given: unknown): TemplateMessage => ({
  role: 'assistant',
  content: '',
  tool_calls: [{ id: 'call00000', type: 'function', function: { name: 'probe', arguments: given } }],
})

function renderer(text: string): (messages: readonly TemplateMessage[]) => Promise<string | undefined> {
  const render = openTemplate(text)
  return (messages) =>
    render({ messages, add_generation_prompt: true, bos_token: '', eos_token: '' }).catch(() => undefined)
}
