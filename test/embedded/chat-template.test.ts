import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createChatTemplate } from '../../src/embedded/chat-template.ts'
import type { Segment } from '../../src/embedded/segment.ts'
import type { Message } from '../../src/protocol/message.ts'
import type { ModelRequest, ToolSchema } from '../../src/protocol/model.ts'
import { requestOf } from './support/ask.ts'
import { runs } from '../support/runs.ts'

const readTool: ToolSchema = {
  name: 'read_file',
  description: 'Read a file',
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
}
const call = (id: string, path: string) => ({ id, name: 'read_file', input: JSON.stringify({ path }) })
const CONTROL = /<\|im_start\|>|<\|im_end\|>|<tool_call>|<\/tool_call>|<s>|<\/s>/g
const textOf = (segments: readonly Segment[]): string => segments.map(({ text }) => text).join('')

const open = (text: string | undefined) =>
  createChatTemplate({
    text,
    bos: '<s>',
    eos: '</s>',
    guess: 'tag',
    instructions: 'Tools: {{tools}}\n{{example}}',
  })
const template = (name: string) =>
  open(readFileSync(new URL(`../context/templates/${name}.jinja`, import.meta.url), 'utf8'))

describe('a template gives away how its model talks', () => {
  test.each([
    ['chatml', { base: 'tool-role', dialect: 'hermes' }],
    ['thinking', { base: 'tool-role', dialect: 'hermes' }],
    ['llama3', { base: 'tool-role', dialect: 'llama3' }],
    ['mistral', { base: 'tool-role', dialect: 'mistral' }],
    ['gemma', { base: 'user-results', strict: true, dialect: 'tag' }],
  ])('%s', async (name, emission) => {
    expect((await template(name)).emission).toEqual(emission)
  })

  test.each([
    ['no template', undefined],
    ['a template with an error', '{% for %}'],
    ['a template that loses messages', '{{ messages[0].content }}'],
  ])('%s: ChatML, with tools and calls as text', async (_, text) => {
    const { emission, render } = await open(text)

    expect(emission).toEqual({ base: 'user-results', dialect: 'tag' })
    expect(textOf(await render(requestOf('Hello'), CONTROL))).toBe(
      '<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n',
    )
  })
})

const conversation = (results: readonly string[]): Message[] => [
  { role: 'user', text: 'Read both.' },
  {
    role: 'assistant',
    text: '',
    calls: results.map((_, index) => call(`call-${index + 1}`, `file-${index + 1}`)),
  },
  ...results.map((text, index) => ({ role: 'tool' as const, callId: `call-${index + 1}`, text, ok: true })),
]

test('a template that shows one call per message gets one call per message', async () => {
  const request = requestOf('', { messages: conversation(['one', 'two']), tools: [readTool] })

  const text = textOf(await (await template('llama3')).render(request, CONTROL))

  expect(text.match(/file-1|file-2|one"|two"/g)).toEqual(['file-1', 'one"', 'file-2', 'two"'])
})

test('ids are made short for a template that refuses others', async () => {
  const strict = `{% for message in messages %}{% for call in message.tool_calls or [] %}
    {%- if call.id | length != 9 %}{{ raise_exception('nine letters') }}{% endif %}[{{ call.id }} {{ call.function | tojson }}]{% endfor %}
    {{- message.content }}{% endfor %}{{ tools | tojson }}`
  const request = requestOf('', { messages: conversation(['one', 'two']), tools: [readTool] })

  const text = textOf(await (await open(strict)).render(request, CONTROL))

  expect(text.match(/\[\w+/g)).toEqual(['[0000call1', '[0000call2'])
})

test('arguments are JSON text for a template that joins them as text', async () => {
  const joining = `{% for message in messages %}{{ message.content }}{% for call in message.tool_calls or [] %}
    {{- '<call>' + call.function.name + call.function.arguments + '</call>' }}{% endfor %}{% endfor %}{{ tools | tojson }}`
  const request = requestOf('', { messages: conversation(['one']), tools: [readTool] })

  expect(textOf(await (await open(joining)).render(request, CONTROL))).toContain(
    '<call>read_file{"path":"file-1"}</call>',
  )
})

test('a conversation the usual form is refused for is rendered in another', async () => {
  const picky = `{% for message in messages %}{% if message.role == 'tool' and 'forbidden' in message.content %}
    {{- raise_exception('no') }}{% endif %}<{{ message.role }}>{{ message.content }}
    {%- for call in message.tool_calls or [] %}{{ call.function | tojson }}{% endfor %}{% endfor %}{{ tools | tojson }}`
  const request = requestOf('', { messages: conversation(['forbidden']), tools: [readTool] })

  const text = textOf(await (await open(picky)).render(request, CONTROL))

  expect(text).toContain('<user><result name="read_file">')
  expect(text).toContain('forbidden')
})

test('a reply to go on with stands open at the end of the prompt', async () => {
  const messages: Message[] = [
    { role: 'user', text: 'Count.' },
    { role: 'assistant', text: 'One, two,', calls: [] },
  ]

  const text = textOf(
    await (await template('chatml')).render(requestOf('', { messages, continueLast: true }), CONTROL),
  )

  expect(text).toBe('<|im_start|>user\nCount.<|im_end|>\n<|im_start|>assistant\nOne, two,')
})

test.each<[string, Partial<ModelRequest>]>([
  ['thinking is off', { thinking: 'off' }],
  ['a call is required', { toolChoice: 'required', tools: [readTool] }],
  ['JSON is required', { responseFormat: { type: 'json' } }],
])('the template gets "no thinking" when %s', async (_, more) => {
  const thinking = await open(
    `{% for message in messages %}{{ message.content }}{% endfor %}{% if enable_thinking is defined %}[{{ enable_thinking }}]{% endif %}`,
  )

  expect(textOf(await thinking.render(requestOf('Hi'), CONTROL))).not.toContain('[')
  expect(textOf(await thinking.render(requestOf('Hi', more), CONTROL)).toLowerCase()).toContain('[false]')
})

describe('text from outside', () => {
  const hostile = fc
    .array(
      fc.constantFrom(
        '<|im_end|>',
        '<|im_start|>',
        '<tool_call>',
        '</s>',
        '\uE000',
        '\uE0010\uE001',
        'a',
        '\n',
        '{{ x }}',
        '"',
      ),
    )
    .map((parts) => `x${parts.join('')}x`)

  test.each(['chatml', 'llama3', 'mistral', 'gemma', 'thinking'])(
    'never becomes control text: %s',
    async (name) => {
      const opened = await template(name)
      const requestWith = (text: string) =>
        requestOf('', {
          system: text,
          messages: [
            { role: 'user', text },
            { role: 'assistant', text, calls: [call('call-1', text)] },
            { role: 'tool', callId: 'call-1', text, ok: true },
          ],
          tools: [{ ...readTool, description: text }],
        })
      const controls = async (text: string): Promise<string[]> =>
        (await opened.render(requestWith(text), CONTROL))
          .filter(({ control }) => control)
          .flatMap((segment) => segment.text.match(CONTROL) ?? [])
      const usual = await controls('harmless')

      await fc.assert(
        fc.asyncProperty(hostile, async (text) => {
          expect(await controls(text)).toEqual(usual)
        }),
        { numRuns: runs(15, 50) },
      )
    },
  )

  test('reaches the model word for word', async () => {
    const opened = await template('chatml')

    await fc.assert(
      fc.asyncProperty(hostile, async (text) => {
        const segments = await opened.render(requestOf(text), CONTROL)

        expect(textOf(segments)).toBe(`<|im_start|>user\n${text}<|im_end|>\n<|im_start|>assistant\n`)
      }),
      { numRuns: runs(15, 50) },
    )
  })
})
