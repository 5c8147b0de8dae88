/** Every route of a real server, as it describes them itself, asked by those who may not: nothing but a refusal comes back. */
import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tokensIn } from '../../src/server/http/tokens.ts'
import { openServed, type Served } from './served.ts'

type Operation = { readonly method: string; readonly path: string; readonly scope: string | undefined }
type Headers = Readonly<Record<string, string>>

let served: Served
let operations: readonly Operation[]
let admin: string
let readOnly: string

beforeAll(async () => {
  served = await openServed()
  const tokens = tokensIn(served.dataFolder)
  admin = await tokens.add('boss', ['admin'])
  readOnly = await tokens.add('looker', ['read'])
  const headers = { authorization: `Bearer ${admin}` }
  const reply = await fetch(`${served.url}/openapi.json`, { headers })
  const { paths } = (await reply.json()) as { paths: Record<string, Record<string, object>> }
  operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, about]) => ({
      method: method.toUpperCase(),
      path: path.replaceAll(/\{\w+\}/g, 'none'),
      scope: 'x-covey-scope' in about ? String(about['x-covey-scope']) : undefined,
    })),
  )
})
afterAll(() => served?.close())

/** Without the help of fetch, which sets Host and Origin by itself. */
const ask = ({ method, path }: Operation, headers: Headers): Promise<number> =>
  new Promise((resolve, reject) => {
    const body = method === 'POST' ? '{}' : ''
    const usual = body === '' ? {} : { 'content-type': 'application/json', 'content-length': '2' }
    const { port } = new URL(served.url)
    const sent = request({ host: '127.0.0.1', port, method, path, headers: { ...usual, ...headers } })
    sent.on('response', (response) => {
      response.destroy()
      resolve(response.statusCode ?? 0)
    })
    sent.on('upgrade', (_, socket) => {
      socket.destroy()
      resolve(101)
    })
    sent.on('error', reject)
    sent.end(body)
  })

const named = ({ method, path }: Operation) => `${method} ${path}`

/** The operations that answered with anything else. */
async function others(
  list: readonly Operation[],
  headers: Headers,
  refusals: readonly number[],
): Promise<readonly string[]> {
  const wrong: string[] = []
  for (const operation of list) {
    const status = await ask(operation, headers)
    if (!refusals.includes(status)) wrong.push(`${named(operation)}: ${status}`)
  }
  return wrong
}

const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` })
const closed = () => operations.filter(({ scope }) => scope !== undefined)

describe('every route', () => {
  test('is described with the scope it needs; those without one are known', () => {
    expect(operations.length).toBeGreaterThan(60)
    expect(operations.filter(({ scope }) => scope === undefined).map(named)).toEqual([
      'GET /health',
      'GET /ready',
      'GET /',
      'GET /assets/none',
      'POST /v1/page/token',
    ])
  })

  test('that needs more than to look is refused to a read-only token', async () => {
    const more = closed().filter(({ scope }) => scope !== 'read')

    expect(more.length).toBeGreaterThan(40)
    expect(await others(more, bearer(readOnly), [403])).toEqual([])
  })

  test.each([
    ['another name for this machine', { host: 'evil.example' }],
    ['a name that ends like ours', { host: '127.0.0.1.evil.example' }],
    ['another site', { origin: 'https://evil.example' }],
    ['a page without an origin', { origin: 'null' }],
    ['another port of this machine', { origin: 'http://127.0.0.1:1' }],
    ['a request that the browser says is of another site', { 'sec-fetch-site': 'cross-site' }],
    ['one that it says is of another port', { 'sec-fetch-site': 'same-site' }],
  ] as const)('is refused to %s, also with a token', async (_name, headers) => {
    expect(await others(operations, { ...bearer(admin), ...headers }, [403])).toEqual([])
  })

  test('opens no other protocol, and takes no token from an address', async () => {
    const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' }
    const gets = closed().filter(({ method }) => method === 'GET')
    const asked = gets.map((operation) => ({
      ...operation,
      path: `${operation.path}?token=${admin}&access_token=${admin}`,
    }))
    const upgraded = []
    for (const operation of gets) upgraded.push(await ask(operation, { ...bearer(admin), ...upgrade }))

    expect(upgraded.filter((status) => status === 101)).toEqual([])
    expect(await others(asked, {}, [401, 429])).toEqual([])
    expect(served.logged()).not.toContain(admin)
  })

  test('is refused without a token, with one that is over, and with one that was taken back', async () => {
    const tokens = tokensIn(served.dataFolder)
    const over = await tokens.add('over', ['admin'], { ttlMs: 1 })
    const gone = await tokens.add('gone', ['admin'])
    await tokens.remove('gone')

    expect(await others(closed(), {}, [401, 429])).toEqual([])
    expect(await others(closed(), bearer(over), [401, 429])).toEqual([])
    expect(await others(closed(), bearer(gone), [401, 429])).toEqual([])
  })
})
