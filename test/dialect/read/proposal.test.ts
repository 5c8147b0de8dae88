import { describe, expect, it } from 'vitest'
import { read } from '../support.ts'

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

  it('are proposed with a label in front of them', () => {
    const reply =
      '1. Install: npm ci\n2. **Build**: npm run build\n3) Step three - ./scripts/check.sh\n4. **Run the tests:** $ npm test\n'

    expect(proposed(reply)).toEqual(['npm ci && npm run build && ./scripts/check.sh && npm test'])
  })

  it('are not taken from calls of tools; a command inside one is', () => {
    expect(proposed('CMD: read_file {"path": "a.txt"}')).toEqual([])
    expect(proposed('CMD: run_command {"command": "npm test"}\nCMD: git status')).toEqual([
      'npm test && git status',
    ])
    expect(proposed('CMD: awk {print} a.txt')).toEqual(['awk {print} a.txt'])
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
    '1. Note: make sure that node is there\n2. Then: go to settings\n',
    '1. Install: use a package manager\n2. Test: find out whether it works\n',
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
