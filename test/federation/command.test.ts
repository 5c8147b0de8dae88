/** `covey peers` and `covey swarm status`, with a data folder of their own and a real machine to pair with. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readInviteCode } from '../../src/federation/invite-code.ts'
import { lanFiles, openLan } from '../../src/federation/lan/open.ts'
import { federationHealth, federationRoutes } from '../../src/server/admin/federation.ts'
import { tempHome } from '../config/home.ts'
import { invite, startMachine } from './machines.ts'
import { openTestServer } from '../server/support.ts'
import { covey } from '../support/covey.ts'

const dataFolderOf = ({ env }: ReturnType<typeof tempHome>) => join(env['HOME'] ?? '', '.local/share/covey')

describe('covey peers', () => {
  test('there is no peer at first, and the output says how to add one', async () => {
    const home = tempHome()

    const { code, out } = await covey(['peers'], home)

    const { id } = await lanFiles(dataFolderOf(home)).identity()
    expect([code, out]).toEqual([
      0,
      `this machine is ${id}\nNo machine is paired yet; \`covey peers invite\` makes a code for one.\n`,
    ])
  })

  test('an invitation is one line, and says what is missing for it to work', async () => {
    const home = tempHome({ user: '[federation]\nhost = "192.168.1.20"\nport = 4321\n' })

    const { code, out, err } = await covey(['peers', 'invite'], home)

    const { id } = await lanFiles(dataFolderOf(home)).identity()
    expect(code).toBe(0)
    expect(readInviteCode(out)).toMatchObject({ id, port: 4321, addresses: ['192.168.1.20'] })
    expect(err).toContain('covey serve --federation --host 192.168.1.20')
  })

  test('a server that runs here says where it is', async () => {
    const home = tempHome()
    const lan = await openLan({ dataFolder: dataFolderOf(home), name: 'here', discover: false })
    onTestFinished(() => lan.close())
    const offer = { report: () => expect.unreachable(), answer: () => expect.unreachable() }
    const { port } = await lan.listen({ host: '127.0.0.1', port: 0 }, offer)

    const { out, err } = await covey(['peers', 'invite'], home)

    expect(readInviteCode(out)).toMatchObject({ port, addresses: ['127.0.0.1'] })
    expect(err).not.toContain('--federation')
  })

  test('one that was killed is not believed to run', async () => {
    const home = tempHome()
    await covey(['peers'], home)
    const listening = JSON.stringify({ addresses: ['127.0.0.1'], port: 1 })
    writeFileSync(join(dataFolderOf(home), 'listening.json'), listening)

    const { err } = await covey(['peers', 'invite'], home)

    expect(err).toContain('no server accepts peers yet')
  })

  test('join, look, change what it may do, and part', async () => {
    const home = tempHome()
    const machine = await startMachine({ name: 'studio' })
    const short = machine.lan.id.slice(0, 8)

    const joined = await covey(['peers', 'join', await invite(machine)], home)
    const listed = await covey(['peers', 'ls'], home)
    const scoped = await covey(['peers', 'scope', 'studio', 'status'], home)
    const removed = await covey(['peers', 'rm', short], home)

    expect(joined.out).toBe(`Paired with studio (${short}).\n`)
    expect(listed.out).toContain(`studio                ${short}  here  generate,status  m\n`)
    expect(scoped.out).toBe('studio may: status.\n')
    expect(removed.out).toBe(`Removed studio (${short}). Remove this machine there as well.\n`)
    expect(await lanFiles(dataFolderOf(home)).book.list()).toEqual([])
  })

  test.each([
    [['frobnicate'], 'unknown action "frobnicate" of covey peers; there are ls, invite, join, rm, scope.'],
    [['join'], 'which code?'],
    [['join', 'nonsense'], 'this is not an invitation'],
    [['rm', 'absent'], 'no peer is called "absent"; paired are none yet.'],
    [['scope', 'x', 'fly'], '"fly" is not a scope; the scopes are generate, tools, status.'],
  ])('covey peers %j is refused', async (args, message) => {
    const { code, err } = await covey(['peers', ...args], tempHome())

    expect(code).toBe(2)
    expect(err).toContain(message)
  })

  test('of several with one name, the key says which', async () => {
    const home = tempHome()
    const { book } = lanFiles(dataFolderOf(home))
    for (const letter of ['a', 'b']) {
      await book.add({ id: letter.repeat(64), name: 'laptop', addresses: [] })
    }

    const { code, err } = await covey(['peers', 'rm', 'laptop'], home)

    expect([code, err]).toEqual([2, 'covey: 2 peers are called "laptop"; say which: aaaaaaaa, bbbbbbbb.\n'])
  })
})

describe('covey swarm status', () => {
  test('says that only this machine is asked', async () => {
    const { out } = await covey(['swarm', 'status'], tempHome())

    expect(out).toMatch(/^swarm: off, 3 workers.*\nmachines: only this one/)
  })

  test('shows the machines that would be asked, too', async () => {
    const home = tempHome({ user: '[federation]\nenabled = true\n[swarm]\nmode = "auto"\nworkers = 5\n' })
    await lanFiles(dataFolderOf(home)).book.add({ id: 'c'.repeat(64), name: 'studio', addresses: [] })

    const { out } = await covey(['swarm'], home)

    expect(out).toBe(
      'swarm: auto, 5 workers\n' +
        'studio                cccccccc  gone  generate,status  no address of it is known; start it, or give --peer HOST:PORT\n',
    )
  })
})

describe('covey serve --federation', () => {
  test.each([[[]], [['--host', '127.0.0.1']], [['--host', 'localhost']]])(
    'with %j exits 2 with the line to type',
    async (host) => {
      const { code, err } = await covey(['serve', '--federation', ...host], tempHome())

      expect(code).toBe(2)
      expect(err).toMatch(/covey serve --federation --host \S+|connect it to a network/)
    },
  )
})

test('GET /v1/federation/health shows all peers to an admin only', async () => {
  const health = {
    enabled: true,
    id: 'i',
    listening: { address: '10.0.0.1:17617', why: 'given by --host' },
    peers: [{ id: 'p', name: 'studio', via: 'lan' as const, state: 'gone' as const, why: 'x', models: [] }],
    strangers: [],
  }
  const server = await openTestServer(federationRoutes(() => health))
  const chat = await server.addToken('chatter', ['chat'])

  const shown = await server.ask({ path: '/v1/federation/health' })
  const refused = await server.ask({
    path: '/v1/federation/health',
    headers: { authorization: `Bearer ${chat}` },
  })

  expect([shown.status, federationHealth.parse(shown.json())]).toEqual([200, health])
  expect(refused.status).toBe(403)
})
