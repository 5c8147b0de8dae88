import { execFileSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createExec } from '../../../src/guard/exec.ts'
import { tempProject } from '../../support/project.ts'
import { missing, named, patient, sandboxed } from '../with-sandbox.ts'

const hasPython = ((): boolean => {
  try {
    execFileSync('python3', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

let hits = 0
const servers: Server[] = []
const udp = createSocket('udp4', () => void hits++)
const places = { tcp: 0, six: 0, udp: 0, socket: '', abstract: '\0covey-test-' + process.pid }
const folder = await mkdtemp('/var/tmp/covey-test-')

async function listen(where: { port: number; host: string } | { path: string }): Promise<number> {
  const server = createServer((connection) => {
    hits++
    connection.destroy()
  })
  servers.push(server)
  server.listen(where)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

beforeAll(async () => {
  places.tcp = await listen({ port: 0, host: '127.0.0.1' })
  places.six = await listen({ port: 0, host: '::1' }).catch(() => 1)
  places.socket = join(folder, 'door.sock')
  await listen({ path: places.socket })
  await listen({ path: places.abstract })
  udp.bind(0, '127.0.0.1')
  await once(udp, 'listening')
  places.udp = udp.address().port
})
afterAll(async () => {
  for (const server of servers) server.close()
  udp.close()
  await rm(folder, { recursive: true, force: true })
})

const connect = (where: string): string =>
  `node -e "require('net').connect(${where}).on('connect', () => process.exit(0)).on('error', (e) => { console.log(e.code); process.exit(1) })"`
const python = (code: string): string => `python3 -c "import socket; ${code}"`

/** How one would get out, each as a command that succeeds when it did. */
const ways: Readonly<Record<string, () => string>> = {
  tcp: () => connect(`${places.tcp}, '127.0.0.1'`),
  'tcp by bash': () => `exec 3<>/dev/tcp/127.0.0.1/${places.tcp}`,
  ipv6: () => connect(`${places.six}, '::1'`),
  udp: () =>
    `node -e "require('dgram').createSocket('udp4').send('x', ${places.udp}, '10.255.255.1', (e) => process.exit(e ? 1 : 0))"`,
  dns: () => 'getent hosts example.com',
  'dns by node': () => `node -e "require('dns').resolve('example.com', (e) => process.exit(e ? 1 : 0))"`,
  icmp: () =>
    python(
      "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP); s.connect(('10.255.255.1', 1)); s.send(b'x' * 64)",
    ),
  'raw socket': () => python('socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)'),
  'unix socket': () => connect(`'${places.socket}'`),
  'abstract socket': () =>
    python(`s = socket.socket(socket.AF_UNIX); s.connect(chr(0) + '${places.abstract.slice(1)}')`),
  curl: () => `curl -sS --max-time 3 http://127.0.0.1:${places.tcp}/`,
  'curl by proxy': () =>
    `http_proxy=http://127.0.0.1:${places.tcp} curl -sS --max-time 3 http://example.com/`,
  git: () => `git ls-remote http://127.0.0.1:${places.tcp}/x.git`,
  npm: () => `npm view left-pad version --registry http://127.0.0.1:${places.tcp}/ --fetch-retries 0`,
}

describe.skipIf(missing !== undefined)(named('with no network allowed nothing gets out'), () => {
  test.each(Object.keys(ways).filter((way) => hasPython || !/icmp|raw|abstract/.test(way)))(
    'by %s',
    async (way) => {
      hits = 0
      const exec = await sandboxed(await tempProject())

      const { exitCode } = await exec.shell(ways[way]!(), patient())

      expect(exitCode).not.toBe(0)
      expect(hits).toBe(0)
    },
  )

  test('a socket inside the workspace with another listener is closed too', async () => {
    hits = 0
    const cwd = await tempProject()
    await listen({ path: join(cwd, 'door.sock') })
    const exec = await sandboxed(cwd)

    const { exitCode } = await exec.shell(connect(`'${cwd}/door.sock'`), patient())

    expect([exitCode === 0, hits]).toEqual([false, 0])
  })

  test('what runs inside can talk to itself', async () => {
    const exec = await sandboxed(await tempProject())

    const { output } = await exec.shell(
      `node -e "require('http').createServer((q, s) => s.end('hello')).listen(3000)" & for i in $(seq 50); do sleep 0.2; curl -s http://127.0.0.1:3000 && break; done`,
      patient(),
    )

    expect(output).toBe('hello')
  })

  test('a server in the background can be reached by the next command', async () => {
    const exec = await sandboxed(await tempProject())
    await exec.start(`node -e "require('http').createServer((q, s) => s.end('hello')).listen(3000)"`)

    const { output } = await exec.shell(
      'for i in $(seq 50); do sleep 0.2; curl -s http://127.0.0.1:3000 && break; done',
      patient(),
    )

    expect(output).toBe('hello')
  })

  test('the network can be allowed for one run', async () => {
    hits = 0
    const exec = await sandboxed(await tempProject())
    const grant = { kind: 'network' } as const

    const { exitCode } = await exec.shell(ways['tcp']!(), patient({ grant }))

    expect([exitCode, hits]).toEqual([0, 1])
  })

  test('and outside the sandbox these ways do lead out', async () => {
    hits = 0
    const exec = createExec({ cwd: await tempProject() })

    for (const way of ['tcp', 'tcp by bash', 'unix socket', 'curl']) await exec.shell(ways[way]!(), patient())

    await exec.close()
    expect(hits).toBe(4)
  })
})
