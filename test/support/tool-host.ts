/** A tool host on loopback: its own home, its own folder, its own permissions. */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Config } from '../../src/config/schema.ts'
import type { Identity } from '../../src/federation/identity.ts'
import { lanFiles } from '../../src/federation/lan/open.ts'
import type { PeerHosts } from '../../src/federation/tools/peer.ts'
import { startToolHost } from '../../src/app/serve-tools.ts'
import { tempProject } from './project.ts'

export type TestHome = { readonly env: NodeJS.ProcessEnv; readonly data: string }

export async function testHome(config = ''): Promise<TestHome> {
  const home = await tempProject()
  const file = join(home, 'config', 'covey', 'config.toml')
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, config)
  const env = {
    HOME: home,
    PATH: process.env['PATH'],
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_DATA_HOME: join(home, 'data'),
  }
  return { env, data: join(home, 'data', 'covey') }
}

/** A machine that the host is paired with: its own home, its own key. */
export type TestPeer = TestHome & {
  readonly identity: Identity
  /** The peers of this machine, as a session here is given them. */
  readonly peers: PeerHosts
}

/** The peer may run tools at the host, and knows it as `tower`; the port says where. */
export async function pairedPeer(host: TestHome, name = 'laptop'): Promise<TestPeer> {
  const peer = await unpairedPeer(host)
  const { book } = lanFiles(host.data)
  await book.add({ id: peer.identity.id, name, addresses: [] })
  await book.setScopes(peer.identity.id, ['generate', 'status', 'tools'])
  return peer
}

/** It knows the host, and the host does not know it. */
export async function unpairedPeer(host: TestHome): Promise<TestPeer> {
  const home = await testHome()
  const files = lanFiles(home.data)
  const { id } = await lanFiles(host.data).identity()
  await files.book.add({ id, name: 'tower', addresses: ['127.0.0.1:17617'] })
  return { ...home, identity: await files.identity(), peers: { ...files, addresses: [] } }
}

export type TestHost = TestHome & {
  readonly url: string
  readonly port: number
  readonly token: string
  readonly folder: string
  readonly banner: string
  execute(body: object, token?: string): Promise<{ readonly status: number; readonly body: Executed }>
  close(): Promise<void>
}

type Executed = { readonly ok: boolean; readonly text: string; readonly code: string | null }

export type TestHostOptions = {
  readonly files?: Readonly<Record<string, string>>
  readonly permission?: Config['permission']['mode']
  readonly config?: string
  readonly home?: TestHome
  readonly host?: string
}

export async function openTestHost(options: TestHostOptions = {}): Promise<TestHost> {
  const { files = {}, permission, config, home = await testHome(config), host } = options
  const folder = await tempProject(files)
  const started = await startToolHost({
    env: home.env,
    cwd: folder,
    port: 0,
    isAuthOff: false,
    ...(permission && { permission }),
    ...(host !== undefined && { host }),
  })
  onTestFinished(() => started.close())
  const url = `http://127.0.0.1:${started.port}`
  const token = /COVEY_TOOL_HOST__TOKEN=(\S+)/.exec(started.banner)?.[1] ?? ''
  return {
    ...home,
    url,
    port: started.port,
    token,
    folder,
    banner: started.banner,
    execute: async (body, given = token) => {
      const response = await fetch(`${url}/v1/tools/execute`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${given}` },
        body: JSON.stringify(body),
      })
      return { status: response.status, body: (await response.json()) as Executed }
    },
    close: () => started.close(),
  }
}
