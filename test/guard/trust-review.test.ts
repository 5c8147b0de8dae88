/** A file that changed since it was trusted is asked for again, with what changed. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { openTrustOf, reviewTrusted } from '../../src/app/config.ts'
import { tempProject } from '../support/project.ts'

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

async function trusted(files: Readonly<Record<string, string>>) {
  const home = await tempProject(files)
  const cwd = join(home, 'project')
  await mkdir(cwd, { recursive: true })
  const env = { HOME: home }
  const trust = await openTrustOf(env)
  for (const [name, text] of Object.entries(files)) await trust.add(join(home, name), hashOf(text), text)
  const asked: string[] = []
  const review = (answer: boolean) =>
    reviewTrusted({ env, cwd }, async (question) => {
      asked.push(question.replaceAll(home, '~'))
      return answer
    })
  const isTrusted = async (name: string, text: string): Promise<boolean> =>
    (await openTrustOf(env)).isTrusted(join(home, name), hashOf(text))
  return { home, asked, review, isTrusted }
}

test('a changed file is shown and trusted after a yes', async () => {
  const { home, asked, review, isTrusted } = await trusted({ 'project/hook.sh': 'a\nold\nb\n' })
  await writeFile(join(home, 'project/hook.sh'), 'a\nnew\nb\n')

  await review(true)
  await review(true)

  expect(asked).toEqual([
    '~/project/hook.sh changed since you trusted it, so it does not run:\n-old\n+new\nTrust it as it is now?',
  ])
  expect(await isTrusted('project/hook.sh', 'a\nnew\nb\n')).toBe(true)
})

test('a no leaves it untrusted', async () => {
  const { home, review, isTrusted } = await trusted({ 'project/hook.sh': 'old\n' })
  await writeFile(join(home, 'project/hook.sh'), 'new\n')

  await review(false)

  expect(await isTrusted('project/hook.sh', 'new\n')).toBe(false)
})

test('what did not change, is gone or belongs to another project is not asked for', async () => {
  const { home, asked, review } = await trusted({ 'project/same.sh': 'a\n', 'other/hook.sh': 'old\n' })
  await writeFile(join(home, 'other/hook.sh'), 'new\n')

  await review(true)

  expect(asked).toEqual([])
})
