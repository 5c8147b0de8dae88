/** `covey memory` over a real memory. */
import { describe, expect, test } from 'vitest'
import { createMemoryCommand } from '../../src/cli/memory.ts'
import { memoryIn, tempDatabase } from '../memory/memories.ts'

function service() {
  const path = tempDatabase()
  return async (
    args: readonly string[],
    options: Readonly<Record<string, unknown>> = {},
  ): Promise<string> => {
    let out = ''
    const code = await createMemoryCommand(() => memoryIn(path)).run({
      args,
      options,
      env: {},
      cwd: '/',
      signal: new AbortController().signal,
      io: {
        out: (text) => void (out += text),
        err: () => {},
        stdin: process.stdin,
        piped: async () => undefined,
        isTty: false,
      },
    })
    expect(code).toBe(0)
    return out
  }
}

test('facts are added, listed, searched and removed', async () => {
  const covey = service()

  expect(await covey(['ls'])).toContain('Nothing is remembered here yet')
  expect(await covey(['add', 'The API listens on port 8080'])).toBe('Added 1.\n')
  expect(await covey(['add', 'Short', 'answers'], { kind: 'preference', global: true })).toBe('Added 2.\n')
  expect(await covey(['add', 'The API listens on port 9090'])).toBe('Added 3. It takes the place of 1.\n')
  expect(await covey([])).toBe(
    '    2  2026-01-01  preference  Short answers  (everywhere)\n' +
      '    3  2026-01-01  fact        The API listens on port 9090\n',
  )
  expect(await covey(['ls'], { all: true, kind: 'fact' })).toContain('port 8080  (replaced by 3)\n')
  expect(await covey(['search', 'which port?'])).toBe(
    '    3  2026-01-01  fact        The API listens on port 9090\n',
  )
  expect(await covey(['search', 'zebra'])).toContain('Nothing like that is remembered')
  expect(await covey(['rm', '3'])).toBe('Removed 3.\n')
  expect(await covey(['search', 'port'])).toContain('Nothing like that')
})

test('an export holds everything, for programs or for people', async () => {
  const covey = service()
  await covey(['add', 'The port is 80'])
  await covey(['add', 'The port is 81'])
  await covey(['add', 'We decided to ship'])

  const lines = (await covey(['export'])).trim().split('\n')

  expect(
    lines.map((line) => (JSON.parse(line) as { id: number; supersededBy?: number }).supersededBy),
  ).toEqual([2, undefined, undefined])
  expect(await covey(['export'], { format: 'md' })).toBe(
    '# Memory\n\n## Facts\n\n- The port is 81 (2026-01-01)\n\n## Decisions\n\n- We decided to ship (2026-01-01)\n',
  )
})

describe('what is wrong is said', () => {
  test.each([
    [['forget'], {}, 'unknown action "forget" of covey memory; there are ls, search, add, rm, export.'],
    [['add'], {}, 'pass what to remember, in quotes.'],
    [['add', 'x y'], { kind: 'rumour' }, '--kind "rumour" is not one of fact, preference, lesson, decision.'],
    [['rm', '7'], {}, 'there is no fact "7"'],
    [['export'], { format: 'xml' }, '--format "xml" is not one of jsonl, md.'],
  ] as const)('%s', async (args, options, message) => {
    await expect(service()(args, options)).rejects.toThrow(message)
  })
})

describe('an embedding model', () => {
  const listed = async (count: number, more: object) => {
    let err = ''
    const path = tempDatabase()
    const memory = await memoryIn(path)
    for (let index = 0; index < count; index++)
      await memory.add({
        text: `Service ${index} writes to table${index}`,
        isGlobal: false,
        source: 'person',
      })
    await createMemoryCommand(async () => ({ ...memory, ...more })).run({
      args: [],
      options: {},
      env: {},
      cwd: '/',
      signal: new AbortController().signal,
      io: {
        out: () => {},
        err: (text) => void (err += text),
        stdin: process.stdin,
        piped: async () => undefined,
        isTty: false,
      },
    })
    return err
  }

  test('is advised where there are many facts and none', async () => {
    expect(await listed(50, {})).toContain('ollama pull all-minilm')
  })

  test('is not advised where there is one, or there are few facts', async () => {
    expect(await listed(50, { embeddingModel: 'ollama/all-minilm' })).toBe('')
    expect(await listed(5, {})).toBe('')
  })
})
