import { describe, expect, test } from 'vitest'
import { announced } from '../../../src/engine/detectors/announced.ts'
import { type Scene, situationFor } from '../situation.ts'

const prompt = 'Fix the bug in sum.js.'

/** The work is done as far as anybody can tell: only the words decide. */
const done: Scene = { calls: [{ name: 'edit_file', path: 'sum.js', wrote: true }] }

const judge = (text: string, more: Scene & { readonly prompt?: string } = {}) =>
  announced({ text, calls: [] }, situationFor(more.prompt ?? prompt, { ...done, ...more }))?.detector

describe('says what it will do, and does not', () => {
  test.each([
    'I will now use the read_file tool.',
    'I will now use the search_text tool.',
    "I'll read the file first.",
    'Let me check the test.',
    'Let me check if the file exists.',
    "I'm going to run the tests now.",
    'Next, I will edit sum.js to fix the sign.',
    "Now I'll create the module:",
    'Okay, let me look at src/app.ts...',
    'The sign is wrong. I will fix it.',
    'Now that I have seen the code, let me update the function.',
    "Let's run the test suite.",
    'I’ll start by reading sum.js.',
    'First, I am going to search for `settleInvoice`.',
    'I will call list_files.',
    'Now I need to look at the file.',
    'I should read sum.js first.',
    'Let me try running the tests',
    '**Next step:** I will run `node check.js`.',
    'Here is what I do:\n1. I will read sum.js\n2. I will edit sum.js',
    'Ich werde jetzt die Datei sum.js lesen.',
    'Als Nächstes werde ich den Test ausführen.',
    'Ich werde die Funktion überprüfen.',
    'Je vais maintenant lire le fichier.',
    'Voy a leer el archivo primero.',
    '让我查看一下文件。',
  ])('%s', (text) => {
    expect(judge(text)).toBe('announced')
  })
})

describe('is no announcement', () => {
  test.each([
    'Let me know if you want me to run the tests.',
    'Let me know what you think.',
    'I will not change the test.',
    "I'll add that the tests pass.",
    'I should mention that the test is slow.',
    "I won't run anything without your word.",
    'Should I run the tests now?',
    'Let me check: is sum.js the right file?',
    'I can run the tests if you like.',
    'I will run the tests if you change anything.',
    "Once you confirm, I'll edit the file.",
    'I read the file and fixed the sign.',
    'I have run the tests; they pass.',
    'You should run `npm test` and then open the page.',
    'You will need to create a .env file.',
    'I will run the tests. They passed.',
    'I will check more carefully next time.',
    'The function will read the file at start.',
    'Let me explain why the sign was wrong.',
    'Let me think about this.',
    'Run `node check.js` to see it.',
    'Would you like me to edit it? If so, I will edit sum.js.',
    'I would use a map here.',
    "I'll use recursion for the tree.",
    'The fix is in sum.js:\n```js\nexport const sum = (a, b) => a + b\n```',
    'I will show the code:\n```js\nI will read the file\n```',
    'Ich werde die Datei nicht ändern.',
    'Ich habe die Datei gelesen.',
    '',
  ])('%s', (text) => {
    expect(judge(text)).toBeUndefined()
  })
})

describe('while something is missing, going on is said in more ways', () => {
  test.each([
    'Great, that worked. Moving on to the next file.',
    'Next step: edit sum.js.',
    "Now I'll make the change:",
    'Let me update sum.js next…',
    'Reading the file now.',
    'Proceeding with the edit.',
    'Step 2: run the check',
    'Als Nächstes: sum.js anpassen.',
    '下一步：修改文件。',
  ])('%s', (text) => {
    expect(judge(text, { calls: [] })).toBe('announced')
    expect(judge(`${text} It is fixed.`)).toBeUndefined()
  })
})

test('nothing is expected of a model that may not act or has no tools', () => {
  expect(judge('I will read the file.', { mayAct: false })).toBeUndefined()
  expect(judge('I will read the file.', { toolNames: [] })).toBeUndefined()
})

test('a plan that was asked for is an answer', () => {
  expect(
    judge('First I read sum.js. Then I will edit it.', { prompt: 'Give me a plan for the fix.' }),
  ).toBeUndefined()
})

test('an announcement with its call is none', () => {
  const call = { id: '1', name: 'read_file', input: '{"path":"sum.js"}' }

  expect(announced({ text: 'I will read the file.', calls: [call] }, situationFor(prompt))).toBeUndefined()
})

test('a long sentence of many clauses is judged in linear time', () => {
  const text = `${'now, then, so, '.repeat(20_000)}nothing.`

  expect(judge(text)).toBeUndefined()
})
