/** Which characters of a call decide, in every format a call is written in. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { families } from '../../../src/dialect/all.ts'
import { decisionSpans, leastShare } from '../../../src/dialect/read/decision.ts'
import type { ReplyEvent } from '../../../src/protocol/dialect.ts'
import { allCases, characters, pieces, read, summary, tools } from '../support.ts'
import { runs } from '../../support/runs.ts'

const decisions = (text: string, told: readonly ReplyEvent[] = read(text)): string[] =>
  decisionSpans(text, told).map(({ start, end }) => text.slice(start, end))

const READ = ['read_file', 's', '4']

describe('the name, and the beginning of every value', () => {
  test.each([
    [
      'JSON in tags',
      '<tool_call>\n{"name": "read_file", "arguments": {"path": "src/a.ts", "from": 4}}\n</tool_call>',
    ],
    ['JSON in a fence', '```json\n{"name": "read_file", "arguments": {"path": "src/a.ts", "from": 4}}\n```'],
    ['JSON in JSON', '{"name": "read_file", "arguments": "{\\"path\\": \\"src/a.ts\\", \\"from\\": 4}"}'],
    ['Python', '[read_file(path="src/a.ts", from=4)]'],
    ['Python by order', "[read_file('src/a.ts', 4)]"],
    [
      'elements',
      '<tool_call>\n<function=read_file>\n<parameter=path>\nsrc/a.ts\n</parameter>\n<parameter=from>\n4\n</parameter>\n</function>\n</tool_call>',
    ],
    [
      'attributes',
      '<function_calls>\n<invoke name="read_file">\n<parameter name="path">src/a.ts</parameter>\n<parameter name="from">4</parameter>\n</invoke>\n</function_calls>',
    ],
    [
      'keys and values',
      '<tool_call>read_file\n<arg_key>path</arg_key>\n<arg_value>src/a.ts</arg_value>\n<arg_key>from</arg_key>\n<arg_value>4</arg_value>\n</tool_call>',
    ],
  ])('in %s', (_, text) => {
    expect(summary(read(text)).calls).toEqual([['read_file', { path: 'src/a.ts', from: 4 }]])
    expect(decisions(text)).toEqual(READ)
  })

  // `cmd` writes shell commands and nothing else.
  const calling = families.filter(({ name }) => name !== 'cmd')

  test.each(calling.map((family) => [family.name, family] as const))('as %s writes it', (_, family) => {
    const call = { id: 'call-1', name: 'read_file', input: '{"path":"src/a.ts","from":4}' }
    const text = family.write(call)

    expect(decisions(text, [{ type: 'tool-call', call }])).toEqual(READ)
  })

  test('of words, numbers, truth, nothing, and the first of a list or an object', () => {
    const input = {
      options: { depth: 3, tags: ['x'] },
      mode: 'fast',
      label: null,
      tags: [],
      off: false,
      text: '',
    }
    const call = { id: 'call-1', name: 'set_options', input: JSON.stringify(input) }
    const written = `{"name": "set_options", "arguments": ${call.input}}`

    expect(decisions(written, [{ type: 'tool-call', call }])).toEqual([
      'set_options',
      '3',
      'f',
      'n',
      '[',
      'f',
      '"',
    ])
  })

  test('that begins with what else stands around it', () => {
    const values = { quote: '"x"', line: '\n  x', tag: '<b>x</b>', bracket: '[1]' }
    const call = { id: 'call-1', name: 'go', input: JSON.stringify(values) }

    expect(decisions(`go ${call.input}`, [{ type: 'tool-call', call }])).toEqual(['go', '\\', '\\', '<', '['])
  })
})

describe('nothing else', () => {
  const call = '<tool_call>{"name": "read_file", "arguments": {"path": "a"}}</tool_call>'

  test('where the words before the call speak of it', () => {
    const text = `<think>read_file with path: a?</think>I use read_file, path: "a". ${call}`

    expect(decisionSpans(text, read(characters(text)))[0]?.start).toBe(text.lastIndexOf('read_file'))
  })

  test('of a value that names the next tool, and of the keys in it', () => {
    const content = 'read_file {"path": "b"}\n'.repeat(30)
    const first = JSON.stringify({ name: 'write_file', arguments: { path: 'x', content } })
    const text = `<tool_call>${first}</tool_call>\n${call}`

    const places = decisionSpans(text, read(text))

    expect(places.map(({ start, end }) => text.slice(start, end))).toEqual([
      'write_file',
      'x',
      'r',
      'read_file',
      'a',
    ])
    expect(places[3]?.start).toBe(text.lastIndexOf('read_file'))
  })

  test('where the name was read as that of another tool, or stands nowhere near', () => {
    const told: ReplyEvent[] = [{ type: 'tool-call', call: { id: 'call-1', name: 'read_file', input: '{}' } }]

    expect(decisions('{"name": "ReadFile"}', told)).toEqual([])
    expect(decisions(`${' '.repeat(400)}read_file`, told)).toEqual([])
  })
})

describe('the least share', () => {
  const token = (text: string, share: number) => ({ text, share })
  const written = [
    token('Let', 0.1),
    token(' me.', 0.1),
    token('<tool_call>', 0.4),
    token('{"name": "', 0.4),
    token('read', 0.8),
    token('_file', 0.9),
    token('", "arguments": {"', 0.3),
    token('path', 0.3),
    token('": "', 0.3),
    token('sr', 0.7),
    token('c/a.ts', 0.2),
    token('"}}', 0.3),
    token('</tool_call>', 0.3),
  ]
  const told = read(written.map(({ text }) => text))

  test('is that of the tokens that hold a decision', () => {
    expect(leastShare(written, told)).toBe(0.7)
    expect(leastShare(written.with(4, token('read', 0.6)), told)).toBe(0.6)
  })

  test('is not known without a call, without tokens, and where the call is not in them', () => {
    expect(leastShare([token('Hello', 0.2)], read('Hello'))).toBeUndefined()
    expect(leastShare([], told)).toBeUndefined()
    expect(leastShare([token('Let', 0.1), token(' me.', 0.1)], told)).toBeUndefined()
  })

  test('counts a token that is half a letter', () => {
    const call = { id: 'call-1', name: 'go', input: '{"to":"🙂"}' }
    const tokens = [token('go {"to": "', 1), token('', 0.5), token('🙂', 1), token('"}', 1)]

    expect(leastShare(tokens, [{ type: 'tool-call', call }])).toBe(0.5)
  })
})

describe('whatever is written', () => {
  test('is looked through in little time, however it is nested', () => {
    const deep = `${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}`
    const call = { id: 'call-1', name: 'go', input: deep }

    expect(decisions(`go ${deep}`, [{ type: 'tool-call', call }])).toEqual(['go'])
  })

  test('every name of the corpus that occurs as it was read is found', () => {
    const missing = allCases().filter(({ reply, calls, thinking }) => {
      const found = decisions(reply, read(pieces(reply, 7), thinking === undefined ? {} : { thinking }))
      return calls.some(([name]) => reply.includes(name) && !found.includes(name))
    })

    expect(missing.map(({ title }) => title)).toEqual([])
  })

  test('places lie in the text, in order, one behind the other', () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom(
        'read_file',
        '{"name": "',
        '", "arguments": {"path": "',
        '"}}',
        '<tool_call>',
        '</tool_call>',
      ),
    )
    const property = fc.property(fc.array(piece), (parts) => {
      const text = parts.join('')
      let before = 0
      for (const { start, end } of decisionSpans(text, read(text, { tools }))) {
        expect(start).toBeGreaterThanOrEqual(before)
        expect(end).toBeGreaterThan(start)
        expect(end).toBeLessThanOrEqual(text.length)
        before = end
      }
    })

    fc.assert(property, { numRuns: runs(75, 300) })
  })
})
