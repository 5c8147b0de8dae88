/** What nano may write. Judged by llama.cpp's own reading of the grammar. */
import * as fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { callBody, noSources, type Sources } from '../../../src/nano/weights/format.ts'
import type { Situation } from '../../../src/nano/weights/choices.ts'
import { nanoGrammar } from '../../../src/nano/weights/grammar.ts'
import { createPathIndex } from '../../../src/nano/paths/named.ts'
import { projectScripts, requestScripts } from '../../../src/nano/project/scripts.ts'
import { boundaries } from '../../../src/nano/request/spans.ts'
import { nanoTools, offers, type NanoTool } from '../../../src/nano/weights/tools.ts'
import { golden, heldOutFolder } from '../../embedded/support/nano-data.ts'
import { createMatcher, type Matcher } from '../../embedded/support/nano-matcher.ts'
import { runs } from '../../support/runs.ts'

let matcher: Matcher
beforeAll(async () => {
  matcher = await createMatcher()
})

const toolsOf = (names: readonly string[]): NanoTool[] => names.flatMap((name) => nanoTools.get(name) ?? [])

const situationOf = (request: string, more: Partial<Situation> = {}): Situation => ({
  request,
  sources: noSources,
  tools: toolsOf(offers.read),
  ...more,
})

const callText = (name: string, input: Readonly<Record<string, unknown>>): string =>
  `<tool_call>${callBody(name, input)}</tool_call>`

/** Which of these a grammar allows. */
const allowed = (situation: Situation, texts: readonly string[]): string[] =>
  texts.filter(matcher(nanoGrammar(situation)))

function sourcesIn(folder: string, request: string): Sources {
  const files = heldOutFolder(folder)
  const index = createPathIndex(Object.keys(files))
  const scripts = requestScripts(request, projectScripts(files), index.ranks(request))
  return { paths: index.match(request), scripts, ids: [], lines: [] }
}

test('of the held-out calls and spoilt copies of them, exactly those pass that the trained decoder lets pass', () => {
  const judged = golden.calls.map(({ request, folder, category, calls }) => {
    const sources = sourcesIn(folder, request)
    const matches = matcher(nanoGrammar({ request, sources, tools: toolsOf(offers[category]) }))
    return {
      request,
      calls: calls.map((call) => ({ ...call, accepted: matches(callText(call.name, call.input)) })),
    }
  })

  expect(judged).toEqual(golden.calls.map(({ request, calls }) => ({ request, calls })))
  expect(judged.filter(({ calls }) => calls[0]?.accepted).length).toBeGreaterThan(0.98 * judged.length)
})

describe('before a result', () => {
  test('only offered tools and refusals with a reason are allowed', () => {
    const texts = [
      callText('list_files', { path: '.' }),
      callText('delete_files', { path: '.' }),
      callText('fetch_url', { url: 'src' }),
      '<|form:refuse|><|reason:chat|>',
      '<|form:refuse|>',
      '<|form:text|>',
      'Sure!',
    ]

    expect(allowed(situationOf('list src'), texts)).toEqual([
      callText('list_files', { path: '.' }),
      '<|form:refuse|><|reason:chat|>',
    ])
  })

  test('where a call is required nothing else is allowed, and where none is wanted no call', () => {
    const texts = [callText('list_files', { path: 'src' }), '<|form:refuse|><|reason:unclear|>']

    expect(allowed(situationOf('list src', { mustCall: true }), texts)).toEqual(texts.slice(0, 1))
    expect(allowed(situationOf('list src', { tools: [] }), texts)).toEqual(texts.slice(1))
  })

  test('parameters come in their order, and those that are not required may be missing', () => {
    const tools = toolsOf(['write_file', 'data_view'])
    const right = [
      callText('write_file', { path: 'a.txt', content: 'hi' }),
      callText('write_file', { path: 'a.txt', content: '', append: true }),
      callText('write_file', { path: 'a.txt', content: 'hi', overwrite: true, append: true }),
      callText('data_view', { path: 'a.txt' }),
      callText('data_view', { path: 'a.txt', view: 'head' }),
      callText('data_view', { path: 'a.txt', sql: 'write hi' }),
    ]
    const wrong = [
      callText('write_file', { content: 'hi', path: 'a.txt' }),
      callText('write_file', { path: 'a.txt' }),
      callText('write_file', { path: '', content: 'hi' }),
      callText('write_file', { path: 'a.txt', content: 'hi', append: false }),
      callText('data_view', { path: 'a.txt', view: 'sideways' }),
    ]

    expect(allowed(situationOf('write hi to a.txt', { tools }), [...right, ...wrong])).toEqual(right)
  })

  test('a number is one of the request', () => {
    const reads = [10, 20, 99, 1].map((from) => callText('read_file', { path: 'a', from }))

    expect(allowed(situationOf('a from line 10 or 020'), reads)).toEqual(reads.slice(0, 1))
    expect(allowed(situationOf('a from the start'), reads)).toEqual(reads.slice(3))
  })

  test('scripts, paths, patterns and ids that exist may be used without being spelled', () => {
    const sources: Sources = {
      paths: ['src/app.ts'],
      scripts: [{ label: 'test', command: 'npm test' }],
      ids: [{ id: 'job-3', what: 'npm run dev' }],
      lines: [],
    }
    const tools = toolsOf(['run_command', 'read_file', 'find_files', 'job_stop'])
    const right = [
      callText('run_command', { command: 'npm test' }),
      callText('read_file', { path: 'src/app.ts' }),
      callText('find_files', { pattern: '**/*.md' }),
      callText('job_stop', { id: 'job-3' }),
    ]
    const wrong = [
      callText('run_command', { command: 'npm run test' }),
      callText('read_file', { path: 'src/other.ts' }),
      callText('find_files', { pattern: '**/*.py' }),
      callText('job_stop', { id: 'job-4' }),
    ]

    expect(allowed(situationOf('the markdown ones', { sources, tools }), [...right, ...wrong])).toEqual(right)
  })

  test('a path holds at most six words of one line, a text any number', () => {
    const request = 'one two three four five six seven\neight'
    const words = request.split(/\s/)
    const spans = [1, 6, 7].map((count) => words.slice(0, count).join(' '))
    const tools = toolsOf(['read_file', 'search_text'])

    const paths = spans.map((path) => callText('read_file', { path }))
    const texts = [...spans, request, 'seven\neight'].map((pattern) => callText('search_text', { pattern }))

    expect(allowed(situationOf(request, { tools }), paths)).toEqual(paths.slice(0, 2))
    expect(allowed(situationOf(request, { tools }), texts)).toEqual(texts)
    expect(
      allowed(situationOf(request, { tools }), [callText('read_file', { path: 'seven\neight' })]),
    ).toEqual([])
  })
})

describe('after a result', () => {
  const result = {
    tool: 'read_file',
    ok: false,
    text: 'app.js does not exist. Nearest: src/app.ts, lib/app.ts',
  }

  test('the forms are those that can be rendered for it, and calls may go on with its words', () => {
    const right = ['<|form:error|>', callText('read_file', { path: 'src/app.ts' })]
    const wrong = [
      '<|form:text|>',
      '<|form:refuse|><|reason:unclear|>',
      callText('read_file', { path: 'app.rs' }),
    ]

    expect(allowed(situationOf('read app.js', { result }), [...right, ...wrong])).toEqual(right)
  })

  test('its words never become a command or a text to write', () => {
    const tools = toolsOf(['run_command', 'write_file'])
    const texts = [
      callText('run_command', { command: 'lib/app.ts' }),
      callText('write_file', { path: 'app.js', content: 'Nearest' }),
    ]

    expect(allowed(situationOf('read app.js', { result, tools }), texts)).toEqual([])
  })
})

const anyRequest = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'src/a.ts',
        '"quoted"',
        '(in',
        'b)',
        "it's",
        'a=b',
        'x->y',
        '\\n',
        '…',
        '<tool_call>',
        '\t',
        '\n',
      ),
      fc.string({ unit: 'grapheme', maxLength: 8 }),
    ),
    { maxLength: 20 },
  )
  .map((words) => words.join(' '))

test('every stretch between two boundaries may be copied letter by letter, whatever the request contains', () => {
  const tools = toolsOf(['search_text'])

  fc.assert(
    fc.property(anyRequest, fc.nat(), fc.nat(), (request, one, other) => {
      const { starts, ends } = boundaries(request)
      const start = starts[one % Math.max(1, starts.length)]
      const later = ends.filter((end) => start !== undefined && end > start)
      const end = later[other % Math.max(1, later.length)]
      const matches = matcher(nanoGrammar(situationOf(request, { tools })))
      if (end === undefined) return
      const pattern = request.slice(start, end)

      expect(matches(callText('search_text', { pattern }))).toBe(true)
      expect(matches(callText('search_text', { pattern: `${pattern}\u{10FFFD}` }))).toBe(false)
    }),
    { numRuns: runs(75, 300) },
  )
})

test('the grammar of the longest request is still small', () => {
  const request = 'a,b;c:d '.repeat(375)

  const grammar = nanoGrammar(situationOf(request, { tools: toolsOf(offers.write) }))

  expect(grammar.length).toBeLessThan(400_000)
  expect(() => matcher(grammar)).not.toThrow()
})

describe('a change of a listed line', () => {
  const lines = [
    { path: 'menu.txt', number: 3, text: 'Hake, beans 24' },
    { path: 'menu.txt', number: 9, text: 'Lamb 31' },
  ]
  const request = 'hake goes to 25 now, delete nothing'
  const tools = toolsOf(['change_line', 'delete_file', 'read_file'])
  const change = (line: number, old: string, to: string): string =>
    callText('change_line', { line, old, new: to })
  const sources = { ...noSources, paths: ['menu.txt'], lines }

  test('makes a number another number', () => {
    const texts = [
      change(1, '24', '25'),
      change(1, '24', 'hake'),
      change(1, 'beans', '25'),
      change(1, 'beans', 'hake'),
    ]

    expect(allowed(situationOf(request, { tools, sources }), texts)).toEqual([texts[0], texts[2], texts[3]])
    const wordless = situationOf('hake is sold out', { tools, sources })
    expect(allowed(wordless, [change(1, '24', 'sold out')])).toHaveLength(1)
  })

  test('uses nothing that is forbidden', () => {
    const texts = [
      change(1, 'beans', 'hake'),
      change(1, 'beans', 'now'),
      change(2, 'Lamb', 'now'),
      callText('delete_file', { path: 'menu.txt' }),
      callText('read_file', { path: 'menu.txt' }),
      callText('read_file', { path: 'now' }),
    ]
    const bans = [
      { kind: 'text', text: 'hake' },
      { kind: 'line', line: 2 },
      { kind: 'tool', name: 'delete_file' },
      { kind: 'path', path: 'now' },
    ] as const

    expect(allowed(situationOf(request, { tools, sources }), texts)).toEqual(texts)
    expect(allowed(situationOf(request, { tools, sources, bans }), texts)).toEqual([texts[1], texts[4]])
    const noLine = [...bans, { kind: 'line', line: 1 }] as const
    expect(allowed(situationOf(request, { tools, sources, bans: noLine }), texts)).toEqual([texts[4]])
  })
})
