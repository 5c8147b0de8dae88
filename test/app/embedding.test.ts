/** An embedding model that a server on this machine offers, found by its name. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { findEmbedder } from '../../src/app/embedding.ts'
import { Config } from '../../src/config/schema.ts'
import { tempProject } from '../support/project.ts'

async function serve(...models: readonly string[]): Promise<string> {
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json')
    const isList = request.url === '/v1/models'
    const body = isList
      ? { data: models.map((id) => ({ id })) }
      : { data: [{ index: 0, embedding: [0.6, 0.8] }] }
    request.resume().on('end', () => response.end(JSON.stringify(body)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

async function find(servers: Readonly<Record<string, string>>, more: object = {}) {
  const config = Config.parse({ router: { servers, ...more } })
  return findEmbedder({ config, paths: { dataFolder: await tempProject() } })
}

/** The usual ports are named too, so that what runs on this machine is not asked. */
const nowhere = { ollama: 'http://127.0.0.1:9/v1', llamacpp: 'http://127.0.0.1:9/v1/' }
const others = { lmstudio: 'http://127.0.0.1:9/v1/x', vllm: 'http://127.0.0.1:9/v1/y' }

test('a server that offers one is asked for vectors', async () => {
  const mine = await serve('qwen3:4b', 'all-minilm:latest')

  const found = await find({ ...nowhere, ...others, mine })

  expect(found?.model).toBe('mine/all-minilm:latest')
  expect(await found?.embed(['heron'], new AbortController().signal)).toEqual([[0.6, 0.8]])
})

test('a server of chat models, or none at all, offers none', async () => {
  expect(
    await find({ ...nowhere, ...others, mine: await serve('qwen3:4b', 'bge-reranker-v2') }),
  ).toBeUndefined()
  expect(await find({ ...nowhere, ...others })).toBeUndefined()
})

test('where servers are not looked for, none is asked', async () => {
  const mine = await serve('all-minilm:latest')

  expect(await find({ ...nowhere, ...others, mine }, { discover: false })).toBeUndefined()
})
