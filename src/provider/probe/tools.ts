/** How a model calls tools on this server, and what of constrained answers the server keeps. */
import { families } from '../../dialect/all.ts'
import { createReplyReader } from '../../dialect/read/reply.ts'
import { isObject, readJson } from '../../lib/json.ts'
import type { EmissionMode } from '../../protocol/arm.ts'
import type { ToolCall } from '../../protocol/message.ts'
import type { ToolSchema } from '../../protocol/model.ts'
import { found, mergeFindings, type Findings } from './findings.ts'
import type { AskProbe, ProbeReply } from './ask.ts'

const PROBE_TOOL: ToolSchema = {
  name: 'lookup_word',
  description: 'Look a word up in the dictionary.',
  parameters: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
}
const PATTERN_TOOL: ToolSchema = {
  ...PROBE_TOOL,
  parameters: {
    type: 'object',
    properties: { word: { type: 'string', pattern: '^[a-z]+$' } },
    required: ['word'],
  },
}
const ANSWER_SCHEMA = {
  type: 'object',
  properties: { bird: { type: 'string', enum: ['heron'] } },
  required: ['bird'],
  additionalProperties: false,
}

/** What a server says it can do is a promise; this was seen. */
export const ASKED_FOR = 'a call that was asked for'

const says = (text: string) => ({ messages: [{ role: 'user' as const, text }] })

export async function probeTools(ask: AskProbe, emission: EmissionMode): Promise<Findings> {
  const tools = [PROBE_TOOL]
  const question = says('Call lookup_word with {"word": "heron"}')
  const one = await ask({ emission, tools, ...question })
  const bare = await ask({ emission, maxTokens: 1, ...question })
  const required = await ask({ emission, tools, toolChoice: 'required', ...says('Say hello.') })
  const isNative = nativeFrom(one, required) ?? (areShown(one, bare) ? undefined : false)
  const two = await ask({
    emission,
    tools,
    ...says(
      'In one reply, make both calls.\nCall lookup_word with {"word": "heron"}\nCall lookup_word with {"word": "crane"}',
    ),
  })
  const pattern = await ask({ emission, tools: [PATTERN_TOOL], maxTokens: 1, ...says('Say hello.') })
  const json = await ask({
    emission,
    ...says('Say hello.'),
    responseFormat: { type: 'json', name: 'answer', schema: ANSWER_SCHEMA },
  })
  return mergeFindings({
    nativeTools: found(isNative, ASKED_FOR),
    dialect: found(dialectIn(one), 'the text of a call'),
    requiredChoice: found(required.calls.length > 0, 'tool_choice required'),
    parallelCalls: found(
      isNative === undefined ? undefined : callsIn(two).length >= 2,
      'two calls in one reply',
    ),
    patterns: found(one.refusal ? undefined : !pattern.refusal, 'a schema with a pattern'),
    jsonSchema: found(!json.refusal && isAnswer(json.text), 'an answer by JSON schema'),
  })
}

/** A model that only talks has told nothing. */
function nativeFrom(one: ProbeReply, required: ProbeReply): boolean | undefined {
  if (one.calls.length > 0 || required.calls.length > 0) return true
  return one.refusal || writtenCalls(one.text).length > 0 ? false : undefined
}

/** Some servers drop the tools without a word where the template has no place for them: the prompt is as long without. */
const areShown = (one: ProbeReply, bare: ProbeReply): boolean =>
  one.usage === undefined || one.usage.prompt !== bare.usage?.prompt

const callsIn = (reply: ProbeReply): readonly ToolCall[] =>
  reply.calls.length > 0 ? reply.calls : writtenCalls(reply.text)

function writtenCalls(text: string): ToolCall[] {
  const reader = createReplyReader({ tools: [PROBE_TOOL] })
  return [...reader.push(text), ...reader.end()].flatMap((event) =>
    event.type === 'tool-call' ? [event.call] : [],
  )
}

/** The family that would have written the same; of several the best known one. */
function dialectIn({ text, calls }: ProbeReply): string | undefined {
  const [call] = calls.length > 0 ? [] : writtenCalls(text)
  if (!call) return undefined
  const written = squeezed(text)
  const names = families
    .filter((family) => written.includes(squeezed(family.write(call))))
    .map(({ name }) => name)
  return names.includes(BEST_KNOWN) ? BEST_KNOWN : names[0]
}

const BEST_KNOWN = 'hermes'

const squeezed = (text: string): string => text.replace(/\s+/g, '')

function isAnswer(text: string): boolean {
  const read = readJson(text)
  return read.ok && isObject(read.value) && read.value['bird'] === 'heron'
}
