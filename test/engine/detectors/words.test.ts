/** What detectors of finished replies fire on, and what they must leave alone. */
import { describe, expect, test } from 'vitest'
import { judgeReply } from '../../../src/engine/remedy.ts'
import { type Scene, situationFor } from '../situation.ts'

const task =
  'Rename the function fetchRows to loadRows in src/db.js and src/api.js and run `node verify.mjs`.'
const files = ['src/db.js', 'src/api.js', 'verify.mjs']
const page =
  '1\texport function fetchRows(table) {\n2\t  return [table, 1, 2]\n3\t}\n4\t// the end of the file'
const begun: Scene = { files, calls: [{ name: 'read_file', path: 'src/db.js', text: page }] }
const finished: Scene = {
  files,
  calls: [
    { name: 'edit_file', path: 'src/db.js', wrote: true },
    { name: 'edit_file', path: 'src/api.js', wrote: true },
    {
      name: 'run_command',
      key: 'run_command {"command":"node verify.mjs"}',
      text: 'RENAMED in 2 files, all good',
    },
  ],
}

function judge(text: string, scene: Scene = begun, prompt = task): string | undefined {
  const reply = { text, reasoning: '', calls: [], badCalls: [], finish: 'stop' as const }
  const verdict = judgeReply(reply, situationFor(prompt, scene), { continues: 0, byDetector: new Map() })
  return verdict.kind === 'accept'
    ? undefined
    : 'finding' in verdict
      ? verdict.finding.detector
      : verdict.kind
}

describe('in the middle of the task no answer:', () => {
  test.each([
    ['quoted-back', page],
    ['quoted-back', 'export function fetchRows(table) {\n  return [table, 1, 2]'],
    ['quoted-back', task],
    ['call-shaped', '{"path": "src/db.js", "old": "fetchRows", "new": "loadRows"}'],
    ['call-shaped', '```json\n{"tool": "change_file", "args": {"path": "src/db.js"}}\n```'],
    ['call-shaped', 'TOOL: change_file ARGUMENTS: {"path": "src/db.js"}'],
    ['call-shaped', '<change_file><path>src/db.js</path></change_file>'],
    ['call-shaped', 'open_the_file(path="src/db.js")'],
    ['call-shaped', 'I will edit it: {"name": "edit_file", "arguments": {"path": "src/'],
    ['call-shaped', 'First the call.\n<tool_call>\n{"name": "edit_f'],
    ['invented-result', 'I read it.\n\nTool result:\n1\texport function fetchRows'],
    ['invented-result', 'Calling read_file.\n<tool_response>\nok\n</tool_response>'],
    ['invented-result', 'It is renamed.\n\nUser: thanks\n\nAssistant: You are welcome.'],
    ['prose-instead', 'Here is the new function:\n\n```js\nexport function loadRows(table) {}\n```'],
    ['prose-instead', 'In src/db.js, change `fetchRows` to `loadRows`.'],
    ['asks-leave', 'I have found both places. Should I go ahead and rename them?'],
    ['asks-leave', 'Would you like me to make these changes?'],
    ['asks-leave', 'The change is clear. Please confirm and I will apply it.'],
    ['asks-leave', 'Soll ich die Funktion jetzt umbenennen?'],
    ['nothing-new', "I'm sorry, but I can't assist with that."],
    ['nothing-new', 'I apologize for the confusion. Let me try again.'],
    ['nothing-new', '1. Read src/db.js\n2. Rename the function\n3. Run the check'],
    ['nothing-new', '| Step | Action |\n|---|---|\n| 1 | Open src/db.js |\n| 2 | Edit the name |'],
    ['nothing-new', 'You want me to rename the function fetchRows to loadRows in src/db.js and src/api.js.'],
    ['other-language', '好的，我已经了解了这个任务。'],
    ['other-language', 'Ich habe mir die Datei angesehen und verstehe jetzt, worum es geht.'],
    ['other-language', 'Хорошо, я понял задачу.'],
    ['unfinished', 'Done! I have made all the requested changes.'],
    ['unfinished', 'The function is used in two places.'],
    ['unfinished', 'Everything works as expected.'],
  ])('%s: %s', (detector, text) => {
    expect(judge(text)).toBe(detector)
  })
})

describe('in the middle of the task an answer all the same:', () => {
  test.each([
    'I could not rename it: src/api.js is generated and says so.',
    'There are two functions of that name. Which one do you mean, the one in src/db.js or the one in lib/?',
    'fetchRows is already called loadRows in both files; nothing had to be changed.',
    'The edit was denied, so nothing was changed.',
    'src/api.js does not exist.',
  ])('%s', (text) => {
    expect(judge(text)).toBeUndefined()
  })
})

describe('after the work an answer:', () => {
  test.each([
    'Done.',
    'Renamed in two files; the check prints RENAMED.',
    'RENAMED in 2 files, all good',
    'Done. Would you like me to update the docs as well?',
    '1. Renamed it in src/db.js\n2. Renamed it in src/api.js\n3. Ran the check',
    'Both files use loadRows now:\n\n```js\nexport function loadRows(table) {}\n```',
  ])('%s', (text) => {
    expect(judge(text, finished)).toBeUndefined()
  })

  test('a check that was red when it was last run has to be reported', () => {
    const calls = [
      ...(finished.calls ?? []).slice(0, 2),
      { name: 'run_command', key: 'run_command {"command":"node verify.mjs"}', code: 'exit-code' as const },
    ]

    expect(judge('All renamed.', { files, calls })).toBe('unfinished')
    expect(judge('All renamed, but the check still fails: LEFT src/x.js.', { files, calls })).toBeUndefined()
  })
})

describe('prompts that ask for words get words:', () => {
  test.each([
    ['What does src/db.js do?', 'It exports fetchRows.'],
    ['Show me src/db.js.', page],
    ['Why does it return an array?', 'Because the callers spread it.'],
    ['Make a plan for the rename, nothing else.', '1. Read src/db.js\n2. Rename the function'],
    ['Explain how you would rename it. Do not change anything.', '1. Edit src/db.js\n2. Run the check'],
    ['Write a haiku about tests.', 'Green lights in a row'],
    ['Was macht src/db.js?', 'Die Funktion gibt eine Liste zurück und ist sonst nicht von Bedeutung.'],
    ['Translate "good morning" into German.', 'Guten Morgen'],
    ['How do I call read_file as JSON?', '{"name": "read_file", "arguments": {"path": "a"}}'],
    ['thanks!', 'You are welcome.'],
    ['yes', 'Good.'],
    ['Is it safe to delete src/api.js?', 'Yes: nothing imports it.'],
    ['When I run `node verify.mjs` it is slow. Why is that?', 'It imports every file.'],
  ])('%s', (prompt, text) => {
    expect(judge(text, begun, prompt)).toBeUndefined()
  })
})

describe('prompts as people type them ask for a change:', () => {
  test.each([
    'can u rename fetchRows to loadRows pls',
    'tests r red, fix it',
    'the header should be blue not red',
    'theres a typo in the readme, correct it please',
    'add a bye function to src/db.js',
    'in settings/main.ini set title to Kestrel',
    'i need the timeout in config.yaml changed to 30',
    'src/db.js crashes on empty input',
    'could you please get the tests to work again?',
    'Benenne die Funktion um.',
    'Ajoute un test pour src/db.js',
    '把端口改成 9090',
    'исправь ошибку в src/db.js',
  ])('%s', (prompt) => {
    expect(situationFor(prompt).demands.change).toBe(true)
  })
})
