/** A client's many tools in two stages: what it gets are calls of its own tools, however the model wrote them. */
import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { calls, says, scriptedModel } from '../../../src/provider/scripted.ts'
import { startArmApi } from './arm-host.ts'
import { type ApiHost, startApi } from './host.ts'

const tools = Array.from({ length: 40 }, (_, index) => ({
  type: 'function' as const,
  function: {
    name: `client_tool_${index}`,
    description: `Does number ${index}. ${'It has rules that must be kept. '.repeat(8)}`,
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string' },
        count: { type: 'integer' },
        mode: { type: 'string', enum: ['fast', 'slow'] },
        pattern: { type: 'string' },
        replacement: { type: 'string' },
        recursive: { type: 'boolean' },
      },
      required: ['path'],
    },
  },
}))
const system = 'You are an agent. Follow the rules of the project. '.repeat(500)
const messages: OpenAI.ChatCompletionMessageParam[] = [
  { role: 'system', content: system },
  { role: 'user', content: 'Rename it everywhere.' },
]

const openai = async (host: ApiHost) =>
  new OpenAI({ baseURL: `${host.url}/v1`, apiKey: await host.key(), maxRetries: 0 })

test.each([
  ['through call_tool', 'call_tool', { name: 'client_tool_39', arguments: { path: 'a.ts', count: '3' } }],
  [
    'with arguments as text',
    'call_tool',
    { name: 'client_tool_39', arguments: '{"path": "a.ts", "count": 3}' },
  ],
  ['with arguments beside the name', 'call_tool', { name: 'client_tool_39', path: 'a.ts', count: 3 }],
  ['by its own name', 'client_tool_39', { path: 'a.ts', count: '3' }],
])('a listed tool that is called %s reaches the client by its schema', async (_, name, input) => {
  const model = scriptedModel([calls(name, input)], [says('Done.')])
  const client = await openai(await startApi(model))

  const first = await client.chat.completions.create({ model: 'scripted', messages, tools })
  const { message } = first.choices[0]!
  const [made] = message.tool_calls ?? []
  await client.chat.completions.create({
    model: 'scripted',
    messages: [...messages, message, { role: 'tool', tool_call_id: made!.id, content: 'renamed' }],
    tools,
  })

  expect(made?.type === 'function' && [made.function.name, JSON.parse(made.function.arguments)]).toEqual([
    'client_tool_39',
    { path: 'a.ts', count: 3 },
  ])
  expect(model.asked[0]?.tools.map((tool) => tool.name)).toContain('call_tool')
  expect(model.asked[1]?.messages.at(-2)).toMatchObject({
    calls: [
      { name: 'call_tool', input: expect.stringContaining('{"name": "client_tool_39", "arguments": ') },
    ],
  })
  expect(model.asked[1]?.system).toBe(model.asked[0]?.system)
  expect(model.asked[1]?.tools).toEqual(model.asked[0]?.tools)
})

const inner = '{"name": "client_tool_39", "arguments": {"path": "a.ts", "count": "3"}}'
const outer = `{"name": "call_tool", "arguments": ${inner}}`

test.each([
  [
    'as a call of its own name',
    { calls: [{ name: 'client_tool_39', arguments: { path: 'a.ts', count: 3 } }] },
  ],
  ['in tags', { text: `<tool_call>\n${outer}\n</tool_call>` }],
  ['in tags, by its own name', { text: `<tool_call>\n${inner}\n</tool_call>` }],
  ['as bare JSON', { text: outer }],
  ['fenced', { text: `I will do that.\n\`\`\`json\n${outer}\n\`\`\`` }],
])('a call of a listed tool that a server writes %s is read', async (_, reply) => {
  const { host } = await startArmApi([reply])
  const client = await openai(host)

  const { choices } = await client.chat.completions.create({ model: 'small', messages, tools })

  const [made] = choices[0]?.message.tool_calls ?? []
  expect(made?.type === 'function' && [made.function.name, JSON.parse(made.function.arguments)]).toEqual([
    'client_tool_39',
    { path: 'a.ts', count: 3 },
  ])
})

test('a call that names no tool is asked for again', async () => {
  const model = scriptedModel(
    [calls('call_tool', { path: 'a.ts' })],
    [calls('client_tool_0', { path: 'a.ts' })],
  )
  const client = await openai(await startApi(model))

  const { choices } = await client.chat.completions.create({ model: 'scripted', messages, tools })

  expect(model.asked[1]?.messages.at(-1)?.text).toContain('it names no tool')
  expect(choices[0]?.message.tool_calls).toMatchObject([{ function: { name: 'client_tool_0' } }])
})

test('a client whose tools fit may have a tool of that name', async () => {
  const own = {
    type: 'function',
    function: { name: 'call_tool', parameters: { type: 'object', properties: { name: { type: 'string' } } } },
  } as const
  const client = await openai(await startApi(scriptedModel([calls('call_tool', { name: 'x' })])))

  const { choices } = await client.chat.completions.create({
    model: 'scripted',
    messages: [{ role: 'user', content: 'Call it.' }],
    tools: [own],
  })

  expect(choices[0]?.message.tool_calls).toMatchObject([
    { function: { name: 'call_tool', arguments: '{"name":"x"}' } },
  ])
})
