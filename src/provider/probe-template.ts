/**
 * What a chat template gives away about its model without asking it: which roles it takes, how it writes calls. The
 * template is rendered with words that can be found again; one that raises an error or drops them does not take them.
 */
import { Template } from '@huggingface/jinja'
import { deriveDialect } from '../dialect/template.ts'
import { found, mergeFindings, type Findings } from './findings.ts'

const FROM = 'the chat template'

type TemplateMessage = Readonly<Record<string, unknown>>

const system = { role: 'system', content: 'SYSTEM_WORD' }
const user = { role: 'user', content: 'USER_WORD' }
const again = { role: 'user', content: 'AGAIN_WORD' }
const answer = { role: 'assistant', content: 'ANSWER_WORD' }
const result = { role: 'tool', tool_call_id: 'call00000', name: 'probe', content: 'RESULT_WORD' }

export function templateFindings(text: string): Findings {
  const render = renderer(text)
  // A template that cannot be rendered here says nothing; the server may well render it.
  if (!render([user])?.includes(user.content)) return {}
  const takes = (messages: readonly TemplateMessage[]): boolean => {
    const rendered = render(messages) ?? ''
    return messages.every(({ content }) => rendered.includes(String(content)))
  }
  const derived = deriveDialect(text)
  return mergeFindings({
    systemRole: found(takes([system, user]), FROM),
    strictRoles: found(takes([user, answer, again]) && !takes([user, again]), FROM),
    toolRole: found(
      [calling({}), calling('{}')].some((call) => takes([user, call, result, answer])),
      FROM,
    ),
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

function renderer(text: string): (messages: readonly TemplateMessage[]) => string | undefined {
  try {
    const template = new Template(text)
    return (messages) => {
      try {
        return template.render({ messages, add_generation_prompt: true, bos_token: '', eos_token: '' })
      } catch {
        return undefined
      }
    }
  } catch {
    return () => undefined
  }
}
