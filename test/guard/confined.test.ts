/** What is asked for in the mode `ask` where commands have a sandbox, and what is not. */
import { describe, expect, test } from 'vitest'
import { judgeCommand } from '../../src/guard/shell/judge.ts'
import { createPermissions } from '../../src/guard/permission/decide.ts'
import { tempProject } from '../support/project.ts'
import { asked, harmless, typed } from './harmless.ts'

const root = await tempProject()

const authorize = (
  target: string,
  parts: { readonly sandboxed?: boolean; readonly network?: boolean } = {},
) =>
  createPermissions({ mode: 'ask', roots: [root], sandboxed: true, ...parts }).authorize({
    call: { id: '1', name: 'run_command', input: '{}' },
    category: 'run',
    access: [{ kind: 'run', target }],
  })

const withVerdict = async (commands: readonly string[], verdict: string, parts = {}) => {
  const answers = await Promise.all(commands.map((command) => authorize(command, parts)))
  return commands.filter((_, index) => answers[index]?.verdict === verdict)
}

test('the lists are long enough to mean something', () => {
  expect(typed.length).toBeGreaterThanOrEqual(120)
  expect(asked.length).toBeGreaterThanOrEqual(120)
})

test('commands that look around run unasked, and only where nothing can be written', async () => {
  const all = [...harmless, ...typed]
  const answers = await Promise.all(all.map((command) => authorize(command)))

  expect(await withVerdict(all, 'ask')).toEqual([])
  expect(answers.filter(({ verdict, readsOnly }) => verdict === 'allow' && !readsOnly)).toEqual([])
})

test('commands that change, reach out or run something are asked for', async () => {
  expect(await withVerdict(asked, 'allow')).toEqual([])
})

test('without a sandbox everything is asked for', async () => {
  expect(await withVerdict([...harmless, ...typed, ...asked], 'allow', { sandboxed: false })).toEqual([])
})

test('with a network only what is certain to read runs unasked', async () => {
  const passed = await withVerdict(typed, 'allow', { network: true })
  const judged = await Promise.all(passed.map((command) => judgeCommand(command)))

  expect(judged.filter(({ kind }) => kind !== 'read-only')).toEqual([])
})

describe('what only a sandbox makes harmless is not taken for a reader', () => {
  test.each([
    ['awk \'/[^]/ # ]/ {system("touch x")}\' f'],
    ['awk \'/[[:]/ # ]/ {print | "sh"}\' f'],
    ['awk \'BEGIN /#/ {print > "x"}\' f'],
    ['uniq d*'],
    ['uniq -- d*'],
    ['xxd d*'],
    ['sed 1a* f'],
    ['sed -e 1a* f'],
    ['sed --expression=1a* f'],
    ['awk 1* f'],
    ['jq .* f'],
    ['git config a.b*'],
    ['printf *'],
    ['[ -f * ]'],
    ['ps *'],
    ['sort -o* a'],
    ['for f in *; do head -1 $f; done'],
    ['cd x && git status'],
  ])('%s', async (command) => {
    expect((await judgeCommand(command)).kind).not.toBe('read-only')
  })
})

test('a command that tried to write is judged as one that writes', async () => {
  const { verdict, why, readsOnly } = await createPermissions({
    mode: 'ask',
    roots: [root],
    sandboxed: true,
  }).authorize({
    call: { id: '1', name: 'run_command', input: '{}' },
    category: 'run',
    access: [{ kind: 'run', target: 'ls' }],
    mayWrite: true,
  })

  expect([verdict, why, readsOnly]).toEqual([
    'ask',
    'run_command runs a command: ls (it tried to write)',
    undefined,
  ])
})
