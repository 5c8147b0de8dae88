/** `covey token`: what is listed, added and revoked. */
import { expect, test } from 'vitest'
import { tokenCommand } from '../../src/cli/token.ts'
import { tempFolder } from './support.ts'

function run(home: string, args: readonly string[], options: Record<string, unknown> = {}) {
  let out = ''
  let err = ''
  const io = {
    out: (text: string) => void (out += text),
    err: (text: string) => void (err += text),
    stdin: process.stdin,
    piped: async () => undefined,
    isTty: false,
  }
  const signal = new AbortController().signal
  return tokenCommand
    .run({ args, options, io, env: { HOME: home }, cwd: home, signal })
    .then((code) => ({ code, out, err }))
}

test('a token is added, shown once, listed without itself and revoked', async () => {
  const home = await tempFolder()

  const empty = await run(home, [])
  const added = await run(home, ['add', 'laptop'], { scope: 'chat, tools' })
  const listed = await run(home, ['ls'])
  const removed = await run(home, ['rm', 'laptop'])
  const after = await run(home, ['ls'])

  expect(empty.out).toContain('No tokens yet')
  expect(added.out).toMatch(/^covey_[\w-]{43}\n$/)
  expect(added.err).toContain('shown only now')
  expect(listed.out).toMatch(/^laptop +\d{4}-\d\d-\d\d {2}chat,tools\n$/)
  expect(removed.out).toBe('Revoked laptop.\n')
  expect(after.out).toBe(empty.out)
})

test.each([
  [['add'], {}, 'which token?'],
  [['rm', 'none'], {}, 'there is no token "none"'],
  [
    ['add', 'a'],
    { scope: 'chat,everything' },
    '--scope "everything" is not one of read, chat, tools, approve, admin, peer.',
  ],
  [['constructor'], {}, 'unknown action "constructor"'],
])('%j %j is wrong usage', async (args, options, message) => {
  const home = await tempFolder()

  await expect(run(home, args, options)).rejects.toMatchObject({
    code: 'config-invalid',
    message: expect.stringContaining(message),
  })
})
