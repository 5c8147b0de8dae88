import { expect, test } from 'vitest'
import { offerNano } from '../../../src/nano/weights/offer.ts'
import { nanoTools, offers, signature } from '../../../src/nano/weights/tools.ts'
import { toToolSchema } from '../../../src/lib/schema.ts'
import type { ToolSchema } from '../../../src/protocol/model.ts'
import { categories } from '../../../src/protocol/tool.ts'
import { builtinTools } from '../../../src/tools/all.ts'

const builtin = builtinTools({ list: () => [] }).map(toToolSchema)

const foreign = (
  name: string,
  description: string,
  properties: object,
  required: string[] = [],
): ToolSchema => ({
  name,
  description,
  parameters: { type: 'object', properties, required },
})

const canonical = (names: readonly string[]): string[] => names.map((name) => signature(nanoTools.get(name)!))

test('each kind of request has its lines, in the words nano was trained with, whatever the client has', () => {
  const lists = [builtin, builtin.filter(({ name }) => name === 'read_file'), []]
  for (const category of [...categories, 'answer'] as const) {
    const shown = lists.map((tools) =>
      offerNano({ category, request: 'x', tools }).shown.map((tool) => signature(tool)),
    )

    expect(shown).toEqual(lists.map(() => canonical(offers[category])))
  }
})

test('only what the client has can be called', () => {
  const tools = builtin.filter(({ name }) => name === 'read_file' || name === 'remember')

  expect(offerNano({ category: 'write', request: 'x', tools }).callable.map(({ name }) => name)).toEqual([
    'read_file',
  ])
})

test('a tool nano never heard of takes a line that leads nowhere when the request speaks its words', () => {
  const tools = [
    foreign(
      'mcp__tracker__create_issue',
      'Create an issue in the tracker. Needs a token.',
      {
        title: { type: 'string' },
        file: { type: 'string' },
        urgent: { type: 'boolean' },
        line: { type: 'integer' },
        kind: { enum: ['bug', 'idea'] },
      },
      ['title'],
    ),
    foreign('mcp__weather__now', 'Current weather of a place', { place: { type: 'string' } }),
  ]

  const { shown, callable } = offerNano({
    category: 'meta',
    request: 'make an issue: login is broken',
    tools,
  })

  expect(callable.map((tool) => signature(tool))).toEqual([
    'mcp__tracker__create_issue(title, [file], [urgent], [line], [kind=bug|idea]) Create an issue in the tracker',
  ])
  expect(callable[0]?.parameters.map(({ kind }) => kind)).toEqual([
    'text',
    'path',
    'flag',
    'number',
    'choice',
  ])
  expect(shown.map((tool) => signature(tool))).toEqual([
    ...canonical(offers.meta.slice(0, -1)),
    ...callable.map((tool) => signature(tool)),
  ])
})

test('another tool behind a known name is shown as it is', () => {
  const tools = [
    foreign('read_file', 'Read it', { path: { type: 'string' } }, ['path']),
    foreign('search_text', 'Look for it', { topic: { type: 'string' } }, ['topic']),
  ]

  const { callable } = offerNano({ category: 'read', request: 'search for it', tools })

  expect(callable.map((tool) => signature(tool))).toEqual([
    'read_file(path, [from], [to]) Read a text file',
    'search_text(topic) Look for it',
  ])
})

test('what cannot be filled in with words of the request is not offered', () => {
  const tools = [
    foreign('call_tool', 'Call a listed tool', { name: { type: 'string' } }),
    foreign('deep', 'Call something deep', { options: { type: 'object' } }),
  ]

  expect(
    offerNano({ category: 'meta', request: 'call something deep, a listed tool', tools }).callable,
  ).toEqual([])
})
