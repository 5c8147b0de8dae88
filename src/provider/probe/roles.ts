/**
 * Which roles a server takes. Some refuse a role, some drop what it says without a word: the count of the prompt gives
 * those away.
 */
import type { Message } from '../../protocol/message.ts'
import type { Usage } from '../../protocol/model.ts'
import { found, mergeFindings, type Findings } from './findings.ts'
import type { AskProbe } from './ask.ts'

/** About a hundred tokens that no template adds by itself. */
const LONG = Array.from({ length: 60 }, (_, index) => `heron${index}`).join(' ')
const FEWEST = 40

const PROBE_TOOL = {
  name: 'lookup_word',
  description: 'Look a word up in the dictionary.',
  parameters: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
}

export async function probeRoles(ask: AskProbe): Promise<Findings> {
  const plain = await ask({ maxTokens: 1 })
  const withSystem = await ask({ system: LONG, maxTokens: 1 })
  const twice = await ask({
    maxTokens: 1,
    messages: [
      { role: 'user', text: 'Say hello.' },
      { role: 'user', text: 'Say it twice.' },
    ],
  })
  const short = await ask({ maxTokens: 1, messages: withResult('none'), tools: [PROBE_TOOL] })
  const long = await ask({ maxTokens: 1, messages: withResult(LONG), tools: [PROBE_TOOL] })
  return mergeFindings({
    systemRole: found(!withSystem.refusal && hasGrown(plain.usage, withSystem.usage), 'a system message'),
    strictRoles: found(twice.refusal !== undefined, 'two user messages in a row'),
    toolRole: found(!long.refusal && hasGrown(short.usage, long.usage), 'a result in a message of its own'),
  })
}

const withResult = (text: string): Message[] => [
  { role: 'user', text: 'What does heron mean?' },
  {
    role: 'assistant',
    text: '',
    calls: [{ id: 'call00001', name: PROBE_TOOL.name, input: '{"word":"heron"}' }],
  },
  { role: 'tool', callId: 'call00001', text, ok: true },
]

/** A server that does not count is believed. */
const hasGrown = (before: Usage | undefined, after: Usage | undefined): boolean =>
  !before || !after || after.prompt - before.prompt >= FEWEST
