/** The whole program behind real HTTP, asked once. */
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { AppOptions } from '../../src/app/open.ts'
import { startServing } from '../../src/app/serve.ts'
import { openServing } from '../../src/app/served.ts'
import { type ScriptedServerReply, startModelServer } from '../support/model-server.ts'
import { tempProject } from '../support/project.ts'
import { emptyHome } from '../support/run.ts'

/** Says these things, the last one for ever. */
export async function modelServer(reply: readonly ScriptedServerReply[]) {
  const server = await startModelServer(reply, { repeatLast: true })
  onTestFinished(() => server.close())
  return server
}

export async function post(options: Partial<AppOptions>, body: object) {
  const response = await ask(options, body)
  return { status: response.status, body: (await response.json()) as Reply }
}

/** All that goes over the wire, events included. */
export async function postStream(options: Partial<AppOptions>, body: object) {
  const response = await ask(options, { ...body, stream: true })
  return { status: response.status, text: await response.text() }
}

async function ask(options: Partial<AppOptions>, body: object): Promise<Response> {
  const env = await emptyHome()
  const cwd = await tempProject({ 'a.txt': 'hello\n' })
  const dataFolder = join(env['XDG_DATA_HOME'] ?? '', 'covey')
  const open = () => openServing({ env, cwd, ...options })
  const started = await startServing({ dataFolder, port: 0, isAuthOff: true }, open)
  onTestFinished(() => started.close())
  return fetch(`http://127.0.0.1:${started.port}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

type Reply = {
  readonly error?: { readonly code: string; readonly message: string }
  readonly choices?: readonly { readonly finish_reason: string }[]
}
