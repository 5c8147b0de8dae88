/** A tool host on loopback: its own home, its own folder, its own permissions. */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Config } from '../../src/config/schema.ts'
import { startToolHost } from '../../src/tool-serving.ts'
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

export type TestHost = TestHome & {
  readonly url: string
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
}

export async function openTestHost(options: TestHostOptions = {}): Promise<TestHost> {
  const { files = {}, permission, config, home = await testHome(config) } = options
  const folder = await tempProject(files)
  const started = await startToolHost({
    env: home.env,
    cwd: folder,
    port: 0,
    isAuthOff: false,
    ...(permission && { permission }),
  })
  onTestFinished(() => started.close())
  const url = `http://127.0.0.1:${started.port}`
  const token = /COVEY_TOOL_HOST__TOKEN=(\S+)/.exec(started.banner)?.[1] ?? ''
  return {
    ...home,
    url,
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
