import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { connectNats } from '../../../src/federation/nats/connection.ts'
import { watchLink } from '../../../src/federation/nats/link.ts'
import { NEVER } from '../machines.ts'
import { until } from '../../support/wait.ts'
import { missing, named, newServer, silent } from './server.ts'

describe.skipIf(missing !== undefined)(named('the connection to a NATS server'), () => {
  test('is made again, and what was asked before it broke is asked again then', async () => {
    const server = await newServer()
    const connection = await connectNats({ url: server.url }, { inbox: '_INBOX.a', name: 'a', log: silent })
    const link = watchLink(connection, 'nats://127.0.0.1')
    onTestFinished(link.close)
    const returned = vi.fn<() => void>()
    link.onReturn(returned)
    let tries = 0
    const asked = link.persist(() => (++tries === 1 ? new Promise(() => {}) : Promise.resolve('done')), NEVER)

    await server.kill()
    await until(() => !link.isUp())
    await server.start()

    expect(await asked).toBe('done')
    expect([tries, returned.mock.calls.length, link.isUp()]).toEqual([2, 1, true])
  })

  test('that was closed is not up', async () => {
    const { url } = await newServer()
    const link = watchLink(await connectNats({ url }, { inbox: '_INBOX.a', name: 'a', log: silent }), url)

    await link.close()

    await until(() => !link.isUp())
    expect(link.isUp()).toBe(false)
  })
})
