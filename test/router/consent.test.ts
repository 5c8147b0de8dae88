/** Servers that were found are used unasked only if their process belongs to this user or to the system. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Consent, openConsent } from '../../src/router/consent.ts'
import { fromTables, type Owner, ownersOf } from '../../src/router/listeners.ts'

async function dataFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'covey-consent-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

const usual = (port: number) => ({ name: 'usual', baseUrl: `http://127.0.0.1:${port}/v1`, isUsual: true })

const line = (local: string, state: string, uid: number): string =>
  `   0: ${local} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000 ${String(uid).padStart(5)}        0 637 1 0 100 0 0 10 0`

describe('the owner of a port is read from the tables of the kernel', () => {
  test.each([
    ['loopback', '0100007F:1F90'],
    ['every address', '00000000:1F90'],
    ['another loopback address', '0200007F:1F90'],
    ['every address of IPv6', `${'0'.repeat(32)}:1F90`],
    ['loopback of IPv6', `${'0'.repeat(24)}01000000:1F90`],
    ['IPv4 within IPv6', `${'0'.repeat(16)}FFFF00000100007F:1F90`],
  ])('%s', (_, local) => {
    expect(fromTables(['  sl  local_address\n', line(local, '0A', 1234)], 8080)).toEqual([1234])
  })

  test.each([
    ['a connection, not a listener', line('0100007F:1F90', '01', 1234)],
    ['another port', line('0100007F:1F91', '0A', 1234)],
    ['an address of the network', line('0101A8C0:1F90', '0A', 1234)],
    ['nothing', ''],
  ])('%s says nothing', (_, table) => {
    expect(fromTables([table], 8080)).toEqual(['unknown'])
  })

  test('all who share it count', () => {
    const shared = [line('0100007F:1F90', '0A', 1000), line('0100007F:1F90', '0A', 1234)].join('\n')

    expect(fromTables([shared, line(`${'0'.repeat(32)}:1F90`, '0A', 7)], 8080)).toEqual([1000, 1234, 7])
  })
})

describe('a server that was found', () => {
  const judge = async (owners: readonly Owner[], uid = 1000): Promise<string | undefined> =>
    openConsent({ dataFolder: await dataFolder(), uid, owners: () => owners }).problem(usual(8080))

  test.each<[string, readonly Owner[]]>([
    ['this user', [1000]],
    ['root', [0]],
    ['a user of the system', [999]],
    ['this user and root', [1000, 0]],
  ])('of %s is used', async (_, owners) => {
    expect(await judge(owners)).toBeUndefined()
  })

  test.each<[string, readonly Owner[], string]>([
    ['another person', [1001], 'uid 1001'],
    ['nobody', [65_534], 'uid 65534'],
    ['this user and another person', [1000, 1001], 'uid 1001'],
    ['a user that cannot be found out', ['unknown'], 'cannot be found out'],
  ])('of %s is not', async (_, owners, who) => {
    const why = await judge(owners)

    expect(why).toContain(who)
    expect(why).toContain('covey providers allow 8080')
  })

  test('of a person, found by root, is not', async () => {
    expect(await judge([1000], 0)).toContain('uid 1000')
  })

  test('is used after one yes, for this user and this port', async () => {
    const folder = await dataFolder()
    let owners: readonly Owner[] = [1001]
    const open = (): Consent => openConsent({ dataFolder: folder, uid: 1000, owners: () => owners })

    await open().allow(8080)

    expect(open().problem(usual(8080))).toBeUndefined()
    expect(open().problem(usual(8000))).toContain('uid 1001')
    owners = [1002]
    expect(open().problem(usual(8080))).toContain('uid 1002')
    expect((await stat(join(folder, 'allowed-servers.json'))).mode & 0o777).toBe(0o600)
    expect(JSON.parse(await readFile(join(folder, 'allowed-servers.json'), 'utf8'))).toEqual([
      { owner: 1001, port: 8080 },
    ])
  })

  test('is asked for once; a no is kept, and `allow` takes it back', async () => {
    const folder = await dataFolder()
    const open = (): Consent => openConsent({ dataFolder: folder, uid: 1000, owners: () => [1001] })

    const question = open().question(usual(8080))
    await open().refuse(8080)

    expect(question).toBe(
      'What listens on port 8080 (usual) belongs to another user (uid 1001) and would get every prompt. Use it from now on?',
    )
    expect([open().question(usual(8080)), open().question(usual(8000)) !== undefined]).toEqual([
      undefined,
      true,
    ])
    expect(open().problem(usual(8080))).toContain('covey providers allow 8080')
    await open().allow(8080)
    expect([open().question(usual(8080)), open().problem(usual(8080))]).toEqual([undefined, undefined])
  })

  test('is looked at again: another may have taken the port', async () => {
    let owners: readonly Owner[] = [1000]
    let now = 0
    const consent = openConsent({
      dataFolder: await dataFolder(),
      uid: 1000,
      owners: () => owners,
      now: () => now,
    })
    const before = consent.problem(usual(8080))
    owners = [1001]
    now = 1_000

    expect([before, consent.problem(usual(8080))]).toEqual([undefined, expect.stringContaining('uid 1001')])
  })

  test('that a person configured is never looked at', async () => {
    const consent = openConsent({ dataFolder: await dataFolder(), uid: 1000, owners: () => [1001] })

    expect(consent.problem({ name: 'own', baseUrl: 'http://127.0.0.1:8080/v1' })).toBeUndefined()
  })
})

describe.skipIf(process.platform !== 'linux')('on Linux', () => {
  test('a server of ours is ours', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')

    expect(ownersOf((server.address() as AddressInfo).port)).toEqual([process.getuid?.()])
  })

  test.skipIf(process.getuid?.() !== 0)('a server of another user is theirs (needs root)', async () => {
    const program =
      "const s=require('http').createServer().listen(0,'0.0.0.0',()=>console.log(s.address().port))"
    const child = spawn(process.execPath, ['-e', program], { uid: 4242, gid: 4242, cwd: '/', env: {} })
    onTestFinished(() => void child.kill('SIGKILL'))
    const [text] = (await once(child.stdout, 'data')) as [Buffer]

    expect(ownersOf(Number(text.toString()))).toEqual([4242])
  })
})
