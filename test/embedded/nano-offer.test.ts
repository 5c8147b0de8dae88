import { expect, test } from 'vitest'
import { offerNano } from '../../src/embedded/nano-offer.ts'
import { nanoTools, offers, signature } from '../../src/embedded/nano-tools.ts'
import { toToolSchema } from '../../src/lib/schema.ts'
import type { ToolSchema } from '../../src/protocol/model.ts'
import { categories } from '../../src/protocol/tool.ts'
import { builtinTools } from '../../src/tools/all.ts'

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

test('of the tools of a category those are shown that the run offers, in the words nano was trained with', () => {
  const shown = offerNano({ category: 'write', request: 'x', tools: builtin })

  expect(shown.map(({ name }) => name)).toEqual(offers.write)
  expect(shown.map(signature)).toEqual(offers.write.map((name) => signature(nanoTools.get(name)!)))
})

test('no list is longer than eight, and each has something to offer', () => {
  for (const category of [...categories, 'answer'] as const) {
    const shown = offerNano({ category, request: 'read every file', tools: builtin })

    expect(shown.length).toBeGreaterThan(0)
    expect(shown.length).toBeLessThanOrEqual(8)
  }
})

test('a tool nano never heard of is shown when the request speaks its words', () => {
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

  const shown = offerNano({ category: 'meta', request: 'make an issue: login is broken', tools })

  expect(shown.map(signature)).toEqual([
    'mcp__tracker__create_issue(title, [file], [urgent], [line], [kind=bug|idea]) Create an issue in the tracker',
  ])
  expect(shown[0]?.parameters.map(({ kind }) => kind)).toEqual(['text', 'path', 'flag', 'number', 'choice'])
})

test('another tool behind a known name is shown with the parameters it has', () => {
  const tools = [
    foreign('read_file', 'Read it', { path: { type: 'string' } }, ['path']),
    foreign('search_text', 'Look for it', { needle: { type: 'string' } }, ['needle']),
  ]

  expect(offerNano({ category: 'read', request: 'x', tools }).map(signature)).toEqual([
    'read_file(path) Read a text file',
    'search_text(needle) Look for it',
  ])
})

test('what cannot be filled in with words of the request is not offered', () => {
  const tools = [
    foreign('call_tool', 'Call a listed tool', { name: { type: 'string' } }),
    foreign('deep', 'Call something deep', { options: { type: 'object' } }),
  ]

  expect(offerNano({ category: 'meta', request: 'call something deep, a listed tool', tools })).toEqual([])
})
