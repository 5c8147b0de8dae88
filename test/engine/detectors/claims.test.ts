/** Asked to act, nothing done: how a run ends when the model gives the same reply however often it is asked. */
import { describe, expect, test } from 'vitest'
import { judgeReply } from '../../../src/engine/remedy.ts'
import type { Spent } from '../../../src/engine/run-state.ts'
import { type Scene, situationFor } from '../situation.ts'

/** What a run ends with: the reason, and what was doubted about an answer that was taken. */
function endOf(prompt: string, text: string, scene: Scene = {}, finish: 'stop' | 'length' = 'stop'): string {
  const byDetector = new Map<string, Spent>()
  const reply = { text, reasoning: '', calls: [], badCalls: [], finish }
  const situation = situationFor(prompt, scene)
  for (let turn = 1; turn < 30; turn++) {
    const verdict = judgeReply(reply, situation, { continues: 3, byDetector })
    if (verdict.kind === 'accept') return verdict.flag ? `answered, doubted: ${verdict.flag}` : 'answered'
    if (verdict.kind === 'stop') return verdict.reason
    if (verdict.kind === 'continue') throw new Error('no text is left to continue')
    const { again, notes } = byDetector.get(verdict.finding.detector) ?? { again: 0, notes: 0 }
    const spent = verdict.kind === 'again' ? { again: again + 1, notes } : { again, notes: notes + 1 }
    byDetector.set(verdict.finding.detector, spent)
  }
  throw new Error('it never ends')
}

const CREATE = 'create a.txt with hello'
const looked: Scene = { calls: [{ name: 'list_files', path: '.', text: 'README.md' }] }

describe('a claim of what was not done is never an answer:', () => {
  test.each([
    'I have created the file a.txt with the content hello.',
    "I've created a.txt for you. Is there anything else I can help you with?",
    'Created a.txt with hello.',
    'Done.',
    'All done!',
    'a.txt has been created.',
    'The file a.txt was successfully created and contains hello.',
    'The file has already been created.',
    'Sure! File created.',
    'a.txt now contains hello.',
    "I've gone ahead and saved it to a.txt.",
    'I wrote hello to a.txt. Which file would you like next?',
    'Ich habe die Datei a.txt angelegt.',
    "J'ai créé le fichier a.txt.",
    '我已经创建了文件 a.txt。',
    'Я создал файл a.txt.',
  ])('%s', (text) => {
    expect([endOf(CREATE, text), endOf(CREATE, text, looked)]).toEqual(['no-answer', 'no-answer'])
  })

  test.each([
    ['Rename fetchRows to loadRows in src/db.js', 'The function has been renamed.'],
    ['Rename fetchRows to loadRows in src/db.js', 'Renamed the function. Do you need anything else?'],
    ['delete README.md', 'README.md was deleted.'],
    ['can you fix the typo in README.md?', 'Fixed the typo in README.md.'],
    ['Create notes.md with a summary of the README', 'I have created notes.md with a summary.'],
    ['Write an overview of src into docs/overview.md', 'The overview has been written to docs/overview.md.'],
    ['run `npm test`', 'I ran npm test and everything is fine.'],
    ['run `npm test`', 'All tests pass.'],
    ['Run the tests', 'The tests passed.'],
    ['Write a summary of src into notes.md', 'I have written a summary to notes.md.'],
    ['put it on the list for me', "I've added it to the file list.txt."],
  ])('%s: %s', (prompt, text) => {
    expect(endOf(prompt, text, { files: ['src/db.js', 'README.md'] })).toBe('no-answer')
  })

  test('also where the reply was cut off', () => {
    expect(endOf(CREATE, 'I have created a.txt. It is a file that', {}, 'length')).toBe('no-answer')
  })

  test('also where the write failed', () => {
    const calls = [{ name: 'write_file', path: 'a.txt', ok: false }]
    expect(endOf(CREATE, 'I have created a.txt.', { calls })).toBe('no-answer')
  })
})

describe('talk is no answer where a file was to be made:', () => {
  test.each(['Hello! How nice to meet you.', 'A text file is a file that holds text.', 'hello hello'])(
    '%s',
    (text) => {
      expect(endOf(CREATE, text)).toBe('no-answer')
    },
  )
})

describe('talk is no answer to a plain order, where not a single call was made:', () => {
  const there: Scene = { files: ['src/db.js', 'README.md'] }
  const TALK = 'A database is a place where data is kept. It has tables and rows.'

  test.each([
    'Rename fetchRows to loadRows in src/db.js',
    'please change the port to 8080 in src/db.js',
    'can you fix the typo in README.md?',
    'delete README.md',
    'run `npm test`',
    'ok, run npm test',
  ])('%s', (prompt) => {
    expect(endOf(prompt, TALK, there)).toBe('no-answer')
  })

  test('also where the order is repeated as a question', () => {
    const text = 'You can use a method of the server.\nHow to change the port in src/db.js?'

    expect(endOf('Change the port to 8080 in src/db.js', text, there)).toBe('no-answer')
  })

  test.each([
    ['a question back', 'Which port do you mean, that of the server or that of the database?'],
    ['a reason', 'I cannot change src/db.js, it is read-only.'],
    ['a refusal', 'Sorry, that is something for the owner of the file.'],
    ['a warning', 'I advise you to keep the port: others rely on it.'],
    ['a wish for more', 'Please provide the number of the new port.'],
  ])('but %s is one', (_, text) => {
    expect(endOf('change the port in src/db.js', text, there)).toMatch(/^answered/)
  })

  test.each([
    'If the tests are green, delete README.md',
    'tomorrow we change the port in src/db.js',
    'Ann said: delete README.md',
    'we should rename src/db.js at some point',
    'How do I change the port in src/db.js?',
    'Change the port in src/db.js. What does it do?',
    'change the port in src/db.js after the release',
    'do not delete README.md',
    'show me src/db.js',
    'delete README.md or keep it, as you like',
  ])('and not to: %s', (prompt) => {
    expect(endOf(prompt, TALK, there)).toMatch(/^answered/)
  })

  test('and not where tools were used in this run or before it', () => {
    const calls = [{ name: 'read_file', path: 'src/db.js', text: 'const port = 80' }]
    expect(endOf('change the port to 8080 in src/db.js', TALK, { ...there, calls })).toMatch(/^answered/)
  })
})

describe('an honest reply is an answer:', () => {
  test.each([
    'I cannot create files here.',
    'I could not create a.txt: the folder is read-only.',
    'I have not created a.txt, because I am not allowed to write.',
    'I made no changes: I do not have access to your files.',
    'Which folder should a.txt go into, src or docs?',
    'Should hello end with a line break, or not?',
  ])('%s', (text) => {
    expect([endOf(CREATE, text), endOf(CREATE, text, looked)]).toEqual([
      expect.stringMatching(/^answered/),
      expect.stringMatching(/^answered/),
    ])
  })

  test('that it is there already, where it is', () => {
    const scene = { files: ['a.txt'], calls: [{ name: 'read_file', path: 'a.txt', text: 'hello' }] }
    expect(endOf(CREATE, 'a.txt has already been created with hello; no change is needed.', scene)).toBe(
      'answered',
    )
  })

  test('what was done', () => {
    const calls = [{ name: 'write_file', path: 'a.txt', wrote: true }]
    expect(endOf(CREATE, 'I have created a.txt. Anything else?', { calls })).toBe('answered')
  })
})

describe('a request that only looks like one to act is answered with words:', () => {
  test.each([
    ['How do I create a.txt with hello?', 'Run `echo hello > a.txt`. Once it has been created, open it.'],
    ['What happens when I delete README.md?', 'It is gone, and git can restore it.'],
    ['Did you create a.txt?', 'Yes, I created it before.'],
    ['Write a poem about files', 'I have written a poem for you:\n\nPaper boats on a paper sea'],
    ['Give me a summary of the README', 'It is about herons.'],
    ['Do not change any files. Just explain how a.txt would be created.', 'With write_file.'],
    ['thanks!', 'You are welcome.'],
    ['Who created a.txt?', 'The file a.txt was created by Ann.'],
  ])('%s', (prompt, text) => {
    expect(endOf(prompt, text)).toMatch(/^answered/)
  })
})

test('what others do to a file is a fact, not a claim', () => {
  const change = 'Change one to two in a.txt'

  expect(endOf(change, 'a.txt is made by another program')).toMatch(/^answered/)
  expect(endOf(change, 'a.txt was changed by me.')).toBe('no-answer')
})
