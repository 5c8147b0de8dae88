/** Two machines become peers: what a code holds, who may use it, how often and how long. */
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { askJson, dial } from '../../src/federation/dial.ts'
import { openIdentity } from '../../src/federation/identity.ts'
import { readInviteCode, writeInviteCode } from '../../src/federation/invite-code.ts'
import { fromSecret } from '../../src/federation/invites.ts'
import { lanFiles } from '../../src/federation/lan/open.ts'
import { openListener, sendJson } from '../../src/federation/listener.ts'
import { EXPORTER_BYTES, EXPORTER_LABEL, proofOf } from '../../src/federation/proof.ts'
import { invite, joinWith, NEVER, quick, startMachine, tempFolder, type TestMachine } from './machines.ts'

const HOUR = 3_600_000

describe('the key of a machine', () => {
  test('is made once, private, also when several processes make it at the same time', async () => {
    const path = join(await tempFolder(), 'keys', 'peer')

    const made = await Promise.all(Array.from({ length: 5 }, () => openIdentity(path)))
    const again = await openIdentity(path)

    expect(new Set(made.map(({ id }) => id))).toEqual(new Set([again.id]))
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(again.id).toMatch(/^[0-9a-f]{64}$/)
  })

  test('that is damaged is named, not replaced', async () => {
    const path = join(await tempFolder(), 'peer')
    await writeFile(path, 'nonsense', { mode: 0o600 })

    await expect(openIdentity(path)).rejects.toMatchObject({
      code: 'config-invalid',
      message: expect.stringContaining('is damaged'),
    })
    expect(await readFile(path, 'utf8')).toBe('nonsense')
  })
})

describe('a code', () => {
  test('says what was put into it', () => {
    const address = fc.oneof(fc.ipV4(), fc.ipV6())
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 16, maxLength: 16 }),
        fc.uint8Array({ minLength: 32, maxLength: 32 }),
        fc.integer({ min: 1, max: 65_535 }),
        fc.array(address, { minLength: 1, maxLength: 8 }),
        (secret, key, port, addresses) => {
          const invitation = { secret, id: Buffer.from(key).toString('hex'), port, addresses }

          expect(readInviteCode(` ${writeInviteCode(invitation)}\n`)).toEqual(invitation)
        },
      ),
    )
  })

  test.each(['', 'covey1-', 'hello', 'covey1-AAAA', 'covey2-' + 'A'.repeat(90)])('%j is none', (text) => {
    expect(() => readInviteCode(text)).toThrow('this is not an invitation')
  })

  test('that lost its end is none', async () => {
    const code = await invite(await startMachine())

    expect(() => readInviteCode(code.slice(0, -3))).toThrow('this is not an invitation')
  })
})

describe('pairing', () => {
  test('pins each key at the other, with the usual scopes', async () => {
    const one = await startMachine({ name: 'studio' })
    const other = await startMachine({ name: 'laptop' })

    await joinWith(other, await invite(one))

    expect(await other.files.book.list()).toMatchObject([
      { id: one.lan.id, name: 'studio', scopes: ['generate', 'status'], addresses: [one.address] },
    ])
    expect(await one.files.book.list()).toMatchObject([
      { id: other.lan.id, name: 'joiner', scopes: ['generate', 'status'], addresses: [other.address] },
    ])
  })

  test('shows what is in a name instead of obeying it', async () => {
    const one = await startMachine({ name: 'studio\u001b[2J\nlaptop 12345678  here' })
    const other = await startMachine()

    await joinWith(other, await invite(one))

    expect(await other.files.book.list()).toMatchObject([{ name: 'studio\\x1b[2J laptop 12345678 here' }])
  })

  test('keeps nothing of the secret on disk', async () => {
    const one = await startMachine()

    const { secret } = readInviteCode(await invite(one))

    const kept = await readFile(join(one.folder, 'invites.json'), 'utf8')
    expect(kept).not.toContain(Buffer.from(secret).toString('hex'))
    expect((await stat(join(one.folder, 'invites.json'))).mode & 0o777).toBe(0o600)
  })

  test('is for one machine: the code cannot be used again', async () => {
    const one = await startMachine()
    const [first, second] = [await startMachine(), await startMachine()]
    const code = await invite(one)
    await joinWith(first, code)

    await expect(joinWith(second, code)).rejects.toThrow('the code is not valid there')
    expect(await one.files.book.list()).toHaveLength(1)
    expect(await second.files.book.list()).toEqual([])
  })

  test('of two who use one code at the same time, one is late', async () => {
    const one = await startMachine()
    const both = [await startMachine(), await startMachine()]
    const code = await invite(one)

    const joined = await Promise.allSettled(both.map((machine) => joinWith(machine, code)))

    expect(joined.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(await one.files.book.list()).toHaveLength(1)
  })

  test('with itself makes no sense', async () => {
    const one = await startMachine()

    await expect(joinWith(one, await invite(one))).rejects.toThrow('from this machine')
  })

  test('again keeps what the peer may do', async () => {
    const [one, other] = [await startMachine(), await startMachine()]
    await joinWith(other, await invite(one))
    await one.files.book.setScopes(other.lan.id, ['status', 'tools'])

    await joinWith(other, await invite(one))

    expect(await one.files.book.list()).toMatchObject([{ scopes: ['status', 'tools'] }])
  })
})

describe('a code does not work', () => {
  test('where another key answers, and nothing is disclosed there', async () => {
    const [real, impostor] = [await startMachine(), await startMachine()]
    const joiner = await startMachine()
    const code = readInviteCode(await invite(real))

    const joined = joinWith(joiner, writeInviteCode({ ...code, port: impostor.port }))

    await expect(joined).rejects.toThrow(/the inviting machine does not answer.*not [0-9a-f]{8}/)
    expect(await joiner.files.book.list()).toEqual([])
  })

  test('after ten minutes', async () => {
    let clock = Date.now()
    const one = await startMachine({ now: () => clock })
    const code = await invite(one)

    clock += 10 * 60_000 + 1

    await expect(joinWith(await startMachine(), code)).rejects.toThrow('the code is not valid there')
  })

  test('after five tries, not even with the right secret', async () => {
    let clock = Date.now()
    const one = await startMachine({ now: () => clock })
    const joiner = await startMachine()
    const code = await invite(one)
    for (let index = 0; index < 5; index++) {
      expect(await tryProof(one, joiner, { code, proof: '0'.repeat(64) })).toBe(403)
      clock += 30_000
    }

    await expect(joinWith(joiner, code)).rejects.toThrow('the code is not valid there')
  })

  test('after wrong guesses at it; guesses at it or at none leave the others as they are', async () => {
    const one = await startMachine()
    const joiner = await startMachine()
    const code = await invite(one)
    const other = await invite(one)
    const guessed = writeInviteCode({ ...readInviteCode(code), secret: new Uint8Array(16) })
    const answers: number[] = []
    // One after the other: machines that are not paired share a few connections, each with a short time limit.
    for (const tried of [...Array<string>(6).fill(code), ...Array<string>(20).fill(guessed)])
      answers.push(await tryProof(one, joiner, { code: tried, proof: 'f'.repeat(64) }))

    expect(new Set(answers)).toEqual(new Set([403]))
    await expect(joinWith(joiner, code)).rejects.toThrow('the code is not valid there')
    expect(await joinWith(joiner, other)).toMatchObject({ id: one.lan.id })
  })

  test('by replaying a proof: it is bound to one connection', async () => {
    const [one, joiner] = [await startMachine(), await startMachine()]
    const code = await invite(one)
    const { secret } = readInviteCode(code)
    const recorded = await proofOnAnotherConnection(one, joiner, secret)

    expect(await tryProof(one, joiner, { code, proof: recorded })).toBe(403)
  })

  test('at a machine that does not know the secret itself', async () => {
    const folder = await tempFolder()
    const identity = await lanFiles(folder).identity()
    const liar = await openListener({
      identity,
      host: '127.0.0.1',
      port: 0,
      timing: quick,
      allowance: async () => 10_000,
      handle: async ({ response }) =>
        sendJson(response, 200, { version: 1, name: 'liar', proof: 'a'.repeat(64) }),
    })
    onTestFinished(() => liar.close())
    const joiner = await startMachine()
    const secret = new Uint8Array(16)
    const code = writeInviteCode({ secret, id: identity.id, port: liar.port, addresses: ['127.0.0.1'] })

    await expect(joinWith(joiner, code)).rejects.toThrow('does not know the secret')
    expect(await joiner.files.book.list()).toEqual([])
  })
})

test('clocks an hour apart do not matter', async () => {
  const ahead = await startMachine({ now: () => Date.now() + HOUR })
  const behind = await startMachine({ now: () => Date.now() - HOUR })

  await joinWith(behind, await invite(ahead))
  await joinWith(ahead, await invite(behind))
  await Promise.all([ahead.lan.look(), behind.lan.look()])

  const states = [ahead, behind].map(({ lan }) => lan.machines()[0]?.state().state)
  expect(states).toEqual(['here', 'here'])
})

type Trial = { readonly code: string; readonly proof: string }

/** The status of a pairing with a made-up proof. */
async function tryProof(one: TestMachine, joiner: TestMachine, { code, proof }: Trial): Promise<number> {
  const { tag } = fromSecret(readInviteCode(code).secret)
  const body = { version: 1, tag, name: 'x', proof }
  return (await askJson(await connect(one, joiner), { path: '/pair', body }, 2_000)).status
}

async function proofOnAnotherConnection(
  one: TestMachine,
  joiner: TestMachine,
  secret: Uint8Array,
): Promise<string> {
  const socket = await connect(one, joiner)
  const exporter = socket.exportKeyingMaterial(EXPORTER_BYTES, EXPORTER_LABEL, Buffer.alloc(0))
  socket.destroy()
  const { key } = fromSecret(secret)
  return proofOf('joiner', { key, joiner: joiner.lan.id, inviter: one.lan.id, exporter })
}

const connect = async (one: TestMachine, joiner: TestMachine) =>
  dial(
    {
      identity: await joiner.files.identity(),
      address: one.address,
      expected: one.lan.id,
      timeoutMs: 2_000,
    },
    NEVER,
  )
