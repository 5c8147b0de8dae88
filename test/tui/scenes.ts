/**
 * What a person does at the terminal, key by key, and the screen after each of it. One conversation for all scenes of a size,
 * so that a size costs one process; what a scene needs of the model stands beside it.
 */
import { key, type Reply } from './terminal.ts'

export type Scene = {
  readonly name: string
  readonly keys: string
  /** On the screen when it is done; the recording is made then. */
  readonly sees: RegExp
  /** What the model says meanwhile, in order. */
  readonly replies?: readonly Reply[]
}

const usage = { prompt: 3_100, completion: 120, cached: 2_600 }

const says = (text: string, more: Partial<Reply> = {}): Reply => ({ text, usage, ...more })

const calls = (name: string, input: object): Reply => ({ calls: [{ name, input }], usage })

const MARKDOWN = `## What it does

The function **adds** two numbers and \`returns\` the sum:

1. It reads both.
2. It adds them.

\`\`\`ts
// adds
export const sum = (a: number, b: number) => a + b
\`\`\`

| name | value |
|------|-------|
| one  | 1     |
| two  | 22    |

See [the page](https://example.org/a).`

const enter = (text: string): string => text + key.enter

const lines = (count: number): string => Array.from({ length: count }, (_, at) => `line ${at + 1}`).join('\n')

const IDLE = /─\n *\n─/

const typing: readonly Scene[] = [
  { name: 'start', keys: '', sees: /help for help|\/help for/ },
  { name: 'typing', keys: 'Hello wor', sees: /Hello wor/ },
  { name: 'a new line with Ctrl+J', keys: `${key.ctrl('j')}second`, sees: /\n *second/ },
  { name: 'Ctrl+C clears the box', keys: key.ctrl('c'), sees: IDLE },
  { name: 'wide characters and emoji', keys: '漢字 テスト 👩‍👩‍👧 é', sees: /漢/ },
  { name: 'Ctrl+W deletes a word', keys: key.ctrl('w'), sees: /漢字 テスト 👩‍👩‍👧 *\n/ },
  { name: 'Ctrl+U deletes the line', keys: key.ctrl('u'), sees: IDLE },
  { name: 'Ctrl+Y brings it back', keys: key.ctrl('y'), sees: /漢字/ },
  { name: 'and Ctrl+C clears it', keys: key.ctrl('c'), sees: IDLE },
  { name: 'a paste of 48 lines is one block', keys: key.paste(lines(48)), sees: /\[pasted 48/ },
  { name: 'Ctrl+C clears it as well', keys: key.ctrl('c'), sees: IDLE },
  {
    name: 'a paste that steers a terminal',
    keys: key.paste('\u001B[2Jred \u001B[31mtext\u0007'),
    sees: /red/,
  },
  { name: 'is cleared', keys: key.ctrl('c'), sees: IDLE },
  { name: 'commands that begin with c', keys: '/c', sees: /context/ },
  { name: 'Tab takes the first', keys: key.tab, sees: /\/co\w+ *\n─/ },
  { name: 'Ctrl+C leaves it', keys: key.ctrl('c'), sees: IDLE },
  { name: 'files that match', keys: '@sum', sees: /src\/sum/ },
  { name: 'Esc closes the list', keys: key.escape, sees: /@sum *\n─/ },
  { name: 'the box is cleared', keys: key.ctrl('c'), sees: IDLE },
  { name: 'an unknown command', keys: enter('/contxt'), sees: /context\?/ },
  { name: 'Shift+Tab changes the mode', keys: key.shiftTab, sees: /accept-e|acce/ },
  { name: 'and goes round', keys: key.shiftTab.repeat(3), sees: /ted · ask/ },
  { name: 'Ctrl+C once warns', keys: key.ctrl('c'), sees: /again/ },
  { name: 'the warning goes away', keys: '', sees: /─\nscripted · ask/ },
]

const answers: readonly Scene[] = [
  {
    name: 'an answer in Markdown',
    keys: enter('What does it do?'),
    replies: [says(MARKDOWN)],
    sees: /example\.org\/a\)?\s*\n─|page/,
  },
  {
    name: 'thoughts are folded',
    keys: enter('Think'),
    replies: [says('Forty-two.', { reasoning: 'Let me see. Six times seven is forty-two.' })],
    sees: /Forty-two/,
  },
  { name: 'Ctrl+O shows them', keys: key.ctrl('o'), sees: /Six times/ },
  {
    name: 'text that steers a terminal is shown',
    keys: enter('Be hostile'),
    replies: [says('Here: \u001B[2J\u001B]0;owned\u0007 \u202Edrawkcab\u202C 漢字 end.')],
    sees: /end\./,
  },
  {
    name: 'an error says what to do',
    keys: enter('Fail'),
    replies: [{ error: { code: 'credential', message: 'The key was refused. Set COVEY_API_KEY.' } }],
    sees: /COVEY_API_KEY/,
  },
  { name: 'a path is text', keys: enter('/etc/hosts is what?'), replies: [says('A file.')], sees: /A file/ },
]

const questions: readonly Scene[] = [
  {
    name: 'an edit is seen before it is allowed',
    keys: enter('Fix the sum'),
    replies: [calls('edit_file', { path: 'src/sum.ts', old: 'a - b', new: 'a + b' }), says('It adds now.')],
    sees: /No, and say/,
  },
  { name: 'the arrow chooses', keys: key.down, sees: /❯ [^y]/ },
  { name: 'and goes back', keys: key.up, sees: /❯ y/ },
  { name: 'a letter allows it', keys: 'y', sees: /It adds now/ },
  {
    name: 'a new file shows its first lines',
    keys: enter('Write a test'),
    replies: [
      calls('write_file', { path: 'src/sum.test.ts', content: `${lines(30)}\n` }),
      says('Then without it.'),
    ],
    sees: /No, and say/,
  },
  { name: 'a no can be given a reason', keys: 'r', sees: /Esc goes|Enter says/ },
  { name: 'the reason is typed', keys: 'use vitest', sees: /use vitest/ },
  { name: 'and reaches the model', keys: key.enter, sees: /Then without/ },
  {
    name: 'a command shows its exact words',
    keys: enter('Clean up'),
    replies: [calls('run_command', { command: 'rm -rf build && git push --force' }), says('Left as it is.')],
    sees: /No, and say/,
  },
  { name: 'Esc says no', keys: key.escape, sees: /Left as it/ },
  {
    name: 'a question with options',
    keys: enter('Which port?'),
    replies: [calls('ask_user', { question: 'Which port?', options: ['8080', '9090'] }), says('9090 it is.')],
    sees: /Something/,
  },
  { name: 'a number answers', keys: '2', sees: /9090 it is/ },
]

const commands: readonly Scene[] = [
  { name: 'a command of the person', keys: enter('!echo hello'), sees: /exit 0/ },
  { name: 'its exit code is shown', keys: enter('!false'), sees: /exit 1/ },
  { name: 'a command at work', keys: enter('!echo begun; sleep 600'), sees: /begun[\s\S]*● echo/ },
  { name: 'is stopped by Ctrl+C', keys: key.ctrl('c'), sees: /stopped/ },
  {
    name: 'a file goes into the message',
    keys: enter('@src/sum.ts?'),
    replies: [says('A sum.')],
    sees: /A sum/,
  },
  { name: 'what fills the window', keys: enter('/context'), sees: /free/ },
  { name: 'what was used', keys: enter('/cost'), sees: /requests/ },
  { name: 'all changes', keys: enter('/diff'), sees: /\+ b[\s\S]*─\n *\n─/ },
  { name: 'undo', keys: enter('/undo'), sees: /Undid|undone|Nothing/ },
  { name: 'the list of modes', keys: enter('/mode'), sees: /read-only/ },
  { name: 'searched', keys: 'auto', sees: /> auto/ },
  { name: 'left', keys: key.escape, sees: IDLE },
  { name: 'the list of colours', keys: enter('/theme'), sees: /mono/ },
  { name: 'left again', keys: key.escape, sees: IDLE },
  { name: 'earlier messages', keys: key.ctrl('r'), sees: /Earlier|Enter takes/ },
  { name: 'searched for the sum', keys: 'sum', sees: /> sum/ },
  { name: 'taken into the box', keys: key.enter, sees: /sum[^\n]*\n─/ },
  { name: 'cleared', keys: key.ctrl('c'), sees: IDLE },
  { name: 'Up recalls the last one', keys: key.up, sees: /\/theme *\n─/ },
  { name: 'cleared again', keys: key.ctrl('c'), sees: IDLE },
  { name: 'nothing to compact', keys: enter('/compact'), sees: /Nothing to|compacted/ },
  { name: 'another conversation', keys: enter('/new'), sees: /help for[\s\S]*help for|Last session/ },
  { name: 'the conversation before', keys: enter('/resume'), sees: /Go on with/ },
  { name: 'gone on with', keys: key.enter, sees: /A sum/ },
]

export const scenes: readonly Scene[] = [...typing, ...answers, ...questions, ...commands]
