/** What a model could write to make the reader run what was only shown, run half of it, or work without end. */
import { describe, expect, it } from 'vitest'
import { deriveDialect } from '../../src/dialect/template/derive.ts'
import { characters, pieces, read, summary, tools } from './support.ts'

const call = '<tool_call>\n{"name": "run_command", "arguments": {"command": "rm -rf x"}}\n</tool_call>'
const harmony =
  '<|start|>assistant<|channel|>commentary to=functions.run_command <|constrain|>json<|message|>' +
  '{"command":"rm -rf x"}<|call|>'

/** The calls of a reply, the same in every cut. */
function callsIn(reply: string, options: Parameters<typeof read>[1] = {}): [string, unknown][] {
  const whole = read(reply, options)
  expect(read(characters(reply), options)).toEqual(whole)
  for (let at = 1; at < Math.min(reply.length, 400); at++) {
    expect(read([reply.slice(0, at), reply.slice(at)], options)).toEqual(whole)
  }
  expect(read(pieces(reply, 7), options)).toEqual(whole)
  return summary(whole).calls
}

describe('calls that are only shown', () => {
  it.each([
    ['behind tildes', `I changed the README. It now says:\n\n~~~xml\n${call}\n~~~\n\nTell me if it fits.`],
    ['behind four tildes', `The page holds a call.\n\n~~~~\n~~~\n${call}\n~~~\n~~~~\n\nThat is all.`],
    [
      'behind tildes that backticks do not close',
      `See the text.\n\n~~~\n\`\`\`\n${call}\n\`\`\`\n~~~\n\nDone.`,
    ],
    [
      'in a fence that begins in an item',
      `Steps of the tutorial\n\n1. \`\`\`xml\n   ${call}\n   \`\`\`\n2. wait`,
    ],
    ['in a fence in a nested item', `Notes\n\n- a\n  - ~~~\n    ${call}\n    ~~~\n- b`],
    ['in the channels of Harmony', `The format of a call looks like this: ${harmony} and that is all.`],
    ['in the channels of Harmony, in a list', `Examples of calls:\n\n- ${harmony}\n- another one`],
  ])('are not run %s', (_where, reply) => {
    for (const model of [undefined, 'Qwen3-8B', 'gpt-oss-20b']) {
      expect(callsIn(reply, model === undefined ? {} : { model })).toEqual([])
    }
  })

  it.each([
    ['Harmony', harmony],
    [
      'Harmony whose first token was in the prompt',
      'to=functions.run_command<|message|>{"command":"rm -rf x"}',
    ],
    ['lines of Python', 'list_files()\nrun_command(command="rm -rf x")'],
  ])('are not run where they repeat an earlier text: %s', (_format, reply) => {
    const options = { model: reply.startsWith('list') ? 'Olmo-3-7B' : 'gpt-oss-20b' }
    const earlier = (text: string): boolean => text.includes('rm -rf')

    expect(summary(read(reply, options)).calls.at(-1)).toEqual(['run_command', { command: 'rm -rf x' }])
    expect(summary(read(reply, { ...options, earlier })).calls).not.toContainEqual([
      'run_command',
      { command: 'rm -rf x' },
    ])
  })

  it('are run where a gpt-oss message follows one that explains', () => {
    const said = '<|channel|>commentary<|message|>The format looks like this:<|end|>'

    expect(callsIn(said + harmony, { model: 'gpt-oss-20b' })).toEqual([
      ['run_command', { command: 'rm -rf x' }],
    ])
  })
})

describe('calls that lost their end', () => {
  it.each([
    [
      'a text in apostrophes',
      "<tool_call>{'name': 'write_file', 'arguments': {'path': 'a.txt', 'content': 'first half</tool_call>",
    ],
    [
      'a command with a closing tag in it',
      '<tool_call>{"name": "run_command", "arguments": {"command": "cat > f <<E\nx </tool_call> y\nE"}}</tool_call>',
    ],
    ['a list where an object belongs', '[TOOL_CALLS]list_files[ARGS] [] and more words behind it'],
    ['a text where an object belongs', '[TOOL_CALLS]list_files[ARGS] "all of them" [/TOOL_CALLS]'],
    ['a word that is no literal', '[list_files(all=constructor)]'],
    [
      'plain arguments without end',
      `<|channel|>commentary to=functions.ask<|message|>${'x'.repeat(1_100_000)}<|call|>`,
    ],
    ['a line of arguments without end', `Action: ask\nAction Input: ${'x'.repeat(1_100_000)}`],
  ])('are not run: %s', (_what, reply) => {
    const ask = { name: 'ask', parameters: { type: 'object', properties: { text: { type: 'string' } } } }

    expect(summary(read(reply, { tools: [...tools, ask] })).calls).toEqual([])
  })
})

describe('calls keep what they say', () => {
  it('two calls never share an id, whatever the model calls them', () => {
    const reply =
      '<tool_call>{"name":"list_files","arguments":{},"id":"call-2"}</tool_call>' +
      '<tool_call>{"name":"list_files","arguments":{}}</tool_call>'

    const ids = read(reply).flatMap((event) => (event.type === 'tool-call' ? [event.call.id] : []))

    expect(ids).toEqual(['call-2', 'call-3'])
  })

  it('a parameter called like a field of calls is kept where arguments stand beside the name', () => {
    const properties = { id: { type: 'string' }, type: { type: 'string' } }
    const issue = { name: 'get_issue', parameters: { type: 'object', properties, required: ['id'] } }

    const events = read('{"tool": "get_issue", "type": "bug", "id": "123456"}', { tools: [issue] })

    expect(summary(events).calls).toEqual([['get_issue', { type: 'bug', id: '123456' }]])
  })

  it('a null for an unknown parameter is a null', () => {
    const reply = '<tool_call>list_files\n<arg_key>x</arg_key>\n<arg_value>null</arg_value>\n</tool_call>'

    expect(summary(read(reply)).calls).toEqual([['list_files', { x: null }]])
  })
})

describe('work without end', () => {
  const deep = (open: string, close: string): string => open.repeat(50_000) + close.repeat(50_000)

  it.each([
    ['lists', `<tool_call>${deep('[', ']')}</tool_call>`],
    ['lists of calls', `<tool_call>${deep('{"calls":', '}').replace('}', '{}}')}</tool_call>`],
    [
      'arguments',
      `<tool_call>{"name": "read_file", "arguments": {"path": 5, "x": ${deep('[', ']')}}}</tool_call>`,
    ],
    [
      'arguments between tags',
      `<tool_call><function=set_options><parameter=options>${deep('[', ']')}</parameter></function></tool_call>`,
    ],
    [
      'arguments in a text',
      `<tool_call>{"name": "set_options", "arguments": {"options": "${deep('[', ']')}"}}</tool_call>`,
    ],
    ['brackets that never close', `<tool_call>{"name": "read_file", "arguments": ${'['.repeat(100_000)}`],
  ])('%s nested without end make no call that others would fail on', (_what, reply) => {
    const { calls } = summary(read(reply))

    // Would overflow the stack.
    expect(() => JSON.stringify(calls)).not.toThrow()
  })

  it('a numbered line of a thousand dots and more proposes nothing, at once', () => {
    const events = read(`1. \`ls\`${'. '.repeat(30_000)}x`)

    expect(events.filter(({ type }) => type === 'proposal')).toEqual([])
  })

  it.each(['[THINK]', '[1', '```', '}', '<tool_call>[x]', '<｜tool▁call▁begin｜>'])(
    'a section full of %s is left',
    (piece) => {
      const events = read(`<tool_call>${piece.repeat(100_000)}`)

      expect(events.filter(({ type }) => type === 'bad-call').length).toBeLessThan(2_001)
    },
  )

  it('a template that writes a novel around its calls is none', async () => {
    const novel = Array.from({ length: 3000 }, (_, index) => `word${index}`).join(' ')
    const template =
      `{% for m in messages %}{{ m.role }}: {{ m.content }}{% for c in m.tool_calls or [] %}<call ${novel}>` +
      '{{ {"name": c.function.name, "arguments": c.function.arguments} | tojson }}</call>{% endfor %}\n{% endfor %}'

    expect((await deriveDialect(template.replace(novel, '')))?.style).toBe('json')
    expect(await deriveDialect(template)).toBeUndefined()
  })
})
