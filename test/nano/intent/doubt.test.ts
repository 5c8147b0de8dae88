/** What can be said about the arguments of a call that acts without asking the model. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hasOtherSubject, isDoubtful } from '../../../src/nano/intent/doubt.ts'
import { repairCall } from '../../../src/nano/calls/repair.ts'
import type { NanoCall } from '../../../src/nano/steps/run.ts'

const run = (command: string): NanoCall => ({ name: 'run_command', input: { command } })
const search = (pattern: string): NanoCall => ({ name: 'search_text', input: { pattern } })
const fetch = (url: string): NanoCall => ({ name: 'fetch_url', input: { url } })
const write = (content: string): NanoCall => ({ name: 'write_file', input: { path: 'a.txt', content } })

describe('a quoted text', () => {
  test.each([
    ['put "nothing in here is valid" in a.txt', write('nothing in'), write('nothing in here is valid')],
    ["save 'select 1;' as a.txt", write('select 1'), write('select 1;')],
    ['run `npm test -- --watch`', run('npm test'), run('npm test -- --watch')],
    ['write “it’s late” to a.txt', write('it’s'), write('it’s late')],
    ['append "done" to a.txt', write('"done"'), write('done')],
    ['find "phone list" in the docs', search('phone'), search('phone list')],
    [
      'a.txt:\n```ts\nconst a = (b) =>\n  c("d")\n```',
      write('const a = (b) =>'),
      write('const a = (b) =>\n  c("d")'),
    ],
    ['they sent this: "no such user". Which file?', search('this: "no such user"'), search('no such user')],
  ])('is taken whole: %s', (request, cut, whole) => {
    expect(repairCall(cut, request)).toEqual(whole)
    expect(repairCall(whole, request)).toEqual(whole)
  })

  test.each([
    ['write hello there to a.txt', write('hello')],
    ["don't write it's late to a.txt", write("it's")],
    ['echo "one two" and one', run('one')],
    ['the path "src/my file.ts" is read', { name: 'read_file', input: { path: 'src/my' } }],
    ['an open "quote is none', write('quote')],
  ])('is not seen where there is none: %s', (request, call) => {
    expect(repairCall(call, request)).toEqual(call)
  })

  test('mending changes nothing but texts, and never invents one', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), fc.string({ maxLength: 10 }), (request, content) => {
        const { content: repaired } = repairCall(write(content), request).input

        expect(repaired === content || request.includes(String(repaired))).toBe(true)
      }),
    )
  })
})

test('a page is fetched from the address in the request', () => {
  expect(repairCall(fetch('get'), 'see https://a.org/b (get it)')).toEqual(fetch('https://a.org/b'))
  expect(repairCall(fetch('a.org'), 'https://b.org or a.org')).toEqual(fetch('a.org'))
  expect(repairCall(fetch('get'), 'get http://a.org or http://b.org')).toEqual(fetch('get'))
})

test('a file that is spelled out is meant, not one that shares the verb', () => {
  const within = (path: string): NanoCall => ({ name: 'search_text', input: { pattern: 'total', path } })
  const request = 'search total in docs/prices.md'

  expect(repairCall(within('notes/search.txt'), request)).toEqual(within('docs/prices.md'))
  expect(repairCall(within('src/docs/prices.md'), request)).toEqual(within('src/docs/prices.md'))
  expect(repairCall(within('notes/search.txt'), 'search total')).toEqual(within('notes/search.txt'))
  expect(repairCall(within('notes/today.md'), 'search total in the today notes, then open a.md')).toEqual(
    within('notes/today.md'),
  )
  expect(repairCall(within('find/'), 'look into find/ and then open a.md')).toEqual(within('find/'))
})

test('a marker is looked for in the singular', () => {
  expect(repairCall(search('TODOs'), 'any TODOs left?')).toEqual(search('TODO'))
  expect(repairCall(search('cats'), 'find cats')).toEqual(search('cats'))
})

describe('a call that acts is doubtful', () => {
  test.each([
    [
      'when a bracket of the request is missing',
      'py: print(sum(range(9)))',
      { name: 'python', input: { code: 'print(sum(range(9))' } },
    ],
    ['when the program was named with something else to do', 'do a npm audit fix', run('npm install')],
    ['when a command does not begin with a program', 'mail hr@example.com please', run('hr@example.com')],
    ['when the command goes on', 'npx prettier --write . go', run('npx prettier --write')],
    ['when a picture follows', 'write Rocket 🚀 to a.txt', write('Rocket')],
    ['when a script is meant with arguments', 'run pytest tests/test_a.py and then more', run('pytest')],
    [
      'when the text goes on',
      'add the line - KPI: key performance indicator',
      write('- KPI: key performance'),
    ],
  ])('%s', (_why, request, call) => {
    expect(isDoubtful(call, request)).toBe(true)
  })

  test.each([
    ['npm test please', run('npm test')],
    ['run the tests', run('npm test')],
    ['run npm tests', run('npm test')],
    ['git log plz', run('git log --oneline -20')],
    ['what changed in git', run('git status')],
    ['do "npm ls --depth=0" in the console', run('npm ls --depth=0')],
    ['FOO=1 make -j4; then stop', run('FOO=1 make -j4')],
    ['write hello (world) to a.txt', write('hello (world)')],
    ['write hello to a.txt', write('hello')],
    ['write hello. then list', write('hello')],
    ['an empty file a.txt', write('')],
    ['change 3000 to 8080', { name: 'edit_file', input: { path: 'a', old: '3000', new: '8080' } }],
  ])('but not for nothing: %s', (request, call) => {
    expect(isDoubtful(call, request)).toBe(false)
  })
})

test.each([
  ['append what Kim said to a.txt', 'what Kim said', true],
  ['put the result of the vote in a.txt', 'the result of the vote', true],
  ['write a short poem to a.txt', 'a short poem', true],
  ['append to a.txt: what Kim said', 'what Kim said', false],
  ['append "what Kim said" to a.txt', 'what Kim said', false],
  ['append buy milk to a.txt', 'buy milk', false],
])('a text that is described is not one that is spelled: %s', (request, content, expected) => {
  expect(isDoubtful(write(content), request)).toBe(expected)
})

describe('a sign that another thing is meant', () => {
  const move = (from: string, to: string): NanoCall => ({ name: 'move_file', input: { from, to } })
  const edit = (replacement: string): NanoCall => ({
    name: 'edit_file',
    input: { path: 'a.env', old: 'x', new: replacement },
  })

  test.each<[string, NanoCall, boolean]>([
    ['check which node version is installed: node --version', run('node version'), true],
    ['run node --version', run('node --version'), false],
    ['write a.txt with two lines: milk and eggs', write('milk'), true],
    ['write a.txt with two lines:\nmilk\neggs', write('milk\neggs'), false],
    [
      'delete the whole folder release/4.11',
      { name: 'delete_file', input: { path: 'release/4.11/' } },
      false,
    ],
    ['lance npm run build', run('lance npm run build'), true],
    ['sudo npm install', run('sudo npm install'), false],
    [
      'make the 3000 a bit higher',
      { name: 'edit_file', input: { path: 'a', old: 'port: 3000', new: 'port: higher' } },
      true,
    ],
    [
      'set 3000 to auto',
      { name: 'edit_file', input: { path: 'a', old: 'port: 3000', new: 'port: auto' } },
      false,
    ],
    ['write a file a.txt in notes with the text hi', write('hi'), true],
    ['write hi to a.txt in this folder', write('hi'), false],
    ['set the version to zero dot eight dot four', edit('zero.eight.four'), true],
    ['set build to 4123 in both env files', edit('4123'), true],
    ['set build to 4123 in a.env', edit('4123'), false],
    ['rename the whole folder archive to old', move('archive/old_slogan.txt', 'archive/'), true],
    ['move a.txt into the archive folder', move('a.txt', 'archive/'), false],
    ['rename a.txt to b.txt', move('a.txt', 'b.txt'), false],
    ['make a folder drafts and put a.txt there', move('a.txt', 'drafts/'), false],
  ])('%s: %o', (request, call, expected) => {
    expect(isDoubtful(call, request)).toBe(expected)
  })
})

test.each<[string, string, boolean]>([
  ['install a new kitchen', 'npm install', true],
  ['create peace', 'make', true],
  ['install the dependencies', 'npm install', false],
  ['run the ios suite please', 'npm run test:ios', false],
  ['reset the emulator with the script', 'bash scripts/reset_emulator.sh', false],
  ['run npm install for the kitchen', 'npm install', false],
])('%s speaks of something else than %s: %s', (clause, command, expected) => {
  expect(hasOtherSubject(run(command), clause)).toBe(expected)
})

test('a text of several lines is not cut in its last one', () => {
  const request = 'create a.txt with these two lines:\n# Poems\n- Leaves of Grass, Walt Whitman'
  expect(isDoubtful(write('# Poems\n- Leaves of Grass'), request)).toBe(true)
  expect(isDoubtful(write('# Poems\n- Leaves of Grass, Walt Whitman'), request)).toBe(false)
})

test('what follows the title of a commit or of a list is no plain order', () => {
  const move: NanoCall = { name: 'move_file', input: { from: 'a.ts', to: 'b.ts' } }

  expect(isDoubtful(move, 'fix: rename a.ts to b.ts')).toBe(true)
  expect(isDoubtful(move, 'feat(core)!: rename a.ts to b.ts')).toBe(true)
  expect(isDoubtful(move, 'Action item (Sofia, due 12 May): rename a.ts to b.ts')).toBe(true)
  expect(isDoubtful(move, 'rename a.ts to b.ts')).toBe(false)
})
