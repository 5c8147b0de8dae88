/** Tokens on disk: only hashes, readable by no other user, and out at once when revoked. */
import { execFile } from 'node:child_process'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { openTokens } from '../../../src/server/http/tokens.ts'
import { createWrongTokens } from '../../../src/server/http/token-failures.ts'
import { childProgram } from '../../support/child.ts'
import { tempFolder } from '../support.ts'

const at = () => Date.UTC(2026, 10, 15)

test('a token has 256 bits, and the file only its hash', async () => {
  const path = join(await tempFolder(), 'data', 'tokens')
  const tokens = openTokens(path, at)

  const token = await tokens.add('laptop', ['chat', 'tools'])

  const kept = { name: 'laptop', scopes: ['chat', 'tools'], createdAt: '2026-11-15T00:00:00.000Z' }
  expect(Buffer.from(token.replace('covey_', ''), 'base64url')).toHaveLength(32)
  expect(await readFile(path, 'utf8')).not.toContain(token.slice(6, 20))
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect(await tokens.list()).toMatchObject([kept])
  expect(await tokens.find(token)).toMatchObject(kept)
  expect(await tokens.find(`${token}x`)).toBeUndefined()
  expect(await tokens.find('')).toBeUndefined()
})

test('what another process added or revoked counts at once', async () => {
  const path = join(await tempFolder(), 'tokens')
  const here = openTokens(path)
  const there = openTokens(path)

  const token = await there.add('a', ['chat'])
  const before = await here.find(token)
  const isRemoved = await there.remove('a')
  const after = await here.find(token)

  expect([before?.name, isRemoved, after]).toEqual(['a', true, undefined])
  expect(await there.remove('a')).toBe(false)
})

test('of many added and revoked at once, by several processes, none is lost', async () => {
  const path = join(await tempFolder(), 'tokens')
  const names = (who: string) => Array.from({ length: 5 }, (_, index) => `${who}-${index}`)
  await openTokens(path).add('old', ['chat'])

  await Promise.all([
    ...['a', 'b'].map((who) => addInProcess(path, names(who))),
    ...names('here').map((name) => openTokens(path).add(name, ['chat'])),
    openTokens(path).remove('old'),
  ])

  const kept = (await openTokens(path).list()).map(({ name }) => name)
  expect(kept.toSorted()).toEqual([...names('a'), ...names('b'), ...names('here')].toSorted())
})

/** Adds them all at the same time, in a process of its own. */
async function addInProcess(path: string, names: readonly string[]): Promise<void> {
  const program = await childProgram(new URL('add-tokens.ts', import.meta.url))
  await promisify(execFile)(process.execPath, [program, path, ...names])
}

test('a name is taken once, and is a name', async () => {
  const tokens = openTokens(join(await tempFolder(), 'tokens'))
  await tokens.add('a', ['chat'])

  await expect(tokens.add('a', ['chat'])).rejects.toThrow('there is a token "a" already')
  await expect(tokens.add('../a', ['chat'])).rejects.toThrow('not a valid name for a token')
  await expect(tokens.add('', ['chat'])).rejects.toThrow('not a valid name for a token')
})

test('a damaged file admits no client and says what to do', async () => {
  const path = join(await tempFolder(), 'tokens')
  await writeFile(path, '{"version":1,"tokens":[{"name":"a"}]}')

  await expect(openTokens(path).find('x')).rejects.toThrow('is damaged; correct it, or delete it')
})

test('wrong tokens are counted by address and minute, whatever the clock of the day does', () => {
  let now = 0
  const wrong = createWrongTokens(2, () => now)
  const countAt = (address: string, ms: number) => {
    now = ms
    return wrong.count(address)
  }

  expect([countAt('a', 0), countAt('a', 1), countAt('a', 2), countAt('b', 3), countAt('a', 59_000)]).toEqual([
    undefined,
    undefined,
    60,
    undefined,
    1,
  ])
  expect(countAt('a', 60_000)).toBeUndefined()
})

test('however many addresses guess, only so many are remembered', () => {
  const wrong = createWrongTokens(1, () => 0)
  wrong.count('first')

  for (let index = 0; index < 5_000; index++) wrong.count(`address ${index}`)

  expect(wrong.count('first')).toBeUndefined()
  expect(wrong.count('address 4999')).toBe(60)
})
