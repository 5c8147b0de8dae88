import { describe, expect, it } from 'vitest'
import { createReplyReader } from '../../../src/dialect/read/reply.ts'
import { characters, read, summary, tools } from '../support.ts'

const call = (name: string, input: unknown, id = 'call-1'): unknown => ({
  type: 'tool-call',
  call: { id, name, input: typeof input === 'string' ? input : JSON.stringify(input) },
})
const says = (text: string): unknown => ({ type: 'text-delta', text })

describe('the shapes a call arrives in', () => {
  const file = { path: 'a.txt' }
  const json = '{"name": "read_file", "arguments": {"path": "a.txt"}}'

  it.each([
    ['bare JSON', json],
    ['bare JSON with parameters', '{"name": "read_file", "parameters": {"path": "a.txt"}}'],
    ['bare JSON with args', '{"name": "read_file", "args": {"path": "a.txt"}}'],
    ['bare JSON with input', '{"name": "read_file", "input": {"path": "a.txt"}}'],
    ['bare JSON, arguments first', '{"arguments": {"path": "a.txt"}, "name": "read_file"}'],
    ['bare JSON over lines', '{\n  "name": "read_file",\n  "arguments": {\n    "path": "a.txt"\n  }\n}'],
    ['fenced JSON', `\`\`\`json\n${json}\n\`\`\``],
    ['fenced JSON without a language', `\`\`\`\n${json}\n\`\`\``],
    ['a fence that is never closed', `\`\`\`json\n${json}`],
    ['JSON between tags', `<tool_call>${json}</tool_call>`],
    ['JSON between tags, in a fence', `\`\`\`xml\n<tool_call>\n${json}\n</tool_call>\n\`\`\``],
    ['a fence between tags', `<tool_call>\n\`\`\`json\n${json}\n\`\`\`\n</tool_call>`],
    ['JSON behind an opening tag only', `<tool_call>\n${json}`],
    [
      'Qwen tags',
      '<tool_call>\n<function=read_file>\n<parameter=path>\na.txt\n</parameter>\n</function>\n</tool_call>',
    ],
    [
      'Qwen tags without a wrapper',
      '<function=read_file>\n<parameter=path>\na.txt\n</parameter>\n</function>',
    ],
    [
      'Qwen tags with half a wrapper',
      '<function=read_file>\n<parameter=path>\na.txt\n</parameter>\n</function>\n</tool_call>',
    ],
    [
      'Qwen tags with a forgotten closing tag',
      '<tool_call>\n<function=read_file>\n<parameter=path>\na.txt\n</function>\n</tool_call>',
    ],
    ['a Mistral list', '[TOOL_CALLS][{"name": "read_file", "arguments": {"path": "a.txt"}}]'],
    ['a Mistral name', '[TOOL_CALLS]read_file[ARGS]{"path": "a.txt"}'],
    ['a Mistral name without a separator', '[TOOL_CALLS]read_file{"path": "a.txt"}'],
    ['a Mistral name with an id', '[TOOL_CALLS]read_file[CALL_ID]abc[ARGS]{"path": "a.txt"}'],
    ['a Mistral name whose marker was dropped', 'read_file[ARGS]{"path": "a.txt"}'],
    ['a tag', '<tool name="read_file">{"path": "a.txt"}</tool>'],
    ['a tag over lines', '<tool name="read_file">\n{\n  "path": "a.txt"\n}\n</tool>'],
    ['a tag with a bare name', '<tool read_file>\n{"path": "a.txt"}\n</tool>'],
    ['a tag with attributes', '<tool name="read_file" path="a.txt"/>'],
    ['a tag with elements', '<tool name="read_file">\n<path>a.txt</path>\n</tool>'],
    [
      'an MCP tag',
      '<use_mcp_tool>\n<server_name>x</server_name>\n<tool_name>read_file</tool_name>\n<arguments>\n{"path": "a.txt"}\n</arguments>\n</use_mcp_tool>',
    ],
    [
      'a function in JSON',
      '{"type": "function", "function": {"name": "read_file", "arguments": {"path": "a.txt"}}}',
    ],
    [
      'a function with its arguments as text',
      '{"function": {"name": "read_file", "arguments": "{\\"path\\": \\"a.txt\\"}"}}',
    ],
    ['a tool with its arguments beside it', '{"tool": "read_file", "path": "a.txt"}'],
    ['tool_calls as a list', '{"tool_calls": [{"name": "read_file", "arguments": {"path": "a.txt"}}]}'],
    ['tool_calls as an object', '{"tool_calls": {"name": "read_file", "arguments": {"path": "a.txt"}}}'],
    ['tool_calls with bare keys', "{tool_calls: [{name: 'read_file', arguments: {path: 'a.txt'}}]}"],
    [
      'tool_calls with bare keys, as an object',
      '{tool_calls: {name: "read_file", arguments: {path: "a.txt"}}}',
    ],
    ['a list of calls', '[{"name": "read_file", "arguments": {"path": "a.txt"}}]'],
    ['a Python list', '[read_file(path="a.txt")]'],
    ['Python in a fence', '```python\nread_file("a.txt")\n```'],
    ['printed Python in a fence', '```tool_code\nprint(read_file(path="a.txt"))\n```'],
    ['ReAct', 'Action: read_file\nAction Input: {"path": "a.txt"}'],
    ['ReAct with bare text', 'Action: read_file\nAction Input: a.txt\nObservation: hello'],
    ['ReAct in one line', 'Action: read_file("a.txt")\nObservation: hello'],
    ['plain lines', 'TOOL: read_file\nARGUMENTS: {"path": "a.txt"}'],
  ])('reads %s', (_title, reply) => {
    expect(summary(read(reply))).toEqual({ text: '', reasoning: '', calls: [['read_file', file]], bad: 0 })
  })

  it('keeps what stands before and behind a call', () => {
    const events = read(`I will read it. ${json} Then I go on.`)

    expect(events).toEqual([
      says('I will read it.'),
      call('read_file', file.path && '{"path": "a.txt"}'),
      says(' Then I go on.'),
    ])
  })

  it('reads several pairs of plain lines', () => {
    const events = read('TOOL: read_file\nARGUMENTS: {"path": "a"}\n\nTOOL: list_files\nARGUMENTS: {}\n')

    expect(summary(events).calls).toEqual([
      ['read_file', { path: 'a' }],
      ['list_files', {}],
    ])
  })

  it('reads several tags, over lines', () => {
    const events = read(
      '<tool name="read_file">\n{"path": "a"}\n</tool>\n\n<tool name="list_files">\n{}\n</tool>',
    )

    expect(summary(events).calls).toEqual([
      ['read_file', { path: 'a' }],
      ['list_files', {}],
    ])
  })

  it('reads calls of Llama separated by semicolons', () => {
    const events = read(
      '{"name": "read_file", "parameters": {"path": "a"}}; {"name": "list_files", "parameters": {}}',
    )

    expect(summary(events).calls.map(([name]) => name)).toEqual(['read_file', 'list_files'])
  })

  it('reads arguments given as text with nested braces', () => {
    const input = JSON.stringify({ path: 'a.js', content: 'if (x) { y({"z": "}"}) }' })

    const events = read(JSON.stringify({ name: 'write_file', arguments: input }))

    expect(summary(events).calls).toEqual([['write_file', JSON.parse(input) as unknown]])
  })
})

describe('arguments', () => {
  it('keeps the bytes of valid JSON', () => {
    const events = read(
      '<tool_call>{"name": "run_command", "arguments": {"command":"ls",   "timeout": 1.50e1}}</tool_call>',
    )

    expect(events).toEqual([call('run_command', '{"command":"ls",   "timeout": 1.50e1}')])
  })

  it.each([
    ['a trailing comma', '{"name": "read_file", "arguments": {"path": "a",}}'],
    ['single quotes', "{'name': 'read_file', 'arguments': {'path': 'a'}}"],
    ['bare keys', '{name: "read_file", arguments: {path: "a"}}'],
    ['a comment', '{"name": "read_file", /* now */ "arguments": {"path": "a"}}'],
    ['a missing bracket', '{"name": "read_file", "arguments": {"path": "a"}'],
    ['a bracket too many', '{"name": "read_file", "arguments": {"path": "a"}}}'],
    ['two missing brackets', '{"name": "read_file", "arguments": {"path": "a"'],
  ])('repairs %s between tags', (_title, json) => {
    const events = read(`<tool_call>\n${json}\n</tool_call>`)

    expect(summary(events)).toEqual({
      text: '',
      reasoning: '',
      calls: [['read_file', { path: 'a' }]],
      bad: 0,
    })
  })

  it('repairs raw newlines and Python literals', () => {
    const events = read(
      '<tool_call>{"name": "run_command", "arguments": {"command": "a\nb", "background": True}}</tool_call>',
    )

    expect(summary(events).calls).toEqual([['run_command', { command: 'a\nb', background: true }]])
  })

  it('bends values towards the schema', () => {
    const events = read(
      '<tool_call>{"name": "read-file", "arguments": {"Path": "a", "from": "12"}}</tool_call>',
    )

    expect(summary(events).calls).toEqual([['read_file', { path: 'a', from: 12 }]])
  })

  it('never closes an open string of a tool that writes', () => {
    const events = read(
      '<tool_call>{"name": "write_file", "arguments": {"path": "a", "content": "half a fi</tool_call>',
    )

    expect(events).toMatchObject([{ type: 'bad-call', name: 'write_file' }])
  })

  it('closes an open string of a tool that only reads', () => {
    const events = read('<tool_call>{"name": "read_file", "arguments": {"path": "a}}</tool_call>')

    expect(summary(events).calls).toHaveLength(1)
  })

  it('says what was wrong with a call that is hopeless', () => {
    const [event] = read('<tool_call>{"name": "read_file", "arguments": "no object"}</tool_call>')

    expect(event).toEqual({
      type: 'bad-call',
      name: 'read_file',
      reason: expect.stringContaining('{"path": ..., "from": ...}') as unknown,
    })
  })

  it('takes the only required parameter from bare text', () => {
    const events = read('Action: run_command\nAction Input: npm test')

    expect(summary(events).calls).toEqual([['run_command', { command: 'npm test' }]])
  })
})

describe('a call that is cut off', () => {
  it.each([
    '<tool_call>{"name": "write_file", "arguments": {"path": "a", "content": "hel',
    '<tool_call>{"name": "read_file", "arguments": {"path": "a"',
    '<function=read_file>\n<parameter=path>\nsrc/ma',
    '<function=read_file>\n<parameter=path>\na\n</parameter>\n',
    '<function=read_f',
    '[TOOL_CALLS]read_file[ARGS]{"path": "',
    '<|channel|>commentary to=functions.read_file<|message|>{"path": "a',
    '<|tool_call>call:read_file{path:<|"|>a',
    '[read_file(path="a',
    '{"name": "read_file", "arguments": {"path": "a',
    'TOOL: read_file\nARGUMENTS: {"path": "a',
    '<tool name="read_file">\n{"path": "a',
    '<tool_call>read_file\n<arg_key>path</arg_key>\n<arg_value>a',
  ])('is never run: %s', (reply) => {
    const events = read(reply)

    expect(events).toMatchObject([
      { type: 'bad-call', reason: expect.stringContaining('cut off') as unknown },
    ])
  })

  it('is whole when only the brackets around complete arguments are missing', () => {
    const events = read('{"name": "read_file", "arguments": {"path": "a"}')

    expect(summary(events).calls).toEqual([['read_file', { path: 'a' }]])
  })

  it('does not take the calls before it along', () => {
    const whole = '<tool_call>{"name": "list_files", "arguments": {}}</tool_call>'

    const events = read(`${whole}\n<tool_call>{"name": "read_file", "arguments": {"pa`)

    expect(summary(events)).toEqual({ text: '', reasoning: '', calls: [['list_files', {}]], bad: 1 })
  })
})

describe('names', () => {
  it('folds case, separators and namespaces', () => {
    const events = read('<tool_call>{"name": "functions.ReadFile", "arguments": {"path": "a"}}</tool_call>')

    expect(summary(events).calls).toEqual([['read_file', { path: 'a' }]])
  })

  it('lets a marked call name a tool that does not exist, so that the model can get an error', () => {
    const events = read('<tool_call>{"name": "fly_away", "arguments": {}}</tool_call>')

    expect(events).toEqual([call('fly_away', '{}')])
  })

  it.each([
    '{"name": "fly_away", "arguments": {}}',
    '```json\n{"name": "fly_away", "arguments": {}}\n```',
    '[fly_away()]',
  ])('takes an unmarked call of a tool that does not exist for text: %s', (reply) => {
    expect(read(reply)).toEqual([says(reply)])
  })

  it('keeps ids that tell calls apart and makes up the others', () => {
    const kimi = (index: number): string =>
      `<|tool_call_begin|>functions.list_files:${index}<|tool_call_argument_begin|>{}<|tool_call_end|>`

    const events = read(`${kimi(0)}${kimi(1)}<tool_call>{"name": "list_files", "arguments": {}}</tool_call>`)

    const ids = events.map((event) => event.type === 'tool-call' && event.call.id)
    expect(ids).toEqual(['functions.list_files:0', 'functions.list_files:1', 'call-3'])
  })
})

describe('thinking', () => {
  it('is separate from the answer', () => {
    const events = read('<think>\nHm.\n</think>\n\nYes.')

    expect(events).toEqual([{ type: 'reasoning-delta', text: 'Hm.' }, says('Yes.')])
  })

  it('may have been opened by the prompt', () => {
    const events = read('Hm.</think>Yes.', { thinking: true })

    expect(events).toEqual([{ type: 'reasoning-delta', text: 'Hm.' }, says('Yes.')])
  })

  it('ends at the marker of a call', () => {
    const events = read(
      '<think>I need it.\n<tool_call>\n{"name": "list_files", "arguments": {}}\n</tool_call>',
    )

    expect(events).toEqual([{ type: 'reasoning-delta', text: 'I need it.' }, call('list_files', '{}')])
  })

  it('does not end at the marker of another family', () => {
    const reply = '<think>[TOOL_CALLS]list_files[ARGS]{} is how Mistral does it.</think>Done.'

    const events = read(reply, { model: 'Qwen3-4B' })

    expect(events).toEqual([
      { type: 'reasoning-delta', text: '[TOOL_CALLS]list_files[ARGS]{} is how Mistral does it.' },
      says('Done.'),
    ])
  })

  it('does not end at JSON', () => {
    const thought = 'Maybe {"name": "list_files", "arguments": {}} will do.'

    const events = read(`<think>${thought}</think>Fine.`)

    expect(events).toEqual([{ type: 'reasoning-delta', text: thought }, says('Fine.')])
  })

  it('is not ended by a call that is only thought about', () => {
    const thought =
      'I could call\n<tool_call>\n{"name": "list_files", "arguments": {}}\n</tool_call>\nbut not now.'

    const events = read(`<think>${thought}</think>No.`)

    expect(events).toEqual([{ type: 'reasoning-delta', text: thought }, says('No.')])
  })

  it('drops a closing tag that closes nothing', () => {
    expect(read('</think>\n\nHello.')).toEqual([says('Hello.')])
  })

  it('leaves a tag in the middle of a sentence alone', () => {
    expect(read('The tag <think> opens it.')).toEqual([says('The tag <think> opens it.')])
  })
})

describe('special tokens', () => {
  it.each([
    'Hello.<|im_end|>',
    '<|START_RESPONSE|>Hello.<|END_RESPONSE|>',
    '<|channel|>final<|message|>Hello.<|return|>',
    'Hello.<｜end▁of▁sentence｜>',
    'Hello.</s>',
    'Hello.<end_of_turn>',
    '<response>Hello.</response>',
    'Hello.<|eot_id|>',
    '<|start|>assistant<|channel|>final<|message|>Hello.<|end|>',
  ])('never reach the answer: %s', (reply) => {
    expect(read(reply)).toEqual([says('Hello.')])
  })

  it('are left alone in code', () => {
    const reply = 'It ends with `<|im_end|>`.'

    expect(read(reply)).toEqual([says(reply)])
  })
})

describe('streaming', () => {
  it('releases text that can be no part of a call at once', () => {
    const reader = createReplyReader({ tools })

    expect(reader.push('Hello {x} <b> [y] z')).toEqual([says('Hello {x} <b> [y] z')])
  })

  it.each(['Hello', 'The', ' Yes', 'Sure', '你好', 'I'])(
    'releases the first word %s before it is whole',
    (word) => {
      expect(createReplyReader({ tools }).push(word)).toEqual([says(word)])
    },
  )

  it.each(['re', 'Read', 'bas', 'functions', 'list_files'])(
    'waits for more of %s, which may name a tool',
    (word) => {
      const reader = createReplyReader({ tools })

      expect(reader.push(word)).toEqual([])
      expect(reader.push(' then')).toEqual([says(`${word} then`)])
    },
  )

  it.each([
    'read_file(path="a")',
    'bash(command="ls")',
    'functions.read_file(path="a")',
    'Hello.read_file(path="a")',
  ])('reads %s the same in one piece and letter by letter', (reply) => {
    expect(read(characters(reply))).toEqual(read(reply))
  })

  it('holds back only what may be a marker', () => {
    const reader = createReplyReader({ tools })

    expect(reader.push('Hello <tool')).toEqual([says('Hello')])
    expect(reader.push('box')).toEqual([says(' <toolbox')])
  })

  it('gives up on JSON as soon as it names no tool', () => {
    const reader = createReplyReader({ tools })

    expect(reader.push('{"name": "my-package", "ver')).toEqual([says('{"name": "my-package", "ver')])
  })

  it('says nothing twice when it is ended twice', () => {
    const reader = createReplyReader({ tools })
    reader.push('Hello <to')

    expect(reader.end()).toEqual([says(' <to')])
    expect(reader.end()).toEqual([])
  })

  it('releases what was never finished once it is too long', () => {
    const reader = createReplyReader({ tools })
    const opening = '{"name": "read_file", "arguments": {"path": "'

    const events = [...reader.push(opening + 'x'.repeat(300_000)), ...reader.end()]

    expect(summary(events).text).toHaveLength(opening.length + 300_000)
  })

  it('answers for a marked call that is too long', () => {
    const events = read(
      `<tool_call>{"name": "write_file", "arguments": {"content": "${'x'.repeat(1_100_000)}`,
    )

    expect(events[0]).toMatchObject({
      type: 'bad-call',
      reason: expect.stringContaining('too long') as unknown,
    })
  })
})

describe('white space', () => {
  it('at the edges of plain text is kept, because the answer may go on from or in another reply', () => {
    expect(read(' and the second half, ')).toEqual([says(' and the second half, ')])
  })

  it('around calls and thoughts is dropped', () => {
    const events = read(
      '<think>\n\nHm.\n</think>\n\nYes.\n\n<tool_call>{"name": "list_files", "arguments": {}}</tool_call>\n\n',
    )

    expect(events).toEqual([{ type: 'reasoning-delta', text: 'Hm.' }, says('Yes.'), call('list_files', '{}')])
  })

  it('between two texts with a call between them is kept once', () => {
    const events = read('I will.\n\n<tool_call>{"name": "list_files", "arguments": {}}</tool_call>Done.')

    expect(events).toEqual([says('I will.'), call('list_files', '{}'), says('\n\nDone.')])
  })
})

describe('calls that are only quoted', () => {
  const json = '{"name": "run_command", "arguments": {"command": "npm test"}}'

  it('are text when they occur in an earlier message, and offered as a proposal', () => {
    const events = read(json, { earlier: (text) => text === json })

    expect(events).toEqual([says(json), { type: 'proposal', command: 'npm test' }])
  })

  it('are text in a fence of a longer answer while native calls work', () => {
    const reply = `I'll run it now.\n\`\`\`json\n${json}\n\`\`\``

    expect(read(reply, { native: true })).toEqual([says(reply), { type: 'proposal', command: 'npm test' }])
    expect(summary(read(reply)).calls).toHaveLength(1)
  })

  it('are calls in a fence that is the whole answer', () => {
    expect(summary(read(`\`\`\`json\n${json}\n\`\`\``, { native: true })).calls).toHaveLength(1)
  })
})

describe('calls that are meant', () => {
  const leads = [
    "I'll read the main file first.",
    'Let me check what is in there:',
    'Reading the file now.',
    'To fix this I need to look at the source file.',
    "Sure! I'll start by reading the file:",
    'OK.',
    "Here's the call:",
    '**Tool call:**',
    '### Step 1: Read the file',
    'Thought: I need the file.',
    'The tests are failing because of main.ts. Reading it now:',
    'The user wants to know what main.ts does, so let us look.',
  ]
  const json = '{"name": "read_file", "arguments": {"path": "src/main.ts"}}'
  const forms = [
    json,
    `\`\`\`json\n${json}\n\`\`\``,
    `<tool_call>\n${json}\n</tool_call>`,
    '[TOOL_CALLS]read_file[ARGS]{"path": "src/main.ts"}',
    'Action: read_file\nAction Input: {"path": "src/main.ts"}',
  ]

  it.each(leads)('are run behind %j', (lead) => {
    for (const form of forms) {
      const events = read(`${lead}\n\n${form}\n`)

      expect(summary(events), form).toEqual({
        text: lead,
        reasoning: '',
        calls: [['read_file', { path: 'src/main.ts' }]],
        bad: 0,
      })
    }
  })
})
