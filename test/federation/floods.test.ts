/** Strangers that flood a machine: paired machines still get in, and what was proven is not forgotten. */
import { connect as connectTcp } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { describe, expect, onTestFinished, test } from 'vitest'
import { lanFiles } from '../../src/federation/lan/open.ts'
import { createMember } from '../../src/federation/member.ts'
import { hear, NEVER, pairUp, quick, startMachine, tempFolder, type TestMachine } from './machines.ts'
import { until } from '../support/wait.ts'

/** Keys that are not paired, each with the beginning of a pairing and no more. */
async function halfSent(machine: TestMachine, count: number): Promise<readonly TLSSocket[]> {
  const { key, certificate } = await lanFiles(await tempFolder()).identity()
  const opened = Array.from({ length: count }, () => {
    const options = { port: machine.port, host: '127.0.0.1', key, cert: certificate }
    const socket = connectTls({ ...options, rejectUnauthorized: false }, () =>
      socket.write('POST /pair HTTP/1.1\r\nhost: x\r\ncontent-length: 300\r\n\r\n{"version":1,'),
    )
    onTestFinished(() => void socket.destroy())
    return socket.on('error', () => {})
  })
  await until(() =>
    opened.every(({ destroyed, authorizationError }) => destroyed || authorizationError !== null),
  )
  return opened
}

const open = (sockets: readonly { readonly destroyed: boolean }[]) =>
  sockets.filter(({ destroyed }) => !destroyed).length

describe('a flood of strangers', () => {
  test('of half-sent pairings has a small share of the connections, and a moment', async () => {
    const one = await startMachine({ timing: { strangerMs: 1_500 } })
    const other = await startMachine()
    await pairUp(one, other)

    const flood = await halfSent(one, 100)
    const asked = hear(other.lan.machines()[0]!.model('m'))

    expect((await asked)[0]).toEqual({ type: 'text-delta', text: 'hello' })
    await until(() => open(flood) <= 48)
    await until(() => open(flood) === 0)
  })

  test('that say nothing at all do not keep a paired machine out', async () => {
    const one = await startMachine({ timing: { strangerMs: 60_000 } })
    const other = await startMachine()
    await pairUp(one, other)
    const silent = Array.from({ length: 600 }, () => {
      const socket = connectTcp({ port: one.port, host: '127.0.0.1' }).on('error', () => {})
      onTestFinished(() => void socket.destroy())
      return socket
    })
    await until(() => silent.every(({ connecting }) => !connecting))

    // The first look may have begun before, or wait until all of them were accepted.
    await until(() => other.lan.look().then(() => other.lan.machines()[0]?.state().state === 'here'))
  })

  test('of a paired machine does not keep another paired one out', async () => {
    const one = await startMachine()
    const [greedy, other] = [await startMachine(), await startMachine()]
    await pairUp(one, greedy)
    await pairUp(one, other)
    const { key, certificate } = await greedy.files.identity()
    const sockets = Array.from({ length: 100 }, () => {
      const options = { port: one.port, host: '127.0.0.1', key, cert: certificate }
      const socket = connectTls({ ...options, rejectUnauthorized: false }).on('error', () => {})
      onTestFinished(() => void socket.destroy())
      return socket
    })
    await until(() => open(sockets) <= 64)

    // A look that finds the machine busy with the flood may be late; another one is made.
    await until(() => other.lan.look().then(() => other.lan.machines()[0]?.state().state === 'here'))
  })
})

test('announcements of false addresses do not hide where a machine was and is', async () => {
  const one = await startMachine()
  const other = await startMachine()
  await pairUp(one, other)
  const [member] = other.lan.machines()
  const met: string[] = []
  const known = createMember({
    identity: await other.files.identity(),
    id: member!.id,
    name: 'one',
    addresses: { proven: ['127.0.0.1:9'], configured: [one.address] },
    timing: quick,
    port: () => undefined,
    onMet: (address) => met.push(address),
    signal: NEVER,
  })

  for (let port = 1; port < 300; port++) known.hint(`127.0.0.1:${port}`, 'announced')
  const answered = await known.look()

  expect([answered, met]).toEqual([true, [one.address]])
})
