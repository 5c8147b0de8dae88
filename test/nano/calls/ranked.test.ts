import { expect, test } from 'vitest'
import { composedCall } from '../../../src/nano/calls/composed.ts'
import { type RankingPlace } from '../../../src/nano/calls/likeliest.ts'
import { rankedCall } from '../../../src/nano/calls/ranked.ts'
import type { Likely, Opinions } from '../../../src/nano/opinion/load.ts'
import { createPathProject } from '../../../src/nano/paths/project.ts'

const project = createPathProject(['a.txt', 'b.txt', 'docs/c.txt'], new Map())

const likely = (...values: [string, number][]): Likely<string>[] =>
  values.map(([value, share]) => ({ value, share }))

function placeWith(
  found: Partial<Record<'paths' | 'targets' | 'texts' | 'commands', Likely<string>[]>>,
): RankingPlace {
  const opinions: Opinions = {
    action: () => new Map(),
    verdict: () => [],
    edits: () => [],
    paths: () => found.paths ?? [],
    targets: () => found.targets ?? [],
    texts: () => found.texts ?? [],
    contents: () => [],
    commands: () => found.commands ?? [],
    further: () => [],
    trust: () => 0,
    parts: (request) => [request],
    knows: () => true,
  }
  return { request: 'x', clause: 'x', project, recent: [], opinions }
}

const read = { name: 'read_file', input: { path: 'a.txt' } }

test('a path that is much likelier takes the place of an unsure one', () => {
  const place = placeWith({ paths: likely(['b.txt', 0.9], ['a.txt', 0.05]) })

  expect(rankedCall(read, 0.6, place)).toEqual({
    call: { name: 'read_file', input: { path: 'b.txt' } },
    share: 0.9,
    isOther: true,
  })
})

test('a path that nano is sure of stays, and so does one that is about as likely', () => {
  const sure = rankedCall(read, 0.99, placeWith({ paths: likely(['b.txt', 0.6], ['a.txt', 0.3]) }))
  const even = rankedCall(read, 0.7, placeWith({ paths: likely(['b.txt', 0.5], ['a.txt', 0.45]) }))

  expect([sure?.call, even?.call]).toEqual([read, read])
})

test('a file that is to be made is not taken for one that is there', () => {
  const made = { name: 'write_file', input: { path: 'new.txt', content: 'x', append: true } }

  expect(rankedCall(made, 0.5, placeWith({ paths: likely(['a.txt', 0.99]) }))).toBeUndefined()
})

test('a new file lies in the folder that is likely, where nano gave its name alone', () => {
  const made = { name: 'write_file', input: { path: 'faq.md', content: '# FAQ' } }
  const targets = likely(['drafts/faq.md', 0.9], ['faq.md', 0.05])
  const path = (sure: number): unknown => rankedCall(made, sure, placeWith({ targets }))?.call.input['path']

  expect(path(0.9)).toBe('drafts/faq.md')
  expect(path(0.99)).toBeUndefined()
})

test('what an earlier step made is where a file goes, and does not go there itself', () => {
  const place = {
    ...placeWith({ paths: likely(['a.txt', 0.8]) }),
    request: 'a is done, make a folder Old and move it in there',
    clause: 'move it in there',
    recent: ['Old'],
  }
  const move = { name: 'move_file', input: { from: 'Old', to: 'Old/Old' } }

  expect(rankedCall(move, 0.6, place)?.call.input).toEqual({ from: 'a.txt', to: 'Old/a.txt' })
})

test('a command that is not spelled is the likeliest one, a spelled one stays', () => {
  const place = placeWith({ commands: likely(['npm run lint', 0.95], ['npm run lint:fix', 0.03]) })
  const fix = { name: 'run_command', input: { command: 'npm run lint:fix' } }
  const spelled = { ...place, request: 'npm run lint:fix please' }

  expect(rankedCall(fix, 1, place)?.call.input).toEqual({ command: 'npm run lint' })
  expect(rankedCall(fix, 1, spelled)?.call.input).toEqual({ command: 'npm run lint:fix' })
})

test('nano is not believed of a sentence in the place of a command, nor that nothing is given to one', () => {
  const commands = likely(['wc -l logs/a.log', 0.8], ['wc -l will do', 0.1], ['python3 count.py', 0.1])
  const place = { ...placeWith({ commands }), request: 'lines of a.log? wc -l will do' }
  const run = (command: string) => rankedCall({ name: 'run_command', input: { command } }, 0.99, place)
  const given = placeWith({ commands: likely(['python3 count.py april', 0.6], ['python3 count.py', 0.2]) })

  expect(run('wc -l will do')?.call.input).toEqual({ command: 'wc -l logs/a.log' })
  expect(
    rankedCall({ name: 'run_command', input: { command: 'python3 count.py' } }, 1, given)?.call.input,
  ).toEqual({ command: 'python3 count.py april' })
})

test('a search of everything has no scope', () => {
  const search = { name: 'search_text', input: { pattern: 'x', path: 'docs' } }
  const place = placeWith({ paths: likely(['.', 0.95]), texts: likely(['x', 1]) })

  expect(rankedCall(search, 0.5, place)?.call).toEqual({ name: 'search_text', input: { pattern: 'x' } })
})

test('a call is made of what is likeliest, and none where that is not clear', () => {
  const clear = placeWith({ paths: likely(['docs/c.txt', 0.8]), targets: likely(['c.txt', 0.7]) })

  expect(composedCall('move', clear)).toEqual({
    name: 'move_file',
    input: { from: 'docs/c.txt', to: 'c.txt' },
  })
  expect(composedCall('read', placeWith({ paths: likely(['a.txt', 0.2]) }))).toBeUndefined()
  expect(composedCall('run', clear)).toBeUndefined()
})
