import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { emissionStops, emit } from '../../src/context/emit.ts'
import type { WireMessage } from '../../src/context/wire.ts'
import type { EmissionMode } from '../../src/protocol/arm.ts'
import type { Message } from '../../src/protocol/message.ts'
import { call, calls, groups, result, says, user } from './conversation.ts'
import { runs } from '../support/runs.ts'

const read = call('c1', 'read_file', { path: 'a.ts' })
const list = call('c2', 'list_files', { path: '.' })
const five: Message[] = [
  user('What is in a.ts?'),
  calls(read),
  result('c1', 'const a = 1'),
  says('A constant.'),
]

const bases = ['tool-role', 'user-results', 'collapsed'] as const
const modes: EmissionMode[] = bases.flatMap((base) =>
  [false, true].flatMap((strict) => [false, true].map((noSystem) => ({ base, strict, noSystem }))),
)

test('a result is written under its own tool where two replies number their calls alike', () => {
  const first = [user('Go.'), calls(call('0', 'read_file', {})), result('0', 'one')]
  const grown = [...first, calls(call('0', 'list_files', {})), result('0', 'two')]
  const writer = {
    name: 'names',
    write: ({ name }: { readonly name: string }) => `call ${name}`,
    result: ({ name, text }: { readonly name: string; readonly text: string }) => `${name} gave ${text}`,
  }

  const before = emit({ messages: first }, { base: 'user-results' }, writer)
  const after = emit({ messages: grown }, { base: 'user-results' }, writer)

  expect(after.map(({ content }) => content)).toEqual([
    'Go.',
    'call read_file',
    'read_file gave one',
    'call list_files',
    'list_files gave two',
  ])
  expect(after.slice(0, before.length)).toEqual(before)
})

describe('by example', () => {
  test('tool-role is the OpenAI form', () => {
    const wire = emit({ system: 'Be brief.', messages: five }, { base: 'tool-role' })

    expect(wire).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'What is in a.ts?' },
      {
        role: 'assistant',
        content: '',
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'read_file', arguments: '{"path":"a.ts"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'const a = 1' },
      { role: 'assistant', content: 'A constant.' },
    ])
  })

  test('user-results writes calls and results as text, the results of one turn together', () => {
    const messages = [
      user('Look around.'),
      { ...calls(read, list), text: 'I look.' },
      result('c1', '1'),
      result('c2', 'a.ts'),
    ]

    const wire = emit({ messages }, { base: 'user-results' })

    expect(wire).toEqual([
      { role: 'user', content: 'Look around.' },
      {
        role: 'assistant',
        content:
          'I look.\n<tool_call>\n{"name": "read_file", "arguments": {"path":"a.ts"}}\n</tool_call>\n' +
          '<tool_call>\n{"name": "list_files", "arguments": {"path":"."}}\n</tool_call>',
      },
      {
        role: 'user',
        content: '<tool_response>\n1\n</tool_response>\n<tool_response>\na.ts\n</tool_response>',
      },
    ])
  })

  test("user-results uses the dialect's own wrapping, with the name of the tool and how it went", () => {
    const writer = {
      name: 'test',
      write: ({ name, input }: { name: string; input: string }) => `CALL ${name} ${input}`,
      result: ({ name, callId, text, ok }: { name: string; callId: string; text: string; ok: boolean }) =>
        `${name} ${callId} ${ok}: ${text}`,
    }

    const wire = emit({ messages: five.slice(0, 3) }, { base: 'user-results' }, writer)

    expect(wire.slice(1)).toEqual([
      { role: 'assistant', content: 'CALL read_file {"path":"a.ts"}' },
      { role: 'user', content: 'read_file c1 true: const a = 1' },
    ])
  })

  test('collapsed makes three messages of five and names its stop string', () => {
    const wire = emit({ system: 'Be brief.', messages: five }, { base: 'collapsed' })

    expect(wire).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'What is in a.ts?' },
      {
        role: 'assistant',
        content: '[tool: read_file]\n{"path":"a.ts"}\n[result]\nconst a = 1\n\nA constant.',
      },
    ])
    expect(emissionStops({ base: 'collapsed' })).toEqual(['[result]'])
    expect(emissionStops({ base: 'tool-role' })).toEqual([])
  })

  test('strict merges neighbours, turns results into user text and starts with a user message', () => {
    const messages = [says('Welcome.'), says('Ask me.'), ...five.slice(0, 3), user('And now?')]

    const wire = emit({ system: 'Be brief.', messages }, { base: 'tool-role', strict: true })

    expect(wire).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: '(start)' },
      { role: 'assistant', content: 'Welcome.\n\nAsk me.' },
      { role: 'user', content: 'What is in a.ts?' },
      {
        role: 'assistant',
        content: '<tool_call>\n{"name": "read_file", "arguments": {"path":"a.ts"}}\n</tool_call>',
      },
      { role: 'user', content: '<tool_response>\nconst a = 1\n</tool_response>\n\nAnd now?' },
    ])
  })

  test('strict folds late system text into the next user message', () => {
    const messages = [
      user('one'),
      says('two'),
      { role: 'system', text: 'Now in French.' },
      user('three'),
    ] as Message[]

    expect(emit({ system: 'Be brief.', messages }, { base: 'tool-role', strict: true })).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'two' },
      { role: 'user', content: 'Now in French.\n\nthree' },
    ])
  })

  test('no-system folds the system text into the first user message, or makes one', () => {
    const mode = { base: 'tool-role', noSystem: true } as const

    expect(emit({ system: 'Be brief.', messages: [user('hi')] }, mode)).toEqual([
      { role: 'user', content: 'Be brief.\n\nhi' },
    ])
    expect(emit({ system: 'Be brief.', messages: [says('Welcome.')] }, mode)).toEqual([
      { role: 'user', content: 'Be brief.' },
      { role: 'assistant', content: 'Welcome.' },
    ])
  })

  test('arguments on the wire are always the text of an object', () => {
    const inputs = ['{"a": 1}', '', '{"a": ', '[1]', '"text"', '{a: 1,}']
    const messages = inputs.map((input, index) => calls({ id: `c${index}`, name: 'f', input }))

    const wire = emit({ messages }, { base: 'tool-role' })

    const sent = wire.map(
      (message) => message.role === 'assistant' && message.tool_calls?.[0]?.function.arguments,
    )
    expect(sent).toEqual(['{"a": 1}', '{}', '{"a":null}', '{}', '{}', '{"a":1}'])
  })

  test('messages of other programs may lack calls and ok', () => {
    const messages = [
      user('hi'),
      { role: 'assistant', text: 'hello' },
      { role: 'tool', callId: 'x', text: 'stray' },
    ] as unknown as Message[]

    expect(emit({ messages }, { base: 'user-results' }).at(-1)).toEqual({
      role: 'user',
      content: '<tool_response>\nstray\n</tool_response>',
    })
    expect(emit({ messages }, { base: 'collapsed' }).at(-1)).toEqual({
      role: 'assistant',
      content: 'hello\n\n[result]\nstray',
    })
  })

  test('images are parts for an arm that sees, and words for one that does not', () => {
    const messages = [
      user('What is [Image: a.png]?', { images: [{ mediaType: 'image/png', base64: 'AAAA' }] }),
    ]
    const see = (vision: boolean, strict = false) =>
      emit({ system: 'S', messages }, { base: 'tool-role', strict, noSystem: strict }, undefined, {
        reasoning: 'drop',
        vision,
      }).at(-1)?.content
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }

    expect(see(true)).toEqual([{ type: 'text', text: 'What is [Image: a.png]?' }, image])
    expect(see(true, true)).toEqual([
      { type: 'text', text: 'S' },
      { type: 'text', text: 'What is [Image: a.png]?' },
      image,
    ])
    expect(see(false)).toBe('What is [Image: a.png]?')
  })

  test('reasoning goes back to the model only where it is kept', () => {
    const messages: Message[] = [{ ...says('Yes.'), reasoning: 'Because.' }]

    const kept = emit({ messages }, { base: 'tool-role' }, undefined, { reasoning: 'keep', vision: false })

    expect(kept).toEqual([{ role: 'assistant', content: 'Yes.', reasoning_content: 'Because.' }])
    expect(emit({ messages }, { base: 'tool-role' })).toEqual([{ role: 'assistant', content: 'Yes.' }])
  })
})

describe('for random legal histories and every mode', () => {
  test('the roles obey the mode, no text is lost, and a grown history keeps its prefix', () => {
    fc.assert(
      fc.property(groups(7), fc.constantFrom('', 'SYSTEM TEXT'), (list, system) => {
        for (const mode of modes) {
          const messages = list.flat()
          const wire = emit({ system, messages }, mode)
          checkRoles(wire, mode)
          checkTexts(wire, messages, system)
          checkPrefix(emit({ system, messages: list.slice(0, -1).flat() }, mode), wire, mode)
        }
      }),
      { numRuns: runs(400, 10_000) },
    )
  })
})

/** `expect` is too slow for a million comparisons. */
function promise(isKept: boolean, what: string): void {
  if (!isKept) throw new Error(what)
}

function checkRoles(wire: WireMessage[], mode: EmissionMode): void {
  const roles = wire.map(({ role }) => role)
  const hasSystem = roles[0] === 'system'
  promise(!(mode.noSystem && hasSystem), 'there is no system role')
  const after = hasSystem ? roles.slice(1) : roles
  promise(!after.includes('system'), 'system text stands first')
  promise(!after.includes('tool') || (mode.base === 'tool-role' && !mode.strict), 'there is no role tool')
  const doAlternate = after.every((role, index) => role === (index % 2 === 0 ? 'user' : 'assistant'))
  promise(!mode.strict || doAlternate, `${after.join()} alternate`)
}

function checkTexts(wire: WireMessage[], messages: readonly Message[], system: string): void {
  const all = wire.flatMap((message) => [
    message.content as string,
    ...(message.role === 'assistant' ? (message.tool_calls ?? []) : []).map((one) => one.function.arguments),
  ])
  const shown = all.join('\n')
  promise(shown.includes(system), 'the system text is shown')
  for (const message of messages) {
    promise(shown.includes(message.text), `${message.text} is shown`)
    const inputs = message.role === 'assistant' ? message.calls.map(({ input }) => input) : []
    for (const input of inputs) {
      const isShown = shown.includes(input) || shown.includes(JSON.stringify({ unparsed: input }))
      promise(isShown, `${input} is shown`)
    }
  }
}

/** Everything but the last message is the same; where neighbours merge, the last one may get longer at its end. */
function checkPrefix(short: WireMessage[], long: WireMessage[], { base, strict }: EmissionMode): void {
  const last = short.at(-1)
  const same = long[short.length - 1]
  if (!last || !same) return promise(short.length <= long.length, 'nothing leaves')
  const isSettled = JSON.stringify(long.slice(0, short.length - 1)) === JSON.stringify(short.slice(0, -1))
  promise(isSettled, 'older messages stay as they are')
  const mayGrow = strict || base === 'collapsed' || last.content === 'SYSTEM TEXT'
  promise(mayGrow || JSON.stringify(same) === JSON.stringify(last), 'the last message stays as it is')
  const isLonger = (same.content as string).startsWith(last.content as string)
  promise(same.role === last.role && isLonger, 'the last message only gets longer')
}
