import { expect, test } from 'vitest'
import { settleExecutable } from '../../src/engine/executable-changes.ts'
import { AppError } from '../../src/protocol/error.ts'
import type { Exec, ExecutableChanges, ToolContext, ToolResult, Withheld } from '../../src/protocol/tool.ts'

const { signal } = new AbortController()
const RESULT: ToolResult = { ok: true, text: 'done' }

/** Settles these changes; what the person was asked comes along. */
async function settle(changes: ExecutableChanges, answer: () => Promise<string>, result = RESULT) {
  const asked: string[] = []
  const ask: ToolContext['ask'] = ({ question }) => {
    asked.push(question)
    return answer()
  }
  const exec = { executable: async () => changes } as unknown as Exec
  return { outcome: await settleExecutable(result, { exec, ask, cwd: '/project' }, signal), asked }
}

function hook(kept: string[], more: Partial<Withheld> = {}): Withheld {
  const keep = async (): Promise<void> => void kept.push('.envrc')
  return { path: '.envrc', does: 'direnv runs it', isNew: true, shown: 'evil\u001b[2K', keep, ...more }
}

test('a result stays as it is when nothing was withheld', async () => {
  const { outcome, asked } = await settle({ withheld: [], started: [] }, async () => 'keep')

  expect(outcome).toEqual(RESULT)
  expect(asked).toEqual([])
})

test('what the person keeps is put in place and counts as changed', async () => {
  const kept: string[] = []

  const { outcome, asked } = await settle(
    { withheld: [hook(kept)], started: ['Makefile'] },
    async () => 'keep',
  )

  expect(kept).toEqual(['.envrc'])
  expect(outcome).toEqual({
    ok: true,
    text: 'done\n[kept, as the person decided: .envrc]',
    changed: ['Makefile', '.envrc'],
  })
  expect(asked).toHaveLength(1)
  expect(asked[0]).toContain('.envrc (new): if it stays, direnv runs it.')
  expect(asked[0]).not.toContain('\u001b')
})

test.each([
  ['says no', async () => 'leave it out'],
  [
    'cannot be asked',
    async () => Promise.reject(new AppError('permission-denied', 'No user is available to answer.')),
  ],
])('what was withheld stays withheld when the user %s', async (_, answer) => {
  const kept: string[] = []

  const { outcome } = await settle({ withheld: [hook(kept, { keptAt: '/data/1' })], started: [] }, answer)

  expect(kept).toEqual([])
  expect(outcome).toEqual({
    ok: true,
    text: 'done\n[withheld: .envrc is removed again, because direnv runs it; the person can put it in place with: cp /data/1 /project/.envrc]',
    changed: [],
  })
})

test('what could not be withheld is reported without a question', async () => {
  const stuck: Withheld = {
    path: '.envrc',
    does: 'direnv runs it',
    isNew: false,
    shown: '',
    problem: 'disk full',
  }

  const { outcome, asked } = await settle({ withheld: [stuck], started: [] }, async () => 'keep')

  expect(asked).toEqual([])
  expect(outcome.text).toBe('done\n[not withheld: .envrc; direnv runs it; disk full]')
})

test('an error of the question is not taken for an answer', async () => {
  const failing = settle({ withheld: [hook([])], started: [] }, () => Promise.reject(new Error('broken')))

  await expect(failing).rejects.toThrow('broken')
})
