/** A gateway in front of the server: what it does not understand it drops or refuses. `npm install` in this folder first. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import OpenAI from 'openai'
import { describe, expect, onTestFinished, test } from 'vitest'
import { calls, says, scriptedModel } from '../../src/provider/scripted.ts'
import { type ApiHost, startApi, weatherTool } from '../server/api/host.ts'

const gateway = fileURLToPath(
  new URL('node_modules/@portkey-ai/gateway/build/start-server.js', import.meta.url),
)
const isInstalled = existsSync(gateway)
const skipped = isInstalled ? '' : ' (skipped: run `npm install` in test/clients first)'

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
}

async function behindGateway(host: ApiHost): Promise<OpenAI> {
  const port = await freePort()
  const child = spawn(process.execPath, [gateway, `--port=${port}`, '--headless'], {
    stdio: 'ignore',
    env: { PATH: process.env['PATH'], TRUSTED_CUSTOM_HOSTS: '127.0.0.1' },
  })
  onTestFinished(() => void child.kill())
  const url = `http://127.0.0.1:${port}`
  while (!(await fetch(url).then(Boolean, () => false))) await delay(100)
  return new OpenAI({
    baseURL: `${url}/v1`,
    apiKey: await host.key(),
    maxRetries: 0,
    defaultHeaders: { 'x-portkey-provider': 'openai', 'x-portkey-custom-host': `${host.url}/v1` },
  })
}

describe.skipIf(!isInstalled)(`the Portkey gateway${skipped}`, () => {
  test('passes a round trip with a tool on', async () => {
    const model = scriptedModel(
      [says('Let me see.'), calls('get_weather', { city: 'Rome' })],
      [says('Sunny.')],
    )
    const client = await behindGateway(await startApi(model))
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Weather in Rome?' }]

    // Not as a stream: on Node 20 this version of the gateway fails with every upstream there.
    const first = await client.chat.completions.create({ model: 'scripted', messages, tools: [weatherTool] })
    const { message } = first.choices[0]!
    const result = { role: 'tool', tool_call_id: message.tool_calls![0]!.id, content: 'sunny' } as const
    const second = await client.chat.completions.create({
      model: 'scripted',
      messages: [...messages, message, result],
    })

    expect(first.choices[0]?.finish_reason).toBe('tool_calls')
    expect(first.usage?.total_tokens).toBeGreaterThan(0)
    expect(second.choices[0]?.message.content).toBe('Sunny.')
  })
})
