import { describe, expect, it } from 'vitest'
import { read } from './support.ts'

const proposed = (reply: string, options = {}): (string | undefined)[] =>
  read(reply, options).flatMap((event) => (event.type === 'proposal' ? [event.command] : []))

describe('commands in prose', () => {
  it('are proposed from CMD lines, which stay in the answer', () => {
    const reply = 'Run this:\nCMD: npm install\nCMD: npm test'

    const events = read(reply)

    expect(events).toEqual([
      { type: 'text-delta', text: reply },
      { type: 'proposal', command: 'npm install && npm test' },
    ])
  })

  it('are proposed from a numbered list of commands', () => {
    expect(proposed('Do this:\n\n1. `npm ci`\n2. Run the tests: `npm test`\n3. git status\n')).toEqual([
      'npm ci && npm test && git status',
    ])
  })

  it('are proposed from the one shell block of an answer', () => {
    expect(proposed('Try:\n\n```bash\n# first\n$ cd app\nmake all\n```\n')).toEqual(['cd app && make all'])
  })

  it.each([
    'You can use git to look at the history.',
    'Run `npm test` when you are done.',
    '1. Open the file.\n2. Look at `git log`, then decide.\n',
    '1. The parser reads text.\n2. The writer writes it.\n',
    'Either\n```sh\nnpm ci\n```\nor\n```sh\nyarn\n```\n',
    '```sh\nthis is the output\nof something\n```',
    '```python\nprint("x")\n```',
    'CMD is a shell of Windows.',
  ])('are not proposed when they are only mentioned: %j', (reply) => {
    expect(proposed(reply)).toEqual([])
  })

  it('are not proposed where the model called a tool', () => {
    const call = '<tool_call>{"name": "list_files", "arguments": {}}</tool_call>'

    expect(proposed(`\`\`\`sh\nnpm test\n\`\`\`\n${call}`)).toEqual([])
  })

  it('are not proposed where native calls work', () => {
    expect(proposed('```sh\nnpm test\n```', { native: true })).toEqual([])
  })
})
